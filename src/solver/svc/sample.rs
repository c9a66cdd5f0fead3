//! A starting point for large problems: the solution on a subsample.
//!
//! Most steps on a large problem only move one sample after another to its bound. A guess that
//! is right for most of them saves these steps.

use super::dual::Dual;
use super::gradient::recompute_gradient;
use super::run::Run;
use super::side::PerSide;
use super::working_set::Kept;
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

/// The smallest tolerance of the KKT conditions on a subsample, relative to the scale of `v`.
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
    /// Fixed sums need coefficients in any case: those that the decision function suggests.
    ///
    /// If the time limit is reached, the coefficients are those of the subsample, and
    /// [`Run::late`] is its level: computing `v` for all samples may take much longer than
    /// the training so far.
    pub(super) fn start_from_sample(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<()> {
        if dual.len() < MIN_SAMPLES {
            return self.fill(dual, rows);
        }
        let sample: Vec<usize> = (0..dual.len()).step_by(STRIDE).collect();
        let mut solved = dual.gather(&sample);
        if let Some(sums) = dual.sums {
            // The share of the bounds of each side.
            let share = |all: &[f64], some: &[f64]| {
                let share = some.iter().sum::<f64>() / all.iter().sum::<f64>();
                if share.is_nan() { 0.0 } else { share }
            };
            let shares = [
                share(&dual.upper, &solved.upper),
                share(&dual.lower, &solved.lower),
            ];
            let [positive, negative] = sums.0;
            let sums = PerSide([shares[0] * positive, shares[1] * negative]);
            if solved.fill(sums).is_none() {
                return self.fill(dual, rows);
            }
            solved.sums = Some(sums);
        }
        let tried = rows.shrink(&sample, |rows| {
            self.start_from_sample(&mut solved, rows)?;
            if self.late.is_some() {
                return Ok(Status::TimeLimit);
            }
            let tol = self.tol;
            self.tol = tol.max(SAMPLE_TOL * scale(&solved));
            let status = self.solve(&mut solved, rows, Kept::Previous(Vec::new()), None);
            self.tol = tol;
            status
        })?;
        if tried.is_none() {
            return self.fill(dual, rows);
        }
        self.first_loop = self.n_loops;
        self.gram_set.clear();
        let n_vectors = solved.nonzero().count();
        let has_few = n_vectors * FEW_VECTORS < sample.len();
        let is_late = self.late.is_some() || self.monitor.time_is_up();
        let is_unknown = !has_few && solved.n_free() * 2 > n_vectors;
        if !is_late && is_unknown && dual.sums.is_none() {
            return Ok(());
        }
        for (&i, &beta) in sample.iter().zip(&solved.beta) {
            dual.beta[i] = beta;
        }
        if is_late || !self.extend_to_all(dual, rows, &solved, has_few)? {
            let level = || solved.level(SAMPLE_TOL * scale(&solved));
            self.late.get_or_insert_with(level);
        }
        Ok(())
    }

    /// Sets coefficients with the sums of the problem, if they are fixed.
    pub(super) fn fill(&self, dual: &mut Dual, rows: &mut impl ShrinkableRows<T>) -> Result<()> {
        if let Some(sums) = dual.sums
            && let Some(beta) = dual.fill(sums)
        {
            dual.beta = beta;
            recompute_gradient(dual, rows, self.monitor)?;
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
        if dual.sums.is_some() || !has_few {
            let all: Vec<usize> = (0..dual.len()).collect();
            let level = solved.level(SAMPLE_TOL * scale(solved));
            let Some(estimate) = dual.estimate_bounded(level.bias) else {
                return Ok(true);
            };
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

/// The scale of `v`: 1 for labels, the standard deviation of targets, or of `v` where there are
/// neither.
fn scale(dual: &Dual) -> f64 {
    let is_label = |value: &f64| value.abs() == 1.0;
    if dual.linear.iter().all(is_label) {
        return 1.0;
    }
    let is_zero = |value: &f64| *value == 0.0;
    let values = match dual.linear.iter().all(is_zero) {
        true => &dual.v,
        false => &dual.linear,
    };
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (squares.sum::<f64>() / n).sqrt()
}
