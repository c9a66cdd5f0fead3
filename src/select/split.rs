//! The rows of one split, ready for every kernel.

use crate::data::{Labels, Matrix, MinMax};
use crate::kernel::{Kernel, PackedRows, Queries, WidenedRows};
use crate::monitor::Monitor;
use crate::simd::{Lanes, Product, prefer_huge_pages, zero_pages};
use crate::{Error, Result};
use std::sync::OnceLock;

/// Training rows sorted by class, then the test rows.
pub struct Split<T: Lanes> {
    /// Training rows of the classes that they have.
    pub labels: Labels,
    /// The class, among all, of each class of the training rows.
    pub classes: Vec<u32>,
    /// The class of each test row.
    pub test_codes: Vec<u32>,
    /// All rows, scaled.
    pub rows: Matrix<'static, T>,
    /// The order of `rows`: their numbers among the rows of the caller.
    pub order: Vec<u32>,
    /// How they were scaled.
    pub scaling: MinMax,
    packed: PackedRows<T>,
    /// The packed rows in f64, where a solver has asked for them.
    wide: OnceLock<PackedRows<f64>>,
}

/// Products of the training rows with all rows.
pub struct Products<T> {
    values: Vec<T>,
    /// Number of all rows.
    n: usize,
}

/// How the rows of a split are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Not at all.
    None,
    /// To [0, 1] by the training rows.
    MinMax,
}

impl<T: Lanes> Split<T> {
    /// Gathers, scales and packs the rows of a split.
    pub fn new<S: Lanes>(
        rows: &Matrix<'_, S>,
        codes: &[u32],
        (train, test): (&[u32], &[u32]),
        scaling: Scaling,
        monitor: &Monitor,
    ) -> Result<Self> {
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
        let own: Vec<u32> = train
            .iter()
            .map(|&row| number[codes[row as usize] as usize])
            .collect();
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
                "X has values beyond the range of {}",
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

    /// The rows in f64, for kernel values that are rounded to less.
    pub fn widened<'a>(&'a self, kernel: &'a Kernel) -> Option<WidenedRows<'a, T>> {
        WidenedRows::new(&self.packed, kernel, &self.wide)
    }

    /// Number of training rows.
    pub fn n_train(&self) -> usize {
        self.labels.n_rows()
    }

    /// Number of all rows.
    pub fn n_rows(&self) -> usize {
        self.packed.n_rows()
    }

    /// Training rows in the order of `rows`, by their number among the rows of the caller.
    pub fn train(&self) -> &[u32] {
        &self.order[..self.n_train()]
    }

    /// Room for the products, in memory that is used again where it is large enough.
    pub fn room(&self, memory: Vec<T>) -> Result<Vec<T>> {
        let mut values = memory;
        if values.capacity() < self.n_train() * self.n_rows() {
            values = zero_pages(self.n_train(), self.n_rows(), "products of rows")?;
            prefer_huge_pages(&mut values);
        }
        values.resize(self.n_train() * self.n_rows(), T::ZERO);
        Ok(values)
    }

    /// Bytes of the products, and of a kernel matrix.
    pub fn bytes(n_train: usize, n_rows: usize) -> Option<usize> {
        n_train.checked_mul(n_rows)?.checked_mul(size_of::<T>())
    }

    /// The products that a kernel is made of, in memory that is used again.
    pub fn products(
        &self,
        product: Product,
        memory: Vec<T>,
        monitor: &Monitor,
    ) -> Result<Products<T>> {
        let n = self.n_rows();
        let mut values = self.room(memory)?;
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
    /// Row after row of length `n`.
    pub fn new(values: Vec<T>, n: usize) -> Self {
        Self { values, n }
    }

    /// Number of training rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n.max(1)
    }

    /// The products of a training row with all rows.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The memory, to be used again.
    pub fn into_memory(self) -> Vec<T> {
        self.values
    }
}

/// How the rows of a split are scaled: by its training rows, or not at all.
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
