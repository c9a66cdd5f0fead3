//! The subproblem of a working set, with its dense kernel matrix: the problem of the inner
//! solver.

use super::dual::Dual;
use super::{free_steps, pair_steps};
use crate::Result;
use crate::memory::{checked_len, keep_buffer, take_buffer, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, PAIR_LANES};

/// The kernel matrix of a working set, each row padded to whole lanes. Rows are gathered when they
/// are first used: many samples of a large working set never move.
#[derive(Debug, Default)]
pub struct LocalGram<T: Send + 'static> {
    values: Vec<T>,
    diagonal: Vec<T>,
    is_filled: Vec<bool>,
    stride: usize,
}

impl<T: Lanes> LocalGram<T> {
    /// Replaces the matrix by one with this diagonal and no rows yet, reusing the memory.
    pub fn reset(&mut self, diagonal: impl ExactSizeIterator<Item = T>) -> Result<()> {
        let m = diagonal.len();
        self.stride = m.next_multiple_of(PAIR_LANES);
        let len = checked_len::<T>(m, self.stride, WORKING_SET)?;
        if self.values.capacity() == 0 {
            self.values = take_buffer();
        }
        if self.values.capacity() < len {
            self.values = try_with_capacity(m, self.stride, WORKING_SET)?;
        }
        if self.values.len() < len {
            self.values.resize(len, T::ZERO);
        }
        self.is_filled.clear();
        self.is_filled.resize(m, false);
        self.diagonal.clear();
        self.diagonal.extend(diagonal);
        self.diagonal.resize(self.stride, T::ZERO);
        Ok(())
    }

    /// Row `i`, padded; it must have been filled.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.stride..(i + 1) * self.stride]
    }

    /// The values `K(i, i)`, padded.
    pub fn diagonal(&self) -> &[T] {
        &self.diagonal
    }

    /// Fills row `i` if it is not filled yet: `gather(i, out)` writes its values.
    fn ensure(&mut self, i: usize, gather: Gather<'_, T>) {
        if self.is_filled[i] {
            return;
        }
        let m = self.is_filled.len();
        let row = &mut self.values[i * self.stride..(i + 1) * self.stride];
        gather(i, &mut row[..m]);
        row[m..].fill(T::ZERO);
        self.is_filled[i] = true;
    }
}

impl<T: Send + 'static> Drop for LocalGram<T> {
    /// Leaves the memory for the next problem.
    fn drop(&mut self) {
        keep_buffer(std::mem::take(&mut self.values));
    }
}

/// The purpose of the allocation, for error messages.
const WORKING_SET: &str = "the kernel matrix of the working set";

/// Writes the kernel values of a sample of the working set with all of them.
pub type Gather<'a, T> = &'a dyn Fn(usize, &mut [T]);

/// When the inner solver stops.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The tolerance of the KKT conditions.
    pub tol: f64,
    /// The maximum number of steps.
    pub max_steps: usize,
    /// Whether to stop as soon as most samples can no longer move, so that a smaller working set
    /// is faster.
    pub may_shrink: bool,
    /// Signals an interrupt; the caller has to check for it again.
    pub monitor: &'a Monitor,
}

/// The least number of steps between two counts of the samples that can still move.
const LEAST_TO_COUNT: usize = 192;

/// The free coefficients are stable if no more than the remaining share of them became bounded
/// since the last time.
const STABLE_SHARE: f64 = 0.9;

/// The state of the inner solver.
///
/// Pair steps update a copy of `v` in the type of the kernel values, relative to the center of the
/// violation: what f32 rounds there is a tiny share of the violation. `dual.v` belongs to the
/// coefficients `synced`.
///
/// `rise` and `fall` are the penalties of [`simd::update_pair`]. Arrays are padded to whole
/// lanes with coefficients that are fixed.
pub struct Local<'a, T: Send + 'static> {
    pub gram: &'a mut LocalGram<T>,
    gather: Gather<'a, T>,
    pub dual: Dual,
    synced: Vec<f64>,
    pub v: Vec<T>,
    pub rise: Vec<T>,
    pub fall: Vec<T>,
    pub n_free: usize,
}

impl<'a, T: Lanes> Local<'a, T> {
    /// The subproblem with the coefficients and gradient of `dual`.
    pub fn new(gram: &'a mut LocalGram<T>, gather: Gather<'a, T>, dual: Dual) -> Self {
        let stride = gram.stride;
        let mut local = Self {
            gram,
            gather,
            synced: dual.beta.clone(),
            v: vec![T::ZERO; stride],
            rise: vec![-T::INFINITY; stride],
            fall: vec![T::INFINITY; stride],
            n_free: 0,
            dual,
        };
        for i in 0..local.len() {
            local.update_penalties(i);
        }
        local.n_free = local.dual.n_free();
        local.center();
        local
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.dual.len()
    }

