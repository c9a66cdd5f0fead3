//! The inner solver: pair steps (SMO) with second-order selection on a small,
//! dense problem whose whole kernel matrix is at hand.
//!
//! Each step takes the row i that violates most upwards, the row j whose step
//! with it gains most (Fan, Chen and Lin 2005), and moves both as far as the
//! curvature and the bounds allow. `up` and `low` hold `v` of the rows that may go
//! up or down, and an infinity for those that may not: selection and update are
//! two passes without branches.

use super::dual::Dual;
use crate::simd::{self, Lanes, PAIR_LANES};

/// The kernel matrix of a small set of rows, each row padded to whole lanes.
#[derive(Debug, Clone)]
pub struct LocalGram<T> {
    values: Vec<T>,
    diagonal: Vec<T>,
    stride: usize,
}

impl<T: Lanes> LocalGram<T> {
    /// For `m` rows: `fill(i, out)` writes the `m` kernel values of row `i`.
    pub fn new(m: usize, mut fill: impl FnMut(usize, &mut [T])) -> Self {
        let stride = m.next_multiple_of(PAIR_LANES);
        let mut values = vec![T::ZERO; m * stride];
        let mut diagonal = vec![T::ZERO; stride];
        for (i, row) in values.chunks_exact_mut(stride.max(1)).enumerate() {
            fill(i, &mut row[..m]);
            diagonal[i] = row[i];
        }
        Self {
            values,
            diagonal,
            stride,
        }
    }

    fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.stride..(i + 1) * self.stride]
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct PairLimits {
    /// The violation that is small enough.
    pub tol: f64,
    /// The most steps.
    pub max_steps: usize,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairOutcome {
    /// Steps taken.
    pub steps: usize,
    /// The violation is small enough.
    pub converged: bool,
}

/// A curvature this small is taken for 0: the step then goes to a bound.
const FLAT: f64 = 1e-12;

/// Improves the coefficients of `dual` by pair steps; its `v` is left as it was.
pub fn solve_pairs<T: Lanes>(
    gram: &LocalGram<T>,
    dual: &mut Dual,
    limits: PairLimits,
) -> PairOutcome {
    let m = dual.len();
    let mut up = vec![f64::NEG_INFINITY; gram.stride];
    let mut low = vec![f64::INFINITY; gram.stride];
    for i in 0..m {
        mark(dual, i, dual.v[i], &mut up, &mut low);
    }
    let mut steps = 0;
    let mut converged = false;
    let mut last = None;
    while steps < limits.max_steps {
        let (i, j, step) = last.unwrap_or((0, 0, 0.0));
        let scan = simd::update_pair(&mut up, &mut low, gram.row(i), gram.row(j), step);
        if scan.max_up - scan.min_low < limits.tol || m == 0 {
            converged = true;
            break;
        }
        let i = scan.up_index;
        let k_ii = gram.diagonal[i].to_f64();
        let row = gram.row(i);
        let found = simd::second_order(&low, row, &gram.diagonal, scan.max_up, k_ii as f32);
        let Some(j) = found else { break };
        let curvature = k_ii + gram.diagonal[j].to_f64() - 2.0 * row[j].to_f64();
        let gap = scan.max_up - low[j];
        let room = (dual.upper[i] - dual.beta[i]).min(dual.beta[j] - dual.lower[j]);
        let step = if curvature > FLAT {
            (gap / curvature).min(room)
        } else {
            room
        };
        if step <= 0.0 {
            break;
        }
        let (v_i, v_j) = (scan.max_up, low[j]);
        move_pair(dual, i, j, step);
        mark(dual, i, v_i, &mut up, &mut low);
        mark(dual, j, v_j, &mut up, &mut low);
        last = Some((i, j, step));
        steps += 1;
    }
    PairOutcome { steps, converged }
}

/// Moves the coefficients, exactly to a bound where the step ends at one.
fn move_pair(dual: &mut Dual, i: usize, j: usize, step: f64) {
    let snap = |value: f64, bound: f64, room: f64| if step >= room { bound } else { value };
    let (room_i, room_j) = (dual.upper[i] - dual.beta[i], dual.beta[j] - dual.lower[j]);
    dual.beta[i] = snap(dual.beta[i] + step, dual.upper[i], room_i);
    dual.beta[j] = snap(dual.beta[j] - step, dual.lower[j], room_j);
}

/// Enters row `i` with value `v` where it may move.
fn mark(dual: &Dual, i: usize, v: f64, up: &mut [f64], low: &mut [f64]) {
    up[i] = if dual.may_rise(i) {
        v
    } else {
        f64::NEG_INFINITY
    };
    low[i] = if dual.may_fall(i) { v } else { f64::INFINITY };
}
