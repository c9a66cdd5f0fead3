//! The Hessian `R + sum_i p_i x_i x_i'` of a linear machine, R a diagonal: a matrix where there
//! are few features, else only its products with vectors.

use super::super::LinearProblem;
use super::super::sums::{outputs, weighted_sum};
use super::norm;
use crate::Result;
use crate::data::Row;
use crate::error::zeros;
use crate::monitor::Monitor;
use crate::simd::{Lanes, zero_pages};
use crate::solver::cholesky;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The most weights for which the matrix is made.
const FEW: usize = 256;

/// Dense rows that are added to the matrix together, and columns that a thread takes.
const BLOCK: usize = 512;
const STRIP: usize = 32;

/// The most conjugate gradients of a step.
const MOST_PRODUCTS: usize = 1000;

pub enum Hessian<'r, 'p, 'a, T: Lanes, P> {
    /// Lower triangle, column after column.
    Matrix(Vec<f64>),
    /// What its products are made of, and its diagonal.
    Products {
        problem: &'p LinearProblem<'a, T>,
        ridge: &'r [f64],
        price: &'r P,
        diagonal: Vec<f64>,
    },
}

impl<'r, 'p, 'a, T: Lanes, P: Fn(usize) -> f64 + Sync> Hessian<'r, 'p, 'a, T, P> {
    /// For the prices of rows, most of them perhaps 0.
    pub fn new(
        problem: &'p LinearProblem<'a, T>,
        ridge: &'r [f64],
        price: &'r P,
        monitor: &Monitor,
    ) -> Result<Self> {
        let d = ridge.len();
        if d > FEW {
            let mut diagonal = ridge.to_vec();
            for i in 0..problem.n_rows() {
                let price = price(i);
                if price > 0.0 {
                    let add = |feature, x: f64| diagonal[feature] += price * x * x;
                    problem.example(i).for_each(d - 1, add);
                }
            }
            return Ok(Hessian::Products {
                problem,
                ridge,
                price,
                diagonal,
            });
        }
        let mut matrix = zero_pages::<f64>(d, d, "the Hessian")?;
        if problem.is_dense() {
            add_dense(problem, price, &mut matrix, d, monitor)?;
        } else {
            add_sparse(problem, price, &mut matrix, d, monitor)?;
        }
        for (feature, ridge) in ridge.iter().enumerate() {
            matrix[feature * (d + 1)] += ridge;
        }
        Ok(Hessian::Matrix(matrix))
    }

    /// The Newton step `-H^-1 gradient`; conjugate gradients leave at most a share `exactness`
    /// of the gradient. `None` if the matrix is singular.
    pub fn solve(
        self,
        gradient: &[f64],
        exactness: f64,
        monitor: &Monitor,
    ) -> Result<Option<Vec<f64>>> {
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        match self {
            Hessian::Matrix(mut matrix) => {
                let d = step.len();
                if !cholesky::factorize(&mut matrix, d, monitor)? {
                    return Ok(None);
                }
                cholesky::solve(&matrix, d, &mut step);
                Ok(Some(step))
            }
            Hessian::Products {
                problem,
                ridge,
                price,
                diagonal,
            } => {
                let mut f = zeros(problem.n_rows(), 1, "outputs")?;
                let product = |v: &[f64], out: &mut [f64]| -> Result<()> {
                    outputs(problem, v, &mut f, monitor)?;
                    weighted_sum(problem, |i| price(i) * f[i], out, monitor)?;
                    for ((out, v), ridge) in out.iter_mut().zip(v).zip(ridge) {
                        *out += ridge * v;
                    }
                    monitor.tick(1)
                };
                conjugate_gradients(product, &diagonal, step, exactness).map(Some)
            }
        }
    }
}

/// Solves `H x = side` until the rest is a share `exactness` of the side; divided by the
/// diagonal of H, directions of features of all sizes count alike.
fn conjugate_gradients(
    mut product: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    diagonal: &[f64],
    side: Vec<f64>,
    exactness: f64,
) -> Result<Vec<f64>> {
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
    for _ in 0..MOST_PRODUCTS {
        if norm(&rest) <= enough {
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
    Ok(x)
}

/// Adds dense rows, a block at a time; threads take columns of the matrix.
fn add_dense<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    price: &(impl Fn(usize) -> f64 + Sync),
    matrix: &mut [f64],
    d: usize,
    monitor: &Monitor,
) -> Result<()> {
    let counted: Vec<usize> = (0..problem.n_rows()).filter(|&i| price(i) > 0.0).collect();
    let mut block: Vec<f64> = zeros(d, BLOCK, "a block of rows")?;
    for rows in counted.chunks(BLOCK) {
        monitor.check()?;
        let columns = block.par_chunks_mut(d).zip(rows);
        columns.for_each(|(column, &i)| {
            let root = price(i).sqrt();
            let example = problem.example(i);
            if let Row::Dense(values) = example.row {
                for (out, value) in column.iter_mut().zip(values) {
                    *out = root * value.to_f64();
                }
            }
            column[d - 1] = root * example.constant;
        });
        let b = MatRef::from_column_major_slice(&block[..d * rows.len()], d, rows.len());
        let strips = matrix.par_chunks_mut(d * STRIP).enumerate();
        strips.for_each(|(strip, out)| {
            let (first, width) = (strip * STRIP, out.len() / d);
            let out = MatMut::from_column_major_slice_mut(out, d, width);
            let out = out.subrows_mut(first, d - first);
            let (left, right) = (b.subrows(first, d - first), b.subrows(first, width));
            matmul(out, Accum::Add, left, right.transpose(), 1.0, Par::Seq);
        });
    }
    Ok(())
}

/// Adds sparse rows, one after the other.
fn add_sparse<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    price: &impl Fn(usize) -> f64,
    matrix: &mut [f64],
    d: usize,
    monitor: &Monitor,
) -> Result<()> {
    let mut row: Vec<(usize, f64)> = Vec::new();
    for i in 0..problem.n_rows() {
        let price = price(i);
        if price == 0.0 {
            continue;
        }
        if i % BLOCK == 0 {
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
