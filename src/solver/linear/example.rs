//! A sample with a constant feature appended.

use crate::data::Row;
use crate::simd::{self, Lanes};

/// A sample `x` with `d` features, and a constant feature with index `d`; 0 without a bias.
#[derive(Debug, Clone, Copy)]
pub struct Example<'a, T> {
    /// The features.
    pub row: Row<'a, T>,
    /// The constant feature.
    pub constant: f64,
}

impl<T: Lanes> Example<'_, T> {
    /// `w . x`.
    #[inline]
    pub fn dot(&self, w: &[f64]) -> f64 {
        let d = w.len() - 1;
        let sum = match self.row {
            Row::Dense(values) => simd::dot_wide(&w[..d], values),
            Row::Sparse(columns, values) => sparse_dot(w, columns, values),
        };
        sum + self.constant * w[d]
    }

    /// `w <- w + factor x`.
    #[inline]
    pub fn add_to(&self, w: &mut [f64], factor: f64) {
        let d = w.len() - 1;
        match self.row {
            Row::Dense(values) => simd::axpy(&mut w[..d], factor, values),
            Row::Sparse(columns, values) => {
                for (&column, value) in columns.iter().zip(values) {
                    w[column as usize] += factor * value.to_f64();
                }
            }
        }
        w[d] += factor * self.constant;
    }

    /// Calls `visit(feature, value)` for all stored features of `d`, and for the constant feature
    /// if it is not 0.
    #[inline]
    pub fn for_each(&self, d: usize, mut visit: impl FnMut(usize, f64)) {
        match self.row {
            Row::Dense(values) => {
                let each = values.iter().enumerate();
                each.for_each(|(column, value)| visit(column, value.to_f64()));
            }
            Row::Sparse(columns, values) => {
                let each = columns.iter().zip(values);
                each.for_each(|(&column, value)| visit(column as usize, value.to_f64()));
            }
        }
        if self.constant != 0.0 {
            visit(d, self.constant);
        }
    }

    /// `x . x`.
    pub fn square(&self) -> f64 {
        let values = match self.row {
            Row::Dense(values) | Row::Sparse(_, values) => values,
        };
        let squares = values.iter().map(|v| v.to_f64() * v.to_f64());
        squares.sum::<f64>() + self.constant * self.constant
    }
}

/// `w . x` of the stored values. Four independent partial sums hide the latency of additions.
#[inline]
pub fn sparse_dot<T: Lanes>(w: &[f64], columns: &[u32], values: &[T]) -> f64 {
    let mut sums = [0.0; 4];
    let (columns, last_columns) = columns.as_chunks::<4>();
    let (values, last_values) = values.as_chunks::<4>();
    for (columns, values) in columns.iter().zip(values) {
        for l in 0..4 {
            sums[l] += w[columns[l] as usize] * values[l].to_f64();
        }
    }
    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (&column, value) in last_columns.iter().zip(last_values) {
        sum += w[column as usize] * value.to_f64();
    }
    sum
}
