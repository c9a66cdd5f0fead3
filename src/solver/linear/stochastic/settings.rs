//! Parameters of stochastic gradient descent.

use super::super::{Intercept, Penalty};
use super::Sgd;
use crate::solver::hyperparameters::check_positive;
use crate::{Error, Result};

/// Which rule makes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimizer {
    /// Steps of `1 / (lambda t)`.
    Pegasos,
    /// Steps of `eta / (1 + lambda eta t)`.
    Sgd,
    /// With a velocity.
    Momentum,
    /// With a velocity, and the gradient ahead.
    Nag,
    /// Steps of each feature divided by its mean gradient.
    RmsProp,
}

impl Optimizer {
    /// From the name that Python uses.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "pegasos" => Optimizer::Pegasos,
            "sgd" => Optimizer::Sgd,
            "momentum" => Optimizer::Momentum,
            "nag" => Optimizer::Nag,
            "rmsprop" => Optimizer::RmsProp,
            _ => {
                let rule = "it must be 'pegasos', 'sgd', 'momentum', 'nag' or 'rmsprop'";
                return Err(Error::parameter("optimizer", format!("{name:?}"), rule));
            }
        })
    }

    /// Whether a mean of the weights is part of the rule.
    pub(super) fn can_average(self) -> bool {
        matches!(self, Optimizer::Pegasos | Optimizer::Sgd)
    }
}

/// Which row comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// All rows in turn, shuffled anew for each epoch.
    Shuffled,
    /// All rows in turn.
    InOrder,
    /// Any row, drawn anew each time, as the papers do.
    Drawn,
}

impl Visit {
    /// From the name that Python uses.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "shuffled" => Ok(Visit::Shuffled),
            "in order" => Ok(Visit::InOrder),
            "drawn" => Ok(Visit::Drawn),
            _ => {
                let rule = "it must be True, False or 'draw'";
                Err(Error::parameter("shuffle", format!("{name:?}"), rule))
            }
        }
    }
}

/// Stops before all epochs are done, when nothing gets better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyStop {
    /// What counts as better: a mean loss lower by this, or an accuracy higher by this.
    pub tol: f64,
    /// Epochs in a row without getting better.
    pub patience: usize,
    /// The share of the rows of each label that are kept for judging; without it, the loss of
    /// the rows when they are visited is judged.
    pub validation: Option<f64>,
}

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct SgdSettings {
    /// The rule.
    pub optimizer: Optimizer,
    /// Norm against losses.
    pub penalty: Penalty,
    /// The most passes through the rows; `None` for as many as they need.
    pub epochs: Option<usize>,
    /// Rows of a step.
    pub batch_size: usize,
    /// Whether Pegasos keeps w in the ball of radius `1 / sqrt(lambda)`.
    pub project: bool,
    /// The share of the steps, the last ones, whose mean is the result.
    pub average: f64,
    /// The (first) step length; `None` for one that fits the rows.
    pub eta0: Option<f64>,
    /// The share of the velocity that stays.
    pub momentum: f64,
    /// The bias.
    pub intercept: Intercept,
    /// The order of rows.
    pub visit: Visit,
    /// When to stop early.
    pub early_stop: Option<EarlyStop>,
    /// Of the order of rows.
    pub seed: u64,
}

/// Passes where none are given, and the rows that are visited in them at least: few rows are
/// visited more often.
const EPOCHS: usize = 20;
const VISITS: usize = 3000;

impl SgdSettings {
    /// The most passes through so many rows.
    pub(super) fn epochs_of(&self, n_rows: usize) -> usize {
        let own = || EPOCHS.max(VISITS.div_ceil(n_rows.max(1)));
        self.epochs.unwrap_or_else(own)
    }

    /// The only way to a [`Sgd`].
    pub fn check(self) -> Result<Sgd> {
        let refuse = |name, value: f64, rule| Err(Error::parameter(name, value, rule));
        let unit = |value: f64| (0.0..=1.0).contains(&value);
        if self.epochs == Some(0) {
            return refuse("epochs", 0.0, "it must be at least 1");
        }
        if self.batch_size == 0 {
            return refuse("batch_size", 0.0, "it must be at least 1");
        }
        if !unit(self.average) {
            return refuse("average", self.average, "it must be from 0 to 1");
        }
        if let Some(eta) = self.eta0 {
            check_positive("eta0", eta)?;
        }
        if !(0.0..1.0).contains(&self.momentum) {
            return refuse("momentum", self.momentum, "it must be from 0 to below 1");
        }
        if let Some(stop) = self.early_stop {
            if stop.tol.is_nan() || stop.tol < 0.0 {
                return refuse("tol", stop.tol, "it must not be negative");
            }
            if stop.patience == 0 {
                return refuse("n_iter_no_change", 0.0, "it must be at least 1");
            }
            if let Some(share) = stop.validation
                && !(share > 0.0 && share < 1.0)
            {
                let rule = "it must be between 0 and 1";
                return refuse("validation_fraction", share, rule);
            }
        }
        let penalty = self.penalty.check()?;
        Ok(Sgd {
            settings: Self { penalty, ..self },
        })
    }
}
