//! The samples of a problem by feature, with labels and weights as factors.
//!
//! Column j holds `z_ij = sqrt(c_i) y_i x_ij`. With the scaled slacks
//! `b_i = sqrt(c_i) (1 - y_i w . x_i)`, the loss is `sum_i max(0, b_i)^2`, and a step `w_j += s`
//! is `b -= s z_j`: labels and weights no longer occur.

use super::super::LinearProblem;
use super::super::example::sparse_dot;
use crate::Result;
use crate::memory::{try_filled, try_zeros};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, prefer_huge_pages, prefetch, squared_hinge_change, zero_pages};

/// The purpose of the allocations, for error messages.
const WHAT: &str = "the samples by feature";

/// Samples between two checks for interrupts.
const CHECK_INTERVAL: usize = 1024;

/// All columns, including that of the constant feature.
#[derive(Debug)]
pub struct Columns {
    values: Vec<f64>,
    layout: Layout,
}

#[derive(Debug)]
enum Layout {
    /// Columns of this length.
    Dense(usize),
    /// Column j holds `values[k]` in row `rows[k]` for `k` in `offsets[j]..offsets[j + 1]`.
    Sparse { offsets: Vec<usize>, rows: Vec<u32> },
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub enum Column<'a> {
    /// All values.
    Dense(&'a [f64]),
    /// Rows and values of the stored entries.
    Sparse(&'a [u32], &'a [f64]),
}

impl Columns {
    /// Copies the samples of a problem; `scale(i)` is `sqrt(c_i) y_i`.
    pub fn new<T: Lanes>(
        problem: &LinearProblem<'_, T>,
        scale: impl Fn(usize) -> f64,
        monitor: &Monitor,
    ) -> Result<Self> {
        if problem.is_dense() {
            Self::dense(problem, scale, monitor)
        } else {
            Self::sparse(problem, scale, monitor)
        }
    }

    fn dense<T: Lanes>(
        problem: &LinearProblem<'_, T>,
        scale: impl Fn(usize) -> f64,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (n, n_weights) = (problem.n_rows(), problem.n_weights());
        let mut values = zero_pages(n_weights, n, WHAT)?;
        prefer_huge_pages(&mut values);
        for_each_value(problem, monitor, |i, j, value| {
            values[j * n + i] = scale(i) * value;
        })?;
        let layout = Layout::Dense(n);
        Ok(Self { values, layout })
    }

    fn sparse<T: Lanes>(
        problem: &LinearProblem<'_, T>,
        scale: impl Fn(usize) -> f64,
        monitor: &Monitor,
    ) -> Result<Self> {
        // The number of values of column j is first counted in place j + 2. Sums over them leave
        // the start of column j in place j + 1, which then advances to its end.
        let mut offsets = try_zeros(problem.n_weights() + 2, 1, WHAT)?;
        for_each_value(problem, monitor, |_, j, _| offsets[j + 2] += 1)?;
        for j in 2..offsets.len() {
            offsets[j] += offsets[j - 1];
        }
        let n_values = offsets[offsets.len() - 1];
        let mut rows = try_filled(n_values, 1, WHAT)?;
        let mut values = try_filled(n_values, 1, WHAT)?;
        for_each_value(problem, monitor, |i, j, value| {
            let place = offsets[j + 1];
            (rows[place], values[place]) = (i as u32, scale(i) * value);
            offsets[j + 1] = place + 1;
        })?;
        let layout = Layout::Sparse { offsets, rows };
        Ok(Self { values, layout })
    }

    /// Column `j`.
    #[inline]
    pub fn column(&self, j: usize) -> Column<'_> {
        match &self.layout {
            Layout::Dense(n) => Column::Dense(&self.values[j * n..(j + 1) * n]),
            Layout::Sparse { offsets, rows } => {
                let span = offsets[j]..offsets[j + 1];
                Column::Sparse(&rows[span.clone()], &self.values[span])
            }
        }
    }
}

