//! The squared hinge by whichever of two exact methods is to be faster.
//!
//! A pass of dual descent costs the stored values, as a product of Newton's conjugate gradients
//! does. How many passes there are depends on the rows: few where rows have little in common, as
//! wide rows and those of text, hundreds or thousands where features are correlated or C is large.
//! Newton's method takes 20 to 40 products where the problem is easy, and up to some hundreds.
//!
//! - No more features than rows, and rows that are dense or have few features: [`LinearNewton`].
//! - Else [`DualDescent`], which after eight passes knows about how many there will be. If that is
//!   more than Newton's method is expected to take, Newton goes on from its weights.
//!
//! The choice depends on the rows and the seed only, not on a clock.

use super::dual::Attempt;
use super::{
    DualDescent, DualSettings, LinearMachine, LinearNewton, LinearNewtonSettings, LinearProblem,
    LinearSolver, Loss, Outline, Recorder, RuleState,
};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// The most weights for which Newton's matrix costs little: so it is with any rows.
const FEW: usize = 256;

/// The most passes of dual descent that are to be expected, with more features than rows, and
/// with no more.
const PASSES_OF_WIDE: f64 = 150.0;
const PASSES_OF_TALL: f64 = 60.0;

/// Both methods with the same settings.
#[derive(Debug, Clone, PartialEq)]
pub struct FasterExact {
    dual: DualDescent,
    newton: LinearNewton,
}

impl FasterExact {
    /// For the squared hinge, whatever loss the settings have.
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
        if !is_wide && (problem.is_dense() || n_weights <= FEW) {
            return self.newton.solve(problem, start, recorder, monitor);
        }
        let most_passes = if is_wide {
            PASSES_OF_WIDE
        } else {
            PASSES_OF_TALL
        };
        match self.dual.attempt(problem, most_passes, recorder, monitor)? {
            Attempt::Solved(machine) => Ok(machine),
            Attempt::GivenUp {
                weights,
                n_epochs,
                recorder,
            } => {
                let newton = &self.newton;
                newton.go_on(problem, weights, n_epochs, recorder, monitor)
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
