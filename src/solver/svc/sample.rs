//! A starting point for large problems: the solution on a subsample.
//!
//! Most steps on a large problem only move one sample after another to its bound. A guess that
//! is right for most of them saves these steps.

use super::dual::Dual;
use super::run::Run;
use crate::Result;
use crate::kernel::ShrinkableRows;
use crate::simd::Lanes;
use crate::solver::Status;

/// The number of samples from which a subsample is solved first.
const MIN_SAMPLES: usize = 8000;

/// The subsample takes every n-th sample.
const STRIDE: usize = 4;

/// A subsample has few support vectors if they are fewer than one in this many.
const FEW_VECTORS: usize = 20;

/// The smallest tolerance of the KKT conditions on a subsample.
const SAMPLE_TOL: f64 = 0.03;

/// Kernel values computed between two checks of the time limit.
const VALUES_PER_CHECK: usize = 1 << 27;

/// The number of samples per check is a multiple of this number.
const SAMPLES_PER_CHECK: usize = 1 << 13;

/// Rows that are made resident between two checks of the time limit.
const TERMS_PER_CHECK: usize = 256;

impl<T: Lanes> Run<'_, T> {
    /// Starts a large problem near the solution of a subsample.
    ///
    /// - Few support vectors: they are a good start for the whole problem.
    /// - Many support vectors, most of them at their bounds: the decision function of the
    ///   subsample tells which of all samples are likely to end at their bounds.
    /// - Many free support vectors: nothing is known about the other samples, and the start
    ///   does not change.
    ///
    /// If the time limit is reached, the coefficients are those of the subsample, and
    /// [`Run::late_bias`] is its bias: computing `v` for all samples may take much longer than
    /// the training so far.
    pub(super) fn start_from_sample(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<()> {
        if dual.len() < MIN_SAMPLES {
            return Ok(());
        }
        let sample: Vec<usize> = (0..dual.len()).step_by(STRIDE).collect();
        let mut solved = dual.gather(&sample);
        let tried = rows.shrink(&sample, |rows| {
            self.start_from_sample(&mut solved, rows)?;
            if self.late_bias.is_some() {
                return Ok(Status::TimeLimit);
            }
            let tol = self.tol;
            self.tol = tol.max(SAMPLE_TOL);
            let status = self.solve(&mut solved, rows, Vec::new(), None);
            self.tol = tol;
            status
        })?;
        if tried.is_none() {
            return Ok(());
        }
        self.first_loop = self.n_loops;
        self.gram_set.clear();
        let n_vectors = solved.nonzero().count();
        let has_few = n_vectors * FEW_VECTORS < sample.len();
        let is_late = self.late_bias.is_some() || self.monitor.time_is_up();
        if !is_late && !has_few && solved.n_free() * 2 > n_vectors {
            return Ok(());
        }
        for (&i, &beta) in sample.iter().zip(&solved.beta) {
            dual.beta[i] = beta;
        }
        if is_late || !self.extend_to_all(dual, rows, &solved, has_few)? {
            let bias = || solved.bias(SAMPLE_TOL);
            self.late_bias.get_or_insert_with(bias);
        }
        Ok(())
    }

    /// Computes `v` of all samples from the coefficients of a subsample, and moves the samples
    /// that are likely to end at their bounds there. Returns false if the time limit was reached.
    fn extend_to_all(
        &self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
        solved: &Dual,
        has_few: bool,
    ) -> Result<bool> {
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (i, -dual.beta[i])).collect();
        if !self.accumulate_in_time(rows, &terms, &mut dual.v)? {
            return Ok(false);
        }
        if !has_few {
            let all: Vec<usize> = (0..dual.len()).collect();
            let estimate = dual.estimate_bounded(solved.bias(SAMPLE_TOL));
            let changes = dual.changes_to(&all, &estimate);
            if !self.accumulate_in_time(rows, &changes, &mut dual.v)? {
                return Ok(false);
            }
            dual.beta = estimate;
        }
        Ok(true)
    }

    /// Adds the kernel rows of `terms` to `v`. Returns false if the time limit was reached.
    fn accumulate_in_time(
        &self,
        rows: &mut impl ShrinkableRows<T>,
        terms: &[(usize, f64)],
        v: &mut [f64],
    ) -> Result<bool> {
        if rows.max_resident() >= v.len() {
            // There is room for all rows: those of now will be read again.
            for terms in terms.chunks(TERMS_PER_CHECK) {
                if self.monitor.time_is_up() {
                    return Ok(false);
                }
                let used: Vec<usize> = terms.iter().map(|&(i, _)| i).collect();
                rows.prefetch(&used, self.monitor)?;
                rows.accumulate(terms, v);
            }
            return Ok(true);
        }
        let all: Vec<usize> = (0..v.len()).collect();
        let size = (VALUES_PER_CHECK / terms.len().max(1)).next_multiple_of(SAMPLES_PER_CHECK);
        let size = size.max(SAMPLES_PER_CHECK);
        for (others, sums) in all.chunks(size).zip(v.chunks_mut(size)) {
            if self.monitor.time_is_up() {
                return Ok(false);
            }
            rows.accumulate_at(terms, others, sums, self.monitor)?;
        }
        Ok(true)
    }
}
