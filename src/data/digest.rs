//! A fingerprint of a data set, to check later whether it has changed.
//!
//! ```text
//! mix(n, d) + sum over all cells (i, j) of mix(value, i d + j)   mod 2^64,   zeros left out
//! ```
//!
//! A sum does not depend on the order of its terms, and zeros are left out. The digest is therefore
//! the same for sorted and packed rows, for dense and sparse rows, and for f32 and f64.

use super::{Matrix, Real, Row};

/// The digest of the cells added so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    n_cols: u64,
    sum: u64,
}

impl Digest {
    /// The digest of rows of zeros.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Self {
            n_cols: n_cols as u64,
            sum: mix(n_rows as u64, n_cols as u64),
        }
    }

    /// Adds a cell.
    #[inline(always)]
    pub fn add<T: Real>(&mut self, row: usize, column: usize, value: T) {
        let value = value.to_f64();
        let place = (row as u64)
            .wrapping_mul(self.n_cols)
            .wrapping_add(column as u64);
        if value != 0.0 {
            self.sum = self.sum.wrapping_add(mix(value.to_bits(), place));
        }
    }

    /// The digest as a number.
    pub fn value(self) -> u64 {
        self.sum
    }
}

/// A hash of a pair of numbers.
#[inline(always)]
fn mix(value: u64, place: u64) -> u64 {
    // The odd number next to 2^64 / golden ratio, and the finalizer of SplitMix64.
    let mut z = value.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl<T: Real> Matrix<'_, T> {
    /// The digest of all rows.
    pub fn digest(&self) -> Digest {
        let mut digest = Digest::zeros(self.n_rows(), self.n_cols());
        for i in 0..self.n_rows() {
            match self.row(i) {
                Row::Dense(values) => {
                    for (j, &value) in values.iter().enumerate() {
                        digest.add(i, j, value);
                    }
                }
                Row::Sparse(columns, values) => {
                    for (&j, &value) in columns.iter().zip(values) {
                        digest.add(i, j as usize, value);
                    }
                }
            }
        }
        digest
    }
}
