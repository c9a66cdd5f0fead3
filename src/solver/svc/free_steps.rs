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

/// The work of a joint step of `f` free coefficients, in the units of [`super::pair_steps::work`].
pub fn work(f: usize) -> f64 {
    if !(2..=MAX_FREE).contains(&f) {
        return f64::INFINITY;
    }
    let f = f as f64;
    3000.0 + 3.0 * f * f + 0.04 * f * f * f
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
    local.sync();
    let free: Vec<usize> = (0..local.len())
        .filter(|&i| local.dual.is_free(i))
        .collect();
    for &i in &free {
        local.rows.ensure(i);
    }
    let Some(factor) = Factor::new(local, &free)? else {
        return Ok(0);
    };
    let start = (local.dual.beta.clone(), local.dual.v.clone());
    let mut steps = FreeSteps {
        v: free.iter().map(|&i| local.dual.v[i]).collect(),
        most_single: free.len() / SINGLE_SHARE + LEAST_SINGLE,
        free,
        factor,
        missing: 0.0,
        feasible: None,
        n_steps: 0,
        is_complete: false,
    };
    while steps.free.len() >= 2 && steps.n_steps < max_steps && monitor.check().is_ok() {
        if !steps.step(local)? {
            break;
        }
    }
    let before_block = steps.feasible.take();
    if steps.missing == 0.0 && improved(local, &start) {
        steps.refine(local);
        return Ok(steps.n_steps);
    }
    if let Some(beta) = before_block {
        local.set_all(&beta);
        if improved(local, &start) {
            return Ok(steps.n_steps);
        }
    }
    // Rounding, or a matrix that is not positive definite.
    local.restore(&start.0, start.1);
    Ok(0)
}

/// Whether the objective is better than that of earlier coefficients, which belong to a `v`.
fn improved<T: Lanes>(local: &mut Local<'_, T>, (beta, v): &(Vec<f64>, Vec<f64>)) -> bool {
    local.sync();
    let dual = &local.dual;
    let gain = |i: usize| (dual.beta[i] - beta[i]) * (v[i] + dual.v[i]);
    (0..dual.len()).map(gain).sum::<f64>() > 0.0
}

/// If at most one in this many coefficients would leave its bounds, all of them are moved there at
/// once.
const BLOCK_SHARE: usize = 8;

/// At most one in this many coefficients, and a few, are moved to their bounds one by one.
const SINGLE_SHARE: usize = 6;
const LEAST_SINGLE: usize = 16;

/// The largest correction of a complete step, relative to the largest coefficient.
const SMALL_CORRECTION: f64 = 1e-6;

/// The state between two joint steps.
struct FreeSteps {
    /// The set F and its `v`.
    free: Vec<usize>,
    v: Vec<f64>,
    factor: Factor,
    /// What the sum of the coefficients lacks, after some of them were clipped.
    missing: f64,
    /// The coefficients before the first of them were clipped.
    feasible: Option<Vec<f64>>,
    n_steps: usize,
    most_single: usize,
    /// Whether the last step ended at the optimum of F.
    is_complete: bool,
}

impl FreeSteps {
    /// Takes one step; returns whether there is another one.
    fn step<T: Lanes>(&mut self, local: &mut Local<'_, T>) -> Result<bool> {
        let Some((direction, level)) = self.factor.direction(&self.v, self.missing) else {
            return Ok(false);
        };
        self.n_steps += 1;
        let n_beyond = (0..self.free.len())
            .filter(|&place| excess(local, self.free[place], direction[place]) != 0.0)
            .count();
        if self.missing == 0.0 && n_beyond > (self.free.len() / BLOCK_SHARE).max(1) {
            return self.single_step(local, &direction, level);
        }
        if n_beyond > 0 && self.feasible.is_none() {
            self.feasible = Some(local.dual.beta.clone());
        }
        self.block_step(local, &direction, level)
    }

    /// Moves all coefficients as far as the first of them may move, and removes that one from F.
    fn single_step<T: Lanes>(
        &mut self,
        local: &mut Local<'_, T>,
        direction: &[f64],
        level: f64,
    ) -> Result<bool> {
        let (share, blocked) = longest_step(local, &self.free, direction);
        for ((&i, d), v) in self.free.iter().zip(direction).zip(&mut self.v) {
            local.set(i, local.dual.beta[i] + share * d);
            *v += share * (level - *v);
        }
        let Some((place, bound)) = blocked else {
            return Ok(false);
        };
        local.set(self.free[place], bound);
        if self.n_steps >= self.most_single {
            return Ok(false);
        }
        self.remove(local, &[place])?;
        Ok(true)
    }

