//! An iterate of Newton's method.

/// An iterate: coefficients, bias and decision values.
#[derive(Clone)]
pub struct Point {
    /// Samples, ascending, with their coefficients.
    pub terms: Vec<(usize, f64)>,
    /// The bias.
    pub bias: f64,
    /// `K beta + b` of every sample.
    pub outputs: Vec<f64>,
}

impl Point {
    /// All coefficients 0.
    pub fn zero(n: usize) -> Self {
        Self {
            terms: Vec::new(),
            bias: 0.0,
            outputs: vec![0.0; n],
        }
    }

    /// Moves toward another point by a fraction of the distance.
    pub fn move_toward(&mut self, other: &Point, fraction: f64) {
        let mut terms = Vec::with_capacity(self.terms.len().max(other.terms.len()));
        let (mut own, mut new) = (&self.terms[..], &other.terms[..]);
        while !(own.is_empty() && new.is_empty()) {
            let (i, a) = own.first().copied().unwrap_or((usize::MAX, 0.0));
            let (j, b) = new.first().copied().unwrap_or((usize::MAX, 0.0));
            let mut beta = 0.0;
            if i <= j {
                (beta, own) = (beta + (1.0 - fraction) * a, &own[1..]);
            }
            if j <= i {
                (beta, new) = (beta + fraction * b, &new[1..]);
            }
            terms.push((i.min(j), beta));
        }
        self.terms = terms;
        self.bias += fraction * (other.bias - self.bias);
        for (f, new) in self.outputs.iter_mut().zip(&other.outputs) {
            *f += fraction * (new - *f);
        }
    }
}
