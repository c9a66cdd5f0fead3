//! The dual of the L1 SVM in signed coefficients.
//!
//! With `beta_i = y_i alpha_i` the problem
//! `max sum alpha - 1/2 alpha' Q alpha,  y' alpha = 0,  0 <= alpha_i <= C_i` is
//!
//! ```text
//! min 1/2 beta' K beta - y' beta,   sum beta = 0,   lower_i <= beta_i <= upper_i
//! ```
//!
//! with bounds 0 and `y_i C_i`. Minus its gradient is `v = y - K beta`. At the optimum no
//! coefficient that may rise (`I_up` in the literature) has a larger `v` than one that may fall
//! (`I_low`); the largest such difference is the KKT violation.

use crate::kernel::Parts;

/// A slope is taken for 0 if it is below this share of the sum of all bounds: rounding.
const FLAT: f64 = 1e-12;

/// Coefficients, their bounds and minus the gradient of a set of samples.
#[derive(Debug, Clone, Default)]
pub struct Dual {
    /// The label, +1 or -1.
    pub y: Vec<f64>,
    /// `y_i alpha_i`.
    pub beta: Vec<f64>,
    /// The lower bound of `beta_i`.
    pub lower: Vec<f64>,
    /// The upper bound of `beta_i`.
    pub upper: Vec<f64>,
    /// `y_i - (K beta)_i`.
    pub v: Vec<f64>,
}

/// The maximal violating pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation {
    /// The largest `v` of the coefficients that may rise; minus infinity if there are none.
    pub max_up: f64,
    /// The smallest `v` of the coefficients that may fall; infinity if there are none.
    pub min_low: f64,
    /// The first sample with each of these values.
    pub pair: (usize, usize),
}

impl Violation {
    /// The KKT violation; 0 or less at the optimum.
    pub fn size(&self) -> f64 {
        self.max_up - self.min_low
    }
}

