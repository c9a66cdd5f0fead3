//! The training samples of all binary problems, with what the problems share.

use crate::data::{Digest, Labels, Matrix};
use crate::kernel::{Extent, Gram, Kernel, KernelKind, KernelSettings, PackedRows};
use crate::memory::try_zeros;
use crate::simd::Lanes;
use crate::solver::Start;
use crate::{Error, Result};
use std::sync::OnceLock;

/// Training samples, sorted by class and packed, with their kernel and weights.
#[derive(Debug, Clone)]
pub struct TrainingSet<T: Lanes> {
    pub(super) kernel: Kernel,
    pub(super) labels: Labels,
    pub(super) class_weights: Vec<f64>,
    /// The target of each sample, for regression.
    pub(super) targets: Option<Vec<f64>>,
    pub(super) row_weights: Option<Vec<f64>>,
    pub(super) starts: Vec<Start>,
    pub(super) rows: Source<T>,
    /// The packed rows in f64, if a solver has used them.
    pub(super) wide: OnceLock<PackedRows<f64>>,
    /// The largest norm of the rounding error of a row, if `wide` contains the unrounded rows.
    pub(super) rounding: Option<f64>,
}

/// The samples, or their precomputed kernel matrix.
#[derive(Debug, Clone)]
pub(super) enum Source<T: Lanes> {
    Packed(PackedRows<T>),
    Precomputed(Gram<T>),
}

impl<T: Lanes> TrainingSet<T> {
    /// Checks labels, weights and kernel, and packs the samples.
    pub fn new(
        rows: &Matrix<'_, T>,
        labels: Labels,
        class_weights: Vec<f64>,
        kernel: KernelSettings,
    ) -> Result<Self> {
        let kernel = kernel.check(rows)?;
        Self::with_kernel(rows, labels, class_weights, kernel)
    }

    /// As [`TrainingSet::new`], with a kernel that was checked for these samples.
    pub fn with_kernel(
        rows: &Matrix<'_, T>,
        labels: Labels,
        class_weights: Vec<f64>,
        kernel: Kernel,
    ) -> Result<Self> {
        if rows.n_rows() != labels.n_rows() {
            return Err(Error::Shape(format!(
                "X has {} samples, but y has {} labels",
                rows.n_rows(),
                labels.n_rows()
            )));
        }
        check_class_weights(&class_weights, labels.n_classes())?;
        let source = match kernel.kind() {
            KernelKind::Precomputed => {
                let gram = Gram::precomputed(rows, labels.order())?;
                kernel.check_range::<T>(Extent::of_values(gram.max_abs()))?;
                Source::Precomputed(gram)
            }
            _ => Source::Packed(PackedRows::new(rows, labels.order())?),
        };
        Ok(Self {
            kernel,
            labels,
            class_weights,
            targets: None,
            row_weights: None,
            starts: Vec::new(),
            rows: source,
            wide: OnceLock::new(),
            rounding: None,
        })
    }

    /// The same set with a finite target for each sample, in the order of the caller.
    pub fn with_targets(mut self, targets: &[f64]) -> Result<Self> {
        check_targets(targets, self.labels.n_rows())?;
        let order = self.labels.order().iter();
        self.targets = Some(order.map(|&row| targets[row as usize]).collect());
        Ok(self)
    }

