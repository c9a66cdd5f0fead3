//! The samples of one split, prepared for all kernels.

use crate::data::{Labels, Matrix, MinMax};
use crate::kernel::{Kernel, PackedRows, Queries, WidenedRows};
use crate::monitor::Monitor;
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
    /// All samples, scaled.
    pub rows: Matrix<'static, T>,
    /// The indices of `rows` in the matrix of the caller.
    pub order: Vec<u32>,
    /// The scaling of the features.
    pub scaling: MinMax,
    packed: PackedRows<T>,
    /// The packed rows in f64, if a solver has used them.
    wide: OnceLock<PackedRows<f64>>,
}

/// Products of the training samples with all samples.
pub struct Products<T> {
    values: Vec<T>,
    /// Number of all samples.
    n: usize,
}

/// How the features of a split are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// No scaling.
    None,
    /// To [0, 1] by the range of the training samples.
    MinMax,
}

impl<T: Lanes> Split<T> {
    /// Gathers, scales and packs the samples of a split.
    pub fn new<S: Lanes>(
        rows: &Matrix<'_, S>,
        codes: &[u32],
        (train, test): (&[u32], &[u32]),
        scaling: Scaling,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (classes, own) = renumber_classes(codes, train);
        let labels = Labels::new(&own, classes.len())?;
        let sorted = labels.order().iter().map(|&place| train[place as usize]);
        let order: Vec<u32> = sorted.chain(test.iter().copied()).collect();
        let scaling = scaling_of(rows, train, scaling)?;
        monitor.check()?;
        let gathered = rows.gather(&order)?;
        monitor.check()?;
        let rows: Matrix<'_, T> = scaling.apply_as(&gathered)?;
        drop(gathered);
        monitor.check()?;
        if !rows.max_abs().is_finite() {
            return Err(Error::Data(format!(
                "X contains values outside the range of {}",
                T::NAME
            )));
        }
        let all: Vec<u32> = (0..order.len() as u32).collect();
        Ok(Self {
            packed: PackedRows::new(&rows, &all)?,
            wide: OnceLock::new(),
            labels,
            classes,
            test_codes: test.iter().map(|&row| codes[row as usize]).collect(),
            order,
            scaling,
            rows,
        })
    }

    /// The rows in f64; `None` if kernel values are in f64 already.
    pub fn widened<'a>(&'a self, kernel: &'a Kernel) -> Option<WidenedRows<'a, T>> {
        WidenedRows::new(&self.packed, kernel, &self.wide)
    }

    /// Number of training samples.
    pub fn n_train(&self) -> usize {
        self.labels.n_rows()
    }

    /// The training samples, without copying their values.
    pub fn train_rows(&self) -> Matrix<'_, T> {
        self.rows.head(self.n_train())
    }

    /// Number of all samples.
    pub fn n_rows(&self) -> usize {
        self.packed.n_rows()
    }

    /// The indices of the training samples in the matrix of the caller, in the order of `rows`.
    pub fn train(&self) -> &[u32] {
        &self.order[..self.n_train()]
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

    /// Computes the products in a reused buffer.
    pub fn products(
        &self,
        product: Product,
        buffer: Vec<T>,
        monitor: &Monitor,
    ) -> Result<Products<T>> {
        let n = self.n_rows();
        let mut values = self.resize_products(buffer)?;
        let mut queries = Queries::new();
        let block = self.packed.query_block();
        for (band, out) in values.chunks_mut((n * block).max(1)).enumerate() {
            monitor.check()?;
            let start = band * block;
            self.packed
                .load_own(start..start + out.len() / n.max(1), &mut queries)?;
            self.packed.products(product, &queries, 0..n, out, n);
        }
        Ok(Products::new(values, n))
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

/// The scaling of a split, fitted on its training samples.
pub fn scaling_of<S: Lanes>(
    rows: &Matrix<'_, S>,
    train: &[u32],
    scaling: Scaling,
) -> Result<MinMax> {
    let d = rows.n_cols();
    match scaling {
        Scaling::None => MinMax::from_parts(vec![0.0; d], vec![1.0; d]),
        Scaling::MinMax => MinMax::fit(rows, train.iter().map(|&row| row as usize)),
    }
}
