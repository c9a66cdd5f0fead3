//! Samples in a layout for fast products; only this module knows the layout.
//!
//! Dense rows are packed into panels of 256 bytes per feature (see [`crate::simd`]); sparse
//! rows stay sparse. A block of kernel values is computed from the products of some queries
//! with a range of rows while these are in the cache. Each value depends on its two samples
//! only, not on the block.

use super::Kernel;
use super::sparse::{Interleaved, SparseRows};
use crate::data::{Csr, Dense, Digest, Matrix, Real};
use crate::memory::reset_to_zeros;
use crate::simd::{self, Lanes, Product, SPARSE_QUERIES, panel_width};
use crate::{Error, Result};
use std::borrow::Cow;
use std::ops::Range;

/// The most queries per block.
pub const QUERY_BLOCK: usize = 48;

/// Products per chunk that is turned into kernel values: a chunk fits the first-level cache.
const FINISH: usize = 6144;

/// Number of features from which blocks of queries for sparse rows are smaller: sixteen dense
/// queries take 8 MiB then.
const WIDE: usize = 1 << 16;

/// Queries per call for panels that are only partly inside a range.
const EDGE: usize = 6;

/// Rows in a layout for fast products.
#[derive(Debug, Clone)]
pub enum PackedRows<T: Lanes> {
    /// Dense rows in panels, the last one padded with zeros.
    Panels {
        /// The panels one after the other.
        values: Vec<T>,
        /// Number of rows without the padding.
        n_rows: usize,
        /// Number of features.
        n_cols: usize,
    },
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

/// The samples on the left side of a block of products, in buffers that are reused.
#[derive(Debug, Clone, Default)]
pub struct Queries<T> {
    len: usize,
    dense: Vec<T>,
    interleaved: Vec<Interleaved>,
    scratch: Vec<T>,
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
            Matrix::Dense(dense) => {
                let (n_rows, n_cols) = (order.len(), dense.n_cols());
                let values = pack_panels(dense, order)?;
                Ok(PackedRows::Panels {
                    values,
                    n_rows,
                    n_cols,
                })
            }
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
            PackedRows::Panels { n_rows, .. } => *n_rows,
            PackedRows::Sparse(rows) => rows.csr().n_rows(),
            PackedRows::Columns { columns, .. } => columns.len(),
        }
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        match self {
            PackedRows::Panels { n_cols, .. } | PackedRows::Columns { n_cols, .. } => *n_cols,
            PackedRows::Sparse(rows) => rows.csr().n_cols(),
        }
    }

    /// Number of queries per block; fewer if each of them takes much memory.
    pub fn query_block(&self) -> usize {
        match self {
            PackedRows::Sparse(_) if self.n_cols() > WIDE => SPARSE_QUERIES,
            _ => QUERY_BLOCK,
        }
    }

    /// Approximate multiply-adds per product.
    pub fn cost_of_product(&self) -> usize {
        match self {
            PackedRows::Panels { n_cols, .. } => *n_cols,
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
            PackedRows::Panels { n_rows, n_cols, .. } => {
                let mut values = simd::zero_pages(*n_rows, *n_cols, "rows")?;
                for (i, out) in values.chunks_exact_mut((*n_cols).max(1)).enumerate() {
                    self.copy_row(i, out);
                }
                let dense = Dense::new(Cow::Owned(values), *n_rows, *n_cols)?;
                Ok(Matrix::Dense(dense))
            }
        }
    }

    /// The digest of the caller's matrix, in which row `k` has index `order[k]`.
    pub fn digest(&self, order: &[u32]) -> Digest {
        let mut digest = Digest::zeros(self.n_rows(), self.n_cols());
        match self {
            PackedRows::Panels { values, n_cols, .. } => {
                let width = panel_width::<T>();
                let panels = values.chunks_exact((width * n_cols).max(1));
                for (panel, rows) in panels.zip(order.chunks(width)) {
                    for (feature, values) in panel.chunks_exact(width).enumerate() {
                        for (&row, &value) in rows.iter().zip(values) {
                            digest.add(row as usize, feature, value);
                        }
                    }
                }
            }
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
            PackedRows::Panels { values, n_cols, .. } => {
                let (d, width) = (*n_cols, panel_width::<T>());
                let padded = rows.len().next_multiple_of(width);
                let mut panels = simd::zero_pages(padded, d, "packed rows")?;
                for (k, &i) in rows.iter().enumerate() {
                    let from = &values[i / width * width * d..];
                    let to = &mut panels[k / width * width * d..];
                    for f in 0..d {
                        to[f * width + k % width] = from[f * width + i % width];
                    }
                }
                Ok(PackedRows::Panels {
                    values: panels,
                    n_rows: rows.len(),
                    n_cols: d,
                })
            }
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
            PackedRows::Panels {
                values,
                n_rows,
                n_cols,
            } => {
                let (d, from_width, to_width) = (*n_cols, panel_width::<T>(), panel_width::<f64>());
                let padded = n_rows.next_multiple_of(to_width);
                let mut panels = simd::zero_pages::<f64>(padded, d, "rows in f64")?;
                for i in 0..*n_rows {
                    let from = &values[i / from_width * from_width * d..];
                    let to = &mut panels[i / to_width * to_width * d..];
                    for f in 0..d {
                        to[f * to_width + i % to_width] =
                            from[f * from_width + i % from_width].to_f64();
                    }
                }
                Ok(PackedRows::Panels {
                    values: panels,
                    n_rows: *n_rows,
                    n_cols: d,
                })
            }
        }
    }

    /// Copies row `i` of the panels to `out`.
    fn copy_row(&self, i: usize, out: &mut [T]) {
        let width = panel_width::<T>();
        if let PackedRows::Panels { values, n_cols, .. } = self {
            let panel = &values[i / width * width * n_cols..];
            for (f, out) in out.iter_mut().enumerate() {
                *out = panel[f * width + i % width];
            }
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
                PackedRows::Panels { n_cols, .. } => {
                    let at = q * n_cols;
                    self.copy_row(i, &mut queries.dense[at..at + n_cols]);
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
        for chunk in chunks::<T>(rows.clone(), queries.len) {
            let out = &mut out[chunk.start - rows.start..];
            self.products(kernel.product(), queries, chunk.clone(), out, stride);
            for q in 0..queries.len {
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
        for chunk in chunks::<T>(rows, queries.len) {
            let len = chunk.len();
            scratch.resize(queries.len * len, T::ZERO);
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
            PackedRows::Panels { values, n_cols, .. } => {
                panel_range(product, values, *n_cols, &queries.dense, rows, out, stride);
            }
            PackedRows::Sparse(own) => {
                for (group, interleaved) in queries.interleaved().enumerate() {
                    let out = &mut out[group * SPARSE_QUERIES * stride..];
                    own.products(product, interleaved, rows.clone(), out, stride);
                }
            }
            PackedRows::Columns { columns, n_cols } => {
                for q in 0..queries.len {
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

/// Packs the rows `order[0], order[1], …` into panels; pads the last one with zeros.
pub fn pack_panels<T: Lanes>(rows: &Dense<'_, T>, order: &[u32]) -> Result<Vec<T>> {
    let (d, width) = (rows.n_cols(), panel_width::<T>());
    let padded = order.len().next_multiple_of(width);
    let mut panels = simd::zero_pages(padded, d, "packed rows")?;
    for (k, &i) in order.iter().enumerate() {
        let panel = &mut panels[k / width * width * d..];
        for (f, &v) in rows.row(i as usize).iter().enumerate() {
            panel[f * width + k % width] = v;
        }
    }
    Ok(panels)
}

/// Computes products with a range of rows that may start and end inside of a panel.
fn panel_range<T: Lanes>(
    product: Product,
    panels: &[T],
    d: usize,
    queries: &[T],
    rows: Range<usize>,
    out: &mut [T],
    stride: usize,
) {
    let width = panel_width::<T>();
    let panel = |p: usize| &panels[p * width * d..(p + 1) * width * d];
    let edge = |rows: Range<usize>, out: &mut [T]| {
        let mut buffer = [T::ZERO; EDGE * 64];
        for (group, queries) in queries.chunks(EDGE * d).enumerate() {
            let buffer = &mut buffer[..queries.len() / d * width];
            simd::panel_products(
                product,
                panel(rows.start / width),
                d,
                queries,
                buffer,
                width,
            );
            for (q, values) in buffer.chunks_exact(width).enumerate() {
                let at = (group * EDGE + q) * stride;
                let first = rows.start % width;
                out[at..at + rows.len()].copy_from_slice(&values[first..first + rows.len()]);
            }
        }
    };
    let full = rows.start.div_ceil(width)..rows.end / width;
    if full.is_empty() {
        let cut = (full.start * width).clamp(rows.start, rows.end);
        if rows.start < cut {
            edge(rows.start..cut, out);
        }
        if cut < rows.end {
            edge(cut..rows.end, &mut out[cut - rows.start..]);
        }
        return;
    }
    let (first, last) = (full.start * width, full.end * width);
    if rows.start < first {
        edge(rows.start..first, out);
    }
    let middle = &panels[first * d..last * d];
    simd::panel_products(
        product,
        middle,
        d,
        queries,
        &mut out[first - rows.start..],
        stride,
    );
    if last < rows.end {
        edge(last..rows.end, &mut out[last - rows.start..]);
    }
}

impl<T: Real + Lanes> Queries<T> {
    /// No queries; load some with [`PackedRows::load`] or [`PackedRows::load_own`].
    pub fn new() -> Self {
        Self {
            len: 0,
            dense: Vec::new(),
            interleaved: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn clear(&mut self, rows: &PackedRows<T>, len: usize) -> Result<()> {
        debug_assert!(len <= QUERY_BLOCK);
        self.len = len;
        let d = rows.n_cols();
        if let PackedRows::Sparse(_) = rows {
            let groups = len.div_ceil(SPARSE_QUERIES);
            if self.interleaved.len() < groups {
                self.interleaved.resize_with(groups, Interleaved::default);
            }
            for group in 0..groups {
                let m = (len - group * SPARSE_QUERIES).min(SPARSE_QUERIES);
                self.interleaved[group].clear(m, d)?;
            }
        } else {
            reset_to_zeros(&mut self.dense, len, d)?;
        }
        Ok(())
    }

    fn interleaved(&self) -> impl Iterator<Item = &Interleaved> {
        self.interleaved[..self.len.div_ceil(SPARSE_QUERIES)].iter()
    }

    fn set(&mut self, q: usize, feature: usize, value: T) {
        self.interleaved[q / SPARSE_QUERIES].set(q % SPARSE_QUERIES, feature, value);
    }

    fn set_sparse(&mut self, q: usize, csr: &Csr<'_, T>, row: usize) {
        let (columns, values) = csr.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            self.set(q, column as usize, value);
        }
    }
}
