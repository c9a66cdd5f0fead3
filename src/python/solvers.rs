//! Kernel methods with their settings, as frozen Python values.
//!
//! A value holds everything but the path (the values of C or of the margin) and the kernel. Its
//! constructor validates what it holds, and `check` validates a path.

use super::kernels::Kernel;
use super::limits::Limits;
use super::model::Model;
use super::path::{PathValue, numbers, pairs};
use super::problem::TrainingData;
use super::train;
use crate::solver::{
    Bias, Formulation, Method, MnSvmSettings, NewtonSettings, NlSgdSettings, NnIsdaSettings,
    Objective, OllawvSettings, Order, Rate, Selection, Step, SvcSettings,
};
use crate::{Error, Result};
use pyo3::prelude::*;

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
                $crate::python::path::check_settings(|path| solver.method(path))?;
                Ok(solver)
            }

            /// Raises `ValueError` if a value of the path is invalid.
            fn check(&self, path: Vec<$crate::python::path::PathValue>) -> PyResult<()> {
                self.method(&path)?;
                Ok(())
            }

            fn __repr__(&self) -> String {
                format!("{self:?}")
            }
        }

        impl $name {
            /// The method with these values of its path.
            pub fn method(&self, $path: &[$crate::python::path::PathValue]) -> $crate::Result<$method> {
                let $given = self;
                $make
            }
        }
    };
}
pub(super) use solver;

solver! {
    /// OLLAWV, along the margin.
    OllawvSolver(c: f64, bias: bool, max_sv_fraction: f64, epochs: usize, step: String) -> Method,
    |given, path| Ok(OllawvSettings {
        margins: numbers(path)?,
        c: given.c,
        bias: given.bias,
        max_sv_fraction: given.max_sv_fraction,
        epochs: given.epochs,
        rate: Rate::parse(&given.step)?,
    }
    .check()?
    .into())
}

solver! {
    /// The exact solver, along C, nu, or C with epsilon or nu.
    SvcSolver(
        formulation: String,
        tol: f64,
        working_set_size: Option<usize>,
        shrinking: bool,
        max_iter: Option<usize>
    ) -> Method,
    |given, path| {
        let (cs, formulation) = formulation(&given.formulation, path)?;
        Ok(SvcSettings {
            cs,
            formulation,
            tol: given.tol,
            working_set_size: given.working_set_size,
            shrinking: given.shrinking,
            max_iter: given.max_iter,
        }
        .check()?
        .into())
    }
}

/// The values of C of a path, and the formulation with its values of epsilon or nu.
fn formulation(name: &str, path: &[PathValue]) -> Result<(Vec<f64>, Formulation)> {
    let of_nu = |formulation: fn(Vec<f64>) -> Formulation| {
        let nus = numbers(path)?;
        Ok((vec![1.0; nus.len()], formulation(nus)))
    };
    match name {
        "c_svc" => Ok((numbers(path)?, Formulation::Classification)),
        "nu_svc" => of_nu(|nus| Formulation::NuClassification { nus }),
        "one_class" => of_nu(|nus| Formulation::OneClass { nus }),
        "epsilon_svr" => {
            let (cs, epsilons) = pairs(path)?;
            Ok((cs, Formulation::Regression { epsilons }))
        }
        "nu_svr" => {
            let (cs, nus) = pairs(path)?;
            Ok((cs, Formulation::NuRegression { nus }))
        }
        _ => Err(Error::parameter(
            "formulation",
            format!("{name:?}"),
            "it must be 'c_svc', 'nu_svc', 'one_class', 'epsilon_svr' or 'nu_svr'",
        )),
    }
}

solver! {
    /// NL-SGD, along C.
    NlSgdSolver(epochs: usize, average: f64, step: String, order: String, seed: u64) -> Method,
    |given, path| Ok(NlSgdSettings {
        cs: numbers(path)?,
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
        cs: numbers(path)?,
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
        cs: numbers(path)?,
        tol: given.tol,
        max_iter: given.max_iter,
    }
    .check()?
    .into())
}

solver! {
    /// Newton's method in the primal, along C.
    NewtonSolver(bias: String, max_iter: Option<usize>, line_search: bool) -> Method,
    |given, path| Ok(NewtonSettings {
        cs: numbers(path)?,
        bias: Bias::parse(&given.bias)?,
        max_iter: given.max_iter,
        line_search: given.line_search,
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
    pub fn method(&self, path: &[PathValue]) -> Result<Method> {
        match self {
            KernelSolver::Ollawv(solver) => solver.method(path),
            KernelSolver::Svc(solver) => solver.method(path),
            KernelSolver::NlSgd(solver) => solver.method(path),
            KernelSolver::MnSvm(solver) => solver.method(path),
            KernelSolver::NnIsda(solver) => solver.method(path),
            KernelSolver::Newton(solver) => solver.method(path),
        }
    }

    /// The objective that the method minimizes, for regression with a tube of half-width
    /// `epsilon`; `None` if it is not an exact method.
    pub fn objective(&self, epsilon: f64) -> Result<Option<Objective>> {
        Ok(match self {
            KernelSolver::Ollawv(_) | KernelSolver::NlSgd(_) => None,
            KernelSolver::Svc(solver) => Some(match &*solver.formulation {
                "epsilon_svr" | "nu_svr" => Objective::Tube { epsilon },
                "one_class" => Objective::OneClass,
                _ => Objective::Hinge,
            }),
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
    path: Vec<PathValue>,
    data: &TrainingData,
    kernel: &Kernel,
    limits: &Limits,
    row_source: &str,
) -> PyResult<Vec<Model>> {
    let method = solver.method(&path)?;
    train::fit(py, data, kernel.settings(), limits, row_source, &method)
}
