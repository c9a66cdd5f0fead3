//! Samples in a layout for fast products.
//!
//! Dense rows are packed into panels of 256 bytes per feature (see [`crate::simd`]); sparse
//! rows stay sparse. A block of kernel values is computed from the products of some queries
//! with a range of rows while these are in the cache. Each value depends on its two samples
//! only, not on the block.

use super::panels::Panels;
use super::sparse::SparseRows;
use super::{Kernel, Queries};
use crate::data::{Digest, Matrix};
use crate::simd::{Lanes, MOST_SPARSE_QUERIES, Product, SPARSE_WIDTH, panel_width};
use crate::{Error, Result};
use std::ops::Range;

/// The most queries per block.
pub const QUERY_BLOCK: usize = 48;

/// Products per chunk that is turned into kernel values: a chunk fits the first-level cache.
const FINISH: usize = 6144;

/// Number of features from which blocks of queries for sparse rows are smaller: sixteen dense
/// queries take 8 MiB then.
const WIDE: usize = 1 << 16;

/// Rows in a layout for fast products.
#[derive(Debug, Clone)]
pub enum PackedRows<T: Lanes> {
    /// Dense rows in panels.
    Panels(Panels<T>),
    /// Sparse rows.
    Sparse(SparseRows<T>),
    /// Precomputed kernel: "row" `r` is column `columns[r]` of the queries.
    Columns {
        /// The column of each row.
        columns: Vec<u32>,
        /// Number of columns of a query.
        n_cols: usize,
    },
}

impl<T: Lanes> PackedRows<T> {
    /// Packs the rows `order[0], order[1], …`.
    pub fn new(rows: &Matrix<'_, T>, order: &[u32]) -> Result<Self> {
        if rows.n_cols() == 0 {
            return Err(Error::Shape(format!(
                "X has {} samples but no features",
                rows.n_rows()
            )));
        }
        match rows {
            Matrix::Sparse(csr) => Ok(PackedRows::Sparse(SparseRows::new(csr.gather(order)?))),
            Matrix::Dense(dense) => Ok(PackedRows::Panels(Panels::new(dense, order)?)),
        }
    }

