//! The Gram matrix: the symmetric matrix of all kernel values of a data set.
//!
//! Work is split into bands of [`QUERY_BLOCK`] rows, independent of the number of threads.
//! Values below the diagonal are copied from above it if that is cheaper than computing them;
//! both ways give the same bits.

use super::{Kernel, PackedRows, QUERY_BLOCK, Queries};
use crate::data::{Dense, Digest, Matrix, first_not_finite, max_abs, not_finite};
use crate::memory::byte_count;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, Product};
use crate::{Error, Result};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A kernel matrix whose rows several problems may read.
pub trait KernelMatrix<T>: Sync {
    /// All kernel values of row `i`.
    fn row(&self, i: usize) -> &[T];

    /// `K(i, i)`.
    fn diagonal(&self, i: usize) -> T;
}

/// The kernel values of all pairs of samples.
#[derive(Debug, Clone)]
pub struct Gram<T: Lanes> {
    values: Vec<T>,
    n: usize,
}

impl<T: Lanes> Gram<T> {
    /// Computes all values, in parallel in the current thread pool.
    pub fn new(rows: &PackedRows<T>, kernel: &Kernel, monitor: &Monitor) -> Result<Self> {
        let values = all_pairs(rows, monitor, |queries, columns, band, n| {
            rows.kernel_block(kernel, queries, columns, band, n);
        })?;
        Ok(Self {
            values,
            n: rows.n_rows(),
        })
    }

    /// As [`Gram::new`]; `None` if the time limit passes before all values are computed.
    pub fn within_time(
        rows: &PackedRows<T>,
        kernel: &Kernel,
        monitor: &Monitor,
    ) -> Result<Option<Self>> {
        let is_late = AtomicBool::new(false);
        let values = all_pairs(rows, monitor, |queries, columns, band, n| {
            if monitor.time_is_up() {
                is_late.store(true, Ordering::Relaxed);
            } else {
                rows.kernel_block(kernel, queries, columns, band, n);
            }
        })?;
        let gram = Self {
            values,
            n: rows.n_rows(),
        };
        Ok((!is_late.into_inner()).then_some(gram))
    }

    /// Copies a precomputed kernel matrix, with rows and columns in the order given.
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
        let mut values = square(n)?;
        values
            .par_chunks_exact_mut(n.max(1))
            .zip(order)
            .try_for_each(|(out, &i)| {
                let row = matrix.row(i as usize);
                for (out, &j) in out.iter_mut().zip(order) {
                    *out = row[j as usize];
                }
                // The caller's array may have changed since it was checked first.
                match first_not_finite(out) {
                    None => Ok(()),
                    Some(k) => Err(not_finite(out[k], i as usize, order[k] as usize)),
                }
            })?;
        let gram = Self { values, n };
        gram.check_symmetry(order)?;
        Ok(gram)
    }

    /// The same matrix in f64.
    pub fn widen(&self) -> Result<Gram<f64>> {
        let mut values = square(self.n)?;
        let rows = values.par_chunks_mut(self.n.max(1));
        rows.zip(self.values.par_chunks(self.n.max(1)))
            .for_each(|(out, row)| {
                for (out, value) in out.iter_mut().zip(row) {
                    *out = value.to_f64();
                }
            });
        Ok(Gram { values, n: self.n })
    }

    /// The largest absolute value; 0 for no values.
    pub fn max_abs(&self) -> f64 {
        let rows = self.values.par_chunks(self.n.max(1));
        rows.map(max_abs).reduce(|| 0.0, f64::max)
    }

    /// A copy with permuted columns: column `k` becomes column `order[k]`.
    pub fn with_columns_of(&self, order: &[u32]) -> Result<Matrix<'static, T>> {
        let mut values = square(self.n)?;
        let rows = values.par_chunks_exact_mut(self.n.max(1));
        rows.enumerate().for_each(|(i, out)| {
            for (&column, &value) in order.iter().zip(self.row(i)) {
                out[column as usize] = value;
            }
        });
        let dense = Dense::new(Cow::Owned(values), self.n, self.n)?;
        Ok(Matrix::Dense(dense))
    }

    /// The digest of the caller's matrix, in which row and column `k` have index `order[k]`.
    pub fn digest(&self, order: &[u32]) -> Digest {
        let mut digest = Digest::zeros(self.n, self.n);
        for (values, &row) in self.values.chunks_exact(self.n.max(1)).zip(order) {
            for (&value, &column) in values.iter().zip(order) {
                digest.add(row as usize, column as usize, value);
            }
        }
        digest
    }

    /// Size in bytes of the matrix of `n` samples; `None` if it overflows.
    pub fn bytes(n: usize) -> Option<usize> {
        byte_count::<T>(n, n)
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n
    }

    /// All kernel values of row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.n..(i + 1) * self.n]
    }

    /// All values in row-major order.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }
}

