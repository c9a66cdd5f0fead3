//! The Hessian `R + sum_i p_i x_i x_i'` of a linear machine, R a diagonal: a matrix where there
//! are few features, else its products with vectors, as long as these take less time.

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

/// The most weights for which the matrix is made at once.
const FEW: usize = 256;

/// The most weights for which it is made at all: 128 MiB.
const MANY: usize = 4096;

/// Dense rows that are added to the matrix together, and columns that a thread takes.
const BLOCK: usize = 512;
const STRIP: usize = 32;

/// The most conjugate gradients of a step.
const MOST_PRODUCTS: usize = 1000;

/// Multiply-adds of products of matrices in the time of one of a product with a vector.
const SPEED: f64 = 4.0;

pub struct Hessian<'r, 'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    ridge: &'r [f64],
    /// Those of a positive price.
    rows: Vec<(usize, f64)>,
}

impl<'r, 'p, 'a, T: Lanes> Hessian<'r, 'p, 'a, T> {
    /// For the prices of rows, most of them perhaps 0.
    pub fn new(
        problem: &'p LinearProblem<'a, T>,
        ridge: &'r [f64],
        price: impl Fn(usize) -> f64,
    ) -> Self {
        let rows = (0..problem.n_rows()).map(|i| (i, price(i)));
        Self {
            problem,
            ridge,
            rows: rows.filter(|&(_, price)| price > 0.0).collect(),
        }
    }

    /// The Newton step `-H^-1 gradient`; conjugate gradients leave at most a share `exactness`
    /// of the gradient. `None` if the matrix is singular.
    ///
    /// Where there are many features, conjugate gradients come first. When they have taken as
    /// long as a factor would take, of this matrix or of the products of the rows, whichever is
    /// smaller, the factor takes over.
    pub fn solve(
        &self,
        gradient: &[f64],
        exactness: f64,
        monitor: &Monitor,
    ) -> Result<Option<Vec<f64>>> {
        if self.ridge.len() <= FEW {
            return self.solve_by_factor(gradient, monitor);
        }
        let by_gram = self.has_gram();
        let most = self.products_of_a_factor(by_gram).min(MOST_PRODUCTS);
        let (step, is_exact) = self.solve_by_products(gradient, exactness, most, monitor)?;
        if is_exact || most == MOST_PRODUCTS {
            return Ok(Some(step));
        }
        let exact = if by_gram {
            self.solve_by_gram(gradient, monitor)?
        } else {
            self.solve_by_factor(gradient, monitor)?
        };
        Ok(Some(exact.unwrap_or(step)))
    }

    /// Whether the products of the rows are the smaller matrix.
    fn has_gram(&self) -> bool {
        let has_all = self.ridge.iter().all(|&ridge| ridge == 1.0);
        self.problem.is_dense() && has_all && self.rows.len() < self.ridge.len()
    }

    /// The number of products with a vector in the time of a matrix and its factor.
    fn products_of_a_factor(&self, by_gram: bool) -> usize {
        let (d, n) = (self.ridge.len(), self.rows.len());
        if d.min(if by_gram { n } else { d }) > MANY {
            return usize::MAX;
        }
        let (weights, rows) = (d as f64, n as f64);
        let stored = self.problem.mean_stored();
        // Sparse rows are added one after the other.
        let speed = if self.problem.is_dense() { SPEED } else { 1.0 };
        let (matrix, side) = if by_gram {
            (rows * rows * weights, rows)
        } else {
            (rows * stored * stored, weights)
        };
        let cost = matrix / 2.0 / speed + side.powi(3) / 6.0 / SPEED;
        (cost / (2.0 * rows * stored + weights)) as usize
    }

    /// `-H^-1 g = -g + X' (P^-1 + X X')^-1 X g`, for a ridge of ones.
    fn solve_by_gram(&self, gradient: &[f64], monitor: &Monitor) -> Result<Option<Vec<f64>>> {
        let n = self.rows.len();
        let mut matrix = gram(self.problem, &self.rows, monitor)?;
        let mut side: Vec<f64> = try_zeros(n, 1, "decision values")?;
        for (place, &(i, price)) in self.rows.iter().enumerate() {
            matrix[place * (n + 1)] += 1.0 / price;
            side[place] = self.problem.example(i).dot(gradient);
        }
        if !cholesky::factorize(&mut matrix, n, monitor)? {
            return Ok(None);
        }
        cholesky::solve(&matrix, n, &mut side);
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        for (&(i, _), side) in self.rows.iter().zip(&side) {
            self.problem.example(i).add_to(&mut step, *side);
        }
        Ok(Some(step))
    }

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

