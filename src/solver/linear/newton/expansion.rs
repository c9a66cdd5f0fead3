//! The dual variables of weights that were found, for models that are sums of rows.
//!
//! At the optimum `alpha_i = 2 c_i (1 - y_i f(x_i))`, and `sum_i alpha_i y_i x_i` is w. But the
//! rounding of f, times `c |x|^2`, is what that sum lacks of w. A Newton step `p = -H^-1 g` for
//! the lack `g`, too short to be seen in w itself, changes alpha_i by `-2 c_i y_i x_i . p`.

use super::{Hessian, LinearNewton, Run};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::sums::{outputs, weighted_sum};
use crate::solver::linear::{LinearProblem, RuleState};

/// The error of an output that is not worth a step.
const SMALL: f64 = 1e-6;

/// The most steps.
const MOST_STEPS: usize = 3;

/// What conjugate gradients may leave of what is missing.
const EXACTNESS: f64 = 1e-3;

/// Weights as a sum of rows.
pub struct Expansion {
    /// The dual variable of each row.
    pub alpha: Vec<f64>,
    /// The largest violation of the optimality conditions by the outputs of the sum.
    pub violation: f64,
}

impl LinearNewton {
    /// The dual variables of an optimum; the last weight is that of the constant feature.
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
            *alpha = 2.0 * run.price(i) * run.lack(i, run.f[i]);
        }
        let mut missing = try_zeros(run.w.len(), 1, "weights")?;
        let mut change = try_zeros(run.f.len(), 1, "decision values")?;
        let mut n_steps = 0;
        loop {
            weighted_sum(
                problem,
                |i| alpha[i] * problem.label(i),
                &mut missing,
                monitor,
            )?;
            for ((g, w), ridge) in missing.iter_mut().zip(&run.w).zip(&run.ridge) {
                *g = ridge * w - *g;
            }
            // The bias of a model is a number of its own.
            let constant = missing.pop().unwrap_or(0.0);
            missing.push(0.0);
            outputs(problem, &missing, &mut change, monitor)?;
            let violation = run.violation(&alpha, &change);
            if violation <= SMALL || n_steps == MOST_STEPS || !violation.is_finite() {
                return Ok(Expansion { alpha, violation });
            }
            if let Some(last) = missing.last_mut() {
                *last = constant;
            }
            n_steps += 1;
            let price = |i: usize| match alpha[i] > 0.0 {
                true => 2.0 * run.price(i),
                false => 0.0,
            };
            let hessian = Hessian::new(problem, &run.ridge, price);
            let Some(p) = hessian.solve(&missing, EXACTNESS, monitor)? else {
                return Ok(Expansion { alpha, violation });
            };
            outputs(problem, &p, &mut change, monitor)?;
            for i in (0..alpha.len()).filter(|&i| run.lack(i, run.f[i]) > 0.0) {
                let step = 2.0 * run.price(i) * problem.label(i) * change[i];
                alpha[i] = (alpha[i] - step).max(0.0);
            }
        }
    }
}

impl<T: Lanes> Run<'_, '_, T> {
    /// The largest violation, if outputs are less by `missing` than those of the weights.
    fn violation(&self, alpha: &[f64], missing: &[f64]) -> f64 {
        let of_row = |i: usize| {
            let lack = 1.0 - self.problem.label(i) * (self.f[i] - missing[i]);
            let error = lack - 0.5 * alpha[i] / self.price(i);
            if alpha[i] > 0.0 { error.abs() } else { error }
        };
        // Not max: it would drop what is not a number.
        let larger = |most: f64, error: f64| if error <= most { most } else { error };
        (0..alpha.len()).map(of_row).fold(0.0, larger)
    }
}
