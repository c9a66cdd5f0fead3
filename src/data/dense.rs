//! Dense rows, borrowed from the caller wherever the memory already has our layout.

use super::Real;
use crate::{Error, Result};
use std::borrow::Cow;

/// Values that are checked together.
const PIECE: usize = 4096;

/// Finite values, row after row. The only makers are the checking [`Dense::new`]
/// and the gathers of rows that were checked before.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<'a, T: Real> {
    values: Cow<'a, [T]>,
    n_rows: usize,
    n_cols: usize,
}

impl<'a, T: Real> Dense<'a, T> {
    /// Checks the shape, and that every value is finite; the error names the first bad place.
    pub fn new(values: Cow<'a, [T]>, n_rows: usize, n_cols: usize) -> Result<Self> {
        if n_rows.checked_mul(n_cols) != Some(values.len()) {
            return Err(Error::Shape(format!(
                "{} values do not make {n_rows} rows of {n_cols} features",
                values.len()
            )));
        }
        if let Some(at) = first_not_finite(&values) {
            return Err(not_finite(values[at], at / n_cols, at % n_cols));
        }
        Ok(Self {
            values,
            n_rows,
            n_cols,
        })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// All values, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All values, copied only if they were borrowed.
    pub fn into_values(self) -> Vec<T> {
        self.values.into_owned()
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n_cols..(i + 1) * self.n_cols]
    }

    /// The same rows in another type.
    pub fn convert<U: Real>(&self) -> Result<Dense<'static, U>> {
        let mut values = crate::error::reserve(self.values.len(), 1, "converted rows")?;
        values.extend(self.values.iter().map(|v| U::from_f64(v.to_f64())));
        Dense::new(Cow::Owned(values), self.n_rows, self.n_cols)
    }

    /// The rows `order[0], order[1], …` as a matrix of its own.
    pub fn gather(&self, order: &[u32]) -> Result<Dense<'static, T>> {
        let mut values = crate::error::reserve(order.len(), self.n_cols, "rows")?;
        for &i in order {
            values.extend_from_slice(self.row(i as usize));
        }
        Ok(Dense {
            values: Cow::Owned(values),
            n_rows: order.len(),
            n_cols: self.n_cols,
        })
    }
}

/// The place of the first value that is NaN or infinite.
pub fn first_not_finite<T: Real>(values: &[T]) -> Option<usize> {
    // Without a way out inside a piece, the loop is one of vectors.
    let has_bad = |piece: &[T]| !piece.iter().fold(true, |all, v| all & v.is_finite());
    let start = values.chunks(PIECE).position(has_bad)? * PIECE;
    let bad = values[start..].iter().position(|v| !v.is_finite());
    // Where another thread changes them, the value may be a number again.
    Some(start + bad.unwrap_or(0))
}

/// The sentence for a value that no kernel can use.
pub fn not_finite<T: Real>(value: T, row: usize, column: usize) -> Error {
    let value = value.to_f64();
    let place = format!("at row {row}, column {column}");
    Error::Data(if value.is_nan() {
        format!("X contains NaN {place}. Impute or drop missing values.")
    } else {
        format!("X contains {value} {place}; every value must be finite")
    })
}
