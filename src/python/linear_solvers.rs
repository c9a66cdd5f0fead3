//! Linear methods with their settings, as frozen Python values. See `solvers.rs`.

use super::path::{PathValue, numbers, pairs};
use super::solvers::solver;
use crate::select::LinearPath;
use crate::solver::linear::{
    DualSettings, EarlyStop, FasterExact, GradientSettings, Intercept, L1Settings, LinearMethod,
    LinearNewtonSettings, Loss, Optimizer, Penalty, SgdSettings, Visit,
};
use crate::{Error, Result};
use pyo3::prelude::*;

/// The value of a constant feature, 0 for no intercept, or "violators".
#[derive(Debug, Clone, PartialEq, FromPyObject, IntoPyObject)]
pub enum InterceptRule {
    Constant(f64),
    Named(String),
}

impl InterceptRule {
    fn check(&self) -> Result<Intercept> {
        match self {
            InterceptRule::Constant(0.0) => Ok(Intercept::None),
            InterceptRule::Constant(value) if *value > 0.0 && value.is_finite() => {
                Ok(Intercept::Constant(*value))
            }
            InterceptRule::Constant(value) => {
                let rule = "it must be a finite positive number";
                Err(Error::parameter("intercept_scaling", value, rule))
            }
            InterceptRule::Named(name) if name == "violators" => Ok(Intercept::Violators),
            InterceptRule::Named(name) => {
                let rule = "it must be True, False or 'violators'";
                Err(Error::parameter("fit_intercept", format!("{name:?}"), rule))
            }
        }
    }
}

/// A method for each value of the path, which holds values of lambda or of C.
fn along(
    path: &[PathValue],
    is_lambda: bool,
    intercept: &InterceptRule,
    method: impl Fn(Penalty, Intercept) -> Result<LinearMethod>,
) -> Result<LinearPath> {
    let penalty = if is_lambda {
        Penalty::Lambda
    } else {
        Penalty::C
    };
    let penalties = numbers(path)?.into_iter().map(penalty);
    of_settings(penalties, intercept, method)
}

/// A method for each of the settings.
fn of_settings<S>(
    settings: impl Iterator<Item = S>,
    intercept: &InterceptRule,
    method: impl Fn(S, Intercept) -> Result<LinearMethod>,
) -> Result<LinearPath> {
    let intercept = intercept.check()?;
    let methods = settings.map(|setting| method(setting, intercept));
    Ok(LinearPath {
        methods: methods.collect::<Result<_>>()?,
        constant: intercept.constant(),
    })
}

/// The penalty and the loss of each value of a path: C, or C and epsilon for the losses of targets.
fn penalties_and_losses(name: &str, path: &[PathValue]) -> Result<Vec<(Penalty, Loss)>> {
    let with_loss = |c, epsilon| Ok((Penalty::C(c), Loss::parse(name, epsilon)?));
    if Loss::parse(name, 0.0)?.tube().is_some() {
        let (cs, epsilons) = pairs(path)?;
        let each = cs.into_iter().zip(epsilons);
        return each.map(|(c, epsilon)| with_loss(c, epsilon)).collect();
    }
    numbers(path)?
        .into_iter()
        .map(|c| with_loss(c, 0.0))
        .collect()
}

solver! {
    /// Stochastic subgradient descent by one of five rules.
    SgdSolver(
        optimizer: String,
        epochs: Option<usize>,
        batch_size: usize,
        project: bool,
        average: f64,
        eta0: Option<f64>,
        momentum: f64,
        decay: f64,
        epsilon: f64,
        as_printed: bool,
        visit: String,
        early_stop: Option<(f64, usize, Option<f64>)>,
        seed: u64,
        is_lambda: bool,
        intercept: InterceptRule
    ) -> LinearPath,
    |given, path| along(path, given.is_lambda, &given.intercept, |penalty, intercept| {
        let early_stop = |(tol, patience, validation)| EarlyStop {
            tol,
            patience,
            validation,
        };
        Ok(SgdSettings {
            optimizer: Optimizer::parse(&given.optimizer)?,
            penalty,
            epochs: given.epochs,
            batch_size: given.batch_size,
            project: given.project,
            average: given.average,
            eta0: given.eta0,
            momentum: given.momentum,
            decay: given.decay,
            epsilon: given.epsilon,
            as_printed: given.as_printed,
            intercept,
            visit: Visit::parse(&given.visit)?,
            early_stop: given.early_stop.map(early_stop),
            seed: given.seed,
        }
        .check()?
        .into())
    })
}

solver! {
    /// Gradient descent on the squared hinge loss.
    GradientSolver(
        eta0: f64,
        max_iter: Option<usize>,
        tol: f64,
        is_lambda: bool,
        intercept: InterceptRule
    ) -> LinearPath,
    |given, path| along(path, given.is_lambda, &given.intercept, |penalty, intercept| {
        Ok(GradientSettings {
            penalty,
            eta0: given.eta0,
            max_iter: given.max_iter,
            tol: given.tol,
            intercept,
        }
        .check()?
        .into())
    })
}

solver! {
    /// The exact linear solvers, along C, or C with epsilon. `dual` selects the problem; `None`
    /// selects the faster one.
    ExactLinearSolver(
        loss: String,
        dual: Option<bool>,
        tol: f64,
        max_iter: Option<usize>,
        seed: u64,
        intercept: InterceptRule
    ) -> LinearPath,
    |given, path| of_settings(penalties_and_losses(&given.loss, path)?.into_iter(), &given.intercept, |(penalty, loss), intercept| {
        if loss.tube().is_some() && intercept == Intercept::Violators {
            let rule = "it must be True or False for regression";
            return Err(Error::parameter("fit_intercept", "'violators'", rule));
        }
        let dual = DualSettings {
            loss,
            penalty,
            tol: given.tol,
            max_iter: given.max_iter,
            intercept,
            seed: given.seed,
        };
        let newton = LinearNewtonSettings {
            loss,
            penalty,
            tol: given.tol,
            max_iter: given.max_iter,
            intercept,
            free_bias: false,
        };
        Ok(match given.dual {
            Some(true) => dual.check()?.into(),
            Some(false) => newton.check()?.into(),
            None => FasterExact::new(dual)?.into(),
        })
    })
}

solver! {
    /// The squared hinge loss with an L1 penalty.
    L1LinearSolver(
        tol: f64,
        max_iter: Option<usize>,
        seed: u64,
        intercept: InterceptRule
    ) -> LinearPath,
    |given, path| along(path, false, &given.intercept, |penalty, intercept| {
        Ok(L1Settings {
            penalty,
            tol: given.tol,
            max_iter: given.max_iter,
            intercept,
            seed: given.seed,
        }
        .check()?
        .into())
    })
}

/// Any of the linear methods.
#[derive(FromPyObject)]
pub enum LinearSolver {
    Sgd(SgdSolver),
    Gradient(GradientSolver),
    Exact(ExactLinearSolver),
    L1(L1LinearSolver),
}

impl LinearSolver {
    /// The method with these values of its path.
    pub fn method(&self, path: &[PathValue]) -> Result<LinearPath> {
        match self {
            LinearSolver::Sgd(solver) => solver.method(path),
            LinearSolver::Gradient(solver) => solver.method(path),
            LinearSolver::Exact(solver) => solver.method(path),
            LinearSolver::L1(solver) => solver.method(path),
        }
    }
}
