//! The Hessian `H = R + sum_i p_i x_i x_i'` of the squared hinge loss, with a diagonal matrix R.
//!
//! A matrix with a Cholesky factor if there are few features; otherwise its products with vectors,
//! as long as these take less time.

use super::super::LinearProblem;
use super::super::sums::curvature_product;
use super::norm;
use crate::Result;
use crate::data::Row;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::{Lanes, zero_pages};
use crate::solver::cholesky;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The number of weights up to which the matrix is factorized at once.
const FEW: usize = 256;

/// The largest size of a matrix that is factorized: it takes 128 MiB.
const MAX_SIZE: usize = 4096;

/// Dense samples that are added to the matrix together.
const BLOCK: usize = 512;

/// Columns of the matrix per task.
const STRIP: usize = 32;

/// The maximum number of iterations of conjugate gradients.
const MAX_ITERATIONS: usize = 1000;

/// The speed of multiply-adds in products of matrices, relative to those in products with vectors.
const SPEED: f64 = 4.0;

/// The Hessian at a point.
pub struct Hessian<'r, 'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    ridge: &'r [f64],
    /// The samples with `p_i > 0`, and their `p_i`.
    rows: Vec<(usize, f64)>,
}

impl<'r, 'p, 'a, T: Lanes> Hessian<'r, 'p, 'a, T> {
    /// The Hessian with the coefficients `p_i = curvature(i)`, which may be 0.
    pub fn new(
        problem: &'p LinearProblem<'a, T>,
        ridge: &'r [f64],
        curvature: impl Fn(usize) -> f64,
    ) -> Self {
        let rows = (0..problem.n_rows()).map(|i| (i, curvature(i)));
        let rows = rows.filter(|&(_, p)| p > 0.0).collect();
        Self::of_rows(problem, ridge, rows)
    }

    /// The Hessian with the coefficients of some samples `(i, p_i)`.
    pub fn of_rows(
        problem: &'p LinearProblem<'a, T>,
        ridge: &'r [f64],
        rows: Vec<(usize, f64)>,
    ) -> Self {
        Self {
            problem,
            ridge,
            rows,
        }
    }

    /// The Newton step `-H^-1 gradient`; `None` if the matrix is singular. Conjugate gradients end
    /// at a residual of `tolerance` relative to the gradient.
    ///
    /// If there are many features, conjugate gradients are tried first. When they have taken as
    /// long as a factorization, either of this matrix or of the Gram matrix of the samples,
    /// whichever is smaller, the step is computed by the factorization.
    pub fn solve(
        &self,
        gradient: &[f64],
        tolerance: f64,
        monitor: &Monitor,
    ) -> Result<Option<Vec<f64>>> {
        if self.ridge.len() <= FEW {
            return self.solve_by_factor(gradient, monitor);
        }
        let by_gram = self.prefers_gram();
        let max_iter = self.iterations_per_factor(by_gram).min(MAX_ITERATIONS);
        let (step, is_converged) =
            self.solve_iteratively(gradient, tolerance, max_iter, monitor)?;
        if is_converged || max_iter == MAX_ITERATIONS {
            return Ok(Some(step));
        }
        let exact = if by_gram {
            self.solve_by_gram(gradient, monitor)?
        } else {
            self.solve_by_factor(gradient, monitor)?
        };
        Ok(Some(exact.unwrap_or(step)))
    }

    /// Whether the Gram matrix of the samples can be used and is smaller.
    fn prefers_gram(&self) -> bool {
        let is_identity = self.ridge.iter().all(|&ridge| ridge == 1.0);
        self.problem.is_dense() && is_identity && self.rows.len() < self.ridge.len()
    }

    /// The number of iterations of conjugate gradients that take as long as a factorization.
    fn iterations_per_factor(&self, by_gram: bool) -> usize {
        let (d, n) = (self.ridge.len(), self.rows.len());
        if d.min(if by_gram { n } else { d }) > MAX_SIZE {
            return usize::MAX;
        }
        let (weights, rows) = (d as f64, n as f64);
        let stored = self.problem.mean_stored();
        let cost = if by_gram {
            rows * rows * weights / 2.0 / SPEED + rows.powi(3) / 6.0 / SPEED
        } else {
            Self::factor_cost(self.problem, rows)
        };
        (cost / (2.0 * rows * stored + weights)) as usize
    }

