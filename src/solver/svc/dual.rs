//! The dual of the L1 SVM in signed coefficients.
//!
//! With `beta_i = y_i alpha_i` the problem
//! `max sum alpha - 1/2 alpha' Q alpha,  y' alpha = 0,  0 <= alpha_i <= C_i` is
//!
//! ```text
//! min 1/2 beta' K beta - y' beta,   sum beta = 0,   lower_i <= beta_i <= upper_i
//! ```
//!
//! with bounds 0 and `y_i C_i`. Minus its gradient is `v = y - K beta`. At the
//! optimum no row that may go up has a larger `v` than a row that may go down;
//! the largest such difference is the KKT violation.

/// The share of the sum of all bounds that a slope of 0 may be off by rounding.
const FLAT: f64 = 1e-12;

/// Coefficients, their bounds and minus the gradient of some rows.
#[derive(Debug, Clone, Default)]
pub struct Dual {
    /// The label, +1 or -1.
    pub y: Vec<f64>,
    /// `y_i alpha_i`.
    pub beta: Vec<f64>,
    /// The least that `beta_i` may be.
    pub lower: Vec<f64>,
    /// The most that `beta_i` may be.
    pub upper: Vec<f64>,
    /// `y_i - (K beta)_i`.
    pub v: Vec<f64>,
}

/// The two rows that violate the optimality conditions most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation {
    /// The largest `v` of the rows that may go up; minus infinity if there is none.
    pub max_up: f64,
    /// The smallest `v` of the rows that may go down; infinity if there is none.
    pub min_low: f64,
    /// The first row of each.
    pub rows: (usize, usize),
}

impl Violation {
    /// By how much; 0 or less at the optimum.
    pub fn size(&self) -> f64 {
        self.max_up - self.min_low
    }
}

impl Dual {
    /// All coefficients 0, for labels (+1 or -1) and upper bounds of alpha.
    pub fn new(labels: impl Iterator<Item = f64>, bounds: impl Iterator<Item = f64>) -> Self {
        let mut dual = Self::default();
        for (y, bound) in labels.zip(bounds) {
            dual.y.push(y);
            dual.beta.push(0.0);
            dual.lower.push(if y < 0.0 { -bound } else { 0.0 });
            dual.upper.push(if y > 0.0 { bound } else { 0.0 });
            dual.v.push(y);
        }
        dual
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.beta.len()
    }

    /// Whether row `i` may go up.
    pub fn may_rise(&self, i: usize) -> bool {
        self.beta[i] < self.upper[i]
    }

    /// Whether row `i` may go down.
    pub fn may_fall(&self, i: usize) -> bool {
        self.beta[i] > self.lower[i]
    }

    /// Whether row `i` is strictly between its bounds.
    pub fn is_free(&self, i: usize) -> bool {
        self.may_rise(i) && self.may_fall(i)
    }

    /// How many rows are.
    pub fn n_free(&self) -> usize {
        (0..self.len()).filter(|&i| self.is_free(i)).count()
    }

    /// Whether row `i` violates, or is about to: it is free, or some row of the other side
    /// contradicts it.
    pub fn is_unsettled(&self, i: usize, violation: Violation) -> bool {
        (self.may_rise(i) && self.v[i] > violation.min_low)
            || (self.may_fall(i) && self.v[i] < violation.max_up)
    }

