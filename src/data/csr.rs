//! Sparse rows in canonical CSR format: columns ascend within a row, without duplicates.

use super::Real;
use super::dense::not_finite;
use crate::memory::try_with_capacity;
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
    /// Checks all invariants, on which later loops rely.
    ///
    /// Fails on rows with unsorted or duplicate columns; see [`Csr::canonical`].
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
        let is_wide = indices.iter().any(|&column| column as usize >= n_cols);
        let is_finite = values
            .iter()
            .fold(true, |all, value| all & value.is_finite());
        if is_wide || !is_finite || !rows_ascend(&offsets, &indices) {
            return Err(first_fault(&offsets, &indices, &values, n_cols));
        }
        Ok(Self {
            offsets,
            indices,
            values,
            n_cols,
        })
    }

    /// As [`Csr::new`], but sorts the columns of each row and sums duplicate entries.
    pub fn canonical(
        offsets: Vec<usize>,
        indices: Cow<'a, [u32]>,
        values: Cow<'a, [T]>,
        n_cols: usize,
    ) -> Result<Self> {
        let fits = offsets.first() == Some(&0)
            && offsets.is_sorted()
            && offsets.last() == Some(&indices.len())
            && indices.len() == values.len();
        if !fits || rows_ascend(&offsets, &indices) {
            return Self::new(offsets, indices, values, n_cols);
        }
        let mut new_offsets = try_with_capacity(offsets.len(), 1, "rows")?;
        let mut new_indices: Vec<u32> = try_with_capacity(indices.len(), 1, "rows")?;
        let mut new_values: Vec<T> = try_with_capacity(values.len(), 1, "rows")?;
        let mut row: Vec<(u32, T)> = Vec::new();
        new_offsets.push(0);
        for w in offsets.windows(2) {
            let stored = indices[w[0]..w[1]].iter().zip(&values[w[0]..w[1]]);
            row.clear();
            row.extend(stored.map(|(&column, &value)| (column, value)));
            // A stable sort: duplicates are summed in the order given.
            row.sort_by_key(|&(column, _)| column);
            row.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
            new_indices.extend(row.iter().map(|entry| entry.0));
            new_values.extend(row.iter().map(|entry| entry.1));
            new_offsets.push(new_values.len());
        }
        let (indices, values) = (Cow::Owned(new_indices), Cow::Owned(new_values));
        Self::new(new_offsets, indices, values, n_cols)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// The start of each row, and the end of the last.
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

    /// All stored values, copied only if they were borrowed.
    pub fn into_values(self) -> Vec<T> {
        self.values.into_owned()
    }

    /// Columns and values of one row.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let span = self.offsets[i]..self.offsets[i + 1];
        (&self.indices[span.clone()], &self.values[span])
    }

    /// The first `n_rows` rows; copies only their offsets.
    pub fn head(&self, n_rows: usize) -> Csr<'_, T> {
        let offsets = &self.offsets[..=n_rows];
        let nnz = offsets[n_rows];
        Csr {
            offsets: offsets.to_vec(),
            indices: Cow::Borrowed(&self.indices[..nnz]),
            values: Cow::Borrowed(&self.values[..nnz]),
            n_cols: self.n_cols,
        }
    }

    /// Converts the values to another type.
    pub fn convert<U: Real>(&self) -> Result<Csr<'static, U>> {
        let mut values = try_with_capacity(self.values().len(), 1, "converted rows")?;
        values.extend(self.values().iter().map(|v| U::from_f64(v.to_f64())));
        let (offsets, columns) = (self.offsets().to_vec(), self.indices().to_vec());
        let (columns, values) = (Cow::Owned(columns), Cow::Owned(values));
        Csr::new(offsets, columns, values, self.n_cols())
    }

    /// A copy of the rows `order[0], order[1], …`.
    pub fn gather(&self, order: &[u32]) -> Result<Csr<'static, T>> {
        let span = |i: u32| self.offsets[i as usize + 1] - self.offsets[i as usize];
        let nnz = order.iter().map(|&i| span(i)).sum();
        let mut offsets = try_with_capacity(order.len() + 1, 1, "rows")?;
        let mut indices = try_with_capacity(nnz, 1, "rows")?;
        let mut values = try_with_capacity(nnz, 1, "rows")?;
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

/// Whether the columns of each row ascend, that is, whether all descents are between rows.
fn rows_ascend(offsets: &[usize], indices: &[u32]) -> bool {
    let falls = |(a, b): (&u32, &u32)| usize::from(a >= b);
    let everywhere: usize = indices.iter().zip(indices.iter().skip(1)).map(falls).sum();
    let (mut between, mut last) = (0, 0);
    for &start in offsets {
        // Empty rows start at the same place as the next row.
        if start > last && start < indices.len() {
            between += falls((&indices[start - 1], &indices[start]));
        }
        last = start;
    }
    everywhere == between
}

/// The error for the first invalid row.
fn first_fault<T: Real>(offsets: &[usize], indices: &[u32], values: &[T], n_cols: usize) -> Error {
    for (row, w) in offsets.windows(2).enumerate() {
        let columns = &indices[w[0]..w[1]];
        if let Some(&column) = columns.iter().find(|&&c| c as usize >= n_cols) {
            return Error::Shape(format!(
                "sparse X has column index {column} in row {row}, but only {n_cols} columns"
            ));
        }
        if columns.windows(2).any(|c| c[0] >= c[1]) {
            return Error::Shape(format!(
                "the column indices of sparse X are not ascending in row {row}"
            ));
        }
        if let Some(k) = (w[0]..w[1]).find(|&k| !values[k].is_finite()) {
            return not_finite(values[k], row, indices[k] as usize);
        }
    }
    // Values are read in place: another thread may have changed them since.
    Error::Data("the values of sparse X changed while they were being checked".into())
}
