//! The samples of an evaluation, or their kernel values, with labels and weights.

use super::evaluate::{Job, Plan};
use crate::data::{Affine, Matrix};
use crate::kernel::KernelKind;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Samples that the splits of some jobs share.
#[derive(Debug, Clone)]
pub struct Source<'a, S: Lanes> {
    /// The samples; or, for precomputed kernels, the kernel values of each sample with the
    /// samples that the columns stand for.
    pub rows: Matrix<'a, S>,
    /// The class of each sample.
    pub codes: &'a [u32],
    /// The weight of each sample.
    pub row_weights: Option<&'a [f64]>,
    /// The target of each sample, for regression.
    pub targets: Option<&'a [f64]>,
}

/// How the features of a split are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// No scaling.
    None,
    /// To [0, 1] by the range of the training samples.
    MinMax,
    /// To mean 0 and variance 1 of the training samples; sparse samples are not shifted.
    Standard,
}

impl Scaling {
    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Scaling::None),
            "minmax" => Ok(Scaling::MinMax),
            "standard" => Ok(Scaling::Standard),
            _ => Err(Error::parameter(
                "scaling",
                format!("{name:?}"),
                "it must be 'none', 'minmax' or 'standard'",
            )),
        }
    }
}

impl<S: Lanes> Source<'_, S> {
    /// Fails if labels or weights do not match the samples.
    pub(super) fn check(&self, n_classes: usize) -> Result<()> {
        let n_rows = self.rows.n_rows();
        let fits = self.codes.len() == n_rows
            && self
                .row_weights
                .is_none_or(|weights| weights.len() == n_rows)
            && self.targets.is_none_or(|targets| targets.len() == n_rows);
        if !fits || self.codes.iter().any(|&code| code as usize >= n_classes) {
            return Err(Error::Shape(
                "the class codes, targets or weights do not match the samples of X".into(),
            ));
        }
        Ok(())
    }

    /// Fails unless the rows are kernel values with a column for each training sample.
    pub(super) fn check_kernel(&self, train: &[u32]) -> Result<()> {
        let n_cols = self.rows.n_cols();
        if let Matrix::Sparse(_) = self.rows {
            return Err(Error::Data("a precomputed kernel must be dense".into()));
        }
        match train.iter().find(|&&row| row as usize >= n_cols) {
            None => Ok(()),
            Some(row) => Err(Error::Shape(format!(
                "the kernel matrix has {n_cols} columns, but a split trains on sample {row}"
            ))),
        }
    }

    /// The scaling of a split, fitted on its training samples.
    pub(super) fn scaling(&self, train: &[u32], scaling: Scaling) -> Result<Affine> {
        let d = self.rows.n_cols();
        let rows = train.iter().map(|&row| row as usize);
        match scaling {
            Scaling::None => Affine::identity(d),
            Scaling::MinMax => Affine::min_max(&self.rows, rows),
            Scaling::Standard => Affine::standard(&self.rows, rows),
        }
    }
}

/// The point of each source that is subtracted before samples are rounded to `T`; `None` to
/// subtract nothing.
///
/// Distances do not change, and their rounding errors become smaller if the samples are far from
/// the origin. Dot products would change.
pub(super) fn centers<S: Lanes, T: Lanes, M>(
    sources: &[Source<'_, S>],
    plan: &Plan<'_>,
    jobs: &[&Job<M>],
) -> Vec<Option<Vec<f64>>> {
    let is_rounded = size_of::<T>() < size_of::<S>() && plan.scaling == Scaling::None;
    let center = |(number, source): (usize, &Source<'_, S>)| {
        let mut own = jobs.iter().filter(|job| job.source == number).peekable();
        own.peek()?;
        let is_distance = own
            .flat_map(|job| &job.kernels)
            .all(|kernel| kernel.kind == KernelKind::Rbf);
        if is_rounded && is_distance {
            source.rows.center()
        } else {
            None
        }
    };
    sources.iter().enumerate().map(center).collect()
}
