//! The subproblem of a working set, with its dense kernel matrix: the problem of the inner
//! solver.

use super::dual::Dual;
use super::{free_steps, pair_steps};
use crate::Result;
use crate::kernel::Threading;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, PAIR_LANES};
use rayon::prelude::*;

/// The kernel matrix of a working set, each row padded to whole lanes.
#[derive(Debug, Clone, Default)]
pub struct LocalGram<T> {
    values: Vec<T>,
    diagonal: Vec<T>,
    stride: usize,
}

/// The number of rows from which a matrix is filled by several threads.
const PARALLEL_ROWS: usize = 256;

impl<T: Lanes> LocalGram<T> {
    /// Replaces the matrix by one of `m` rows, reusing the memory: `fill(i, out)` writes the `m`
    /// kernel values of row `i`.
    pub fn fill(&mut self, m: usize, threading: Threading, fill: impl Fn(usize, &mut [T]) + Sync) {
        let stride = m.next_multiple_of(PAIR_LANES);
        self.stride = stride;
        self.values.resize(m * stride, T::ZERO);
        let fill = |(i, row): (usize, &mut [T])| {
            fill(i, &mut row[..m]);
            row[m..].fill(T::ZERO);
        };
        let chunk = stride.max(1);
        if m >= PARALLEL_ROWS && threading == Threading::Parallel {
            self.values.par_chunks_mut(chunk).enumerate().for_each(fill);
        } else {
            self.values.chunks_mut(chunk).enumerate().for_each(fill);
        }
        self.diagonal.clear();
        self.diagonal
            .extend((0..m).map(|i| self.values[i * stride + i]));
        self.diagonal.resize(stride, T::ZERO);
    }

    /// Row `i`, padded.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.stride..(i + 1) * self.stride]
    }

    /// The values `K(i, i)`, padded.
    pub fn diagonal(&self) -> &[T] {
        &self.diagonal
    }
}

/// When the inner solver stops.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The tolerance of the KKT conditions.
    pub tol: f64,
    /// The maximum number of steps.
    pub max_steps: usize,
    /// Signals an interrupt; the caller has to check for it again.
    pub monitor: &'a Monitor,
}

/// The state of the inner solver.
///
/// `rise` and `fall` are the penalties of [`simd::update_pair`]. Arrays are padded to whole
/// lanes with coefficients that are fixed.
pub struct Local<'a, T> {
    pub gram: &'a LocalGram<T>,
    pub dual: Dual,
    pub v: Vec<f64>,
    pub rise: Vec<f64>,
    pub fall: Vec<f64>,
    pub n_free: usize,
}

impl<'a, T: Lanes> Local<'a, T> {
    /// The subproblem with the coefficients and gradient of `dual`.
    pub fn new(gram: &'a LocalGram<T>, dual: Dual) -> Self {
        let mut v = dual.v.clone();
        v.resize(gram.stride, 0.0);
        let mut local = Self {
            gram,
            v,
            rise: vec![f64::NEG_INFINITY; gram.stride],
            fall: vec![f64::INFINITY; gram.stride],
            n_free: 0,
            dual,
        };
        for i in 0..local.len() {
            local.update_penalties(i);
        }
        local.n_free = (0..local.len()).filter(|&i| local.dual.is_free(i)).count();
        local
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.dual.len()
    }

    /// Sets coefficient `i`. Does not update `v`.
    pub fn set(&mut self, i: usize, beta: f64) {
        self.n_free -= usize::from(self.dual.is_free(i));
        self.dual.beta[i] = beta;
        self.n_free += usize::from(self.dual.is_free(i));
        self.update_penalties(i);
    }

    fn update_penalties(&mut self, i: usize) {
        let penalty = |may_move, closed| if may_move { 0.0 } else { closed };
        self.rise[i] = penalty(self.dual.may_rise(i), f64::NEG_INFINITY);
        self.fall[i] = penalty(self.dual.may_fall(i), f64::INFINITY);
    }

    /// `v -= sum change K_i`, over all samples.
    pub fn update_gradient(&mut self, changes: &[(usize, f64)]) {
        let terms = changes
            .iter()
            .map(|&(i, change)| (-change, self.gram.row(i)));
        simd::add_rows(&mut self.v, terms);
    }

    /// Takes steps until the KKT conditions hold up to the tolerance, no step makes progress, or
    /// the limit is reached. Returns the number of steps.
    ///
    /// Pair steps identify the free coefficients, but converge slowly if many of them are
    /// correlated. A joint step of all free coefficients then costs as much as many pair steps
    /// and solves for them at once. It is tried whenever the work spent on pair steps equals its
    /// own cost, so that it at most doubles the total.
    pub fn solve(&mut self, limits: Limits<'_>) -> Result<usize> {
        let mut pairs = pair_steps::Pairs::default();
        let (mut steps, mut work, mut patience) = (0, 0.0, 1.0);
        while steps < limits.max_steps && pairs.step(self, limits.tol) {
            steps += 1;
            work += pair_steps::work(self.len());
            if work > patience * free_steps::work(self.n_free, self.len()) {
                pairs.finish(self);
                let n_free = self.n_free;
                let taken = free_steps::solve(self, limits.max_steps - steps, limits.monitor)?;
                patience = if taken == 0 { 2.0 * patience } else { 1.0 };
                steps += taken;
                // Joint steps that ended at a bound count as work done in advance.
                work = -free_steps::work_of_drops(taken, n_free);
            }
        }
        pairs.finish(self);
        Ok(steps)
    }

    /// The subproblem with its new coefficients and gradient.
    pub fn finish(self) -> Dual {
        let mut v = self.v;
        v.truncate(self.dual.len());
        Dual { v, ..self.dual }
    }
}
