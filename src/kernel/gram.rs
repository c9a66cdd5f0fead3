//! The whole symmetric matrix of kernel values, and the squared distances that
//! serve many gammas.
//!
//! Work is split into bands of [`QUERY_BLOCK`] rows whatever the number of
//! threads. Values below the diagonal are copied from above it where that is
//! cheaper than their product; either way they have the same bits.

use super::function::rbf_scale;
use super::{Kernel, PackedRows, QUERY_BLOCK, Queries};
use crate::data::{Dense, Matrix};
use crate::error::zeros;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, Product};
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Kernel values of all pairs of rows, or of the first rows with all.
#[derive(Debug, Clone)]
pub struct Gram<T: Lanes> {
    values: Vec<T>,
    n: usize,
}

impl<T: Lanes> Gram<T> {
    /// Computes all values, in parallel in the pool of the caller.
    pub fn new(rows: &PackedRows<T>, kernel: &Kernel, monitor: &Monitor) -> Result<Self> {
        let values = all_pairs(rows, monitor, |queries, columns, band, n| {
            rows.kernel_block(kernel, queries, columns, band, n);
        })?;
        Ok(Self {
            values,
            n: rows.n_rows(),
        })
    }

    /// From a precomputed kernel matrix, its rows and columns in the order given.
    pub fn precomputed(matrix: &Matrix<'_, T>, order: &[u32]) -> Result<Self> {
        let Matrix::Dense(matrix) = matrix else {
            let message = "a precomputed kernel matrix must be dense, but X is sparse";
            return Err(Error::Data(message.into()));
        };
        let n = matrix.n_rows();
        if n != matrix.n_cols() {
            return Err(Error::Shape(format!(
                "X is {n} x {}, but a precomputed kernel matrix must be square",
                matrix.n_cols()
            )));
        }
        check_symmetry(matrix)?;
        let mut values = square(n)?;
        values
            .par_chunks_exact_mut(n.max(1))
            .zip(order)
            .for_each(|(out, &i)| {
                let row = matrix.row(i as usize);
                for (out, &j) in out.iter_mut().zip(order) {
                    *out = row[j as usize];
                }
            });
        Ok(Self { values, n })
    }

    /// Bytes that the matrix of `n` rows takes; `None` beyond a machine word.
    pub fn bytes(n: usize) -> Option<usize> {
        n.checked_mul(n)?.checked_mul(size_of::<T>())
    }

    /// From kernel values, row after row of length `n`.
    pub fn from_values(values: Vec<T>, n: usize) -> Self {
        Self { values, n }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.values.len() / self.n.max(1)
    }

