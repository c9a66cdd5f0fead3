//! A starting point for large problems: the solution on a subsample.
//!
//! Most steps on a large problem only move one sample after another to its bound. A guess that
//! is right for most of them saves these steps.

use super::dual::Dual;
use super::run::Run;
use crate::Result;
use crate::kernel::ShrinkableRows;
use crate::simd::Lanes;

/// The number of samples from which a subsample is solved first.
const MIN_SAMPLES: usize = 8000;

/// The subsample takes every n-th sample.
const STRIDE: usize = 4;

/// A subsample has few support vectors if they are fewer than one in this many.
const FEW_VECTORS: usize = 20;

/// The smallest tolerance of the KKT conditions on a subsample.
const SAMPLE_TOL: f64 = 0.03;

impl<T: Lanes> Run<'_, T> {
    /// Starts a large problem near the solution of a subsample.
    ///
    /// - Few support vectors: they are a good start for the whole problem.
    /// - Many support vectors, most of them at their bounds: the decision function of the
    ///   subsample tells which of all samples are likely to end at their bounds.
    /// - Many free support vectors: nothing is known about the other samples, and the start
    ///   does not change.
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
        if !has_few && solved.n_free() * 2 > n_vectors {
            return Ok(());
        }
        for (&i, &beta) in sample.iter().zip(&solved.beta) {
            dual.beta[i] = beta;
        }
        let all: Vec<usize> = (0..dual.len()).collect();
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (i, -dual.beta[i])).collect();
        rows.accumulate_at(&terms, &all, &mut dual.v, self.monitor)?;
        if !has_few {
            let estimate = dual.estimate_bounded(solved.bias(SAMPLE_TOL));
            let changes = dual.changes_to(&all, &estimate);
            rows.accumulate_at(&changes, &all, &mut dual.v, self.monitor)?;
            dual.beta = estimate;
        }
        Ok(())
    }
}