    /// Columns of a precomputed kernel; each must be less than `n_cols`.
    pub fn columns(columns: Vec<u32>, n_cols: usize) -> Result<Self> {
        if let Some(column) = columns.iter().find(|&&c| c as usize >= n_cols) {
            return Err(Error::Shape(format!(
                "support vector {column} does not exist among {n_cols} training samples"
            )));
        }
        Ok(PackedRows::Columns { columns, n_cols })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            PackedRows::Panels(panels) => panels.n_rows(),
            PackedRows::Sparse(rows) => rows.csr().n_rows(),
            PackedRows::Columns { columns, .. } => columns.len(),
        }
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        match self {
            PackedRows::Panels(panels) => panels.n_cols(),
            PackedRows::Columns { n_cols, .. } => *n_cols,
            PackedRows::Sparse(rows) => rows.csr().n_cols(),
        }
    }

    /// Number of queries per block; fewer if each of them takes much memory.
    pub fn query_block(&self) -> usize {
        match self {
            PackedRows::Sparse(_) if self.n_cols() > WIDE => SPARSE_WIDTH,
            _ => QUERY_BLOCK,
        }
    }

    /// Approximate multiply-adds per product.
    pub fn cost_of_product(&self) -> usize {
        match self {
            PackedRows::Panels(panels) => panels.n_cols(),
            PackedRows::Columns { .. } => 1,
            // A sparse multiply-add costs about as much as eight dense ones.
            PackedRows::Sparse(rows) => 8 * rows.csr().values().len() / rows.csr().n_rows().max(1),
        }
    }

    /// The rows as they were before packing.
    pub fn unpack(&self) -> Result<Matrix<'static, T>> {
        match self {
            PackedRows::Sparse(rows) => Ok(Matrix::Sparse(rows.csr().clone())),
            PackedRows::Columns { .. } => Err(Error::Data(
                "support vectors are not available with a precomputed kernel".into(),
            )),
            PackedRows::Panels(panels) => panels.unpack(),
        }
    }

    /// The digest of the caller's matrix, in which row `k` has index `order[k]`.
    pub fn digest(&self, order: &[u32]) -> Digest {
        let mut digest = Digest::zeros(self.n_rows(), self.n_cols());
        match self {
            PackedRows::Panels(panels) => panels.add_to_digest(&mut digest, order),
            PackedRows::Sparse(rows) => {
                for (k, &row) in order.iter().enumerate() {
                    let (columns, values) = rows.csr().row(k);
                    for (&column, &value) in columns.iter().zip(values) {
                        digest.add(row as usize, column as usize, value);
                    }
                }
            }
            PackedRows::Columns { .. } => {}
        }
        digest
    }

    /// Packs the rows `rows[0], rows[1], …` of these packed rows.
    pub fn gather(&self, rows: &[usize]) -> Result<Self> {
        match self {
            PackedRows::Sparse(own) => {
                let order: Vec<u32> = rows.iter().map(|&i| i as u32).collect();
                Ok(PackedRows::Sparse(SparseRows::new(
                    own.csr().gather(&order)?,
                )))
            }
            PackedRows::Columns { columns, n_cols } => Ok(PackedRows::Columns {
                columns: rows.iter().map(|&i| columns[i]).collect(),
                n_cols: *n_cols,
            }),
            PackedRows::Panels(panels) => Ok(PackedRows::Panels(panels.gather(rows)?)),
        }
    }

    /// The same rows in f64.
    pub fn widen(&self) -> Result<PackedRows<f64>> {
        match self {
            PackedRows::Sparse(own) => {
                Ok(PackedRows::Sparse(SparseRows::new(own.csr().convert()?)))
            }
            PackedRows::Columns { columns, n_cols } => Ok(PackedRows::Columns {
                columns: columns.clone(),
                n_cols: *n_cols,
            }),
            PackedRows::Panels(panels) => Ok(PackedRows::Panels(panels.widen()?)),
        }
    }

    /// Loads a range of these rows as queries. Not for precomputed columns.
    pub fn load_own(&self, rows: Range<usize>, queries: &mut Queries<T>) -> Result<()> {
        self.load_each(rows, queries)
    }

    /// Loads some of these rows as queries. Not for precomputed columns.
    pub fn load_rows(&self, rows: &[usize], queries: &mut Queries<T>) -> Result<()> {
        self.load_each(rows.iter().copied(), queries)
    }

    fn load_each(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
        queries: &mut Queries<T>,
    ) -> Result<()> {
        queries.clear(self, rows.len())?;
        for (q, i) in rows.enumerate() {
            match self {
                PackedRows::Panels(panels) => {
                    let at = q * panels.n_cols();
                    panels.copy_row(i, &mut queries.dense[at..at + panels.n_cols()]);
                }
                PackedRows::Sparse(own) => queries.set_sparse(q, own.csr(), i),
                PackedRows::Columns { .. } => {}
            }
        }
        Ok(())
    }

    /// Loads a range of rows of another matrix with the same features as queries.
    pub fn load(
        &self,
        matrix: &Matrix<'_, T>,
        rows: Range<usize>,
        queries: &mut Queries<T>,
    ) -> Result<()> {
        queries.clear(self, rows.len())?;
        let d = self.n_cols();
        for (q, i) in rows.enumerate() {
            match (self, matrix) {
                (PackedRows::Sparse(_), Matrix::Sparse(csr)) => queries.set_sparse(q, csr, i),
                (PackedRows::Sparse(_), Matrix::Dense(dense)) => {
                    for (feature, &value) in dense.row(i).iter().enumerate() {
                        queries.set(q, feature, value);
                    }
                }
                _ => matrix.copy_row(i, &mut queries.dense[q * d..(q + 1) * d]),
            }
        }
        Ok(())
    }

    /// Computes the kernel values of all queries with a range of rows and writes value `(q, r)`
    /// to `out[q * stride + r - rows.start]`.
    pub fn kernel_block(
        &self,
        kernel: &Kernel,
        queries: &Queries<T>,
        rows: Range<usize>,
        out: &mut [T],
        stride: usize,
    ) {
        for chunk in chunks::<T>(rows.clone(), queries.len()) {
            let out = &mut out[chunk.start - rows.start..];
            self.products(kernel.product(), queries, chunk.clone(), out, stride);
            for q in 0..queries.len() {
                kernel.finish(&mut out[q * stride..q * stride + chunk.len()]);
            }
        }
    }

    /// Computes the kernel values of all queries with a range of rows in chunks, and calls
    /// `visit(chunk, values)` with the values of the queries one after the other.
    pub fn kernel_chunks(
        &self,
        kernel: &Kernel,
        queries: &mut Queries<T>,
        rows: Range<usize>,
        mut visit: impl FnMut(Range<usize>, &[T]),
    ) {
        let mut scratch = std::mem::take(&mut queries.scratch);
        for chunk in chunks::<T>(rows, queries.len()) {
            let len = chunk.len();
            scratch.resize(queries.len() * len, T::ZERO);
            self.kernel_block(kernel, queries, chunk.clone(), &mut scratch, len);
            visit(chunk, &scratch);
        }
        queries.scratch = scratch;
    }

    /// Computes the products of all queries with a range of rows, in the layout of
    /// [`PackedRows::kernel_block`].
    pub fn products(
        &self,
        product: Product,
        queries: &Queries<T>,
        rows: Range<usize>,
        out: &mut [T],
        stride: usize,
    ) {
        match self {
            PackedRows::Panels(panels) => {
                panels.products(product, &queries.dense, rows, out, stride);
            }
            PackedRows::Sparse(own) => {
                for (group, interleaved) in queries.interleaved().enumerate() {
                    let out = &mut out[group * MOST_SPARSE_QUERIES * stride..];
                    own.products(product, interleaved, rows.clone(), out, stride);
                }
            }
            PackedRows::Columns { columns, n_cols } => {
                for q in 0..queries.len() {
                    let query = &queries.dense[q * n_cols..(q + 1) * n_cols];
                    for (k, &column) in columns[rows.clone()].iter().enumerate() {
                        out[q * stride + k] = query[column as usize];
                    }
                }
            }
        }
    }
}

/// Splits a range of rows into chunks with at most about [`FINISH`] products with all queries.
/// Chunks end at panel boundaries, so that at most the first and last panel are partial.
fn chunks<T: Lanes>(rows: Range<usize>, n_queries: usize) -> impl Iterator<Item = Range<usize>> {
    let width = panel_width::<T>();
    let chunk = (FINISH / n_queries.max(1) / width).max(1) * width;
    let mut start = rows.start;
    std::iter::from_fn(move || {
        let end = (start / width * width + chunk).min(rows.end);
        let next = (start < end).then_some(start..end);
        start = end;
        next
    })
}
