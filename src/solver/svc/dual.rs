//! The dual of all formulations of the exact solver, in signed coefficients.
//!
//! ```text
//! min 1/2 beta' K beta - p' beta + epsilon sum |beta_i|,   lower_i <= beta_i <= upper_i
//! ```
//!
//! with `lower_i <= 0 <= upper_i`, and one of two constraints on sums:
//!
//! - `sum beta = 0`, for C-SVC (`p = y`, `epsilon = 0`, with bounds 0 and `y_i C_i`, so that
//!   `beta_i = y_i alpha_i`) and epsilon-SVR (`p` are the targets, with bounds `-C_i` and `C_i`:
//!   `beta_i = alpha_i - alpha_i^*`, of which one is 0);
//! - fixed sums of the positive and of the negative coefficients, for the formulations with nu (see
//!   [`super::formulation`]).
//!
//! Minus the gradient of the smooth part is `v = p - K beta`. A coefficient on the *positive side*,
//! one that moves between 0 and `upper`, should rise if `v` is above a level `b + epsilon`, and fall
//! if it is below; for one on the *negative side* the level is `b - epsilon`. Moves are compared by
//! `v` minus epsilon, or plus epsilon: at the optimum no coefficient that may rise (`I_up` in the
//! literature) has a larger such value than one that may fall (`I_low`), and the largest difference
//! is the KKT violation. If the sums of both sides are fixed, each side has a level of its own, and
//! only moves of the same side are compared.
//!
//! At 0, a coefficient changes sides: steps stop there as at a bound.

use super::side::{PerSide, Side};
use crate::kernel::Parts;

/// Coefficients, their bounds and minus the gradient of a set of samples.
#[derive(Debug, Clone, Default)]
pub struct Dual {
    /// The linear term `p`: labels +1 and -1, or targets.
    pub linear: Vec<f64>,
    /// The signed coefficients.
    pub beta: Vec<f64>,
    /// The lower bound of `beta_i`, at most 0.
    pub lower: Vec<f64>,
    /// The upper bound of `beta_i`, at least 0.
    pub upper: Vec<f64>,
    /// `p_i - (K beta)_i`.
    pub v: Vec<f64>,
    /// The cost of a unit of a coefficient.
    pub epsilon: f64,
    /// The sums of the positive and of minus the negative coefficients, if they are fixed.
    pub sums: Option<PerSide<f64>>,
}

/// The linear term and the bounds of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The linear term.
    pub linear: f64,
    /// The lower bound of the coefficient.
    pub lower: f64,
    /// The upper bound of the coefficient.
    pub upper: f64,
}

/// The maximal violating pair of comparable moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// The largest value of the coefficients that may rise; minus infinity if there are none.
    pub max_up: f64,
    /// The smallest value of the coefficients that may fall; infinity if there are none.
    pub min_low: f64,
    /// The first sample with each of these values.
    pub pair: (usize, usize),
}

impl Extremes {
    const NONE: Self = Self {
        max_up: f64::NEG_INFINITY,
        min_low: f64::INFINITY,
        pair: (0, 0),
    };

    /// The difference of both values; 0 or less at the optimum.
    pub fn size(&self) -> f64 {
        self.max_up - self.min_low
    }

    /// The center of both values; 0 if one of them is infinite.
    pub fn middle(&self) -> f64 {
        let middle = 0.5 * (self.max_up + self.min_low);
        if middle.is_finite() { middle } else { 0.0 }
    }
}

/// The maximal violating pair of each side; both are the same if the sides share their level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation(pub PerSide<Extremes>);

impl Violation {
    /// The KKT violation; 0 or less at the optimum, and NaN if a `v` is not finite.
    pub fn size(&self) -> f64 {
        let [one, other] = self.0.map(|extremes| extremes.size());
        if one.is_nan() || one > other {
            one
        } else {
            other
        }
    }
}

impl Dual {
    /// The problem with all coefficients 0.
    pub fn new(
        samples: impl Iterator<Item = Sample>,
        epsilon: f64,
        sums: Option<PerSide<f64>>,
    ) -> Self {
        let mut dual = Self {
            epsilon,
            sums,
            ..Self::default()
        };
        for sample in samples {
            dual.linear.push(sample.linear);
            dual.beta.push(0.0);
            dual.lower.push(sample.lower);
            dual.upper.push(sample.upper);
            dual.v.push(sample.linear);
        }
        dual
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.beta.len()
    }

    /// Whether the sides have levels of their own.
    pub fn is_apart(&self) -> bool {
        self.sums.is_some_and(|sums| sums[Side::Negative] > 0.0)
    }

