//! Loops over the weights of linear classifiers, in f64 for all types of samples.
//!
//! They are plain loops, vectorized by the compiler for each level.
//!
//! # Safety
//! As in `bodies`: each function must be inlined into one that enables the instructions of `V`.

use super::vector::{Lanes, Vector};

/// Number of independent partial sums.
const LANES: usize = 32;

#[inline(always)]
pub unsafe fn dot<T: Lanes, V: Vector<T>>(weights: &[f64], row: &[T]) -> f64 {
    let mut sums = [0.0; LANES];
    let (weights, ends) = weights.as_chunks::<LANES>();
    let (row, row_end) = row.as_chunks::<LANES>();
    for (w, x) in weights.iter().zip(row) {
        for l in 0..LANES {
            sums[l] += w[l] * x[l].to_f64();
        }
    }
    let end = ends.iter().zip(row_end);
    total(sums) + end.map(|(w, x)| w * x.to_f64()).sum::<f64>()
}

/// The sum of partial sums, whose number is a power of 2.
#[inline(always)]
fn total<const N: usize>(mut sums: [f64; N]) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for l in 0..half {
            sums[l] += sums[l + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Number of independent partial sums of loops with two sums per element.
const HALF: usize = LANES / 2;

#[inline(always)]
pub unsafe fn hinge_sums<T: Lanes, V: Vector<T>>(slacks: &[f64], column: &[f64]) -> (f64, f64) {
    let (mut products, mut squares) = ([0.0; HALF], [0.0; HALF]);
    let (slacks, slacks_end) = slacks.as_chunks::<HALF>();
    let (column, column_end) = column.as_chunks::<HALF>();
    for (b, x) in slacks.iter().zip(column) {
        for l in 0..HALF {
            let x_active = if b[l] > 0.0 { x[l] } else { 0.0 };
            products[l] += b[l] * x_active;
            squares[l] += x_active * x_active;
        }
    }
    let (mut product, mut square) = (total(products), total(squares));
    for (b, x) in slacks_end.iter().zip(column_end).filter(|(b, _)| **b > 0.0) {
        product += b * x;
        square += x * x;
    }
    (product, square)
}

/// `max(0, b - s)^2 - max(0, b)^2`, without cancellation for a small s.
#[inline(always)]
pub fn squared_hinge_change(b: f64, s: f64) -> f64 {
    let next = b - s;
    let (of_active, of_next) = (s * (s - 2.0 * b), next * next);
    match (b > 0.0, next > 0.0) {
        (true, true) => of_active,
        (true, false) => -b * b,
        (false, true) => of_next,
        (false, false) => 0.0,
    }
}

#[inline(always)]
pub unsafe fn hinge_change<T: Lanes, V: Vector<T>>(
    slacks: &[f64],
    column: &[f64],
    step: f64,
) -> f64 {
    let mut sums = [0.0; HALF];
    let (slacks, slacks_end) = slacks.as_chunks::<HALF>();
    let (column, column_end) = column.as_chunks::<HALF>();
    for (b, x) in slacks.iter().zip(column) {
        for l in 0..HALF {
            sums[l] += squared_hinge_change(b[l], step * x[l]);
        }
    }
    let end = slacks_end.iter().zip(column_end);
    let end = end.map(|(b, x)| squared_hinge_change(*b, step * x));
    total(sums) + end.sum::<f64>()
}

#[inline(always)]
pub unsafe fn map_pairs<T: Lanes, V: Vector<T>>(w: &mut [f64], v: &mut [f64], map: [f64; 4]) {
    for (w, v) in w.iter_mut().zip(v) {
        let (old_w, old_v) = (*w, *v);
        *w = map[0] * old_w + map[1] * old_v;
        *v = map[2] * old_w + map[3] * old_v;
    }
}

/// Constants of a step of RMSprop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RmsStep {
    /// The regularization parameter lambda.
    pub lambda: f64,
    /// The learning rate.
    pub eta: f64,
    /// The decay rate of the mean square of the gradient.
    pub decay: f64,
    /// Added to the mean square to avoid division by 0.
    pub epsilon: f64,
    /// Whether the root of the mean square divides the step, or the mean square itself.
    pub root: bool,
}

/// Smaller values are set to 0.
const TINY: f64 = 1e-300;

#[inline(always)]
pub unsafe fn rmsprop<T: Lanes, V: Vector<T>>(
    w: &mut [f64],
    e: &mut [f64],
    u: &[f64],
    step: RmsStep,
) {
    for ((w, e), u) in w.iter_mut().zip(e).zip(u) {
        let gradient = step.lambda * *w - u;
        let square = step.decay * *e + (1.0 - step.decay) * gradient * gradient;
        let mean = square + step.epsilon;
        let divisor = if step.root { mean.sqrt() } else { mean };
        let weight = *w - step.eta * gradient / divisor;
        // Subnormal numbers are very slow.
        *e = if square < TINY { 0.0 } else { square };
        *w = if weight.abs() < TINY { 0.0 } else { weight };
    }
}
