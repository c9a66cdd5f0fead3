//! Linear methods by name.

use crate::solver::linear::{
    DualSettings, EarlyStop, FasterExact, GradientSettings, Intercept, LinearMethod,
    LinearNewtonSettings, Loss, Optimizer, Penalty, SgdSettings, Visit,
};
use crate::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[derive(FromPyObject)]
pub struct SgdArgs {
    #[pyo3(item)]
    optimizer: String,
    #[pyo3(item)]
    epochs: Option<usize>,
    #[pyo3(item)]
    batch_size: usize,
    #[pyo3(item)]
    project: bool,
    #[pyo3(item)]
    average: f64,
    #[pyo3(item)]
    eta0: Option<f64>,
    #[pyo3(item)]
    momentum: f64,
    #[pyo3(item)]
    visit: String,
    /// Tolerance, epochs, and the share of rows that judge.
    #[pyo3(item)]
    early_stop: Option<(f64, usize, Option<f64>)>,
    #[pyo3(item)]
    seed: u64,
}

#[derive(FromPyObject)]
pub struct GradientArgs {
    #[pyo3(item)]
    eta0: f64,
    #[pyo3(item)]
    max_iter: Option<usize>,
    #[pyo3(item)]
    tol: f64,
}

#[derive(FromPyObject)]
pub struct ExactArgs {
    #[pyo3(item)]
    loss: String,
    /// `None` for the faster of both.
    #[pyo3(item)]
    dual: Option<bool>,
    #[pyo3(item)]
    tol: f64,
    #[pyo3(item)]
    max_iter: Option<usize>,
    #[pyo3(item)]
    seed: u64,
}

/// What all linear methods have.
#[derive(FromPyObject)]
struct CommonArgs {
    /// Whether values of the path are lambda instead of C.
    #[pyo3(item)]
    is_lambda: bool,
    /// "violators", or the value of the constant feature, 0 for none.
    #[pyo3(item)]
    intercept: InterceptArg,
}

#[derive(FromPyObject)]
enum InterceptArg {
    Constant(f64),
    Named(String),
}

/// Makes linear methods of one name and settings, for any value of the path.
pub struct LinearMaker {
    args: Args,
    common: CommonArgs,
}

enum Args {
    Sgd(SgdArgs),
    Gradient(GradientArgs),
    Exact(ExactArgs),
}

impl LinearMaker {
    /// From the name of a method and its parameters besides the path; `None` for other names.
    pub fn new(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<Option<Self>> {
        let args = match method {
            "sgd" => Args::Sgd(settings.extract()?),
            "gd" => Args::Gradient(settings.extract()?),
            "linear" => Args::Exact(settings.extract()?),
            _ => return Ok(None),
        };
        let common = settings.extract()?;
        Ok(Some(Self { args, common }))
    }

    fn intercept(&self) -> Result<Intercept> {
        match &self.common.intercept {
            InterceptArg::Constant(0.0) => Ok(Intercept::None),
            InterceptArg::Constant(value) if *value > 0.0 && value.is_finite() => {
                Ok(Intercept::Constant(*value))
            }
            InterceptArg::Constant(value) => {
                let rule = "it must be a finite positive number";
                Err(Error::parameter("intercept_scaling", value, rule))
            }
            InterceptArg::Named(name) if name == "violators" => Ok(Intercept::Violators),
            InterceptArg::Named(name) => {
                let rule = "it must be True, False or 'violators'";
                Err(Error::parameter("fit_intercept", format!("{name:?}"), rule))
            }
        }
    }

    /// The value of the constant feature.
    pub fn constant(&self) -> Result<f64> {
        Ok(self.intercept()?.constant())
    }

    /// The method with this value of its path.
    pub fn method(&self, value: f64) -> Result<LinearMethod> {
        let penalty = if self.common.is_lambda {
            Penalty::Lambda(value)
        } else {
            Penalty::C(value)
        };
        let intercept = self.intercept()?;
        Ok(match &self.args {
            Args::Sgd(given) => SgdSettings {
                optimizer: Optimizer::parse(&given.optimizer)?,
                penalty,
                epochs: given.epochs,
                batch_size: given.batch_size,
                project: given.project,
                average: given.average,
                eta0: given.eta0,
                momentum: given.momentum,
                intercept,
                visit: Visit::parse(&given.visit)?,
                early_stop: given
                    .early_stop
                    .map(|(tol, patience, validation)| EarlyStop {
                        tol,
                        patience,
                        validation,
                    }),
                seed: given.seed,
            }
            .check()?
            .into(),
            Args::Gradient(given) => GradientSettings {
                penalty,
                eta0: given.eta0,
                max_iter: given.max_iter,
                tol: given.tol,
                intercept,
            }
            .check()?
            .into(),
            Args::Exact(given) => {
                let dual = DualSettings {
                    loss: Loss::parse(&given.loss)?,
                    penalty,
                    tol: given.tol,
                    max_iter: given.max_iter,
                    intercept,
                    seed: given.seed,
                };
                let newton = LinearNewtonSettings {
                    penalty,
                    tol: given.tol,
                    max_iter: given.max_iter,
                    intercept,
                    free_bias: false,
                };
                match given.dual {
                    Some(true) => dual.check()?.into(),
                    Some(false) => newton.check()?.into(),
                    None => FasterExact::new(dual)?.into(),
                }
            }
        })
    }
}