    /// Takes the whole step, clips the coefficients that leave their bounds, and removes them from
    /// F. What the others lack is part of the next step.
    fn block_step<T: Lanes>(
        &mut self,
        local: &mut Local<'_, T>,
        direction: &[f64],
        level: f64,
    ) -> Result<bool> {
        self.v.fill(level);
        self.missing = 0.0;
        let mut clipped = Vec::new();
        for (place, (&i, &d)) in self.free.iter().zip(direction).enumerate() {
            let change = -excess(local, i, d);
            if change != 0.0 {
                clipped.push(place);
                self.missing -= change;
                for (v, &k) in self.v.iter_mut().zip(&self.free) {
                    *v -= change * local.rows.row(i)[k].to_f64();
                }
            }
            let dual = &local.dual;
            let beta = (dual.beta[i] + d).clamp(dual.lower[i], dual.upper[i]);
            local.set(i, beta);
        }
        if clipped.is_empty() {
            self.is_complete = true;
            return Ok(false);
        }
        self.remove(local, &clipped)?;
        Ok(true)
    }

    /// Corrects the rounding errors of a complete step with the same factor (iterative refinement),
    /// so that the solution hardly depends on the order of steps.
    fn refine<T: Lanes>(&mut self, local: &mut Local<'_, T>) {
        if !self.is_complete {
            return;
        }
        for (v, &i) in self.v.iter_mut().zip(&self.free) {
            *v = local.dual.v[i];
        }
        let Some((direction, _)) = self.factor.direction(&self.v, 0.0) else {
            return;
        };
        let terms = self.free.iter().zip(&direction);
        let size =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a: f64, b| a.max(b.abs()));
        let largest = size(&mut self.free.iter().map(|&i| local.dual.beta[i]));
        // Larger corrections are rounding errors of a matrix that is nearly singular.
        let is_small = size(&mut direction.iter().copied()) <= SMALL_CORRECTION * largest;
        if is_small && terms.clone().all(|(&i, &d)| excess(local, i, d) == 0.0) {
            terms.for_each(|(&i, d)| local.set(i, local.dual.beta[i] + d));
            local.sync();
        }
    }

    /// Removes some coefficients from F.
    fn remove<T: Lanes>(&mut self, local: &Local<'_, T>, places: &[usize]) -> Result<()> {
        for &place in places.iter().rev() {
            self.free.remove(place);
            self.v.remove(place);
        }
        if places.len() * REFACTOR_SHARE <= self.free.len() {
            self.factor.remove(places);
        } else if let Some(factor) = Factor::new(local, &self.free)? {
            self.factor = factor;
        } else {
            self.free.clear();
        }
        Ok(())
    }
}

/// If more than one in this many coefficients leave F, factorizing again is faster.
const REFACTOR_SHARE: usize = 6;

/// By how much a coefficient leaves its bounds if it changes by `d`; 0 if it does not.
fn excess<T: Lanes>(local: &Local<'_, T>, i: usize, d: f64) -> f64 {
    let dual = &local.dual;
    let beta = dual.beta[i] + d;
    beta - beta.clamp(dual.lower[i], dual.upper[i])
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
            .map(|&i| local.rows.diagonal()[i].to_f64())
            .fold(0.0, f64::max);
        // Rounded kernel values may lower an eigenvalue by this much.
        let jitter = largest * if size_of::<T>() == 4 { 1e-6 } else { 1e-12 };
        let mut matrix = Mat::zeros(f, f);
        for (c, &j) in free.iter().enumerate() {
            let row = local.rows.row(j);
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
    fn direction(&mut self, v: &[f64], total: f64) -> Option<(Vec<f64>, f64)> {
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
        let level = (of_v.iter().sum::<f64>() - total) / of_ones.iter().sum::<f64>();
        let mut direction: Vec<f64> = of_v
            .iter()
            .zip(of_ones)
            .map(|(a, b)| a - level * b)
            .collect();
        // If the matrix is nearly singular, rounding leaves a sum that is not 0.
        let sum: f64 = direction.iter().sum::<f64>() - total;
        let size: f64 = direction.iter().map(|d| d.abs()).sum();
        if size > 0.0 {
            direction
                .iter_mut()
                .for_each(|d| *d -= sum / size * d.abs());
        }
        let is_finite = level.is_finite() && direction.iter().all(|d| d.is_finite());
        is_finite.then_some((direction, level))
    }

    /// Deletes rows and columns.
    fn remove(&mut self, places: &[usize]) {
        let f = self.len;
        self.len -= places.len();
        let needed = update::delete_rows_and_cols_clobber_scratch::<f64>(f, places.len());
        let mut memory = MemBuffer::new(needed);
        update::delete_rows_and_cols_clobber(
            self.matrix.as_mut().submatrix_mut(0, 0, f, f),
            &mut places.to_vec(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}
