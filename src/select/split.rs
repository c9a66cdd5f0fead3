//! The samples of one split, prepared for all kernels.

use super::evaluate::{Job, Plan};
use super::source::Source;
use crate::data::{Affine, Labels, Matrix};
use crate::kernel::{ExactRows, Extent, Gamma, Kernel, KernelSettings, PackedRows, Queries};
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::multiclass::Scheme;
use crate::simd::{Lanes, Product, prefer_huge_pages, zero_pages};
use crate::{Error, Result};
use std::sync::OnceLock;

/// The training samples sorted by class, then the test samples.
pub struct Split<T: Lanes> {
    /// The labels of the training samples, among the classes that occur in them.
    pub labels: Labels,
    /// The classes that occur in the training samples.
    pub classes: Vec<u32>,
    /// The class of each test sample.
    pub test_codes: Vec<u32>,
    /// The indices of the samples in the source.
    pub order: Vec<u32>,
    /// The kernels, with gamma resolved on the training samples.
    pub kernels: Vec<Kernel>,
    /// The samples; `None` for precomputed kernels.
    samples: Option<Samples<T>>,
}

/// The scaled samples of a split.
struct Samples<T: Lanes> {
    rows: Matrix<'static, T>,
    scaling: Affine,
    packed: PackedRows<T>,
    /// The samples before they were rounded to `T`; `None` if they were not.
    unrounded: Option<Matrix<'static, f64>>,
    /// The largest norm of the rounding error of a sample.
    rounding: f64,
    /// The packed rows in f64, if a solver has used them.
    wide: OnceLock<PackedRows<f64>>,
}

/// Products of the training samples with all samples.
pub struct Products<T> {
    values: Vec<T>,
    /// Number of all samples.
    n: usize,
}

impl<T: Lanes> Split<T> {
    /// Gathers, scales, rounds and packs the samples of a job.
    pub fn new<S: Lanes, M>(
        source: &Source<'_, S>,
        center: Option<&[f64]>,
        plan: &Plan<'_>,
        job: &Job<M>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (codes, train, test) = (source.codes, &job.train[..], &job.test[..]);
        let (classes, own) = renumber_classes(codes, train);
        let labels = match plan.scheme {
            Scheme::Single => Labels::single(own.len())?,
            _ => Labels::new(&own, classes.len())?,
        };
        let sorted = labels.order().iter().map(|&place| train[place as usize]);
        let order: Vec<u32> = sorted.chain(test.iter().copied()).collect();
        let test_codes = test.iter().map(|&row| codes[row as usize]).collect();
        let mut split = Self {
            labels,
            classes,
            test_codes,
            order,
            kernels: Vec::new(),
            samples: None,
        };
        if job.is_precomputed() {
            // A kernel without samples has no use for gamma.
            let numbers = |settings: &KernelSettings| match settings.gamma {
                Gamma::Value(_) => *settings,
                Gamma::Scale | Gamma::Auto => KernelSettings {
                    gamma: Gamma::Value(1.0),
                    ..*settings
                },
            };
            let checked = job.kernels.iter().map(|own| numbers(own).check_numbers());
            split.kernels = checked.collect::<Result<_>>()?;
            return Ok(split);
        }
        let scaling = source.scaling(train, plan.scaling)?;
        monitor.check()?;
        let gathered = source.rows.gather(&split.order)?;
        monitor.check()?;
        let (samples, kernels) = if size_of::<T>() < size_of::<S>() {
            let unrounded: Matrix<'_, f64> = scaling.apply_as(&gathered)?;
            drop(gathered);
            let kernels = split.resolve(&job.kernels, &unrounded)?;
            monitor.check()?;
            (Samples::rounded(unrounded, scaling, center)?, kernels)
        } else {
            let rows: Matrix<'_, T> = scaling.apply_as(&gathered)?;
            drop(gathered);
            let kernels = split.resolve(&job.kernels, &rows)?;
            (Samples::new(rows, scaling, None, 0.0)?, kernels)
        };
        monitor.check()?;
        let extent = Extent::of(&samples.rows);
        let in_range = |kernel: &Kernel| kernel.check_range::<T>(extent);
        kernels.iter().try_for_each(in_range)?;
        split.kernels = kernels;
        split.samples = Some(samples);
        Ok(split)
    }

