//! Coefficients within their bounds and with the right sums: starting points.

use super::dual::Dual;
use super::side::{PerSide, Side};

/// A sum is reached if no more than this share of it is missing: rounding.
const ROUNDING: f64 = 1e-12;

/// How much of `left` a coefficient takes that has this much room: all of its room if only
/// rounding keeps it from that, so that it ends at its bound.
fn share_of(room: f64, left: f64, rounding: f64) -> f64 {
    if room <= left + rounding { room } else { left }
}

impl Dual {
    /// The bound of coefficient `i` on a side.
    fn bound(&self, i: usize, side: Side) -> f64 {
        match side {
            Side::Positive => self.upper[i],
            Side::Negative => self.lower[i],
        }
    }

    /// Coefficients with the given sum on each side: the samples with the largest `v` are at their
    /// upper bounds, those with the smallest `v` at their lower bounds. `None` if the bounds are
    /// too small for these sums.
    pub fn fill(&self, sums: PerSide<f64>) -> Option<Vec<f64>> {
        self.fill_where(sums, |_, _| true)
    }

    /// Estimates the solution from a decision function, given by the current coefficients and a
    /// bias: samples outside of the tube, or inside the margin, are at their bounds, the worst
    /// first, with the same sum on both sides.
    pub fn estimate_bounded(&self, bias: f64) -> Option<Vec<f64>> {
        if let Some(sums) = self.sums {
            return self.fill(sums);
        }
        let has_loss = |i: usize, side: Side| side.sign() * (self.v[i] - bias) > self.epsilon;
        let totals = Side::BOTH.map(|side| {
            let samples = (0..self.len()).filter(|&i| has_loss(i, side));
            samples.map(|i| self.bound(i, side).abs()).sum::<f64>()
        });
        self.fill_where(PerSide::of(totals[0].min(totals[1])), has_loss)
    }

    fn fill_where(
        &self,
        sums: PerSide<f64>,
        is_candidate: impl Fn(usize, Side) -> bool,
    ) -> Option<Vec<f64>> {
        let mut beta = vec![0.0; self.len()];
        for side in Side::BOTH {
            let is_open =
                |&i: &usize| beta[i] == 0.0 && self.bound(i, side) != 0.0 && is_candidate(i, side);
            let mut samples: Vec<usize> = (0..self.len()).filter(is_open).collect();
            let key = |i: usize| side.sign() * self.v[i];
            samples.sort_unstable_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
            let (mut left, rounding) = (sums[side], ROUNDING * sums[side]);
            for i in samples {
                if left <= rounding {
                    break;
                }
                let share = share_of(self.bound(i, side).abs(), left, rounding);
                beta[i] = side.sign() * share;
                left -= share;
            }
            if left > rounding {
                return None;
            }
        }
        Some(beta)
    }

    /// Makes arbitrary coefficients feasible: clips them to their bounds, then reduces or raises
    /// the sum of each side to the right one. Without fixed sums, the larger is reduced to the
    /// smaller. Does not update `v`. Returns whether the sums were reached.
    pub fn project(&mut self) -> bool {
        if let Some(sums) = self.sums {
            self.scale_to(sums);
        }
        for i in 0..self.len() {
            self.beta[i] = self.beta[i].clamp(self.lower[i], self.upper[i]);
        }
        let found = PerSide(Side::BOTH.map(|side| self.sum_of(side)));
        let least = found[Side::Positive].min(found[Side::Negative]);
        let wanted = self.sums.unwrap_or(PerSide::of(least));
        let rounding = |side: Side| match self.sums {
            Some(sums) => ROUNDING * sums[side],
            None => 0.0,
        };
        let rounding = PerSide(Side::BOTH.map(rounding));
        for side in Side::BOTH {
            self.reduce(side, found[side] - wanted[side], rounding[side]);
        }
        let mut is_reached = true;
        for side in Side::BOTH {
            let left = self.raise(side, wanted[side] - found[side], rounding[side]);
            is_reached &= left <= rounding[side];
        }
        is_reached
    }

    /// The sum of the coefficients of a side, without their sign.
    pub fn sum_of(&self, side: Side) -> f64 {
        let own = self.beta.iter().map(|beta| (side.sign() * beta).max(0.0));
        own.sum()
    }

    /// Scales the coefficients of each side to a sum.
    fn scale_to(&mut self, sums: PerSide<f64>) {
        for side in Side::BOTH {
            let factor = sums[side] / self.sum_of(side);
            if factor.is_finite() {
                for beta in self
                    .beta
                    .iter_mut()
                    .filter(|beta| side.sign() * **beta > 0.0)
                {
                    *beta *= factor;
                }
            }
        }
    }

    /// Reduces the sum of a side by an excess: that of its free variables first, then that of
    /// variables at their bounds, so that most of the latter stay there.
    fn reduce(&mut self, side: Side, mut excess: f64, rounding: f64) {
        for take_bounds in [false, true] {
            for i in (0..self.len()).rev() {
                if excess <= rounding {
                    return;
                }
                let is_at_bound = self.beta[i] == self.bound(i, side);
                if side.sign() * self.beta[i] > 0.0 && is_at_bound == take_bounds {
                    let taken = share_of(self.beta[i].abs(), excess, rounding);
                    self.beta[i] -= side.sign() * taken;
                    excess -= taken;
                }
            }
        }
    }

    /// Raises the sum of a side: the variables that are on it first. Returns what is left.
    fn raise(&mut self, side: Side, mut missing: f64, rounding: f64) -> f64 {
        for take_zeros in [false, true] {
            for i in 0..self.len() {
                if missing <= rounding {
                    return 0.0;
                }
                let is_on_side = side.sign() * self.beta[i] > 0.0;
                if is_on_side || (take_zeros && self.beta[i] == 0.0) {
                    let bound = self.bound(i, side);
                    let room = side.sign() * (bound - self.beta[i]);
                    let added = share_of(room, missing, rounding);
                    self.beta[i] = match added < room {
                        true => self.beta[i] + side.sign() * added,
                        false => bound,
                    };
                    missing -= added;
                }
            }
        }
        missing.max(0.0)
    }

    /// Scales all coefficients by the factor with the best objective within the bounds, and
    /// returns it. Since `K beta = p - v`, this needs no kernel values; it amplifies the rounding
    /// errors of `v` by the same factor. Fixed sums leave no choice: then nothing is scaled.
    pub fn rescale(&mut self) -> f64 {
        if self.sums.is_some() {
            return 1.0;
        }
        let (mut linear, mut quadratic, mut most) = (0.0, 0.0, f64::INFINITY);
        for i in (0..self.len()).filter(|&i| self.beta[i] != 0.0) {
            linear += self.linear[i] * self.beta[i] - self.epsilon * self.beta[i].abs();
            quadratic += self.beta[i] * (self.linear[i] - self.v[i]);
            let bound = self.bound(i, self.rising_side(i));
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
            let linear = self.linear[i];
            let beta = (factor * self.beta[i]).clamp(self.lower[i], self.upper[i]);
            // Snap to the bound if only rounding keeps the coefficient off it.
            let bound = self.bound(i, Side::negative_if(beta <= 0.0));
            let is_at_bound = (beta - bound).abs() <= 1e-14 * bound.abs();
            self.beta[i] = if is_at_bound { bound } else { beta };
            self.v[i] = linear - factor * (linear - self.v[i]);
        }
        factor
    }
}
