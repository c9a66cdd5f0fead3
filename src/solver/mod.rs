//! Solvers of one binary problem, one file or folder for each method.

mod certificate;
mod cholesky;
mod hyperparameters;
mod l2;
mod limit;
pub mod linear;
mod machine;
mod method;
mod mnsvm;
mod newton;
mod nlsgd;
mod nnisda;
mod ollawv;
mod path;
mod problem;
mod rounding;
mod status;
mod svc;

pub use certificate::{Certificate, Objective, Term};
pub use machine::Machine;
pub use method::Method;
pub use mnsvm::{MnSvm, MnSvmSettings, Selection};
pub use newton::{Bias, Newton, NewtonSettings};
pub use nlsgd::{NlSgd, NlSgdSettings, Order, Step};
pub use nnisda::{NnIsda, NnIsdaSettings};
pub use ollawv::{Ollawv, OllawvSettings, Rate};
pub use problem::{Problem, Start};
pub use status::Status;
pub use svc::{Formulation, Svc, SvcSettings};

use crate::Result;
use crate::data::Matrix;
use crate::kernel::{Parts, ShrinkableRows, SingleRows};
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// A method that trains one binary classifier for each setting of its path.
pub trait BinarySolver: Sync {
    /// The number of settings of the path; 1 for a method without a path.
    fn path_len(&self) -> usize;

    /// Whether no kernel row is requested twice, so that caching rows has no benefit.
    fn uses_rows_once(&self) -> bool {
        false
    }

    /// Whether kernel values in f32 of samples in f64 lead to the same solution, because the method
    /// corrects their rounding errors.
    fn tolerates_rounding(&self) -> bool {
        false
    }

    /// Solves the problem of a linear kernel from the packed samples instead of kernel rows;
    /// `None` if the method has no linear form.
    fn solve_rows<T: Lanes>(
        &self,
        _problem: &Problem<'_>,
        _parts: &Parts,
        _rows: &Matrix<'_, T>,
        _monitor: &Monitor,
    ) -> Result<Option<Vec<Machine>>> {
        Ok(None)
    }

    /// Whether the method implements [`BinarySolver::solve_rows`].
    fn has_linear_form(&self) -> bool {
        false
    }

    /// Returns one binary classifier for each setting, in the order of the settings.
    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut (impl SingleRows<T> + ShrinkableRows<T>),
        monitor: &Monitor,
    ) -> Result<Vec<Machine>>;
}
