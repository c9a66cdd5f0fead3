//! Methods by name, and their training.

use super::kernels::KernelArgs;
use super::model::Model;
use super::train::{self, DataArgs, TrainArgs};
use crate::solver::{
    Bias, Method, MnSvmSettings, NewtonSettings, NlSgdSettings, NnIsdaSettings, OllawvSettings,
    Order, Selection, Step, SvcSettings,
};
use crate::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[derive(FromPyObject)]
pub struct OllawvArgs {
    #[pyo3(item)]
    c: f64,
    #[pyo3(item)]
    bias: bool,
    #[pyo3(item)]
    max_sv_fraction: f64,
}

#[derive(FromPyObject)]
pub struct SvcArgs {
    #[pyo3(item)]
    tol: f64,
    #[pyo3(item)]
    working_set_size: Option<usize>,
    #[pyo3(item)]
    shrinking: bool,
    #[pyo3(item)]
    max_iter: Option<usize>,
}

#[derive(FromPyObject)]
pub struct NlSgdArgs {
    #[pyo3(item)]
    epochs: usize,
    #[pyo3(item)]
    average: f64,
    #[pyo3(item)]
    step: String,
    #[pyo3(item)]
    order: String,
    #[pyo3(item)]
    seed: u64,
}

#[derive(FromPyObject)]
pub struct MnSvmArgs {
    #[pyo3(item)]
    eps: f64,
    #[pyo3(item)]
    selection: String,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    max_iter: Option<usize>,
}

#[derive(FromPyObject)]
pub struct NnIsdaArgs {
    #[pyo3(item)]
    tol: f64,
    #[pyo3(item)]
    max_iter: Option<usize>,
}

#[derive(FromPyObject)]
pub struct NewtonArgs {
    #[pyo3(item)]
    bias: String,
    #[pyo3(item)]
    max_iter: Option<usize>,
}

/// Makes methods of one name and settings, for any path.
pub enum Maker {
    Ollawv(OllawvArgs),
    Svc(SvcArgs),
    NlSgd(NlSgdArgs),
    MnSvm(MnSvmArgs),
    NnIsda(NnIsdaArgs),
    Newton(NewtonArgs),
}

impl Maker {
    /// From the name of a method and its parameters besides path and kernel.
    pub fn new(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(match method {
            "ollawv" => Maker::Ollawv(settings.extract()?),
            "svc" => Maker::Svc(settings.extract()?),
            "nlsgd" => Maker::NlSgd(settings.extract()?),
            "mnsvm" => Maker::MnSvm(settings.extract()?),
            "nnisda" => Maker::NnIsda(settings.extract()?),
            "newton" => Maker::Newton(settings.extract()?),
            _ => {
                let rule = "there is no such method";
                return Err(Error::parameter("method", format!("{method:?}"), rule).into());
            }
        })
    }

    /// The method with these values of its path.
    pub fn method(&self, path: &[f64]) -> Result<Method> {
        let path = path.to_vec();
        Ok(match self {
            Maker::Ollawv(given) => OllawvSettings {
                margins: path,
                c: given.c,
                bias: given.bias,
                max_sv_fraction: given.max_sv_fraction,
            }
            .check()?
            .into(),
            Maker::Svc(given) => SvcSettings {
                cs: path,
                tol: given.tol,
                working_set_size: given.working_set_size,
                shrinking: given.shrinking,
                max_iter: given.max_iter,
            }
            .check()?
            .into(),
            Maker::NlSgd(given) => NlSgdSettings {
                cs: path,
                epochs: given.epochs,
                average: given.average,
                step: Step::parse(&given.step)?,
                order: Order::parse(&given.order)?,
                seed: given.seed,
            }
            .check()?
            .into(),
            Maker::MnSvm(given) => MnSvmSettings {
                cs: path,
                eps: given.eps,
                selection: Selection::parse(&given.selection)?,
                seed: given.seed,
                max_iter: given.max_iter,
            }
            .check()?
            .into(),
            Maker::NnIsda(given) => NnIsdaSettings {
                cs: path,
                tol: given.tol,
                max_iter: given.max_iter,
            }
            .check()?
            .into(),
            Maker::Newton(given) => NewtonSettings {
                cs: path,
                bias: Bias::parse(&given.bias)?,
                max_iter: given.max_iter,
            }
            .check()?
            .into(),
        })
    }
}

/// One model for each value of the path of a method.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    method: &str,
    settings: &Bound<'_, PyDict>,
    path: Vec<f64>,
    data: DataArgs<'_>,
    kernel: KernelArgs,
    train: TrainArgs,
) -> PyResult<Vec<Model>> {
    let solver = Maker::new(method, settings)?.method(&path)?;
    train::fit(py, &data, &kernel, &train, &solver)
}
