//! Certificates of optimality for linear classifiers: the primal and dual objectives, recomputed
//! from the samples.
//!
//! ```text
//! primal = 1/2 |w|^2 + sum_i c_i loss_i
//! dual   = sum_i alpha_i - 1/2 |v|^2 - 1/2 sum_i D_i alpha_i^2,   v = sum_i alpha_i y_i x_i
//! ```
//!
//! with `D_i = 0` and `alpha_i <= c_i` for the hinge loss, and `D_i = 1 / (2 c_i)` for the squared
//! hinge loss.

use super::sums::{outputs, weighted_sum};
use super::{LinearProblem, Loss};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Certificate;

/// `sum alpha y x`.
pub fn expand<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    alpha: impl Fn(usize) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let mut v = try_zeros(problem.n_weights(), 1, "weights")?;
    let beta = |i: usize| alpha(i) * problem.label(i);
    weighted_sum(problem, beta, &mut v, monitor)?;
    Ok(v)
}

/// The certificate of weights `w` and dual variables `alpha` with `v = sum alpha y x`; without `v`,
/// that sum is `w`. `cost(i)` is `c_i`.
pub fn certificate<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: impl Fn(usize) -> f64,
    w: &[f64],
    v: Option<&[f64]>,
    alpha: impl Fn(usize) -> f64 + Sync,
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
        alpha,
        primal,
    ))
}

/// As [`certificate`], for `w = sum alpha y x` with the decision values `f`.
pub fn certificate_of_outputs<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: impl Fn(usize) -> f64,
    w: &[f64],
    f: &[f64],
    alpha: impl Fn(usize) -> f64,
) -> Certificate {
    let primal = primal(problem, loss, &cost, w, f);
    with_dual(problem, loss, &cost, w, f, alpha, primal)
}

/// The primal objective of weights with the decision values `f`.
fn primal<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: &impl Fn(usize) -> f64,
    w: &[f64],
    f: &[f64],
) -> f64 {
    let mut primal = 0.5 * square(w);
    for (i, f) in f.iter().enumerate() {
        let slack = (1.0 - problem.label(i) * f).max(0.0);
        if slack > 0.0 {
            primal += match loss {
                Loss::Hinge => cost(i) * slack,
                Loss::SquaredHinge => cost(i) * slack * slack,
            };
        }
    }
    primal
}

/// The certificate with a dual objective and a violation, for `v = sum alpha y x` with the
/// decision values `f`.
fn with_dual<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    cost: &impl Fn(usize) -> f64,
    v: &[f64],
    f: &[f64],
    alpha: impl Fn(usize) -> f64,
    primal: f64,
) -> Certificate {
    let mut dual = -0.5 * square(v);
    let mut violation = 0.0f64;
    for (i, f) in f.iter().enumerate() {
        let alpha = alpha(i);
        let (bound, diagonal) = match loss {
            Loss::Hinge => (cost(i), 0.0),
            Loss::SquaredHinge => (f64::INFINITY, 0.5 / cost(i)),
        };
        dual += alpha - 0.5 * diagonal * alpha * alpha;
        let gradient = problem.label(i) * f - 1.0 + diagonal * alpha;
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
