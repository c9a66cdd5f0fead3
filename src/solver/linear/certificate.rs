//! Certificates of optimality for linear machines: the primal and dual objectives, recomputed from
//! the samples.
//!
//! ```text
//! primal = 1/2 |w|^2 + sum_i c_i loss_i
//! dual   = sum_i (p_i beta_i - epsilon |beta_i| - D_i / 2 beta_i^2) - 1/2 |v|^2,
//!          v = sum_i beta_i x_i
//! ```
//!
//! with labels or targets p, and signed dual variables beta, which have the sign of the label for
//! classification. `epsilon = 0` for classification, `D_i = 0` and `|beta_i| <= c_i` without a
//! square, and `D_i = 1 / (2 c_i)` for squared losses.

use super::sums::{outputs, weighted_sum};
use super::{LinearProblem, Loss};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Certificate;

/// The relative duality gap that is too large whatever the tolerance.
pub const LARGE_GAP: f64 = 2e-3;

/// `sum beta x`.
pub fn expand<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    beta: impl Fn(usize) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let mut v = try_zeros(problem.n_weights(), 1, "weights")?;
    weighted_sum(problem, beta, &mut v, monitor)?;
    Ok(v)
}

/// The certificate of weights `w` and signed dual variables `beta` with `v = sum beta x`; without
/// `v`, that sum is `w`. `cost(i)` is `c_i`.
pub fn certificate<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: impl Fn(usize) -> f64,
    w: &[f64],
    v: Option<&[f64]>,
    beta: impl Fn(usize) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<Certificate> {
    let mut f = try_zeros(problem.n_rows(), 1, "decision values")?;
    outputs(problem, w, &mut f, monitor)?;
    let primal = primal(problem, loss, &cost, w, &f);
    if let Some(v) = v {
        outputs(problem, v, &mut f, monitor)?;
    }
    Ok(with_dual(
        problem,
        loss,
        &cost,
        v.unwrap_or(w),
        &f,
        beta,
        primal,
    ))
}

/// As [`certificate`], for `w = sum beta x` with the decision values `f`.
pub fn certificate_of_outputs<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: impl Fn(usize) -> f64,
    w: &[f64],
    f: &[f64],
    beta: impl Fn(usize) -> f64,
) -> Certificate {
    let primal = primal(problem, loss, &cost, w, f);
    with_dual(problem, loss, &cost, w, f, beta, primal)
}

/// The primal objective of weights with the decision values `f`.
fn primal<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: &impl Fn(usize) -> f64,
    w: &[f64],
    f: &[f64],
) -> f64 {
    let epsilon = problem.epsilon(loss);
    let mut primal = 0.5 * square(w);
    for (i, &f) in f.iter().enumerate() {
        let slack = problem.excess(i, problem.side(i, f), f, epsilon);
        if slack > 0.0 {
            primal += match loss.is_squared() {
                false => cost(i) * slack,
                true => cost(i) * slack * slack,
            };
        }
    }
    primal
}

/// The certificate with a dual objective and a violation, for `v = sum beta x` with the decision
/// values `f`.
fn with_dual<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: &impl Fn(usize) -> f64,
    v: &[f64],
    f: &[f64],
    beta: impl Fn(usize) -> f64,
    primal: f64,
) -> Certificate {
    let epsilon = problem.epsilon(loss);
    let mut dual = -0.5 * square(v);
    let mut violation = 0.0f64;
    for (i, &f) in f.iter().enumerate() {
        let beta = beta(i);
        let side = problem.side_of(i, beta, f);
        let alpha = side * beta;
        let (bound, diagonal) = loss.bound_and_diagonal(cost(i));
        dual += problem.label(i) * beta - epsilon * alpha - 0.5 * diagonal * alpha * alpha;
        let gradient = diagonal * alpha - problem.excess(i, side, f, epsilon);
        let may_fall = alpha > 0.0 && gradient > 0.0;
        let may_rise = alpha < bound && gradient < 0.0;
        if may_fall || may_rise {
            violation = violation.max(gradient.abs());
        }
    }
    Certificate {
        primal,
        dual,
        violation,
    }
}

fn square(w: &[f64]) -> f64 {
    w.iter().map(|w| w * w).sum()
}