    /// The cost of a factorization of the matrix with the terms of `n_rows` samples, in
    /// multiply-adds of products with vectors.
    pub fn factor_cost(problem: &LinearProblem<'_, T>, n_rows: f64) -> f64 {
        let (stored, weights) = (problem.mean_stored(), problem.n_weights() as f64);
        // Sparse samples are added one at a time.
        let speed = if problem.is_dense() { SPEED } else { 1.0 };
        n_rows * stored * stored / 2.0 / speed + weights.powi(3) / 6.0 / SPEED
    }

    /// `-H^-1 g = -g + X' (P^-1 + X X')^-1 X g` (Woodbury), for an identity matrix R.
    fn solve_by_gram(&self, gradient: &[f64], monitor: &Monitor) -> Result<Option<Vec<f64>>> {
        let n = self.rows.len();
        let mut matrix = gram(self.problem, &self.rows, monitor)?;
        let mut rhs: Vec<f64> = try_zeros(n, 1, "decision values")?;
        for (place, &(i, p)) in self.rows.iter().enumerate() {
            matrix[place * (n + 1)] += 1.0 / p;
            rhs[place] = self.problem.example(i).dot(gradient);
        }
        if !cholesky::factorize(&mut matrix, n, monitor)? {
            return Ok(None);
        }
        cholesky::solve(&matrix, n, &mut rhs);
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        for (&(i, _), rhs) in self.rows.iter().zip(&rhs) {
            self.problem.example(i).add_to(&mut step, *rhs);
        }
        Ok(Some(step))
    }

    /// Solves with a Cholesky factor of H.
    fn solve_by_factor(&self, gradient: &[f64], monitor: &Monitor) -> Result<Option<Vec<f64>>> {
        let d = self.ridge.len();
        let mut matrix = zero_pages::<f64>(d, d, "the Hessian")?;
        if self.problem.is_dense() {
            add_dense(self.problem, &self.rows, &mut matrix, d, monitor)?;
        } else {
            add_sparse(self.problem, &self.rows, &mut matrix, d, monitor)?;
        }
        for (feature, ridge) in self.ridge.iter().enumerate() {
            matrix[feature * (d + 1)] += ridge;
        }
        if !cholesky::factorize(&mut matrix, d, monitor)? {
            return Ok(None);
        }
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        cholesky::solve(&matrix, d, &mut step);
        Ok(Some(step))
    }

    /// As [`Hessian::solve`], by at most `max_iter` iterations of conjugate gradients. Returns the
    /// step and whether the iterations converged.
    fn solve_iteratively(
        &self,
        gradient: &[f64],
        tolerance: f64,
        max_iter: usize,
        monitor: &Monitor,
    ) -> Result<(Vec<f64>, bool)> {
        let d = self.ridge.len();
        let mut diagonal = self.ridge.to_vec();
        for &(i, p) in &self.rows {
            let add = |feature, x: f64| diagonal[feature] += p * x * x;
            self.problem.example(i).for_each(d - 1, add);
        }
        let product = |v: &[f64], out: &mut [f64]| -> Result<()> {
            curvature_product(self.problem, &self.rows, v, out, monitor)?;
            for ((out, v), ridge) in out.iter_mut().zip(v).zip(self.ridge) {
                *out += ridge * v;
            }
            monitor.tick(1)
        };
        let rhs = gradient.iter().map(|g| -g).collect();
        conjugate_gradients(product, &diagonal, rhs, tolerance, max_iter)
    }
}

/// Solves `H x = rhs` by conjugate gradients, preconditioned by the diagonal of H, until the
/// residual relative to `rhs` is at most `tolerance` or for `max_iter` iterations. Returns x and
/// whether the iterations converged.
fn conjugate_gradients(
    product: impl Fn(&[f64], &mut [f64]) -> Result<()>,
    diagonal: &[f64],
    rhs: Vec<f64>,
    tolerance: f64,
    max_iter: usize,
) -> Result<(Vec<f64>, bool)> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let precondition = |residual: &[f64]| -> Vec<f64> {
        let each = residual.iter().zip(diagonal);
        each.map(|(r, h)| if *h > 0.0 { r / h } else { *r })
            .collect()
    };
    let enough = tolerance * norm(&rhs);
    let mut x = vec![0.0; rhs.len()];
    let mut residual = rhs;
    let mut direction = precondition(&residual);
    let mut length = dot(&residual, &direction);
    let mut h_direction = vec![0.0; x.len()];
    for n_iter in 0.. {
        if norm(&residual) <= enough {
            return Ok((x, true));
        }
        if n_iter == max_iter {
            break;
        }
        product(&direction, &mut h_direction)?;
        let curvature = dot(&direction, &h_direction);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let step = length / curvature;
        for (x, direction) in x.iter_mut().zip(&direction) {
            *x += step * direction;
        }
        for (residual, h_direction) in residual.iter_mut().zip(&h_direction) {
            *residual -= step * h_direction;
        }
        let next = precondition(&residual);
        let new_length = dot(&residual, &next);
        let ratio = new_length / length;
        for (direction, next) in direction.iter_mut().zip(&next) {
            *direction = next + ratio * *direction;
        }
        length = new_length;
    }
    Ok((x, false))
}

