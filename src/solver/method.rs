//! Any of the methods.

use super::{BinarySolver, Machine, MnSvm, Newton, NlSgd, NnIsda, Ollawv, Problem, Svc};
use crate::Result;
use crate::data::Matrix;
use crate::kernel::{Parts, ShrinkableRows, SingleRows};
use crate::monitor::Monitor;
use crate::simd::Lanes;

macro_rules! methods {
    ($($name:ident),*) => {
        /// A method that was chosen at run time.
        #[derive(Debug, Clone)]
        pub enum Method {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name)),*
        }

        $(impl From<$name> for Method {
            fn from(solver: $name) -> Self {
                Method::$name(solver)
            }
        })*

        impl BinarySolver for Method {
            fn path_len(&self) -> usize {
                match self {
                    $(Method::$name(solver) => solver.path_len()),*
                }
            }

            fn uses_rows_once(&self) -> bool {
                match self {
                    $(Method::$name(solver) => solver.uses_rows_once()),*
                }
            }

            fn tolerates_rounding(&self) -> bool {
                match self {
                    $(Method::$name(solver) => solver.tolerates_rounding()),*
                }
            }

            fn has_linear_form(&self) -> bool {
                match self {
                    $(Method::$name(solver) => solver.has_linear_form()),*
                }
            }

            fn solve_rows<T: Lanes>(
                &self,
                problem: &Problem<'_>,
                parts: &Parts,
                rows: &Matrix<'_, T>,
                monitor: &Monitor,
            ) -> Result<Option<Vec<Machine>>> {
                match self {
                    $(Method::$name(solver) => solver.solve_rows(problem, parts, rows, monitor)),*
                }
            }

            fn solve<T: Lanes>(
                &self,
                problem: &Problem<'_>,
                rows: &mut (impl SingleRows<T> + ShrinkableRows<T>),
                monitor: &Monitor,
            ) -> Result<Vec<Machine>> {
                match self {
                    $(Method::$name(solver) => solver.solve(problem, rows, monitor)),*
                }
            }
        }
    };
}

methods!(Ollawv, Svc, NlSgd, MnSvm, NnIsda, Newton);
