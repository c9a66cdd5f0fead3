//! Dense or sparse rows behind one type.

use super::{Csr, Dense, Real};
use crate::{Error, Result};
use std::borrow::Cow;

/// One row of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a, T> {
    /// Every value.
    Dense(&'a [T]),
    /// Columns and values that are stored.
    Sparse(&'a [u32], &'a [T]),
}

/// The rows of a data set.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix<'a, T: Real> {
    /// Every value stored.
    Dense(Dense<'a, T>),
    /// Nonzero values stored.
    Sparse(Csr<'a, T>),
}

impl<T: Real> Matrix<'_, T> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Matrix::Dense(m) => m.n_rows(),
            Matrix::Sparse(m) => m.n_rows(),
        }
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        match self {
            Matrix::Dense(m) => m.n_cols(),
            Matrix::Sparse(m) => m.n_cols(),
        }
    }

    /// One row.
    #[inline]
    pub fn row(&self, i: usize) -> Row<'_, T> {
        match self {
            Matrix::Dense(m) => Row::Dense(m.row(i)),
            Matrix::Sparse(m) => {
                let (columns, values) = m.row(i);
                Row::Sparse(columns, values)
            }
        }
    }

    /// All stored values.
    pub fn values(&self) -> &[T] {
        match self {
            Matrix::Dense(m) => m.values(),
            Matrix::Sparse(m) => m.values(),
        }
    }

    /// Checks again that every value is finite: rows that are borrowed may have been changed by
    /// another thread since.
    pub fn check_again(&self) -> Result<()> {
        let values = Cow::Borrowed(self.values());
        match self {
            Matrix::Dense(m) => Dense::new(values, m.n_rows(), m.n_cols()).map(drop),
            Matrix::Sparse(m) => {
                let (offsets, columns) = (m.offsets().to_vec(), Cow::Borrowed(m.indices()));
                Csr::new(offsets, columns, values, m.n_cols()).map(drop)
            }
        }
    }

    /// The largest absolute value; 0 for no values.
    pub fn max_abs(&self) -> f64 {
        let larger = |most: f64, v: &T| v.to_f64().abs().max(most);
        self.values().iter().fold(0.0, larger)
    }

    /// The largest squared length of a row; 0 for no rows.
    pub fn max_square(&self) -> f64 {
        let square = |i| -> f64 {
            let values = match self {
                Matrix::Dense(m) => m.row(i),
                Matrix::Sparse(m) => m.row(i).1,
            };
            values.iter().map(|v| v.to_f64() * v.to_f64()).sum()
        };
        (0..self.n_rows()).map(square).fold(0.0, f64::max)
    }

    /// The rows `order[0], order[1], …` as a matrix of its own.
    pub fn gather(&self, order: &[u32]) -> Result<Matrix<'static, T>> {
        Ok(match self {
            Matrix::Dense(m) => Matrix::Dense(m.gather(order)?),
            Matrix::Sparse(m) => Matrix::Sparse(m.gather(order)?),
        })
    }

    /// The same rows in another type.
    pub fn convert<U: Real>(&self) -> Result<Matrix<'static, U>> {
        Ok(match self {
            Matrix::Dense(m) => Matrix::Dense(m.convert()?),
            Matrix::Sparse(m) => Matrix::Sparse(m.convert()?),
        })
    }

    /// Writes row `i` into `out`, zeros included.
    pub fn copy_row(&self, i: usize, out: &mut [T]) {
        match self {
            Matrix::Dense(m) => out.copy_from_slice(m.row(i)),
            Matrix::Sparse(m) => {
                out.fill(T::ZERO);
                let (columns, values) = m.row(i);
                for (&c, &v) in columns.iter().zip(values) {
                    out[c as usize] = v;
                }
            }
        }
    }

    /// Refuses rows with another number of features than `expected`.
    pub fn check_n_cols(&self, expected: usize) -> Result<()> {
        if self.n_cols() == expected {
            return Ok(());
        }
        Err(Error::Shape(format!(
            "X has {} features, but the model was fitted with {expected} features",
            self.n_cols()
        )))
    }
}
