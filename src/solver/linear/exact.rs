//! The squared hinge loss by the faster of two exact methods.
//!
//! A pass of dual coordinate descent costs about as much as an iteration of the conjugate gradients
//! of Newton's method: both read all stored values. The number of passes depends on the samples:
//! it is small for nearly orthogonal samples, such as wide data and text, and hundreds or thousands
//! for correlated features or a large C. Newton's method takes 20 to 40 iterations on easy problems
//! and a few hundred on hard ones.
//!
//! - If there are no more features than samples, and the samples are dense or have few features:
//!   [`LinearNewton`].
//! - Otherwise [`DualDescent`], which after eight passes estimates their total number. If that
//!   exceeds the expected cost of Newton's method, [`LinearNewton`] continues from its weights.
//!
//! The choice depends on the samples and the seed only, not on measured time.

use super::dual::Attempt;
use super::{
    DualDescent, DualSettings, LinearMachine, LinearNewton, LinearNewtonSettings, LinearProblem,
    LinearSolver, Loss, Outline, Recorder, RuleState,
};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// The number of weights up to which the Hessian is cheap, also for sparse samples.
const FEW_WEIGHTS: usize = 256;

/// The maximum number of passes of dual descent, if there are more features than samples.
const MAX_PASSES_WIDE: f64 = 150.0;

/// The maximum number of passes of dual descent otherwise.
const MAX_PASSES_TALL: f64 = 60.0;

/// Both methods with the same hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FasterExact {
    dual: DualDescent,
    newton: LinearNewton,
}

impl FasterExact {
    /// Checks the hyperparameters; the loss is always the squared hinge.
    pub fn new(settings: DualSettings) -> Result<Self> {
        let newton = LinearNewtonSettings {
            penalty: settings.penalty,
            tol: settings.tol,
            max_iter: settings.max_iter,
            intercept: settings.intercept,
            free_bias: false,
        };
        let loss = Loss::SquaredHinge;
        Ok(Self {
            dual: DualSettings { loss, ..settings }.check()?,
            newton: newton.check()?,
        })
    }
}

impl LinearSolver for FasterExact {
    fn n_vectors(&self) -> (usize, usize) {
        let ((a, b), (c, d)) = (self.dual.n_vectors(), self.newton.n_vectors());
        (a.max(c), b.max(d))
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let (n_weights, is_wide) = (problem.n_weights(), problem.is_wide());
        if !is_wide && (problem.is_dense() || n_weights <= FEW_WEIGHTS) {
            return self.newton.solve(problem, start, recorder, monitor);
        }
        let max_passes = if is_wide {
            MAX_PASSES_WIDE
        } else {
            MAX_PASSES_TALL
        };
        match self.dual.attempt(problem, max_passes, recorder, monitor)? {
            Attempt::Solved(machine) => Ok(machine),
            Attempt::GivenUp {
                weights,
                n_epochs,
                recorder,
            } => {
                let newton = &self.newton;
                newton.continue_from(problem, weights, n_epochs, recorder, monitor)
            }
        }
    }

    fn uses_squares(&self) -> bool {
        self.dual.uses_squares()
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        self.dual.untrained(outline, start)
    }
}
