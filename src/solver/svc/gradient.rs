//! Keeps `v = p - K beta`, minus the gradient, in step with the coefficients.

use super::dual::Dual;
use crate::Result;
use crate::kernel::ShrinkableRows;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// Sets the coefficients of the working set B to those of its solution, and updates
/// `v -= K_B (change of beta_B)` over all samples. Returns the increase of the objective; `None` if
/// no coefficient changed.
pub fn update_gradient<T: Lanes>(
    dual: &mut Dual,
    rows: &mut impl ShrinkableRows<T>,
    working_set: &[usize],
    solved: &Dual,
    monitor: &Monitor,
) -> Result<Option<f64>> {
    let changes = dual.changes_to(working_set, &solved.beta);
    // The objective is quadratic: its increase is the mean slope at both ends times the change.
    let slope = |dual: &Dual| -> f64 { changes.iter().map(|&(i, d)| -d * dual.v[i]).sum() };
    let before = slope(dual);
    let size = |beta: &[f64]| -> f64 { changes.iter().map(|&(i, _)| beta[i].abs()).sum() };
    let size_before = size(&dual.beta);
    if working_set.len() == dual.len() {
        dual.v.copy_from_slice(&solved.v);
    } else {
        let changed: Vec<usize> = changes.iter().map(|&(i, _)| i).collect();
        rows.prefetch(&changed, monitor)?;
        rows.accumulate(&changes, &mut dual.v);
    }
    for (&i, &beta) in working_set.iter().zip(&solved.beta) {
        dual.beta[i] = beta;
    }
    let cost = dual.epsilon * (size(&dual.beta) - size_before);
    let gain = 0.5 * (before + slope(dual)) - cost;
    Ok((!changes.is_empty()).then_some(gain))
}

/// Updates `v` of the samples that were removed by shrinking after the coefficients of others
/// changed.
pub fn reconstruct_gradient<T: Lanes>(
    dual: &mut Dual,
    rows: &mut impl ShrinkableRows<T>,
    changes: &[(usize, f64)],
    removed: &[usize],
    monitor: &Monitor,
) -> Result<()> {
    let mut v: Vec<f64> = removed.iter().map(|&i| dual.v[i]).collect();
    rows.accumulate_at(changes, removed, &mut v, monitor)?;
    for (&i, v) in removed.iter().zip(v) {
        dual.v[i] = v;
    }
    Ok(())
}

/// Computes `v` from the coefficients, without the rounding errors of earlier updates.
pub fn recompute_gradient<T: Lanes>(
    dual: &mut Dual,
    rows: &mut impl ShrinkableRows<T>,
    monitor: &Monitor,
) -> Result<()> {
    dual.v.copy_from_slice(&dual.linear);
    let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (i, -dual.beta[i])).collect();
    if terms.len() <= rows.max_resident() / 2 {
        let support: Vec<usize> = terms.iter().map(|&(i, _)| i).collect();
        rows.prefetch(&support, monitor)?;
        rows.accumulate(&terms, &mut dual.v);
    } else {
        let all: Vec<usize> = (0..dual.len()).collect();
        rows.accumulate_at(&terms, &all, &mut dual.v, monitor)?;
    }
    Ok(())
}