    /// Makes row `i` of the kernel matrix available.
    pub fn ensure_row(&mut self, i: usize) {
        self.gram.ensure(i, self.gather);
    }

    /// Sets coefficient `i`. Does not update `v`.
    pub fn set(&mut self, i: usize, beta: f64) {
        self.n_free -= usize::from(self.dual.is_free(i));
        self.dual.beta[i] = beta;
        self.n_free += usize::from(self.dual.is_free(i));
        self.update_penalties(i);
    }

    fn update_penalties(&mut self, i: usize) {
        let penalty = |may_move, closed| if may_move { T::ZERO } else { closed };
        self.rise[i] = penalty(self.dual.may_rise(i), -T::INFINITY);
        self.fall[i] = penalty(self.dual.may_fall(i), T::INFINITY);
    }

    /// Sets `v` from `dual.v`.
    fn center(&mut self) {
        let violation = self.dual.violation();
        let middle = 0.5 * (violation.max_up + violation.min_low);
        let middle = if middle.is_finite() { middle } else { 0.0 };
        for (v, exact) in self.v.iter_mut().zip(&self.dual.v) {
            *v = T::from_f64(exact - middle);
        }
    }

    /// Updates `dual.v` to the coefficients, in f64, and `v` with it. Returns what has changed.
    pub fn sync(&mut self) -> Vec<(usize, f64)> {
        let moved = |i: &usize| self.dual.beta[*i] != self.synced[*i];
        let changes: Vec<(usize, f64)> = (0..self.len())
            .filter(moved)
            .map(|i| (i, self.dual.beta[i] - self.synced[i]))
            .collect();
        let m = self.len();
        for &(i, _) in &changes {
            self.gram.ensure(i, self.gather);
        }
        let row = |i: usize| &self.gram.row(i)[..m];
        let terms = changes.iter().map(|&(i, change)| (-change, row(i)));
        simd::add_rows(&mut self.dual.v, terms);
        self.synced.copy_from_slice(&self.dual.beta);
        self.center();
        changes
    }

    /// Sets all coefficients.
    pub fn set_all(&mut self, beta: &[f64]) {
        for (i, &beta) in beta.iter().enumerate() {
            self.set(i, beta);
        }
    }

    /// Returns to earlier coefficients and their `dual.v`.
    pub fn restore(&mut self, beta: &[f64], v: Vec<f64>) {
        self.set_all(beta);
        self.synced.copy_from_slice(beta);
        self.dual.v = v;
        self.center();
    }

    /// Takes steps until the KKT conditions hold up to the tolerance, no step makes progress, or
    /// a limit is reached. Returns the number of steps.
    ///
    /// Pair steps identify the free coefficients, but converge slowly if many of them are
    /// correlated. A joint step of all free coefficients then costs as much as many pair steps
    /// and solves for them at once. It is tried whenever the work spent on pair steps equals its
    /// own cost, so that it at most doubles the total, unless pair steps still fix many
    /// coefficients at their bounds, which they do at a lower cost.
    pub fn solve(&mut self, limits: Limits<'_>) -> Result<usize> {
        let m = self.len();
        let mut pairs = pair_steps::Pairs::default();
        let (mut steps, mut work, mut patience) = (0, 0.0, 1.0);
        let mut last_free = self.n_free;
        let mut next_count = m.max(LEAST_TO_COUNT);
        while steps < limits.max_steps && pairs.step(self, limits.tol) {
            steps += 1;
            work += pair_steps::work(m);
            if work > patience * free_steps::work(self.n_free) {
                let n_free = self.n_free;
                let is_stable = n_free as f64 > STABLE_SHARE * last_free as f64;
                (work, last_free) = (0.0, n_free);
                if is_stable {
                    let left = limits.max_steps - steps;
                    let taken = free_steps::solve(self, left, limits.monitor)?;
                    pairs = pair_steps::Pairs::default();
                    patience = if taken == 0 { 2.0 * patience } else { 1.0 };
                    steps += taken;
                    // Joint steps that ended at a bound count as work done in advance.
                    work = -free_steps::work_of_drops(taken, n_free);
                }
            }
            if limits.may_shrink && steps >= next_count {
                if pairs.n_violators(self) < m / 2 {
                    break;
                }
                next_count = steps + m;
            }
        }
        Ok(steps)
    }

    /// The subproblem with its new coefficients.
    pub fn finish(self) -> Dual {
        self.dual
    }

    /// The subproblem with its new coefficients and gradient.
    pub fn finish_with_gradient(mut self) -> Dual {
        self.sync();
        self.dual
    }
}
