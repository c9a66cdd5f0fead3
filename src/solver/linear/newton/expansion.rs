//! Dual variables of given weights, for models that are sums over support vectors.
//!
//! At the optimum `alpha_i = 2 c_i max(0, 1 - y_i f(x_i))` and `w = sum_i alpha_i y_i x_i`. With
//! rounded decision values f, the sum differs from w by a residual `g` that is proportional to
//! `c |x|^2`. A Newton step `p = -H^-1 g`, too short to change w itself, changes `alpha_i` by
//! `-2 c_i y_i x_i . p` and reduces the residual.

use super::{Hessian, LinearNewton, Run};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::sums::{outputs, weighted_sum};
use crate::solver::linear::{LinearProblem, RuleState};

/// The violation at which no further step is taken.
const SMALL: f64 = 1e-6;

/// The maximum number of steps.
const MAX_STEPS: usize = 3;

/// The relative residual of conjugate gradients.
const TOLERANCE: f64 = 1e-3;

/// Weights as a sum over samples.
pub struct Expansion {
    /// The dual variable of each sample.
    pub alpha: Vec<f64>,
    /// The largest violation of the optimality conditions by the decision values of the sum.
    pub violation: f64,
}

impl LinearNewton {
    /// The dual variables of optimal weights; the last weight is that of the constant feature.
    pub fn expand<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        weights: &RuleState,
        monitor: &Monitor,
    ) -> Result<Expansion> {
        let mut run = Run::new(problem, &self.settings, Some(weights))?;
        outputs(problem, &run.w, &mut run.f, monitor)?;
        let mut alpha: Vec<f64> = try_zeros(run.f.len(), 1, "dual variables")?;
        for (i, alpha) in alpha.iter_mut().enumerate() {
            *alpha = 2.0 * run.cost(i) * run.slack(i, run.f[i]);
        }
        let mut residual = try_zeros(run.w.len(), 1, "weights")?;
        let mut change = try_zeros(run.f.len(), 1, "decision values")?;
        let mut n_steps = 0;
        loop {
            weighted_sum(
                problem,
                |i| alpha[i] * problem.label(i),
                &mut residual,
                monitor,
            )?;
            for ((g, w), ridge) in residual.iter_mut().zip(&run.w).zip(&run.ridge) {
                *g = ridge * w - *g;
            }
            // A model stores its bias as a number: the constant feature does not contribute.
            let constant = residual.pop().unwrap_or(0.0);
            residual.push(0.0);
            outputs(problem, &residual, &mut change, monitor)?;
            let violation = run.violation(&alpha, &change);
            if violation <= SMALL || n_steps == MAX_STEPS || !violation.is_finite() {
                return Ok(Expansion { alpha, violation });
            }
            if let Some(last) = residual.last_mut() {
                *last = constant;
            }
            n_steps += 1;
            let curvature = |i: usize| match alpha[i] > 0.0 {
                true => 2.0 * run.cost(i),
                false => 0.0,
            };
            let hessian = Hessian::new(problem, &run.ridge, curvature);
            let Some(p) = hessian.solve(&residual, TOLERANCE, monitor)? else {
                return Ok(Expansion { alpha, violation });
            };
            outputs(problem, &p, &mut change, monitor)?;
            for i in (0..alpha.len()).filter(|&i| run.slack(i, run.f[i]) > 0.0) {
                let step = 2.0 * run.cost(i) * problem.label(i) * change[i];
                alpha[i] = (alpha[i] - step).max(0.0);
            }
        }
    }
}

impl<T: Lanes> Run<'_, '_, T> {
    /// The largest violation of the optimality conditions, if the decision values are those of the
    /// weights minus `residual`.
    fn violation(&self, alpha: &[f64], residual: &[f64]) -> f64 {
        let of_sample = |i: usize| {
            let slack = 1.0 - self.problem.label(i) * (self.f[i] - residual[i]);
            let error = slack - 0.5 * alpha[i] / self.cost(i);
            if alpha[i] > 0.0 { error.abs() } else { error }
        };
        // `f64::max` would ignore NaN.
        let larger = |most: f64, error: f64| if error <= most { most } else { error };
        (0..alpha.len()).map(of_sample).fold(0.0, larger)
    }
}
