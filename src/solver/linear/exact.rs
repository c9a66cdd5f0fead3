//! Each loss by the faster of two exact methods.
//!
//! For squared losses, a pass of dual coordinate descent costs about as much as an iteration of the conjugate gradients
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
//! For the hinge and the epsilon-insensitive loss, which are not squared, [`DualDescent`] likewise
//! comes first, and the augmented Lagrangian method continues.
//!
//! The choice depends on the samples and the seed only, not on measured time.

use super::dual::Attempt;
use super::lagrangian::{self, Outcome};
use super::newton::Hessian;
use super::{
    DualDescent, DualSettings, LinearMachine, LinearNewton, LinearNewtonSettings, LinearProblem,
    LinearSolver, Outline, Recorder, RuleState,
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

/// The expected number of Newton steps of the augmented Lagrangian method.
const STEPS: f64 = 30.0;

/// The passes over the samples that this method takes apart from its Newton steps.
const OTHER_PASSES: f64 = 12.0;

/// The cost of a visit of a sample and of a Newton step, apart from arithmetic, in multiply-adds.
const OVERHEADS: (f64, f64) = (30.0, 20_000.0);

/// The number of passes of dual descent that take as long as the augmented Lagrangian method. The
/// samples strictly between the bounds are assumed to be twice as many as weights.
fn max_passes_unsquared<T: Lanes>(problem: &LinearProblem<'_, T>) -> f64 {
    let (n, d) = (problem.n_rows() as f64, problem.n_weights() as f64);
    let pass = n * (2.0 * problem.mean_stored() + OVERHEADS.0);
    let step = OVERHEADS.1 + Hessian::<T>::factor_cost(problem, n.min(2.0 * d));
    OTHER_PASSES + STEPS * step / pass
}

/// Both methods with the same hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct FasterExact {
    dual: DualDescent,
    /// For squared losses.
    newton: Option<LinearNewton>,
}

impl FasterExact {
    /// Checks the hyperparameters.
    pub fn new(settings: DualSettings) -> Result<Self> {
        let newton = LinearNewtonSettings {
            loss: settings.loss,
            penalty: settings.penalty,
            tol: settings.tol,
            max_iter: settings.max_iter,
            intercept: settings.intercept,
            free_bias: false,
        };
        Ok(Self {
            newton: match settings.loss.is_squared() {
                true => Some(newton.check()?),
                false => None,
            },
            dual: settings.check()?,
        })
    }
}

impl FasterExact {
    /// Minimizes a loss that is not squared.
    fn solve_unsquared<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let max_passes = max_passes_unsquared(problem);
        let (start, recorder) = match self.dual.attempt(problem, max_passes, recorder, monitor)? {
            Attempt::Solved(machine) => return Ok(machine),
            Attempt::GivenUp {
                weights,
                beta,
                spread,
                n_epochs,
                recorder,
            } => {
                let start = lagrangian::Start {
                    weights,
                    beta,
                    spread,
                    n_iter: n_epochs,
                };
                (start, recorder)
            }
        };
        let settings = self.dual.settings();
        match lagrangian::solve(problem, settings, start, recorder, monitor)? {
            Outcome::Solved(machine) => Ok(machine),
            Outcome::Stalled {
                beta,
                n_iter,
                recorder,
            } => {
                let dual = &self.dual;
                dual.continue_from(problem, &beta, n_iter, recorder, monitor)
            }
        }
    }
}

impl LinearSolver for FasterExact {
    fn n_vectors(&self) -> (usize, usize) {
        // Both continuations need more vectors than dual descent.
        (9, 1)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let Some(newton) = &self.newton else {
            return self.solve_unsquared(problem, recorder, monitor);
        };
        let (n_weights, is_wide) = (problem.n_weights(), problem.is_wide());
        if !is_wide && (problem.is_dense() || n_weights <= FEW_WEIGHTS) {
            return newton.solve(problem, start, recorder, monitor);
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
                ..
            } => newton.continue_from(problem, weights, n_epochs, recorder, monitor),
        }
    }

    fn uses_squares(&self) -> bool {
        self.dual.uses_squares()
    }

    fn tube(&self) -> Option<f64> {
        self.dual.tube()
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        self.dual.untrained(outline, start)
    }
}
