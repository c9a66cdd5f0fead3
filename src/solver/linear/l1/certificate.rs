//! The certificate of a solution of the L1-regularized problem, recomputed from the samples.
//!
//! ```text
//! primal = |w|_1 + sum_i c_i s_i^2,               s_i = max(0, 1 - y_i w . x_i)
//! dual   = sum_i alpha_i - alpha_i^2 / (4 c_i),   alpha_i >= 0, |sum_i alpha_i y_i x_ij| <= 1
//! ```
//!
//! The optimal dual variables are `alpha_i = 2 c_i s_i`. For other weights they are scaled by the
//! factor with the largest dual objective among those that make them feasible.

use super::super::LinearProblem;
use super::super::certificate::expand;
use super::super::sums::outputs;
use super::violation;
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Certificate;

/// The certificate of the weights `w`; `cost(i)` is `c_i`.
pub fn certificate<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    cost: impl Fn(usize) -> f64 + Sync,
    w: &[f64],
    monitor: &Monitor,
) -> Result<Certificate> {
    let mut slacks = try_zeros(problem.n_rows(), 1, "decision values")?;
    outputs(problem, w, &mut slacks, monitor)?;
    let (mut loss, mut sum) = (0.0, 0.0);
    for (i, slack) in slacks.iter_mut().enumerate() {
        *slack = (1.0 - problem.label(i) * *slack).max(0.0);
        loss += cost(i) * *slack * *slack;
        sum += 2.0 * cost(i) * *slack;
    }
    // The negative gradient of the loss.
    let beta = |i: usize| 2.0 * cost(i) * slacks[i] * problem.label(i);
    let v = expand(problem, beta, monitor)?;
    let largest = v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let factor = (sum / (2.0 * loss)).min(1.0 / largest);
    let dual = factor * (sum - factor * loss);
    let violations = w.iter().zip(&v).map(|(&w, v)| violation(w, -v));
    Ok(Certificate {
        primal: w.iter().map(|w| w.abs()).sum::<f64>() + loss,
        // Without a loss all dual variables are 0.
        dual: if dual.is_finite() { dual } else { 0.0 },
        violation: violations.fold(0.0, f64::max),
    })
}
