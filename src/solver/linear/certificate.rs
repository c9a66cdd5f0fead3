//! Proof of how near a linear machine is to the optimum, summed anew from the rows.
//!
//! Primal `1/2 |w|^2 + C sum of losses`, dual `sum alpha - 1/2 |v|^2 - 1/2 sum alpha^2 / (2 c)`
//! with `v = sum alpha y x`; the last sum only for the squared hinge, `alpha <= c` only for the
//! hinge.

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
    let pull = |i: usize| alpha(i) * problem.label(i);
    weighted_sum(problem, pull, &mut v, monitor)?;
    Ok(v)
}

/// The certificate of weights `w` and dual variables `alpha`, whose sum of rows is `v`, or `w`
/// itself where there is none; `price` is the C of each row.
pub fn certificate<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    loss: Loss,
    price: impl Fn(usize) -> f64,
    w: &[f64],
    v: Option<&[f64]>,
    alpha: impl Fn(usize) -> f64 + Sync,
    monitor: &Monitor,
) -> Result<Certificate> {
    let n = problem.n_rows();
    let mut f = try_zeros(n, 1, "outputs")?;
    outputs(problem, w, &mut f, monitor)?;
    let mut primal = 0.5 * square(w);
    for (i, f) in f.iter().enumerate() {
        let lack = (1.0 - problem.label(i) * f).max(0.0);
        if lack > 0.0 {
            primal += match loss {
                Loss::Hinge => price(i) * lack,
                Loss::SquaredHinge => price(i) * lack * lack,
            };
        }
    }
    if let Some(v) = v {
        outputs(problem, v, &mut f, monitor)?;
    }
    let mut dual = -0.5 * square(v.unwrap_or(w));
    let mut violation = 0.0f64;
    for (i, f) in f.iter().enumerate() {
        let alpha = alpha(i);
        let (bound, diagonal) = match loss {
            Loss::Hinge => (price(i), 0.0),
            Loss::SquaredHinge => (f64::INFINITY, 0.5 / price(i)),
        };
        dual += alpha - 0.5 * diagonal * alpha * alpha;
        let gradient = problem.label(i) * f - 1.0 + diagonal * alpha;
        let may_fall = alpha > 0.0 && gradient > 0.0;
        let may_rise = alpha < bound && gradient < 0.0;
        if may_fall || may_rise {
            violation = violation.max(gradient.abs());
        }
    }
    Ok(Certificate {
        primal,
        dual,
        violation,
    })
}

fn square(w: &[f64]) -> f64 {
    w.iter().map(|w| w * w).sum()
}
