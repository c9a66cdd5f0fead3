//! Joint steps of all free coefficients: an active-set Newton method.
//!
//! With the bounded coefficients fixed, the optimum of the free ones F is the solution of a
//! system of linear equations:
//!
//! ```text
//! K_FF d + lambda = v_F,   sum d = 0
//! ```
//!
//! A step along `d` ends there, or at the first bound on the way. The coefficient that reaches
//! the bound is deleted from the factorization (O(f^2)), and the others continue. With a large C
//! and a small gamma this replaces tens of thousands of pair steps.

use super::local::Local;
use crate::Result;
use crate::memory::{allocation_error, checked_len};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::{factor, solve as ldlt_solve, update};
use faer::{Mat, Par};

/// The maximum number of free coefficients: the factor takes 8 bytes times its square.
const MAX_FREE: usize = 2048;

/// The purpose of the allocation, for error messages.
const FACTOR: &str = "the factor of the free samples";

/// The work of a joint step of `f` free coefficients out of `m`, in the units of
/// [`super::pair_steps::work`]: about three times the measured one, which was best over hard and
/// easy problems.
pub fn work(f: usize, m: usize) -> f64 {
    if !(2..=MAX_FREE).contains(&f) {
        return f64::INFINITY;
    }
    let (f, m) = (f as f64, m as f64);
    3000.0 + 0.075 * f * f * f + 3.0 * f * f + 0.22 * f * m
}

/// The work of all steps after the first.
pub fn work_of_drops(n_steps: usize, f: usize) -> f64 {
    0.1 * n_steps.saturating_sub(1) as f64 * (f * f) as f64
}

/// Moves the free coefficients to their optimum, or to the bounds that they reach on the way.
/// Returns the number of steps; 0 if the objective did not improve and nothing changed.
pub fn solve<T: Lanes>(
    local: &mut Local<'_, T>,
    max_steps: usize,
    monitor: &Monitor,
) -> Result<usize> {
    let mut free: Vec<usize> = (0..local.len())
        .filter(|&i| local.dual.is_free(i))
        .collect();
    let Some(mut factor) = Factor::new(local, &free)? else {
        return Ok(0);
    };
    let start = free.clone();
    let before = (local.dual.clone(), local.v.clone());
    let mut v: Vec<f64> = free.iter().map(|&i| local.v[i]).collect();
    let mut n_steps = 0;
    while free.len() >= 2 && n_steps < max_steps && monitor.check().is_ok() {
        let Some((direction, level)) = factor.direction(&v) else {
            break;
        };
        let (share, blocked) = longest_step(local, &free, &direction);
        for ((&i, d), v) in free.iter().zip(&direction).zip(&mut v) {
            local.set(i, local.dual.beta[i] + share * d);
            *v += share * (level - *v);
        }
        n_steps += 1;
        let Some((place, bound)) = blocked else { break };
        local.set(free[place], bound);
        free.remove(place);
        v.remove(place);
        factor.remove(place);
    }
    let changes: Vec<(usize, f64)> = start
        .iter()
        .map(|&i| (i, local.dual.beta[i] - before.0.beta[i]))
        .collect();
    local.update_gradient(&changes);
    let gain = |&(i, change): &(usize, f64)| change * (before.1[i] + local.v[i]);
    let gain: f64 = changes.iter().map(gain).sum();
    if gain > 0.0 {
        return Ok(n_steps);
    }
    // Rounding, or a matrix that is not positive definite: restore the state before the steps.
    for &i in &start {
        local.set(i, before.0.beta[i]);
    }
    local.v = before.1;
    Ok(0)
}

/// The length of the step along a direction, at most 1, and the place and bound that limit it.
fn longest_step<T: Lanes>(
    local: &Local<'_, T>,
    free: &[usize],
    direction: &[f64],
) -> (f64, Option<(usize, f64)>) {
    let dual = &local.dual;
    let mut share = 1.0;
    let mut blocked = None;
    for (place, (&i, &d)) in free.iter().zip(direction).enumerate() {
        let bound = if d > 0.0 {
            dual.upper[i]
        } else {
            dual.lower[i]
        };
        let room = (bound - dual.beta[i]) / d;
        if d != 0.0 && room < share {
            share = room;
            blocked = Some((place, bound));
        }
    }
    (share.max(0.0), blocked)
}

/// `K_FF + jitter = L D L'`.
struct Factor {
    matrix: Mat<f64>,
    len: usize,
    memory: MemBuffer,
}

impl Factor {
    /// `None` if the matrix is not positive definite.
    fn new<T: Lanes>(local: &Local<'_, T>, free: &[usize]) -> Result<Option<Self>> {
        let f = free.len();
        checked_len::<f64>(f, f, FACTOR)?;
        let largest = free
            .iter()
            .map(|&i| local.gram.diagonal()[i].to_f64())
            .fold(0.0, f64::max);
        // Rounded kernel values may lower an eigenvalue by this much.
        let jitter = largest * if size_of::<T>() == 4 { 1e-6 } else { 1e-12 };
        let mut matrix = Mat::zeros(f, f);
        for (c, &j) in free.iter().enumerate() {
            let row = local.gram.row(j);
            let column = matrix.col_as_slice_mut(c);
            for (out, &i) in column[c..].iter_mut().zip(&free[c..]) {
                *out = row[i].to_f64();
            }
            column[c] += jitter;
        }
        let needed = factor::cholesky_in_place_scratch::<f64>(f, Par::Seq, Default::default());
        let needed = needed.or(update::delete_rows_and_cols_clobber_scratch::<f64>(f, 1));
        let needed = needed.or(ldlt_solve::solve_in_place_scratch::<f64>(f, 2, Par::Seq));
        let refused = |_| allocation_error::<f64>(f, f, FACTOR);
        let mut memory = MemBuffer::try_new(needed).map_err(refused)?;
        let factored = factor::cholesky_in_place(
            matrix.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        let is_definite = factored.is_ok() && (0..f).all(|i| matrix[(i, i)] > 0.5 * jitter);
        Ok(is_definite.then_some(Self {
            matrix,
            len: f,
            memory,
        }))
    }

    /// The direction to the optimum, and the common value of `v` there.
    fn direction(&mut self, v: &[f64]) -> Option<(Vec<f64>, f64)> {
        let f = self.len;
        let mut sides = Mat::from_fn(f, 2, |i, side| if side == 0 { v[i] } else { 1.0 });
        let factor = self.matrix.as_ref().submatrix(0, 0, f, f);
        ldlt_solve::solve_in_place(
            factor,
            factor.diagonal(),
            sides.as_mut(),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        let (of_v, of_ones) = (sides.col_as_slice(0), sides.col_as_slice(1));
        let level = of_v.iter().sum::<f64>() / of_ones.iter().sum::<f64>();
        let mut direction: Vec<f64> = of_v
            .iter()
            .zip(of_ones)
            .map(|(a, b)| a - level * b)
            .collect();
        // If the matrix is nearly singular, rounding leaves a sum that is not 0.
        let sum: f64 = direction.iter().sum();
        let size: f64 = direction.iter().map(|d| d.abs()).sum();
        if size > 0.0 {
            direction
                .iter_mut()
                .for_each(|d| *d -= sum / size * d.abs());
        }
        let is_finite = level.is_finite() && direction.iter().all(|d| d.is_finite());
        is_finite.then_some((direction, level))
    }

    /// Deletes one row and column.
    fn remove(&mut self, place: usize) {
        let f = self.len;
        update::delete_rows_and_cols_clobber(
            self.matrix.as_mut().submatrix_mut(0, 0, f, f),
            &mut [place],
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        self.len -= 1;
    }
}