    /// The same set with a positive weight for each sample, in the order of the caller.
    pub fn with_row_weights(mut self, weights: &[f64]) -> Result<Self> {
        check_sample_weights(weights, self.labels.n_rows())?;
        if let Some(row) = weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(Error::Data(format!(
                "sample_weight[{row}] = {} is not valid: it must be a finite positive number",
                weights[row]
            )));
        }
        let order = self.labels.order().iter();
        self.row_weights = Some(order.map(|&row| weights[row as usize]).collect());
        Ok(self)
    }

    /// The same set with a starting point for each binary problem of the scheme to be trained.
    /// Samples have the indices of the caller.
    pub fn with_starts(mut self, starts: Vec<Start>) -> Result<Self> {
        if starts.is_empty() {
            return Ok(self);
        }
        let n = self.labels.n_rows();
        let mut place = try_zeros::<u32>(n, 1, "the order of samples")?;
        for (packed, &row) in self.labels.order().iter().enumerate() {
            place[row as usize] = packed as u32;
        }
        let packed = |row: u32| {
            let known = place.get(row as usize).copied();
            known.ok_or_else(|| {
                Error::Shape(format!("init contains sample {row}, but X has {n} samples"))
            })
        };
        let convert = |start: Start| match start {
            Start::Zero => Ok(Start::Zero),
            Start::Rows(rows) => Ok(Start::Rows(
                rows.into_iter().map(packed).collect::<Result<_>>()?,
            )),
            Start::Terms(terms) => {
                let convert = |(row, beta): (u32, f64)| match beta.is_finite() {
                    true => Ok((packed(row)?, beta)),
                    false => Err(Error::Data(format!(
                        "init contains the coefficient {beta} for sample {row}; it must be finite"
                    ))),
                };
                Ok(Start::Terms(
                    terms.into_iter().map(convert).collect::<Result<_>>()?,
                ))
            }
        };
        self.starts = starts.into_iter().map(convert).collect::<Result<_>>()?;
        Ok(self)
    }

    /// The same set with samples, or the kernel matrix, in f64.
    pub fn widen(self) -> Result<TrainingSet<f64>> {
        let rows = match self.rows {
            Source::Packed(packed) => Source::Packed(match self.wide.into_inner() {
                Some(wide) => wide,
                None => packed.widen()?,
            }),
            Source::Precomputed(gram) => Source::Precomputed(gram.widen()?),
        };
        Ok(TrainingSet {
            kernel: self.kernel,
            labels: self.labels,
            class_weights: self.class_weights,
            targets: self.targets,
            row_weights: self.row_weights,
            starts: self.starts,
            rows,
            wide: OnceLock::new(),
            rounding: None,
        })
    }

    /// The kernel; its gamma is a number.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The classes and the order of the samples.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The samples sorted by class; `None` for a precomputed kernel.
    pub fn packed(&self) -> Option<&PackedRows<T>> {
        match &self.rows {
            Source::Packed(packed) => Some(packed),
            Source::Precomputed(_) => None,
        }
    }

    /// A copy of the samples sorted by class, or of the precomputed kernel matrix with rows sorted
    /// by class and columns in the order of the caller: input for the model of this set.
    pub fn sorted_rows(&self) -> Result<Matrix<'static, T>> {
        match &self.rows {
            Source::Packed(packed) => packed.unpack(),
            Source::Precomputed(gram) => gram.with_columns_of(self.labels.order()),
        }
    }

    /// The digest of the caller's X.
    pub fn digest(&self) -> Digest {
        match &self.rows {
            Source::Packed(packed) => packed.digest(self.labels.order()),
            Source::Precomputed(gram) => gram.digest(self.labels.order()),
        }
    }

    /// The targets of the samples, for regression.
    pub fn targets(&self) -> Option<&[f64]> {
        self.targets.as_deref()
    }

    /// The weights of the samples sorted by class, if there are any.
    pub fn row_weights(&self) -> Option<&[f64]> {
        self.row_weights.as_deref()
    }
}

/// The number of samples from which kernel values in f32 make training noticeably faster.
const MIN_ROUNDED: usize = 1000;

impl TrainingSet<f64> {
    /// The same set with samples rounded to f32, for solvers that correct the errors of rounding.
    /// `None` if the errors are too large, for a precomputed kernel, or for few samples, where f64
    /// is as fast.
    pub fn rounded(&self) -> Result<Option<TrainingSet<f32>>> {
        let packed = match &self.rows {
            Source::Packed(packed) if self.labels.n_rows() >= MIN_ROUNDED => packed,
            _ => return Ok(None),
        };
        let mut rows = packed.unpack()?;
        // Distances do not depend on the origin, but their rounding errors do.
        if self.kernel.kind() == KernelKind::Rbf
            && let Some(center) = rows.center()
        {
            rows.subtract(&center);
        }
        let (rows, rounding) = rows.rounded::<f32>()?;
        let is_in_range = self.kernel.check_range::<f32>(Extent::of(&rows)).is_ok();
        if !is_in_range || !rows.max_abs().is_finite() || !self.kernel.tolerates(rounding) {
            return Ok(None);
        }
        let all: Vec<u32> = (0..rows.n_rows() as u32).collect();
        Ok(Some(TrainingSet {
            kernel: self.kernel,
            labels: self.labels.clone(),
            class_weights: self.class_weights.clone(),
            targets: self.targets.clone(),
            row_weights: self.row_weights.clone(),
            starts: self.starts.clone(),
            rows: Source::Packed(PackedRows::new(&rows, &all)?),
            wide: OnceLock::from(packed.clone()),
            rounding: Some(rounding),
        }))
    }
}

/// Fails unless there is one finite target per sample.
pub(super) fn check_targets(targets: &[f64], n_samples: usize) -> Result<()> {
    if targets.len() != n_samples {
        return Err(Error::Shape(format!(
            "X has {n_samples} samples, but y has {} targets",
            targets.len()
        )));
    }
    match targets.iter().position(|target| !target.is_finite()) {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "y[{row}] = {} is not valid: targets must be finite",
            targets[row]
        ))),
    }
}

/// Fails unless there is one weight per sample.
pub(super) fn check_sample_weights(weights: &[f64], n_samples: usize) -> Result<()> {
    if weights.len() == n_samples {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "sample_weight has {} values, but X has {n_samples} samples",
        weights.len()
    )))
}

fn check_class_weights(weights: &[f64], n_classes: usize) -> Result<()> {
    if weights.len() != n_classes {
        return Err(Error::Shape(format!(
            "class_weight has {} values, but y has {n_classes} classes",
            weights.len()
        )));
    }
    match weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
        None => Ok(()),
        Some(weight) => Err(Error::parameter(
            "class_weight",
            weight,
            "every weight must be a finite positive number",
        )),
    }
}