/// Calls `visit(i, j, x_ij)` for all stored values, sample by sample.
fn for_each_value<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    monitor: &Monitor,
    mut visit: impl FnMut(usize, usize, f64),
) -> Result<()> {
    let n_features = problem.n_weights() - 1;
    for i in 0..problem.n_rows() {
        if i % CHECK_INTERVAL == 0 {
            monitor.check()?;
        }
        let example = problem.example(i);
        example.for_each(n_features, |j, value| visit(i, j, value));
    }
    Ok(())
}

impl Column<'_> {
    /// Number of stored values.
    pub fn len(&self) -> usize {
        self.values().len()
    }

    /// `sum_i z_i^2`.
    pub fn square(&self) -> f64 {
        self.values().iter().map(|z| z * z).sum()
    }

    fn values(&self) -> &[f64] {
        match self {
            Column::Dense(values) | Column::Sparse(_, values) => values,
        }
    }

    /// Prefetches a column that will be read soon.
    #[inline]
    pub fn prefetch(&self) {
        // The first cache line of each; the hardware prefetches the rest.
        if let Column::Sparse(rows, values) = self {
            prefetch(&rows[..rows.len().min(1)]);
            prefetch(&values[..values.len().min(1)]);
        }
    }

    /// The first and second derivative of the loss in the weight of this feature:
    /// `-2 sum_i z_i max(0, b_i)`, and `2 sum z_i^2` over the samples with `b_i > 0`.
    #[inline]
    pub fn derivatives(&self, slacks: &[f64]) -> (f64, f64) {
        let (product, square) = match self {
            Column::Dense(values) => simd::hinge_sums(slacks, values),
            Column::Sparse(rows, values) => sparse_sums(slacks, rows, values),
        };
        (-2.0 * product, 2.0 * square)
    }

    /// `sum_i z_i u_i`.
    pub fn dot(&self, u: &[f64]) -> f64 {
        match self {
            Column::Dense(values) => simd::dot_wide(u, values),
            Column::Sparse(rows, values) => sparse_dot(u, rows, values),
        }
    }

    /// The change of the loss after a step of the weight.
    pub fn loss_change(&self, slacks: &[f64], step: f64) -> f64 {
        match self {
            Column::Dense(values) => simd::hinge_change(slacks, values, step),
            Column::Sparse(rows, values) => {
                let each = rows.iter().zip(*values);
                let change =
                    |(&i, z): (&u32, &f64)| squared_hinge_change(slacks[i as usize], step * z);
                each.map(change).sum()
            }
        }
    }

    /// `b <- b - step z`.
    #[inline]
    pub fn subtract_from(&self, slacks: &mut [f64], step: f64) {
        match self {
            Column::Dense(values) => simd::axpy(slacks, -step, values),
            Column::Sparse(rows, values) => {
                for (&i, z) in rows.iter().zip(*values) {
                    slacks[i as usize] -= step * z;
                }
            }
        }
    }
}

/// As [`simd::hinge_sums`]. Without branches, which could not be predicted; two independent
/// partial sums hide the latency of additions.
#[inline]
fn sparse_sums(slacks: &[f64], rows: &[u32], values: &[f64]) -> (f64, f64) {
    let (mut products, mut squares) = ([0.0; 2], [0.0; 2]);
    let mut add = |l: usize, i: u32, z: f64| {
        let b = slacks[i as usize];
        let z = if b > 0.0 { z } else { 0.0 };
        products[l] += b * z;
        squares[l] += z * z;
    };
    let (rows, last_row) = rows.as_chunks::<2>();
    let (values, last_value) = values.as_chunks::<2>();
    for (rows, values) in rows.iter().zip(values) {
        (0..2).for_each(|l| add(l, rows[l], values[l]));
    }
    for (&i, &z) in last_row.iter().zip(last_value) {
        add(0, i, z);
    }
    (products[0] + products[1], squares[0] + squares[1])
}