    /// The rows with a coefficient that is not 0.
    pub fn nonzero(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&i| self.beta[i] != 0.0)
    }

    /// Coefficients of a solution whose decision function is near that of the present ones with
    /// this bias: rows inside the margin at their bounds, the worst first, as many on one side
    /// as on the other.
    pub fn guess(&self, bias: f64) -> Vec<f64> {
        // How far inside: 1 less the margin.
        let depth = |i: usize| self.y[i] * (self.v[i] - bias);
        let inside = |label: f64| -> (Vec<usize>, f64) {
            let is_inside = |&i: &usize| self.y[i] == label && depth(i) > 0.0;
            let mut rows: Vec<usize> = (0..self.len()).filter(is_inside).collect();
            rows.sort_unstable_by(|&a, &b| depth(b).total_cmp(&depth(a)).then(a.cmp(&b)));
            let weight = rows.iter().map(|&i| self.upper[i] - self.lower[i]).sum();
            (rows, weight)
        };
        let sides = [inside(1.0), inside(-1.0)];
        let weight = sides[0].1.min(sides[1].1);
        let mut beta = vec![0.0; self.len()];
        for (rows, _) in sides {
            let mut left = weight;
            for i in rows {
                let share = left.min(self.upper[i] - self.lower[i]);
                beta[i] = self.y[i] * share;
                left -= share;
            }
        }
        beta
    }

    /// Brings any coefficients, `v` aside, to the nearest bounds where they exceed them, and
    /// scales the side that outweighs the other down to it.
    pub fn project(&mut self) {
        let (mut positive, mut negative) = (0.0, 0.0);
        for i in 0..self.len() {
            self.beta[i] = self.beta[i].clamp(self.lower[i], self.upper[i]);
            positive += self.beta[i].max(0.0);
            negative -= self.beta[i].min(0.0);
        }
        let weight = positive.min(negative);
        for beta in &mut self.beta {
            let side = if *beta > 0.0 { positive } else { negative };
            if *beta != 0.0 && side > weight {
                *beta *= weight / side;
            }
        }
    }

    /// Takes other bounds of alpha, none of them lower.
    pub fn set_bounds(&mut self, bounds: impl Iterator<Item = f64>) {
        for (i, bound) in bounds.enumerate() {
            (self.lower[i], self.upper[i]) = if self.y[i] > 0.0 {
                (0.0, bound)
            } else {
                (-bound, 0.0)
            };
        }
    }

    /// Scales the coefficients to the best multiple that the bounds allow, and returns that
    /// multiple. With `K beta = y - v` it takes no kernel value, but multiplies the rounding
    /// errors of `v`.
    pub fn rescale(&mut self) -> f64 {
        let (mut linear, mut quadratic, mut most) = (0.0, 0.0, f64::INFINITY);
        for i in (0..self.len()).filter(|&i| self.beta[i] != 0.0) {
            linear += self.y[i] * self.beta[i];
            quadratic += self.beta[i] * (self.y[i] - self.v[i]);
            let bound = if self.beta[i] > 0.0 {
                self.upper[i]
            } else {
                self.lower[i]
            };
            most = most.min(bound / self.beta[i]);
        }
        let best = if quadratic > 0.0 {
            linear / quadratic
        } else {
            most
        };
        let factor = best.min(most);
        if !(factor > 0.0 && factor.is_finite()) {
            return 1.0;
        }
        for i in 0..self.len() {
            let y = self.y[i];
            let beta = (factor * self.beta[i]).clamp(self.lower[i], self.upper[i]);
            // Exactly to the bound where rounding leaves a trace.
            let bound = if beta > 0.0 {
                self.upper[i]
            } else {
                self.lower[i]
            };
            let is_at_bound = (beta - bound).abs() <= 1e-14 * bound.abs();
            self.beta[i] = if is_at_bound { bound } else { beta };
            self.v[i] = y - factor * (y - self.v[i]);
        }
        factor
    }

    /// `y' beta - 1/2 beta' K beta`, the objective of the dual.
    pub fn objective(&self) -> f64 {
        let term = |i: usize| 0.5 * self.beta[i] * (self.y[i] + self.v[i]);
        self.nonzero().map(term).sum()
    }

    /// The largest violation over all rows; not a number if some `v` is none.
    pub fn violation(&self) -> Violation {
        let mut violation = Violation {
            max_up: f64::NEG_INFINITY,
            min_low: f64::INFINITY,
            rows: (0, 0),
        };
        let mut finite = 0.0;
        for i in 0..self.len() {
            finite += 0.0 * self.v[i];
            if self.may_rise(i) && self.v[i] > violation.max_up {
                violation.max_up = self.v[i];
                violation.rows.0 = i;
            }
            if self.may_fall(i) && self.v[i] < violation.min_low {
                violation.min_low = self.v[i];
                violation.rows.1 = i;
            }
        }
        violation.max_up += finite;
        violation
    }

    /// The constant of the decision function: the mean `v` of the free rows, or, where no
    /// row is free, the middle of the interval that the others leave.
    ///
    /// A coefficient that misses its bound by a rounding error looks free, but must not decide:
    /// the interval of all optimal constants is looked for beside the mean, too. `tol` is how
    /// far apart the `v` of free rows may be.
    pub fn bias(&self, tol: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for i in (0..self.len()).filter(|&i| self.is_free(i)) {
            sum += self.v[i];
            count += 1;
        }
        if count > 0 {
            let mean = sum / count as f64;
            return self.middle_beside(mean, tol).unwrap_or(mean);
        }
        let Violation {
            max_up, min_low, ..
        } = self.violation();
        match (max_up.is_finite(), min_low.is_finite()) {
            (true, true) => 0.5 * (max_up + min_low),
            (true, false) => max_up,
            (false, true) => min_low,
            (false, false) => 0.0,
        }
    }

    /// The middle of the optimal constants, if they are an interval that begins or ends
    /// within `tol` of `bias`.
    ///
    /// The loss of all rows as a function of the constant b has the slope
    ///
    /// ```text
    /// sum of C_i over y_i = -1, v_i < b   -   sum of C_i over y_i = +1, v_i > b
    /// ```
    ///
    /// and b is optimal where that is 0, which no rounding of the coefficients touches.
    fn middle_beside(&self, bias: f64, tol: f64) -> Option<f64> {
        let (low, high) = (bias - tol, bias + tol);
        // Slopes at both ends of [low, high], the next v beyond them, and the extremes within.
        let (mut slope_low, mut slope_high, mut total) = (0.0, 0.0, 0.0);
        let (mut below, mut above) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, &v) in self.v.iter().enumerate() {
            let bound = self.upper[i] - self.lower[i];
            total += bound;
            if self.y[i] > 0.0 {
                slope_low -= if v > low { bound } else { 0.0 };
                slope_high -= if v > high { bound } else { 0.0 };
            } else {
                slope_low += if v < low { bound } else { 0.0 };
                slope_high += if v < high { bound } else { 0.0 };
            }
            if v < low {
                below = below.max(v);
            } else if v > high {
                above = above.min(v);
            } else {
                first = first.min(v);
                last = last.max(v);
            }
        }
        let is_flat = |slope: f64| slope.abs() <= FLAT * total;
        if is_flat(slope_high) && above.is_finite() && last.is_finite() {
            return Some(0.5 * (last + above));
        }
        if is_flat(slope_low) && below.is_finite() && first.is_finite() {
            return Some(0.5 * (below + first));
        }
        None
    }

    /// The rows `rows`, as a problem of their own.
    pub fn gather(&self, rows: &[usize]) -> Self {
        let pick = |values: &[f64]| rows.iter().map(|&i| values[i]).collect();
        Self {
            y: pick(&self.y),
            beta: pick(&self.beta),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            v: pick(&self.v),
        }
    }
}