impl Dual {
    /// The problem with all coefficients 0, for labels (+1 or -1) and upper bounds of alpha.
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

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.beta.len()
    }

    /// Whether coefficient `i` is below its upper bound.
    pub fn may_rise(&self, i: usize) -> bool {
        self.beta[i] < self.upper[i]
    }

    /// Whether coefficient `i` is above its lower bound.
    pub fn may_fall(&self, i: usize) -> bool {
        self.beta[i] > self.lower[i]
    }

    /// Whether coefficient `i` is strictly between its bounds.
    pub fn is_free(&self, i: usize) -> bool {
        self.may_rise(i) && self.may_fall(i)
    }

    /// Number of free coefficients.
    pub fn n_free(&self) -> usize {
        (0..self.len()).filter(|&i| self.is_free(i)).count()
    }

    /// Whether sample `i` is likely to stay at its bound: it forms a violating pair with no
    /// other sample.
    pub fn may_be_shrunk(&self, i: usize, violation: Violation) -> bool {
        let rises = self.may_rise(i) && self.v[i] > violation.min_low;
        let falls = self.may_fall(i) && self.v[i] < violation.max_up;
        !(rises || falls)
    }

    /// The differences between the coefficients of some samples and new ones, where they differ.
    pub fn changes_to(&self, samples: &[usize], beta: &[f64]) -> Vec<(usize, f64)> {
        let changes = samples.iter().zip(beta);
        changes
            .map(|(&i, beta)| (i, self.beta[i] - beta))
            .filter(|&(_, change)| change != 0.0)
            .collect()
    }

    /// The packed index and coefficient of each support vector.
    pub fn terms(&self, parts: &Parts) -> Vec<(u32, f64)> {
        let term = |i: usize| (parts.global(i) as u32, self.beta[i]);
        self.nonzero().map(term).collect()
    }

    /// The support vectors: samples whose coefficient is not 0.
    pub fn nonzero(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&i| self.beta[i] != 0.0)
    }

    /// Estimates the solution from a decision function, given by the current coefficients and a
    /// bias: samples inside the margin are at their bounds, the worst first, with the same total
    /// for both labels.
    pub fn estimate_bounded(&self, bias: f64) -> Vec<f64> {
        // The slack: 1 minus the margin.
        let slack = |i: usize| self.y[i] * (self.v[i] - bias);
        let inside = |label: f64| -> (Vec<usize>, f64) {
            let is_inside = |&i: &usize| self.y[i] == label && slack(i) > 0.0;
            let mut samples: Vec<usize> = (0..self.len()).filter(is_inside).collect();
            samples.sort_unstable_by(|&a, &b| slack(b).total_cmp(&slack(a)).then(a.cmp(&b)));
            let total = samples.iter().map(|&i| self.upper[i] - self.lower[i]).sum();
            (samples, total)
        };
        let labels = [inside(1.0), inside(-1.0)];
        let total = labels[0].1.min(labels[1].1);
        let mut beta = vec![0.0; self.len()];
        for (samples, _) in labels {
            let mut left = total;
            for i in samples {
                let share = left.min(self.upper[i] - self.lower[i]);
                beta[i] = self.y[i] * share;
                left -= share;
            }
        }
        beta
    }

    /// Makes arbitrary coefficients feasible: clips them to their bounds, then scales the label
    /// with the larger sum down to the other. Does not update `v`.
    pub fn project(&mut self) {
        let (mut positive, mut negative) = (0.0, 0.0);
        for i in 0..self.len() {
            self.beta[i] = self.beta[i].clamp(self.lower[i], self.upper[i]);
            positive += self.beta[i].max(0.0);
            negative -= self.beta[i].min(0.0);
        }
        // The excess of one side is taken from its free variables, then from variables at their
        // bounds, so that most of the latter stay there.
        let (sign, mut excess) = ((positive - negative).signum(), (positive - negative).abs());
        let is_at_bound =
            |dual: &Self, i: usize| dual.beta[i] == dual.lower[i] || dual.beta[i] == dual.upper[i];
        for take_bounds in [false, true] {
            for i in (0..self.len()).rev() {
                if sign * self.beta[i] > 0.0 && is_at_bound(self, i) == take_bounds {
                    let taken = self.beta[i].abs().min(excess);
                    self.beta[i] -= sign * taken;
                    excess -= taken;
                }
            }
        }
    }

    /// Sets new upper bounds of alpha, none of them lower than before.
    pub fn set_bounds(&mut self, bounds: impl Iterator<Item = f64>) {
        for (i, bound) in bounds.enumerate() {
            (self.lower[i], self.upper[i]) = if self.y[i] > 0.0 {
                (0.0, bound)
            } else {
                (-bound, 0.0)
            };
        }
    }

    /// Scales all coefficients by the factor with the best objective within the bounds, and
    /// returns it. Since `K beta = y - v`, this needs no kernel values; it amplifies the rounding
    /// errors of `v` by the same factor.
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
            // Snap to the bound if only rounding keeps the coefficient off it.
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

    /// The maximal violating pair; its size is NaN if a `v` is not finite.
    pub fn violation(&self) -> Violation {
        let mut violation = Violation {
            max_up: f64::NEG_INFINITY,
            min_low: f64::INFINITY,
            pair: (0, 0),
        };
        let mut finite = 0.0;
        for i in 0..self.len() {
            finite += 0.0 * self.v[i];
            if self.may_rise(i) && self.v[i] > violation.max_up {
                violation.max_up = self.v[i];
                violation.pair.0 = i;
            }
            if self.may_fall(i) && self.v[i] < violation.min_low {
                violation.min_low = self.v[i];
                violation.pair.1 = i;
            }
        }
        violation.max_up += finite;
        violation
    }

    /// The bias: the mean `v` of the free coefficients, or, if none is free, the center of the
    /// interval that the bounded ones leave.
    ///
    /// A coefficient that misses its bound by a rounding error appears to be free, but must not
    /// determine the bias. Therefore an interval of optimal biases next to the mean takes
    /// precedence. `tol` is the largest difference between the `v` of free coefficients.
    pub fn bias(&self, tol: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for i in (0..self.len()).filter(|&i| self.is_free(i)) {
            sum += self.v[i];
            count += 1;
        }
        if count > 0 {
            let mean = sum / count as f64;
            return self.optimal_interval_center(mean, tol).unwrap_or(mean);
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

    /// The center of the interval of optimal biases, if there is one that begins or ends within
    /// `tol` of `bias`.
    ///
    /// The sum of losses as a function of the bias b has the slope
    ///
    /// ```text
    /// sum of C_i over y_i = -1, v_i < b   -   sum of C_i over y_i = +1, v_i > b
    /// ```
    ///
    /// and b is optimal where it is 0. It does not depend on the rounding of coefficients.
    fn optimal_interval_center(&self, bias: f64, tol: f64) -> Option<f64> {
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

    /// The subproblem of some samples.
    pub fn gather(&self, samples: &[usize]) -> Self {
        let pick = |values: &[f64]| samples.iter().map(|&i| values[i]).collect();
        Self {
            y: pick(&self.y),
            beta: pick(&self.beta),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            v: pick(&self.v),
        }
    }
}
