//! Sparse rows in compressed form (CSR), canonical: columns ascending, none repeated.

use super::Real;
use super::dense::not_finite;
use crate::{Error, Result};
use std::borrow::Cow;

/// Row `i` holds `values[k]` in column `indices[k]` for `k` in `offsets[i]..offsets[i + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<'a, T: Real> {
    offsets: Vec<usize>,
    indices: Cow<'a, [u32]>,
    values: Cow<'a, [T]>,
    n_cols: usize,
}

impl<'a, T: Real> Csr<'a, T> {
    /// Checks everything that a later loop relies on, so that none can leave its bounds.
    ///
    /// Rows with unsorted or repeated columns are refused here; the Python side
    /// makes them canonical first, as scipy does.
    pub fn new(
        offsets: Vec<usize>,
        indices: Cow<'a, [u32]>,
        values: Cow<'a, [T]>,
        n_cols: usize,
    ) -> Result<Self> {
        let shape = |message: String| Err(Error::Shape(message));
        if offsets.first() != Some(&0) {
            return shape("the indptr of sparse X must start with 0".into());
        }
        if let Some(i) = offsets.windows(2).position(|w| w[0] > w[1]) {
            return shape(format!("the indptr of sparse X decreases after row {i}"));
        }
        let nnz = offsets[offsets.len() - 1];
        if nnz != indices.len() || nnz != values.len() {
            return shape(format!(
                "the indptr of sparse X ends at {nnz}, but there are {} indices and {} values",
                indices.len(),
                values.len()
            ));
        }
        for (row, w) in offsets.windows(2).enumerate() {
            let columns = &indices[w[0]..w[1]];
            if let Some(&column) = columns.iter().find(|&&c| c as usize >= n_cols) {
                return shape(format!(
                    "sparse X has column index {column} in row {row}, but only {n_cols} columns"
                ));
            }
            if columns.windows(2).any(|c| c[0] >= c[1]) {
                return shape(format!(
                    "the column indices of sparse X are not ascending in row {row}"
                ));
            }
            for k in w[0]..w[1] {
                if !values[k].is_finite() {
                    return Err(not_finite(values[k], row, indices[k] as usize));
                }
            }
        }
        Ok(Self {
            offsets,
            indices,
            values,
            n_cols,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Where each row starts, and the end of the last.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Columns of all stored values.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// All stored values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Columns and values of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let span = self.offsets[i]..self.offsets[i + 1];
        (&self.indices[span.clone()], &self.values[span])
    }

    /// The rows `order[0], order[1], …` as a matrix of its own.
    pub fn gather(&self, order: &[u32]) -> Result<Csr<'static, T>> {
        let span = |i: u32| self.offsets[i as usize + 1] - self.offsets[i as usize];
        let nnz = order.iter().map(|&i| span(i)).sum();
        let mut offsets = crate::error::reserve(order.len() + 1, 1, "rows")?;
        let mut indices = crate::error::reserve(nnz, 1, "rows")?;
        let mut values = crate::error::reserve(nnz, 1, "rows")?;
        offsets.push(0);
        for &i in order {
            let (columns, entries) = self.row(i as usize);
            indices.extend_from_slice(columns);
            values.extend_from_slice(entries);
            offsets.push(values.len());
        }
        Ok(Csr {
            offsets,
            indices: Cow::Owned(indices),
            values: Cow::Owned(values),
            n_cols: self.n_cols,
        })
    }
}
