//! A place on the way of the Newton steps.

/// A point: coefficients, bias and outputs.
#[derive(Clone)]
pub struct Point {
    /// Ascending rows with their coefficients.
    pub terms: Vec<(usize, f64)>,
    /// The constant.
    pub bias: f64,
    /// `K beta + b` of every row.
    pub outputs: Vec<f64>,
}

impl Point {
    /// No coefficients.
    pub fn zero(n: usize) -> Self {
        Self {
            terms: Vec::new(),
            bias: 0.0,
            outputs: vec![0.0; n],
        }
    }

    /// Goes a share of the way to another point.
    pub fn go(&mut self, other: &Point, way: f64) {
        let mut terms = Vec::with_capacity(self.terms.len().max(other.terms.len()));
        let (mut own, mut new) = (&self.terms[..], &other.terms[..]);
        while !(own.is_empty() && new.is_empty()) {
            let (i, a) = own.first().copied().unwrap_or((usize::MAX, 0.0));
            let (j, b) = new.first().copied().unwrap_or((usize::MAX, 0.0));
            let mut beta = 0.0;
            if i <= j {
                (beta, own) = (beta + (1.0 - way) * a, &own[1..]);
            }
            if j <= i {
                (beta, new) = (beta + way * b, &new[1..]);
            }
            terms.push((i.min(j), beta));
        }
        self.terms = terms;
        self.bias += way * (other.bias - self.bias);
        for (f, new) in self.outputs.iter_mut().zip(&other.outputs) {
            *f += way * (new - *f);
        }
    }
}
