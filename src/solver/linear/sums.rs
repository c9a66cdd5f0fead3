//! Sums over the samples of a problem, in parallel, in pieces that do not depend on the number of
//! threads.

use super::LinearProblem;
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::{Lanes, zero_pages};
use rayon::prelude::*;

/// Samples per piece of decision values.
const ROWS: usize = 1024;

/// The maximum number of pieces of a sum: each has its own partial sum.
const MAX_PIECES: usize = 32;

/// The least number of stored values in a piece per element of its partial sum.
const MIN_VALUES: f64 = 8.0;

/// `w . x` of each sample.
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

/// `w . x` of some samples.
pub fn outputs_of<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    samples: &[u32],
    w: &[f64],
    out: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let size = rows_per_task(problem);
    let fill = |(samples, out): (&[u32], &mut [f64])| {
        monitor.check()?;
        for (&i, out) in samples.iter().zip(out) {
            *out = problem.example(i as usize).dot(w);
        }
        Ok(())
    };
    if samples.len() <= size {
        return fill((samples, out));
    }
    let pieces = samples.par_chunks(size).zip(out.par_chunks_mut(size));
    pieces.try_for_each(fill)
}

/// `sum <- sum of factor(place) x_i` over `samples[place] = i`.
pub fn weighted_sum_of<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    samples: &[u32],
    factor: impl Fn(usize) -> f64 + Sync,
    sum: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let add = |place: usize, own: &mut [f64]| {
        let example = problem.example(samples[place] as usize);
        example.add_to(own, factor(place));
    };
    sum_pieces(problem, samples.len(), add, sum, monitor)
}

/// `sum <- sum of factor(i) x_i` over the samples whose factor is not 0.
pub fn weighted_sum<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    factor: impl Fn(usize) -> f64 + Sync,
    sum: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let add = |i: usize, own: &mut [f64]| {
        let factor = factor(i);
        if factor != 0.0 {
            problem.example(i).add_to(own, factor);
        }
    };
    sum_pieces(problem, problem.n_rows(), add, sum, monitor)
}

/// `sum <- sum of p_i (x_i . v) x_i` over the samples `(i, p_i)`.
pub fn curvature_product<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    rows: &[(usize, f64)],
    v: &[f64],
    sum: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    let add = |place: usize, own: &mut [f64]| {
        let (i, p) = rows[place];
        let example = problem.example(i);
        example.add_to(own, p * example.dot(v));
    };
    sum_pieces(problem, rows.len(), add, sum, monitor)
}

/// The least number of stored values of the samples of a task.
const VALUES: f64 = 65536.0;

/// Samples per task.
fn rows_per_task<T: Lanes>(problem: &LinearProblem<'_, T>) -> usize {
    (VALUES / problem.mean_stored()).max(1.0) as usize
}

/// A sum of `n` terms; `add(i, sum)` adds term `i`.
fn sum_pieces<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    n: usize,
    add: impl Fn(usize, &mut [f64]) + Sync,
    sum: &mut [f64],
    monitor: &Monitor,
) -> Result<()> {
    // A partial sum has one element per feature: its samples should have more values than that.
    let min_size = (MIN_VALUES * sum.len() as f64 / problem.mean_stored()) as usize;
    let size = n.div_ceil(MAX_PIECES);
    let size = size.max(rows_per_task(problem)).max(min_size);
    let fill = |piece: usize, own: &mut [f64]| {
        for i in piece * size..((piece + 1) * size).min(n) {
            add(i, own);
            if i % ROWS == 0 {
                monitor.check()?;
            }
        }
        Ok(())
    };
    sum.fill(0.0);
    if n <= size {
        return fill(0, sum);
    }
    let pieces: Vec<Vec<f64>> = (0..n.div_ceil(size))
        .into_par_iter()
        .with_max_len(1)
        .map(|piece| {
            let mut own = zero_pages::<f64>(sum.len(), 1, "partial sums of samples")?;
            fill(piece, &mut own)?;
            Ok(own)
        })
        .collect::<Result<_>>()?;
    for piece in pieces {
        for (sum, own) in sum.iter_mut().zip(piece) {
            *sum += own;
        }
    }
    Ok(())
}
