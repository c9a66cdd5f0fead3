//! Gradient descent on the squared hinge loss (Duros and Katzman 2014, section 4.1).
//!
//! ```text
//! w <- w - eta (lambda w - 2/n sum_i c_i y_i max(0, 1 - y_i w . x_i) x_i)
//! ```
//!
//! Every step computes the gradient over all samples, in parallel. Training ends when the norm of
//! the gradient is at most `tol` times the first one, or does not decrease any more.

use super::sums::{outputs, weighted_sum};
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Outline, Penalty, Recorder, RuleState,
};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientSettings {
    /// The regularization parameter.
    pub penalty: Penalty,
    /// The learning rate eta.
    pub eta0: f64,
    /// The maximum number of steps; `None` for no limit.
    pub max_iter: Option<usize>,
    /// The norm of the gradient, relative to the first one, at which training ends.
    pub tol: f64,
    /// How the bias is computed.
    pub intercept: Intercept,
}

impl GradientSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(self) -> Result<GradientDescent> {
        check_positive("eta0", self.eta0)?;
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let penalty = self.penalty.check()?;
        Ok(GradientDescent {
            settings: Self { penalty, ..self },
        })
    }
}

/// Training has stalled if the norm of the gradient does not decrease for this many steps plus the
/// number of steps before. With a suitable learning rate it decreases in every step.
const STEPS_TO_STALL: usize = 1000;

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientDescent {
    settings: GradientSettings,
}

impl LinearSolver for GradientDescent {
    fn n_vectors(&self) -> (usize, usize) {
        (5, 2)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let settings = &self.settings;
        let n = problem.n_rows();
        let lambda = settings.penalty.lambda(n);
        let mut w = start.map(|state| state.weights.clone()).unwrap_or_default();
        w.resize(problem.n_weights(), 0.0);
        let mut f = try_zeros(n, 1, "decision values")?;
        let mut gradient = try_zeros(w.len(), 1, "the gradient")?;
        let mut first = f64::NAN;
        // The smallest norm of the gradient so far, and its step.
        let mut best = (f64::INFINITY, 0);
        let mut n_iter = 0;
        let status = loop {
            recorder.record_if_due(n_iter as u64, || w.clone());
            if settings.max_iter.is_some_and(|most| n_iter >= most) {
                break Status::IterationLimit;
            }
            if monitor.time_is_up() {
                break Status::TimeLimit;
            }
            monitor.tick(n as u64)?;
            outputs(problem, &w, &mut f, monitor)?;
            let factor = |i: usize| {
                let label = problem.label(i);
                let loss = (1.0 - label * f[i]).max(0.0);
                -2.0 * problem.weight(i) * label * loss / n as f64
            };
            weighted_sum(problem, factor, &mut gradient, monitor)?;
            let mut square = 0.0;
            for (g, w) in gradient.iter_mut().zip(&w) {
                *g += lambda * w;
                square += *g * *g;
            }
            let norm = f64::sqrt(square);
            if n_iter == 0 {
                first = norm;
            }
            if !norm.is_finite() {
                break Status::NonFinite;
            }
            if norm <= settings.tol * first {
                break Status::Converged;
            }
            if norm < best.0 {
                best = (norm, n_iter);
            } else if n_iter > 2 * best.1 + STEPS_TO_STALL {
                break Status::Stalled; // rounding, or an unsuitable learning rate
            }
            for (w, g) in w.iter_mut().zip(&gradient) {
                *w -= settings.eta0 * g;
            }
            n_iter += 1;
        };
        recorder.record(n_iter as u64, || w.clone());
        let state = RuleState {
            n_steps: n_iter as u64,
            weights: w.clone(),
            ..RuleState::default()
        };
        let mut machine = LinearMachine::new(problem.constant(), w, n_iter as u64, status);
        machine.state = Some(state);
        machine.finish(problem, settings.intercept, recorder);
        Ok(machine)
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        let intercept = self.settings.intercept;
        let Some(start) = start else {
            let mut machine = LinearMachine::untrained(outline, intercept)?;
            let weights = try_zeros(outline.n_features + 1, 1, "weights")?;
            machine.state = Some(RuleState {
                weights,
                ..RuleState::default()
            });
            return Ok(Some(machine));
        };
        if intercept == Intercept::Violators {
            return Ok(None);
        }
        let weights = start.weights.clone();
        let mut machine = LinearMachine::new(outline.constant, weights, 0, Status::TimeLimit);
        machine.state = Some(start.clone());
        Ok(Some(machine))
    }
}