    /// The kernels for the training samples among `rows`.
    fn resolve<U: Lanes>(
        &self,
        settings: &[KernelSettings],
        rows: &Matrix<'_, U>,
    ) -> Result<Vec<Kernel>> {
        let train_rows = rows.head(self.n_train());
        let extent = Extent::of(&train_rows);
        let resolved = settings.iter();
        let resolved = resolved.map(|settings| settings.check_within(&train_rows, extent));
        resolved.collect()
    }

    /// The rows in f64; `None` if kernel values are in f64 already, or precomputed.
    pub fn exact<'a>(&'a self, kernel: &'a Kernel) -> Option<ExactRows<'a, T>> {
        let samples = self.samples.as_ref()?;
        let rows = ExactRows::new(&samples.packed, kernel, &samples.wide)?;
        Some(rows.with_unrounded(samples.unrounded.as_ref(), samples.rounding))
    }

    /// Whether rounding the samples changes the values of a kernel by no more than f32 does.
    pub fn is_rounding_harmless(&self, number: usize) -> bool {
        let kernel = &self.kernels[number];
        let rounding = self
            .samples
            .as_ref()
            .map_or(0.0, |samples| samples.rounding);
        kernel.tolerates(rounding)
    }

    /// All samples in a layout for products; `None` for precomputed kernels.
    pub fn packed(&self) -> Option<&PackedRows<T>> {
        self.samples.as_ref().map(|samples| &samples.packed)
    }

    /// All samples, scaled; `None` for precomputed kernels.
    pub fn rows(&self) -> Option<&Matrix<'static, T>> {
        self.samples.as_ref().map(|samples| &samples.rows)
    }

    /// All samples in f64, scaled; `None` for precomputed kernels.
    pub fn rows_in_f64(&self) -> Result<Option<Matrix<'static, f64>>> {
        let Some(samples) = &self.samples else {
            return Ok(None);
        };
        match &samples.unrounded {
            Some(unrounded) => Ok(Some(unrounded.clone())),
            None => samples.rows.convert().map(Some),
        }
    }

    /// The scaling of the samples; `None` for precomputed kernels.
    pub fn scaling(&self) -> Option<&Affine> {
        self.samples.as_ref().map(|samples| &samples.scaling)
    }

    /// Number of training samples.
    pub fn n_train(&self) -> usize {
        self.labels.n_rows()
    }

    /// Number of all samples.
    pub fn n_rows(&self) -> usize {
        self.order.len()
    }

    /// The indices of the training samples in the source, in the order of `rows`.
    pub fn train(&self) -> &[u32] {
        &self.order[..self.n_train()]
    }

    /// The place of each training sample among the sorted ones, in the order of the caller.
    pub fn places(&self) -> Result<Vec<u32>> {
        let mut places: Vec<u32> = try_zeros(self.n_train(), 1, "the order of samples")?;
        for (place, &row) in self.labels.order().iter().enumerate() {
            places[row as usize] = place as u32;
        }
        Ok(places)
    }

    /// Resizes a reused buffer for the products; allocates a new one if it is too small.
    pub fn resize_products(&self, buffer: Vec<T>) -> Result<Vec<T>> {
        let mut values = buffer;
        if values.capacity() < self.n_train() * self.n_rows() {
            values = zero_pages(self.n_train(), self.n_rows(), "products of samples")?;
            prefer_huge_pages(&mut values);
        }
        values.resize(self.n_train() * self.n_rows(), T::ZERO);
        Ok(values)
    }

    /// Computes the products in a reused buffer; copies them from the source if that contains
    /// kernel values.
    pub fn products<S: Lanes>(
        &self,
        source: &Source<'_, S>,
        product: Product,
        buffer: Vec<T>,
        monitor: &Monitor,
    ) -> Result<Products<T>> {
        let n = self.n_rows();
        let mut values = self.resize_products(buffer)?;
        let Some(samples) = &self.samples else {
            self.copy_kernel(source, &mut values, monitor)?;
            return Ok(Products::new(values, n));
        };
        let mut queries = Queries::new();
        let block = samples.packed.query_block();
        for (band, out) in values.chunks_mut((n * block).max(1)).enumerate() {
            monitor.check()?;
            let start = band * block;
            let packed = &samples.packed;
            packed.load_own(start..start + out.len() / n.max(1), &mut queries)?;
            packed.products(product, &queries, 0..n, out, n);
        }
        Ok(Products::new(values, n))
    }

    /// Copies the kernel values of the training samples: row `i` contains `K(i, j)` of the training
    /// samples `j`, then `K(j, i)` of the test samples `j`.
    fn copy_kernel<S: Lanes>(
        &self,
        source: &Source<'_, S>,
        values: &mut [T],
        monitor: &Monitor,
    ) -> Result<()> {
        let Matrix::Dense(kernel) = &source.rows else {
            return Ok(());
        };
        let (n, n_train) = (self.n_rows(), self.n_train());
        for (out, &row) in values.chunks_exact_mut(n.max(1)).zip(self.train()) {
            monitor.check()?;
            let own = kernel.row(row as usize);
            let (train, test) = out.split_at_mut(n_train);
            for (out, &column) in train.iter_mut().zip(self.train()) {
                *out = T::from_f64(own[column as usize].to_f64());
            }
            for (out, &other) in test.iter_mut().zip(&self.order[n_train..]) {
                *out = T::from_f64(kernel.row(other as usize)[row as usize].to_f64());
            }
        }
        Ok(())
    }
}

