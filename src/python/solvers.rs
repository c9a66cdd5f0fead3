//! Kernel methods with their settings, as frozen Python values.
//!
//! A value holds everything but the path (the values of C or of the margin) and the kernel. Its
//! constructor validates what it holds, and `check` validates a path.

use super::kernels::Kernel;
use super::limits::Limits;
use super::model::Model;
use super::problem::TrainingData;
use super::train;
use crate::Result;
use crate::solver::{
    Bias, Method, MnSvmSettings, NewtonSettings, NlSgdSettings, NnIsdaSettings, Objective,
    OllawvSettings, Order, Selection, Step, SvcSettings,
};
use pyo3::prelude::*;

/// A path that is valid for every method, to check the other settings.
pub const ANY_PATH: [f64; 1] = [1.0];

/// Declares the Python class of a method from its fields and a function that makes the solver.
macro_rules! solver {
    (
        $(#[$doc:meta])* $name:ident($($field:ident: $type:ty),*) -> $method:ty,
        |$given:ident, $path:ident| $make:expr
    ) => {
        $(#[$doc])*
        #[pyclass(module = "softmargin._core", frozen, get_all, eq, from_py_object)]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($field: $type),*
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*, $($field),*))]
            #[allow(clippy::too_many_arguments)] // named in Python
            fn new($($field: $type),*) -> PyResult<Self> {
                let solver = Self { $($field),* };
                solver.method(&$crate::python::solvers::ANY_PATH)?;
                Ok(solver)
            }

            /// Raises `ValueError` if a value of the path is invalid.
            fn check(&self, path: Vec<f64>) -> PyResult<()> {
                self.method(&path)?;
                Ok(())
            }

            fn __repr__(&self) -> String {
                format!("{self:?}")
            }
        }

        impl $name {
            /// The method with these values of its path.
            pub fn method(&self, $path: &[f64]) -> $crate::Result<$method> {
                let $given = self;
                $make
            }
        }
    };
}
pub(super) use solver;

solver! {
    /// OLLAWV, along the margin.
    OllawvSolver(c: f64, bias: bool, max_sv_fraction: f64) -> Method,
    |given, path| Ok(OllawvSettings {
        margins: path.to_vec(),
        c: given.c,
        bias: given.bias,
        max_sv_fraction: given.max_sv_fraction,
    }
    .check()?
    .into())
}

solver! {
    /// The exact solver, along C.
    SvcSolver(
        tol: f64,
        working_set_size: Option<usize>,
        shrinking: bool,
        max_iter: Option<usize>
    ) -> Method,
    |given, path| Ok(SvcSettings {
        cs: path.to_vec(),
        tol: given.tol,
        working_set_size: given.working_set_size,
        shrinking: given.shrinking,
        max_iter: given.max_iter,
    }
    .check()?
    .into())
}

solver! {
    /// NL-SGD, along C.
    NlSgdSolver(epochs: usize, average: f64, step: String, order: String, seed: u64) -> Method,
    |given, path| Ok(NlSgdSettings {
        cs: path.to_vec(),
        epochs: given.epochs,
        average: given.average,
        step: Step::parse(&given.step)?,
        order: Order::parse(&given.order)?,
        seed: given.seed,
    }
    .check()?
    .into())
}

solver! {
    /// MN-SVM, along C.
    MnSvmSolver(eps: f64, selection: String, seed: u64, max_iter: Option<usize>) -> Method,
    |given, path| Ok(MnSvmSettings {
        cs: path.to_vec(),
        eps: given.eps,
        selection: Selection::parse(&given.selection)?,
        seed: given.seed,
        max_iter: given.max_iter,
    }
    .check()?
    .into())
}

solver! {
    /// NN-ISDA, along C.
    NnIsdaSolver(tol: f64, max_iter: Option<usize>) -> Method,
    |given, path| Ok(NnIsdaSettings {
        cs: path.to_vec(),
        tol: given.tol,
        max_iter: given.max_iter,
    }
    .check()?
    .into())
}

solver! {
    /// Newton's method in the primal, along C.
    NewtonSolver(bias: String, max_iter: Option<usize>) -> Method,
    |given, path| Ok(NewtonSettings {
        cs: path.to_vec(),
        bias: Bias::parse(&given.bias)?,
        max_iter: given.max_iter,
    }
    .check()?
    .into())
}

/// Any of the kernel methods.
#[derive(FromPyObject)]
pub enum KernelSolver {
    Ollawv(OllawvSolver),
    Svc(SvcSolver),
    NlSgd(NlSgdSolver),
    MnSvm(MnSvmSolver),
    NnIsda(NnIsdaSolver),
    Newton(NewtonSolver),
}

impl KernelSolver {
    /// The method with these values of its path.
    pub fn method(&self, path: &[f64]) -> Result<Method> {
        match self {
            KernelSolver::Ollawv(solver) => solver.method(path),
            KernelSolver::Svc(solver) => solver.method(path),
            KernelSolver::NlSgd(solver) => solver.method(path),
            KernelSolver::MnSvm(solver) => solver.method(path),
            KernelSolver::NnIsda(solver) => solver.method(path),
            KernelSolver::Newton(solver) => solver.method(path),
        }
    }

    /// The objective that the method minimizes; `None` if it is not an exact method.
    pub fn objective(&self) -> Result<Option<Objective>> {
        Ok(match self {
            KernelSolver::Ollawv(_) | KernelSolver::NlSgd(_) => None,
            KernelSolver::Svc(_) => Some(Objective::Hinge),
            KernelSolver::MnSvm(_) | KernelSolver::NnIsda(_) => Some(Objective::PenalizedBias),
            KernelSolver::Newton(solver) => Some(match Bias::parse(&solver.bias)? {
                Bias::Penalized => Objective::PenalizedBias,
                Bias::Free | Bias::None => Objective::SquaredHinge,
            }),
        })
    }
}

/// Trains a model for each value of the path of a method.
#[pyfunction]
#[pyo3(signature = (solver, path, data, kernel, limits, row_source = "auto"))]
pub fn fit(
    py: Python<'_>,
    solver: KernelSolver,
    path: Vec<f64>,
    data: &TrainingData,
    kernel: &Kernel,
    limits: &Limits,
    row_source: &str,
) -> PyResult<Vec<Model>> {
    let method = solver.method(&path)?;
    train::fit(py, data, kernel.settings(), limits, row_source, &method)
}
