//! Dense or sparse samples as one type.

use super::{Csr, Dense, Real};
use crate::memory::try_zeros;
use crate::{Error, Result};
use std::borrow::Cow;

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a, T> {
    /// All values.
    Dense(&'a [T]),
    /// Columns and values of the stored entries.
    Sparse(&'a [u32], &'a [T]),
}

/// The samples of a data set, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix<'a, T: Real> {
    /// All values are stored.
    Dense(Dense<'a, T>),
    /// Only nonzero values are stored.
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

    /// Calls `visit` with the column and the value of each stored entry of a row.
    pub fn visit_row(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match self.row(i) {
            Row::Dense(values) => {
                for (j, value) in values.iter().enumerate() {
                    visit(j, value.to_f64());
                }
            }
            Row::Sparse(columns, values) => {
                for (&j, value) in columns.iter().zip(values) {
                    visit(j as usize, value.to_f64());
                }
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

    /// Checks again that all values are finite: another thread may have changed borrowed values.
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
        max_abs(self.values())
    }

    /// The largest squared norm of a row; 0 for no rows.
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

    /// A copy of the rows `order[0], order[1], …`.
    pub fn gather(&self, order: &[u32]) -> Result<Matrix<'static, T>> {
        Ok(match self {
            Matrix::Dense(m) => Matrix::Dense(m.gather(order)?),
            Matrix::Sparse(m) => Matrix::Sparse(m.gather(order)?),
        })
    }

    /// The first `n_rows` rows, without copying their values.
    pub fn head(&self, n_rows: usize) -> Matrix<'_, T> {
        match self {
            Matrix::Dense(m) => Matrix::Dense(m.head(n_rows)),
            Matrix::Sparse(m) => Matrix::Sparse(m.head(n_rows)),
        }
    }

    /// Converts the values to another type.
    pub fn convert<U: Real>(&self) -> Result<Matrix<'static, U>> {
        Ok(match self {
            Matrix::Dense(m) => Matrix::Dense(m.convert()?),
            Matrix::Sparse(m) => Matrix::Sparse(m.convert()?),
        })
    }

    /// The mean of all rows; `None` for sparse rows, which would become dense without it, and for
    /// means outside the range of f64.
    pub fn center(&self) -> Option<Vec<f64>> {
        let Matrix::Dense(dense) = self else {
            return None;
        };
        let mut center: Vec<f64> = try_zeros(dense.n_cols(), 1, "means of features").ok()?;
        let share = 1.0 / dense.n_rows().max(1) as f64;
        for i in 0..dense.n_rows() {
            for (mean, value) in center.iter_mut().zip(dense.row(i)) {
                *mean += share * value.to_f64();
            }
        }
        center.iter().all(|mean| mean.is_finite()).then_some(center)
    }

    /// Subtracts `center` from each row; does nothing for sparse rows.
    pub fn subtract(&mut self, center: &[f64]) {
        if let Matrix::Dense(dense) = self {
            dense.subtract(center);
        }
    }

    /// The rows rounded to another type, and the largest norm of the rounding error of a row.
    pub fn rounded<U: Real>(&self) -> Result<(Matrix<'static, U>, f64)> {
        let rounded: Matrix<'_, U> = self.convert()?;
        let error = |i: usize| -> f64 {
            let (exact, rounded) = match (self, &rounded) {
                (Matrix::Dense(exact), Matrix::Dense(rounded)) => (exact.row(i), rounded.row(i)),
                (Matrix::Sparse(exact), Matrix::Sparse(rounded)) => {
                    (exact.row(i).1, rounded.row(i).1)
                }
                _ => (&[][..], &[][..]),
            };
            let pairs = exact.iter().zip(rounded);
            let difference = pairs.map(|(exact, rounded)| exact.to_f64() - rounded.to_f64());
            difference.map(|difference| difference * difference).sum()
        };
        let largest = (0..self.n_rows()).map(error).fold(0.0, f64::max);
        Ok((rounded, largest.sqrt()))
    }

    /// Copies row `i` to `out`, including zeros.
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

    /// Fails if the number of features is not `expected`.
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

/// The largest absolute value; 0 for no values.
pub fn max_abs<T: Real>(values: &[T]) -> f64 {
    let larger = |most: f64, v: &T| v.to_f64().abs().max(most);
    values.iter().fold(0.0, larger)
}