impl<T: Lanes> Samples<T> {
    fn new(
        rows: Matrix<'static, T>,
        scaling: Affine,
        unrounded: Option<Matrix<'static, f64>>,
        rounding: f64,
    ) -> Result<Self> {
        if !rows.max_abs().is_finite() {
            return Err(Error::Data(format!(
                "X contains values outside the range of {}",
                T::NAME
            )));
        }
        let all: Vec<u32> = (0..rows.n_rows() as u32).collect();
        Ok(Self {
            packed: PackedRows::new(&rows, &all)?,
            wide: OnceLock::new(),
            rows,
            scaling,
            unrounded,
            rounding,
        })
    }

    /// Rounds samples to `T`, after subtracting `center`.
    fn rounded(
        mut unrounded: Matrix<'static, f64>,
        scaling: Affine,
        center: Option<&[f64]>,
    ) -> Result<Self> {
        if let Some(center) = center {
            unrounded.subtract(center);
        }
        let (rows, rounding) = unrounded.rounded()?;
        Self::new(rows, scaling, Some(unrounded), rounding)
    }
}

impl<T> Products<T> {
    /// From rows of length `n` in row-major order.
    pub fn new(values: Vec<T>, n: usize) -> Self {
        Self { values, n }
    }

    /// Number of training samples.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n.max(1)
    }

    /// The products of training sample `i` with all samples.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The buffer, to be reused.
    pub fn into_buffer(self) -> Vec<T> {
        self.values
    }
}

/// The classes that occur in the training samples, ascending, and the number of the class of each
/// training sample among them.
pub fn renumber_classes(codes: &[u32], train: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n_codes = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut number = vec![u32::MAX; n_codes];
    for &row in train {
        number[codes[row as usize] as usize] = 0;
    }
    let classes: Vec<u32> = (0..n_codes as u32)
        .filter(|&code| number[code as usize] == 0)
        .collect();
    for (new, &code) in classes.iter().enumerate() {
        number[code as usize] = new as u32;
    }
    let own = train
        .iter()
        .map(|&row| number[codes[row as usize] as usize]);
    (classes, own.collect())
}

/// The weight of a class with `n_of_class` of `n` samples that balances `n_classes` classes, as
/// scikit-learn's `class_weight="balanced"`.
pub fn balanced_weight(n: usize, n_of_class: usize, n_classes: usize) -> f64 {
    n as f64 / (n_of_class * n_classes) as f64
}
