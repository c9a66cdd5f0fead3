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
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            sums[l] += sums[l + half];
        }
        half /= 2;
    }
    let end = ends.iter().zip(row_end);
    sums[0] + end.map(|(w, x)| w * x.to_f64()).sum::<f64>()
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
        let weight = *w - step.eta * gradient / (square + step.epsilon).sqrt();
        // Subnormal numbers are very slow.
        *e = if square < TINY { 0.0 } else { square };
        *w = if weight.abs() < TINY { 0.0 } else { weight };
    }
}