    /// Whether coefficients may have either sign, as in regression.
    pub fn is_two_sided(&self) -> bool {
        let bounds = self.lower.iter().zip(&self.upper);
        bounds
            .take(1)
            .any(|(&lower, &upper)| lower < 0.0 && upper > 0.0)
    }

    /// The side on which coefficient `i` rises.
    pub fn rising_side(&self, i: usize) -> Side {
        Side::negative_if(self.beta[i] < 0.0)
    }

    /// The side on which coefficient `i` falls.
    pub fn falling_side(&self, i: usize) -> Side {
        Side::negative_if(self.beta[i] <= 0.0)
    }

    /// Whether coefficient `i` is below its upper bound.
    pub fn may_rise(&self, i: usize) -> bool {
        self.beta[i] < self.upper[i]
    }

    /// Whether coefficient `i` is above its lower bound.
    pub fn may_fall(&self, i: usize) -> bool {
        self.beta[i] > self.lower[i]
    }

    /// The value by which the rise of coefficient `i` is compared.
    pub fn up_value(&self, i: usize) -> f64 {
        self.v[i] - self.rising_side(i).sign() * self.epsilon
    }

    /// The value by which the fall of coefficient `i` is compared.
    pub fn low_value(&self, i: usize) -> f64 {
        self.v[i] - self.falling_side(i).sign() * self.epsilon
    }

    /// The end of a rise of coefficient `i`: its upper bound, or 0.
    pub fn ceiling(&self, i: usize) -> f64 {
        match self.rising_side(i) {
            Side::Positive => self.upper[i],
            Side::Negative => 0.0,
        }
    }

    /// The end of a fall of coefficient `i`: its lower bound, or 0.
    pub fn floor(&self, i: usize) -> f64 {
        match self.falling_side(i) {
            Side::Positive => 0.0,
            Side::Negative => self.lower[i],
        }
    }

    /// Whether coefficient `i` is strictly between a bound and 0.
    pub fn is_free(&self, i: usize) -> bool {
        self.beta[i] != 0.0 && self.may_rise(i) && self.may_fall(i)
    }

    /// Number of free coefficients.
    pub fn n_free(&self) -> usize {
        (0..self.len()).filter(|&i| self.is_free(i)).count()
    }

    /// Whether coefficient `i` may rise and forms a violating pair with another one.
    pub fn is_rising(&self, i: usize, violation: &Violation) -> bool {
        self.may_rise(i) && self.up_value(i) > violation.0[self.rising_side(i)].min_low
    }

    /// Whether coefficient `i` may fall and forms a violating pair with another one.
    pub fn is_falling(&self, i: usize, violation: &Violation) -> bool {
        self.may_fall(i) && self.low_value(i) < violation.0[self.falling_side(i)].max_up
    }

    /// Whether sample `i` is likely to stay where it is: it forms a violating pair with no other
    /// sample.
    pub fn may_be_shrunk(&self, i: usize, violation: &Violation) -> bool {
        !(self.is_rising(i, violation) || self.is_falling(i, violation))
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

    /// The maximal violating pairs; the size is NaN if a `v` is not finite.
    pub fn violation(&self) -> Violation {
        let mut shared = Extremes::NONE;
        let mut apart = PerSide::of(Extremes::NONE);
        let is_apart = self.is_apart();
        let mut finite = 0.0;
        for i in 0..self.len() {
            finite += 0.0 * self.v[i];
            if self.may_rise(i) {
                let side = self.rising_side(i);
                let extremes = if is_apart {
                    &mut apart[side]
                } else {
                    &mut shared
                };
                let value = self.up_value(i);
                if value > extremes.max_up {
                    (extremes.max_up, extremes.pair.0) = (value, i);
                }
            }
            if self.may_fall(i) {
                let side = self.falling_side(i);
                let extremes = if is_apart {
                    &mut apart[side]
                } else {
                    &mut shared
                };
                let value = self.low_value(i);
                if value < extremes.min_low {
                    (extremes.min_low, extremes.pair.1) = (value, i);
                }
            }
        }
        let mut found = if is_apart { apart } else { PerSide::of(shared) };
        found[Side::Positive].max_up += finite;
        Violation(found)
    }

    /// The subproblem of some samples. Its sums are those of the coefficients.
    pub fn gather(&self, samples: &[usize]) -> Self {
        let pick = |values: &[f64]| samples.iter().map(|&i| values[i]).collect();
        Self {
            linear: pick(&self.linear),
            beta: pick(&self.beta),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            v: pick(&self.v),
            epsilon: self.epsilon,
            sums: self.sums,
        }
    }
}