/// The lower triangle of the Gram matrix of dense samples, column by column, summed over blocks of
/// features.
fn gram<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    rows: &[(usize, f64)],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let (n, d) = (rows.len(), problem.n_weights());
    let mut matrix = zero_pages::<f64>(n, n, "products of samples")?;
    let mut block: Vec<f64> = try_zeros(n, BLOCK, "a block of features")?;
    for first in (0..d).step_by(BLOCK) {
        monitor.check()?;
        let width = BLOCK.min(d - first);
        block
            .par_chunks_mut(BLOCK)
            .zip(rows)
            .for_each(|(out, &(i, _))| {
                let example = problem.example(i);
                if let Row::Dense(values) = example.row {
                    let values = &values[first..(first + width).min(values.len())];
                    for (out, value) in out.iter_mut().zip(values) {
                        *out = value.to_f64();
                    }
                }
                if first + width == d {
                    out[width - 1] = example.constant;
                }
            });
        let b = MatRef::from_row_major_slice(&block, n, BLOCK).subcols(0, width);
        add_product(b, &mut matrix, n);
    }
    Ok(matrix)
}

/// Adds `b b'` to the lower triangle of a matrix with `d` columns, in parallel over columns.
fn add_product(b: MatRef<'_, f64>, matrix: &mut [f64], d: usize) {
    let strips = matrix.par_chunks_mut(d * STRIP).enumerate();
    strips.for_each(|(strip, out)| {
        let (first, width) = (strip * STRIP, out.len() / d);
        let out = MatMut::from_column_major_slice_mut(out, d, width);
        let out = out.subrows_mut(first, d - first);
        let (left, right) = (b.subrows(first, d - first), b.subrows(first, width));
        matmul(out, Accum::Add, left, right.transpose(), 1.0, Par::Seq);
    });
}

/// Adds `p_i x_i x_i'` of dense samples to the lower triangle, a block of samples at a time.
fn add_dense<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    rows: &[(usize, f64)],
    matrix: &mut [f64],
    d: usize,
    monitor: &Monitor,
) -> Result<()> {
    let mut block: Vec<f64> = try_zeros(d, BLOCK, "a block of samples")?;
    for rows in rows.chunks(BLOCK) {
        monitor.check()?;
        let columns = block.par_chunks_mut(d).zip(rows);
        columns.for_each(|(column, &(i, p))| {
            let root = p.sqrt();
            let example = problem.example(i);
            if let Row::Dense(values) = example.row {
                for (out, value) in column.iter_mut().zip(values) {
                    *out = root * value.to_f64();
                }
            }
            column[d - 1] = root * example.constant;
        });
        let b = MatRef::from_column_major_slice(&block[..d * rows.len()], d, rows.len());
        add_product(b, matrix, d);
    }
    Ok(())
}

/// Adds `p_i x_i x_i'` of sparse samples to the lower triangle, one sample at a time.
fn add_sparse<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    rows: &[(usize, f64)],
    matrix: &mut [f64],
    d: usize,
    monitor: &Monitor,
) -> Result<()> {
    let mut row: Vec<(usize, f64)> = Vec::new();
    for (place, &(i, p)) in rows.iter().enumerate() {
        if place % BLOCK == 0 {
            monitor.check()?;
        }
        row.clear();
        let store = |feature, x| row.push((feature, x));
        problem.example(i).for_each(d - 1, store);
        for (place, &(column, x)) in row.iter().enumerate() {
            for &(feature, z) in &row[place..] {
                matrix[column * d + feature] += p * x * z;
            }
        }
    }
    Ok(())
}
