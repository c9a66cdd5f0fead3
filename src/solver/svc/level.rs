//! The level of `v` on each side at the optimum: the bias, and the half-width of the tube.

use super::dual::{Dual, Violation};
use super::side::Side;

/// A slope is taken for 0 if it is below this share of the sum of all bounds: rounding.
const FLAT: f64 = 1e-12;

/// The levels `bias + half_gap` of the positive and `bias - half_gap` of the negative side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The bias.
    pub bias: f64,
    /// Epsilon, or what takes its place if the sides have levels of their own.
    pub half_gap: f64,
}

/// Some samples of a problem: those of one side, or all.
#[derive(Debug, Clone, Copy)]
struct Scope {
    side: Option<Side>,
    /// The sum of the coefficients.
    sum: f64,
}

impl Scope {
    fn contains(self, side: Side) -> bool {
        self.side.is_none_or(|own| own == side)
    }
}

impl Dual {
    /// The levels. `tol` is the largest difference between the values of free coefficients.
    pub fn level(&self, tol: f64) -> Level {
        let violation = &self.violation();
        let Some(sums) = self.sums else {
            let all = Scope {
                side: None,
                sum: 0.0,
            };
            return Level {
                bias: self.level_of(all, violation, tol),
                half_gap: self.epsilon,
            };
        };
        let of_side = |side: Side| {
            let scope = Scope {
                side: self.is_apart().then_some(side),
                sum: side.sign() * sums[side],
            };
            self.level_of(scope, violation, tol)
        };
        let positive = of_side(Side::Positive);
        if !self.is_apart() {
            return Level {
                bias: positive,
                half_gap: self.epsilon,
            };
        }
        let negative = of_side(Side::Negative);
        Level {
            bias: 0.5 * (positive + negative),
            half_gap: 0.5 * (positive - negative),
        }
    }

    /// The mean value of the free coefficients, or, if none is free, the center of the interval
    /// that the bounded ones leave.
    ///
    /// A coefficient that misses its bound by a rounding error appears to be free, but must not
    /// determine the level. Therefore an interval of optimal levels next to the mean takes
    /// precedence.
    fn level_of(&self, scope: Scope, violation: &Violation, tol: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0usize);
        for i in (0..self.len()).filter(|&i| self.is_free(i)) {
            if scope.contains(self.rising_side(i)) {
                sum += self.up_value(i);
                count += 1;
            }
        }
        if count > 0 {
            let mean = sum / count as f64;
            let center = self.optimal_interval_center(scope, mean, tol);
            return center.unwrap_or(mean);
        }
        let extremes = violation.0[scope.side.unwrap_or(Side::Positive)];
        match (extremes.max_up.is_finite(), extremes.min_low.is_finite()) {
            (true, true) => extremes.middle(),
            (true, false) => extremes.max_up,
            (false, true) => extremes.min_low,
            (false, false) => 0.0,
        }
    }

    /// The center of the interval of optimal levels, if there is one that begins or ends within
    /// `tol` of `level`.
    ///
    /// The sum of losses as a function of the level b has the slope
    ///
    /// ```text
    /// sum beta  -  sum of upper_i over v_i - epsilon > b  -  sum of lower_i over v_i + epsilon < b
    /// ```
    ///
    /// and b is optimal where it is 0. It does not depend on the rounding of coefficients.
    fn optimal_interval_center(&self, scope: Scope, level: f64, tol: f64) -> Option<f64> {
        let (low, high) = (level - tol, level + tol);
        // Slopes at both ends of [low, high], the next value beyond them, and the extremes within.
        let (mut slope_low, mut slope_high, mut total) = (scope.sum, scope.sum, 0.0);
        let (mut below, mut above) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut visit = |side: Side, value: f64, bound: f64| {
            total += bound.abs();
            match side {
                Side::Positive => {
                    slope_low -= if value > low { bound } else { 0.0 };
                    slope_high -= if value > high { bound } else { 0.0 };
                }
                Side::Negative => {
                    slope_low -= if value < low { bound } else { 0.0 };
                    slope_high -= if value < high { bound } else { 0.0 };
                }
            }
            if value < low {
                below = below.max(value);
            } else if value > high {
                above = above.min(value);
            } else {
                first = first.min(value);
                last = last.max(value);
            }
        };
        for (i, &v) in self.v.iter().enumerate() {
            let bounds = [self.upper[i], self.lower[i]];
            for (side, bound) in Side::BOTH.into_iter().zip(bounds) {
                if bound != 0.0 && scope.contains(side) {
                    visit(side, v - side.sign() * self.epsilon, bound);
                }
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
}
