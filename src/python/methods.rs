//! One function for each method.

use super::kernels::KernelArgs;
use super::model::Model;
use super::train::{DataArgs, StartArg, TrainArgs, fit};
use crate::solver::{OllawvSettings, SvcSettings};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// OLLAWV: one model for each margin.
#[pyfunction]
#[pyo3(signature = (rows, codes, class_weights, kernel, train, *, margins, c, bias, max_sv_fraction))]
#[allow(clippy::too_many_arguments)] // a keyword each, on the Python side
pub fn fit_ollawv<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
    class_weights: PyReadonlyArray1<'py, f64>,
    kernel: KernelArgs,
    train: TrainArgs,
    margins: Vec<f64>,
    c: f64,
    bias: bool,
    max_sv_fraction: f64,
) -> PyResult<Vec<Model>> {
    let settings = OllawvSettings {
        margins,
        c,
        bias,
        max_sv_fraction,
    };
    let data = DataArgs {
        rows,
        codes,
        class_weights,
        sample_weights: None,
        starts: None,
    };
    fit(py, &data, &kernel, &train, &settings.check()?)
}

/// The exact SVM: one model for each C.
#[pyfunction]
#[pyo3(signature = (rows, codes, class_weights, sample_weights, kernel, train, *, cs, tol, working_set_size, shrinking, max_iter, starts))]
#[allow(clippy::too_many_arguments)] // a keyword each, on the Python side
pub fn fit_svc<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
    class_weights: PyReadonlyArray1<'py, f64>,
    sample_weights: Option<PyReadonlyArray1<'py, f64>>,
    kernel: KernelArgs,
    train: TrainArgs,
    cs: Vec<f64>,
    tol: f64,
    working_set_size: Option<usize>,
    shrinking: bool,
    max_iter: Option<usize>,
    starts: Option<Vec<StartArg<'py>>>,
) -> PyResult<Vec<Model>> {
    let settings = SvcSettings {
        cs,
        tol,
        working_set_size,
        shrinking,
        max_iter,
    };
    let data = DataArgs {
        rows,
        codes,
        class_weights,
        sample_weights,
        starts,
    };
    fit(py, &data, &kernel, &train, &settings.check()?)
}
