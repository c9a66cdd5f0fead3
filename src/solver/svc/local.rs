//! A small, dense problem whose whole kernel matrix is at hand: what the inner solver
//! works on.

use super::dual::Dual;
use super::{free_steps, pair_steps};
use crate::Result;
use crate::kernel::Threading;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, PAIR_LANES};
use rayon::prelude::*;

/// The kernel matrix of a small set of rows, each row padded to whole lanes.
#[derive(Debug, Clone, Default)]
pub struct LocalGram<T> {
    values: Vec<T>,
    diagonal: Vec<T>,
    stride: usize,
}

/// Rows from which a matrix is filled by several threads.
const MANY_ROWS: usize = 256;

impl<T: Lanes> LocalGram<T> {
    /// Makes this the matrix of `m` rows, in the same memory where it suffices:
    /// `fill(i, out)` writes the `m` kernel values of row `i`.
    pub fn fill(&mut self, m: usize, threading: Threading, fill: impl Fn(usize, &mut [T]) + Sync) {
        let stride = m.next_multiple_of(PAIR_LANES);
        self.stride = stride;
        self.values.resize(m * stride, T::ZERO);
        let fill = |(i, row): (usize, &mut [T])| {
            fill(i, &mut row[..m]);
            row[m..].fill(T::ZERO);
        };
        let chunk = stride.max(1);
        if m >= MANY_ROWS && threading == Threading::Inside {
            self.values.par_chunks_mut(chunk).enumerate().for_each(fill);
        } else {
            self.values.chunks_mut(chunk).enumerate().for_each(fill);
        }
        self.diagonal.clear();
        self.diagonal
            .extend((0..m).map(|i| self.values[i * stride + i]));
        self.diagonal.resize(stride, T::ZERO);
    }

    /// A row, padded.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.stride..(i + 1) * self.stride]
    }

    /// The values `K(i, i)`, padded.
    pub fn diagonal(&self) -> &[T] {
        &self.diagonal
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The violation that is small enough.
    pub tol: f64,
    /// The most steps.
    pub max_steps: usize,
    /// Tells of an interrupt; the caller has to look for it again.
    pub monitor: &'a Monitor,
}

/// A problem while it is being solved.
///
/// `rise` and `fall` are the penalties of [`simd::update_pair`]. Arrays are padded to whole
/// lanes with rows that may not move.
pub struct Local<'a, T> {
    pub gram: &'a LocalGram<T>,
    pub dual: Dual,
    pub v: Vec<f64>,
    pub rise: Vec<f64>,
    pub fall: Vec<f64>,
    pub n_free: usize,
}

impl<'a, T: Lanes> Local<'a, T> {
    /// The problem as it stands in `dual`.
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
            local.mark(i);
        }
        local.n_free = (0..local.len()).filter(|&i| local.dual.is_free(i)).count();
        local
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.dual.len()
    }

    /// Gives row `i` another coefficient, `v` aside.
    pub fn set(&mut self, i: usize, beta: f64) {
        self.n_free -= usize::from(self.dual.is_free(i));
        self.dual.beta[i] = beta;
        self.n_free += usize::from(self.dual.is_free(i));
        self.mark(i);
    }

    fn mark(&mut self, i: usize) {
        let penalty = |may_move, closed| if may_move { 0.0 } else { closed };
        self.rise[i] = penalty(self.dual.may_rise(i), f64::NEG_INFINITY);
        self.fall[i] = penalty(self.dual.may_fall(i), f64::INFINITY);
    }

    /// `v -= sum change K_i`, over all rows.
    pub fn add(&mut self, changes: &[(usize, f64)]) {
        let terms = changes
            .iter()
            .map(|&(i, change)| (-change, self.gram.row(i)));
        simd::add_rows(&mut self.v, terms);
    }

    /// Steps until the violation is small enough, no step helps, or there were too many.
    /// Returns the number of steps.
    ///
    /// Pair steps find out which rows are free, and are slow where many free rows depend on
    /// each other; a step of all free rows together costs as much as many pair steps and
    /// ends that. One is tried whenever as much work went into pair steps as it would take:
    /// so the bet never costs more than the rest.
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
                // Pair steps have to make up for steps that ended at a bound.
                work = -free_steps::work_of_drops(taken, n_free);
            }
        }
        pairs.finish(self);
        Ok(steps)
    }
}
