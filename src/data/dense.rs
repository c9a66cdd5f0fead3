//! Dense rows, borrowed from the caller if they have the right layout.

use super::Real;
use crate::memory::try_with_capacity;
use crate::{Error, Result};
use std::borrow::Cow;

/// Number of values that are checked together.
const PIECE: usize = 4096;

/// Finite values in row-major order. [`Dense::new`] checks them; all other constructors copy or
/// borrow checked rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<'a, T: Real> {
    values: Cow<'a, [T]>,
    n_rows: usize,
    n_cols: usize,
}

impl<'a, T: Real> Dense<'a, T> {
    /// Checks the shape and that all values are finite; the error gives the first invalid place.
    pub fn new(values: Cow<'a, [T]>, n_rows: usize, n_cols: usize) -> Result<Self> {
        if n_rows.checked_mul(n_cols) != Some(values.len()) {
            return Err(Error::Shape(format!(
                "cannot arrange {} values as {n_rows} rows of {n_cols} features",
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

    /// All values in row-major order.
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

    /// The first `n_rows` rows, borrowed.
    pub fn head(&self, n_rows: usize) -> Dense<'_, T> {
        Dense {
            values: Cow::Borrowed(&self.values[..n_rows * self.n_cols]),
            n_rows,
            n_cols: self.n_cols,
        }
    }

    /// Subtracts `center` from each row.
    pub fn subtract(&mut self, center: &[f64]) {
        let n_cols = self.n_cols.max(1);
        for row in self.values.to_mut().chunks_exact_mut(n_cols) {
            for (value, center) in row.iter_mut().zip(center) {
                *value = T::from_f64(value.to_f64() - center);
            }
        }
    }

    /// Converts the values to another type.
    pub fn convert<U: Real>(&self) -> Result<Dense<'static, U>> {
        let mut values = try_with_capacity(self.values.len(), 1, "converted rows")?;
        values.extend(self.values.iter().map(|v| U::from_f64(v.to_f64())));
        Dense::new(Cow::Owned(values), self.n_rows, self.n_cols)
    }

    /// A copy of the rows `order[0], order[1], …`.
    pub fn gather(&self, order: &[u32]) -> Result<Dense<'static, T>> {
        let mut values = try_with_capacity(order.len(), self.n_cols, "rows")?;
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

/// The index of the first value that is NaN or infinite.
pub fn first_not_finite<T: Real>(values: &[T]) -> Option<usize> {
    // Without an early exit inside of a piece, the loop is vectorized.
    let has_bad = |piece: &[T]| !piece.iter().fold(true, |all, v| all & v.is_finite());
    let start = values.chunks(PIECE).position(has_bad)? * PIECE;
    let bad = values[start..].iter().position(|v| !v.is_finite());
    // If another thread changes the values, there may be no such value any more.
    Some(start + bad.unwrap_or(0))
}

/// The error for a value that is NaN or infinite.
pub fn not_finite<T: Real>(value: T, row: usize, column: usize) -> Error {
    let value = value.to_f64();
    let place = format!("at row {row}, column {column}");
    Error::Data(if value.is_nan() {
        format!("X contains NaN {place}. Impute or drop missing values.")
    } else {
        format!("X contains {value} {place}; every value must be finite")
    })
}
