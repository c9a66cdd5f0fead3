//! Features that occur in a single training sample, merged into one feature per sample.
//!
//! Let `x_ij` be the values of sample i in the features j that no other training sample has. The
//! optimal weights of an L2-regularized classifier are `w_j = a_i x_ij`. One feature with the value
//! `|x_i|` (the norm of these values) and the weight `a_i |x_i|` therefore leads to the same
//! classifier: the problem is rotated. The value of another sample in that feature is
//! `sum_j x_j x_ij / |x_i|`. Texts have many such features, and most pairs of words are among them.

use crate::Result;
use crate::data::{Csr, Matrix};
use crate::memory::{try_filled, try_with_capacity};
use crate::simd::Lanes;
use std::borrow::Cow;

/// A share of the stored values below which merging features does not pay off.
const LEAST_SHARE: f64 = 0.1;

/// The column is not a feature of any training sample, or of several.
const NONE: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// Merges the features that occur in one training sample. The merged feature takes the first of
/// their columns, so that the shape does not change.
pub fn merge_private_features<T: Lanes>(
    train: &mut Matrix<'static, T>,
    test: &mut Matrix<'static, T>,
) -> Result<()> {
    let (Matrix::Sparse(rows), Matrix::Sparse(others)) = (&*train, &*test) else {
        return Ok(());
    };
    let owners = owners(rows)?;
    let is_private = |&column: &u32| owners[column as usize] < SEVERAL;
    let n_private = rows.indices().iter().filter(|column| is_private(column));
    if (n_private.count() as f64) < LEAST_SHARE * rows.indices().len() as f64 {
        return Ok(());
    }
    // The column of the merged feature of each training sample, and its value.
    let mut merged: Vec<(u32, f64)> = try_filled(rows.n_rows(), 1, WHAT)?;
    // The value of each feature relative to that of the merged one.
    let mut shares: Vec<f64> = try_filled(rows.n_cols(), 1, WHAT)?;
    for (i, merged) in merged.iter_mut().enumerate() {
        let (columns, values) = rows.row(i);
        let own = || {
            columns
                .iter()
                .zip(values)
                .filter(|(column, _)| is_private(column))
        };
        let norm = own()
            .map(|(_, v)| v.to_f64() * v.to_f64())
            .sum::<f64>()
            .sqrt();
        let first = own().next().map_or(NONE, |(&column, _)| column);
        for (&column, value) in own() {
            shares[column as usize] = if norm > 0.0 {
                value.to_f64() / norm
            } else {
                0.0
            };
        }
        *merged = (first, norm);
    }
    let mut of_train = Rows::with_capacity(rows)?;
    for (i, &(own, norm)) in merged.iter().enumerate() {
        let (columns, values) = rows.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            if column == own {
                of_train.push(column, T::from_f64(norm));
            } else if !is_private(&column) {
                of_train.push(column, value);
            }
        }
        of_train.end();
    }
    let mut of_test = Rows::with_capacity(others)?;
    for i in 0..others.n_rows() {
        let (columns, values) = others.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            match owners[column as usize] {
                NONE => {} // its weight is 0
                SEVERAL => of_test.push(column, value),
                owner => {
                    let share = shares[column as usize];
                    let column = merged[owner as usize].0;
                    of_test.push(column, T::from_f64(value.to_f64() * share));
                }
            }
        }
        of_test.end();
    }
    let n_cols = rows.n_cols();
    let merged_train = of_train.finish(n_cols)?;
    *test = Matrix::Sparse(of_test.finish(n_cols)?);
    *train = Matrix::Sparse(merged_train);
    Ok(())
}

/// The purpose of the allocations, for error messages.
const WHAT: &str = "features of a single sample";

/// The training sample that each feature belongs to.
fn owners<T: Lanes>(rows: &Csr<'_, T>) -> Result<Vec<u32>> {
    let mut owners: Vec<u32> = try_filled(rows.n_cols(), 1, WHAT)?;
    owners.fill(NONE);
    for i in 0..rows.n_rows() {
        for &column in rows.row(i).0 {
            let owner = &mut owners[column as usize];
            *owner = if *owner == NONE { i as u32 } else { SEVERAL };
        }
    }
    Ok(owners)
}

/// Sparse rows that grow.
struct Rows<T> {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Lanes> Rows<T> {
    /// With space for the values of these rows.
    fn with_capacity(rows: &Csr<'_, T>) -> Result<Self> {
        let mut offsets = try_with_capacity(rows.n_rows() + 1, 1, WHAT)?;
        offsets.push(0);
        Ok(Self {
            offsets,
            columns: try_with_capacity(rows.values().len(), 1, WHAT)?,
            values: try_with_capacity(rows.values().len(), 1, WHAT)?,
        })
    }

    fn push(&mut self, column: u32, value: T) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Ends a row.
    fn end(&mut self) {
        self.offsets.push(self.columns.len());
    }

    fn finish(self, n_cols: usize) -> Result<Csr<'static, T>> {
        let (columns, values) = (Cow::Owned(self.columns), Cow::Owned(self.values));
        Csr::canonical(self.offsets, columns, values, n_cols)
    }
}
