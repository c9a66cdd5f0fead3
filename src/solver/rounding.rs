//! The effect of rounded kernel values on the sums `K beta` of a solver.

use super::Problem;
use crate::Result;
use crate::kernel::{Parts, Threading};
use crate::monitor::Monitor;

/// The number of samples, of all and of the support vectors, at which the error is measured.
const N_PROBES: usize = 16;

/// Estimates by how much rounded kernel values have shifted two sums `K beta` relative to each
/// other.
///
/// Where the coefficients are small, an upper bound that is at most `enough` is returned.
/// Otherwise the sums of some samples are computed in f64 and compared with `sums(i)`, the
/// solver's value for sample `i`.
pub fn rounding(
    problem: &Problem<'_>,
    parts: &Parts,
    beta: &[f64],
    sums: impl Fn(usize) -> f64,
    enough: f64,
    monitor: &Monitor,
) -> Result<f64> {
    let Some(exact) = problem.exact else {
        return Ok(0.0);
    };
    let bound = 2.0 * exact.precision() * beta.iter().map(|beta| beta.abs()).sum::<f64>();
    if bound <= enough {
        return Ok(bound);
    }
    let support: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
    let terms: Vec<(usize, f64)> = support
        .iter()
        .map(|&i| (parts.global(i), beta[i]))
        .collect();
    let stride = |n: usize| n.div_ceil(N_PROBES).max(1);
    let of_all = (0..beta.len()).step_by(stride(beta.len()));
    let of_support = support.iter().copied().step_by(stride(support.len()));
    let probes: Vec<usize> = of_all.chain(of_support).collect();
    let rows: Vec<usize> = probes.iter().map(|&i| parts.global(i)).collect();
    let mut found = vec![0.0; rows.len()];
    exact.add(&terms, &rows, &mut found, Threading::Sequential, monitor)?;
    let errors = probes.iter().zip(&found).map(|(&i, sum)| sums(i) - sum);
    let (low, high) = errors.fold((0.0, 0.0), |(low, high): (f64, f64), error| {
        (low.min(error), high.max(error))
    });
    Ok(exact.spread() * (high - low))
}
