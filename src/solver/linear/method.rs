//! Any of the linear methods.

use super::{
    DualDescent, FasterExact, GradientDescent, L1Descent, LinearMachine, LinearNewton,
    LinearProblem, LinearSolver, Outline, Recorder, RuleState, Sgd,
};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;

macro_rules! methods {
    ($($name:ident),*) => {
        /// A linear method that is chosen at run time.
        #[derive(Debug, Clone)]
        pub enum LinearMethod {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name)),*
        }

        $(impl From<$name> for LinearMethod {
            fn from(solver: $name) -> Self {
                LinearMethod::$name(solver)
            }
        })*

        impl LinearSolver for LinearMethod {
            fn n_vectors(&self) -> (usize, usize) {
                match self {
                    $(LinearMethod::$name(solver) => solver.n_vectors()),*
                }
            }

            fn solve<T: Lanes>(
                &self,
                problem: &LinearProblem<'_, T>,
                start: Option<&RuleState>,
                recorder: Recorder,
                monitor: &Monitor,
            ) -> Result<LinearMachine> {
                match self {
                    $(LinearMethod::$name(solver) => {
                        solver.solve(problem, start, recorder, monitor)
                    })*
                }
            }

            fn uses_squares(&self) -> bool {
                match self {
                    $(LinearMethod::$name(solver) => solver.uses_squares()),*
                }
            }

            fn tube(&self) -> Option<f64> {
                match self {
                    $(LinearMethod::$name(solver) => solver.tube()),*
                }
            }

            fn untrained(
                &self,
                outline: &Outline,
                start: Option<&RuleState>,
            ) -> Result<Option<LinearMachine>> {
                match self {
                    $(LinearMethod::$name(solver) => solver.untrained(outline, start)),*
                }
            }
        }
    };
}

methods!(
    Sgd,
    GradientDescent,
    LinearNewton,
    DualDescent,
    FasterExact,
    L1Descent
);
