//! Sums over all rows of a problem, in parallel in pieces that do not depend on the threads.

use super::LinearProblem;
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::{Lanes, zero_pages};
use rayon::prelude::*;

/// Rows of a piece of outputs.
const ROWS: usize = 1024;

/// The most pieces of a sum of rows: each has its own sum.
const PIECES: usize = 32;

/// `w . x` of each row.
pub fn outputs<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    w: &[f64],
    out: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    out.par_chunks_mut(ROWS)
        .enumerate()
        .try_for_each(|(piece, out)| {
            monitor.check()?;
            for (place, out) in out.iter_mut().enumerate() {
                *out = problem.example(piece * ROWS + place).dot(w);
            }
            Ok(())
        })
}

/// `sum <- sum of factor(i) x_i`, over the rows whose factor is not 0.
pub fn weighted_sum<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    factor: impl Fn(usize) -> f64 + Sync,
    sum: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let n = problem.n_rows();
    let size = n.div_ceil(PIECES).max(ROWS);
    let pieces: Vec<Vec<f64>> = (0..n.div_ceil(size))
        .into_par_iter()
        .with_max_len(1)
        .map(|piece| {
            let mut own = zero_pages::<f64>(sum.len(), 1, "a sum of rows")?;
            for i in piece * size..((piece + 1) * size).min(n) {
                let factor = factor(i);
                if factor != 0.0 {
                    problem.example(i).add_to(&mut own, factor);
                }
                if i % ROWS == 0 {
                    monitor.check()?;
                }
            }
            Ok(own)
        })
        .collect::<Result<_>>()?;
    sum.fill(0.0);
    for piece in pieces {
        for (sum, own) in sum.iter_mut().zip(piece) {
            *sum += own;
        }
    }
    Ok(())
}
