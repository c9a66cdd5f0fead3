//! Pair steps (SMO) with second-order selection.
//!
//! Each step selects the sample i with the largest `v` that may rise, and the sample j with the
//! largest decrease of the objective (Fan, Chen and Lin 2005). It moves both as far as the
//! curvature and the bounds allow. The update of `v` is deferred to the next selection, so that
//! selection and update are two passes without branches.

use super::local::{Local, Penalties};
use crate::simd::{self, Lanes};

/// A curvature below this is taken for 0: the step ends at a bound.
const FLAT: f64 = 1e-12;

/// A coefficient that misses a bound by this share is at the bound, if sums are fixed.
pub const ROUNDING: f64 = 1e-12;

/// The work of a step on `m` samples, about in nanoseconds; only its ratio to
/// [`super::free_steps::work`] matters.
pub fn work(m: usize) -> f64 {
    100.0 + m as f64 / 3.0
}

/// A sequence of pair steps; `v` does not include the last one yet.
#[derive(Debug, Default)]
pub struct Pairs {
    last: (usize, usize, f64),
    /// The extremes of `v` before the last step, for each array of penalties.
    extremes: [(f64, f64); 2],
}

impl Pairs {
    /// Takes one step; returns `false` if the violation is below `tol` or no step makes progress.
    pub fn step<T: Lanes>(&mut self, local: &mut Local<'_, T>, tol: f64) -> bool {
        if local.len() == 0 {
            return false;
        }
        let (scan, penalties) = self.update(local);
        let max_up = scan.max_up.to_f64();
        if max_up - scan.min_low.to_f64() < tol {
            return false;
        }
        let i = scan.up_index;
        local.rows.ensure(i);
        let dual = &local.dual;
        let diagonal = local.rows.diagonal();
        let row = local.rows.row(i);
        let fall = &local.penalties[penalties].fall[..];
        let v_fall = (&local.v[..], fall);
        let found = simd::second_order(v_fall, row, diagonal, scan.max_up, diagonal[i]);
        let Some(j) = found else { return false };
        let curvature = diagonal[i].to_f64() + diagonal[j].to_f64() - 2.0 * row[j].to_f64();
        let (ceiling, floor) = (dual.ceiling(i), dual.floor(j));
        let (room_i, room_j) = (ceiling - dual.beta[i], dual.beta[j] - floor);
        let room = room_i.min(room_j);
        let step = if curvature > FLAT {
            ((max_up - (local.v[j] + fall[j]).to_f64()) / curvature).min(room)
        } else {
            room
        };
        if step.is_nan() || step <= 0.0 {
            return false;
        }
        // Snap to a bound if the step ends there. Fixed sums are often multiples of the bounds; then
        // both coefficients reach theirs at once, and one of them misses it by a rounding error.
        let rounding = if dual.sums.is_some() { ROUNDING } else { 0.0 };
        let snap = |before: f64, change: f64, bound: f64, room: f64| {
            let near = rounding * bound.abs().max(before.abs());
            if step >= room - near {
                bound
            } else {
                before + change
            }
        };
        let beta_i = snap(dual.beta[i], step, ceiling, room_i);
        let beta_j = snap(dual.beta[j], -step, floor, room_j);
        if beta_i == dual.beta[i] && beta_j == dual.beta[j] {
            return false; // lost in rounding
        }
        local.rows.ensure(j);
        local.set(i, beta_i);
        local.set(j, beta_j);
        self.last = (i, j, step);
        true
    }

    /// The number of samples that formed a violating pair before the last step.
    pub fn n_violators<T: Lanes>(&self, local: &Local<'_, T>) -> usize {
        let counts = local.penalties.iter().zip(&self.extremes);
        let of = |(penalties, extremes): (&Penalties<T>, &(f64, f64))| {
            let extremes = (T::from_f64(extremes.0), T::from_f64(extremes.1));
            simd::count_violators(&local.v, penalties.slices(), extremes)
        };
        counts.map(of).sum()
    }

    /// Adds the last step to `v`. Returns the extremes of the comparable moves with the largest
    /// violation, and the number of their penalties.
    fn update<T: Lanes>(&mut self, local: &mut Local<'_, T>) -> (simd::PairScan<T>, usize) {
        let (i, j, mut step) = std::mem::take(&mut self.last);
        let rows = (local.rows.row(i), local.rows.row(j));
        let mut scan_of = |penalties: &Penalties<T>| {
            let step = T::from_f64(std::mem::take(&mut step));
            simd::update_pair(&mut local.v, penalties.slices(), rows, step)
        };
        let extremes = |scan: &simd::PairScan<T>| (scan.max_up.to_f64(), scan.min_low.to_f64());
        let first = scan_of(&local.penalties[0]);
        self.extremes[0] = extremes(&first);
        let Some(penalties) = local.penalties.get(1) else {
            return (first, 0);
        };
        let second = scan_of(penalties);
        self.extremes[1] = extremes(&second);
        let [one, other] = self.extremes.map(|(max_up, min_low)| max_up - min_low);
        if other > one { (second, 1) } else { (first, 0) }
    }
}