    /// As [`Hessian::solve`], by at most so many conjugate gradients, and whether they were enough.
    fn solve_by_products(
        &self,
        gradient: &[f64],
        exactness: f64,
        most: usize,
        monitor: &Monitor,
    ) -> Result<(Vec<f64>, bool)> {
        let d = self.ridge.len();
        let mut diagonal = self.ridge.to_vec();
        for &(i, price) in &self.rows {
            let add = |feature, x: f64| diagonal[feature] += price * x * x;
            self.problem.example(i).for_each(d - 1, add);
        }
        let product = |v: &[f64], out: &mut [f64]| -> Result<()> {
            curvature_product(self.problem, &self.rows, v, out, monitor)?;
            for ((out, v), ridge) in out.iter_mut().zip(v).zip(self.ridge) {
                *out += ridge * v;
            }
            monitor.tick(1)
        };
        let side = gradient.iter().map(|g| -g).collect();
        conjugate_gradients(product, &diagonal, side, exactness, most)
    }
}

/// Solves `H x = side` until the rest is a share `exactness` of the side, which the answer tells
/// beside x, or for so many products; divided by the diagonal of H, directions of features of all
/// sizes count alike.
fn conjugate_gradients(
    product: impl Fn(&[f64], &mut [f64]) -> Result<()>,
    diagonal: &[f64],
    side: Vec<f64>,
    exactness: f64,
    most: usize,
) -> Result<(Vec<f64>, bool)> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let divided = |rest: &[f64]| -> Vec<f64> {
        let each = rest.iter().zip(diagonal);
        each.map(|(r, h)| if *h > 0.0 { r / h } else { *r })
            .collect()
    };
    let enough = exactness * norm(&side);
    let mut x = vec![0.0; side.len()];
    let mut rest = side;
    let mut direction = divided(&rest);
    let mut length = dot(&rest, &direction);
    let mut image = vec![0.0; x.len()];
    for n_products in 0.. {
        if norm(&rest) <= enough {
            return Ok((x, true));
        }
        if n_products == most {
            break;
        }
        product(&direction, &mut image)?;
        let curvature = dot(&direction, &image);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let way = length / curvature;
        for (x, direction) in x.iter_mut().zip(&direction) {
            *x += way * direction;
        }
        for (rest, image) in rest.iter_mut().zip(&image) {
            *rest -= way * image;
        }
        let next = divided(&rest);
        let new_length = dot(&rest, &next);
        let keep = new_length / length;
        for (direction, next) in direction.iter_mut().zip(&next) {
            *direction = next + keep * *direction;
        }
        length = new_length;
    }
    Ok((x, false))
}

/// The products of dense rows with each other, of some features at a time: the lower triangle,
/// column after column.
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

/// Adds `b b'` to the lower triangle of a matrix of `d` columns; threads take columns.
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

/// Adds dense rows, a block at a time; threads take columns of the matrix.
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
        columns.for_each(|(column, &(i, price))| {
            let root = price.sqrt();
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

/// Adds sparse rows, one after the other.
fn add_sparse<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    rows: &[(usize, f64)],
    matrix: &mut [f64],
    d: usize,
    monitor: &Monitor,
) -> Result<()> {
    let mut row: Vec<(usize, f64)> = Vec::new();
    for (place, &(i, price)) in rows.iter().enumerate() {
        if place % BLOCK == 0 {
            monitor.check()?;
        }
        row.clear();
        let keep = |feature, x| row.push((feature, x));
        problem.example(i).for_each(d - 1, keep);
        for (place, &(column, x)) in row.iter().enumerate() {
            for &(feature, z) in &row[place..] {
                matrix[column * d + feature] += price * x * z;
            }
        }
    }
    Ok(())
}