impl<T: Lanes> KernelMatrix<T> for Gram<T> {
    fn row(&self, i: usize) -> &[T] {
        self.row(i)
    }

    fn diagonal(&self, i: usize) -> T {
        self.row(i)[i]
    }
}

/// Computes the products of all pairs of samples, in parallel in the current thread pool.
pub fn all_products<T: Lanes>(
    rows: &PackedRows<T>,
    product: Product,
    monitor: &Monitor,
) -> Result<Vec<T>> {
    all_pairs(rows, monitor, |queries, columns, band, n| {
        rows.products(product, queries, columns, band, n);
    })
}

/// Allocates an n x n matrix of zeros.
fn square<T: Lanes>(n: usize) -> Result<Vec<T>> {
    let mut values = simd::zero_pages(n, n, "the kernel matrix")?;
    simd::prefer_huge_pages(&mut values);
    Ok(values)
}

/// Number of rows whose values below the diagonal are copied together.
const MIRROR_BAND: usize = 8 * QUERY_BLOCK;

/// Multiply-adds per product from which copying a value is cheaper than computing it.
const MIRROR_COST: usize = 64;

/// Fills an n x n matrix: `fill(queries, columns, out, n)` computes a range of columns of a
/// band of rows, with stride `n`, starting at `out[0]`.
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

/// Copies the values above the diagonal to below it, band by band.
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

/// Size of the tiles in which symmetry is checked, so that columns stay in the cache.
const TILE: usize = 64;

impl<T: Lanes> Gram<T> {
    /// Fails if the matrix is not symmetric up to a few roundings of the largest value. The error
    /// gives the first place by the indices of the caller: row `k` is row `order[k]` there.
    fn check_symmetry(&self, order: &[u32]) -> Result<()> {
        let allowed = 1e-5 * self.max_abs();
        let here = |i: usize, j: usize| self.row(i)[j];
        if first_off(self.n, here, allowed).is_none() {
            return Ok(());
        }
        let mut place = vec![0; self.n];
        for (k, &row) in order.iter().enumerate() {
            place[row as usize] = k;
        }
        let there = |i: usize, j: usize| self.row(place[i])[place[j]];
        let (i, j) = first_off(self.n, there, allowed).unwrap_or_default();
        Err(Error::Data(format!(
            "the precomputed kernel matrix is not symmetric: X[{i}, {j}] = {} but X[{j}, {i}] = {}",
            there(i, j),
            there(j, i)
        )))
    }
}

/// The first place below the diagonal whose value differs from its mirror image.
fn first_off<T: Lanes>(
    n: usize,
    value: impl Fn(usize, usize) -> T + Sync,
    allowed: f64,
) -> Option<(usize, usize)> {
    let first_of_tile = |tile: usize| {
        let (start, end) = (tile * TILE, ((tile + 1) * TILE).min(n));
        let mut off: Option<(usize, usize)> = None;
        for left in (0..end).step_by(TILE) {
            for i in start..end {
                let differs = |&j: &usize| (value(i, j) - value(j, i)).to_f64().abs() > allowed;
                let found = (left..(left + TILE).min(i)).find(differs).map(|j| (i, j));
                off = off.into_iter().chain(found).min();
            }
        }
        off
    };
    let tiles = (0..n.div_ceil(TILE)).into_par_iter();
    tiles.find_map_first(first_of_tile)
}