    /// All kernel values of row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The matrix, row after row.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

/// Squared distances of all pairs of rows: computed once, good for any gamma.
#[derive(Debug, Clone)]
pub struct SquaredDistances<T: Lanes> {
    values: Vec<T>,
    n: usize,
}

impl<T: Lanes> SquaredDistances<T> {
    /// Computes all distances, in parallel in the pool of the caller.
    pub fn new(rows: &PackedRows<T>, monitor: &Monitor) -> Result<Self> {
        let values = all_pairs(rows, monitor, |queries, columns, band, n| {
            rows.products(Product::SquaredDistance, queries, columns, band, n);
        })?;
        Ok(Self {
            values,
            n: rows.n_rows(),
        })
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// The RBF Gram matrix of one gamma: bit for bit that of [`Gram::new`].
    pub fn gram(&self, gamma: f64) -> Result<Gram<T>> {
        let mut gram = Gram {
            values: square(self.n)?,
            n: self.n,
        };
        self.gram_into(gamma, &mut gram)?;
        Ok(gram)
    }

    /// As [`SquaredDistances::gram`], into a matrix of the same size that is no longer needed.
    pub fn gram_into(&self, gamma: f64, gram: &mut Gram<T>) -> Result<()> {
        let rule = "it must be a finite number, at least 0";
        if !(gamma >= 0.0 && gamma.is_finite()) {
            return Err(Error::parameter("gamma", gamma, rule));
        }
        if gram.n != self.n {
            return Err(Error::Shape(format!(
                "a kernel matrix of {} rows cannot take the distances of {} rows",
                gram.n, self.n
            )));
        }
        let chunk = self.n.max(1) * 8;
        gram.values
            .par_chunks_mut(chunk)
            .zip(self.values.par_chunks(chunk))
            .for_each(|(out, distances)| {
                for (out, distances) in out.chunks_mut(4096).zip(distances.chunks(4096)) {
                    out.copy_from_slice(distances);
                    simd::exp_scaled(out, rbf_scale(gamma));
                }
            });
        Ok(())
    }
}

/// Room for an n x n matrix.
fn square<T: Lanes>(n: usize) -> Result<Vec<T>> {
    let mut values = zeros(n, n, "the kernel matrix")?;
    simd::prefer_huge_pages(&mut values);
    Ok(values)
}

/// Rows whose values below the diagonal are copied together.
const MIRROR_BAND: usize = 8 * QUERY_BLOCK;

/// Multiply-adds of a product from which a copy is cheaper.
const MIRROR_COST: usize = 64;

/// Fills an n x n matrix: `fill(queries, columns, out, n)` computes some columns of a
/// band of rows, which start at `out[0]` and are `n` apart.
fn all_pairs<T: Lanes>(
    rows: &PackedRows<T>,
    monitor: &Monitor,
    fill: impl Fn(&Queries<T>, Range<usize>, &mut [T], usize) + Sync,
) -> Result<Vec<T>> {
    let n = rows.n_rows();
    let mirrored = rows.cost_of_product() >= MIRROR_COST;
    let block = rows.query_block();
    let mut values = square(n)?;
    values
        .par_chunks_mut((n * block).max(1))
        .enumerate()
        .try_for_each_init(Queries::new, |queries, (band, out)| {
            monitor.check()?;
            let start = band * block;
            rows.load_own(start..(start + block).min(n), queries)?;
            let first = if mirrored {
                start / MIRROR_BAND * MIRROR_BAND
            } else {
                0
            };
            fill(queries, first..n, &mut out[first..], n);
            Ok(())
        })?;
    if mirrored {
        mirror(&mut values, n, monitor)?;
    }
    Ok(values)
}

/// Copies what is above the diagonal, band by band, to its place below.
fn mirror<T: Lanes>(values: &mut [T], n: usize, monitor: &Monitor) -> Result<()> {
    for start in (0..n).step_by(MIRROR_BAND).skip(1) {
        monitor.check()?;
        let (above, rest) = values.split_at_mut(start * n);
        let band = &mut rest[..(MIRROR_BAND * n).min((n - start) * n)];
        band.par_chunks_mut(QUERY_BLOCK * n)
            .enumerate()
            .for_each(|(part, out)| {
                let first = start + part * QUERY_BLOCK;
                let height = out.len() / n;
                for column in 0..start {
                    let source = &above[column * n + first..column * n + first + height];
                    for (row, &value) in source.iter().enumerate() {
                        out[row * n + column] = value;
                    }
                }
            });
    }
    Ok(())
}

/// Symmetric up to a few roundings of the largest value.
fn check_symmetry<T: Lanes>(matrix: &Dense<'_, T>) -> Result<()> {
    let largest = matrix
        .values()
        .iter()
        .fold(0.0, |most: f64, v| v.to_f64().abs().max(most));
    let allowed = 1e-5 * largest;
    let off = (0..matrix.n_rows()).into_par_iter().find_map_first(|i| {
        (0..i)
            .find(|&j| (matrix.row(i)[j] - matrix.row(j)[i]).to_f64().abs() > allowed)
            .map(|j| (i, j))
    });
    match off {
        None => Ok(()),
        Some((i, j)) => Err(Error::Data(format!(
            "the precomputed kernel matrix is not symmetric: X[{i}, {j}] = {} but X[{j}, {i}] = {}",
            matrix.row(i)[j],
            matrix.row(j)[i]
        ))),
    }
}
