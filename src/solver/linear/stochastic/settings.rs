//! Hyperparameters of stochastic gradient descent.

use super::super::{Intercept, Penalty};
use super::Sgd;
use crate::solver::hyperparameters::check_positive;
use crate::{Error, Result};

/// The update rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimizer {
    /// The learning rate `1 / (lambda t)`.
    Pegasos,
    /// The learning rate `eta / (1 + lambda eta t)`.
    Sgd,
    /// Momentum.
    Momentum,
    /// Nesterov's accelerated gradient.
    Nag,
    /// A learning rate for each feature, divided by its root mean squared gradient.
    RmsProp,
}

impl Optimizer {
    /// Parses the name used in Python.
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

    /// Whether the rule can average the weights.
    pub(super) fn can_average(self) -> bool {
        matches!(self, Optimizer::Pegasos | Optimizer::Sgd)
    }
}

/// The order in which samples are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// All samples in turn, shuffled before each epoch.
    Shuffled,
    /// All samples in the given order.
    InOrder,
    /// A random sample in each step, drawn with replacement, as in the papers.
    Drawn,
}

impl Visit {
    /// Parses the name used in Python.
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

/// Early stopping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EarlyStop {
    /// The least improvement of the mean loss, or of the validation accuracy.
    pub tol: f64,
    /// Number of consecutive epochs without improvement.
    pub patience: usize,
    /// The fraction of the samples of each label that is held out for validation; `None` uses the
    /// training loss, measured when the samples are visited.
    pub validation: Option<f64>,
}

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SgdSettings {
    /// The update rule.
    pub optimizer: Optimizer,
    /// The regularization parameter.
    pub penalty: Penalty,
    /// The maximum number of epochs; `None` chooses it by the number of samples.
    pub epochs: Option<usize>,
    /// Number of samples per step.
    pub batch_size: usize,
    /// Whether Pegasos projects w to the ball of radius `1 / sqrt(lambda)`.
    pub project: bool,
    /// The fraction of the steps, at the end, over which the weights are averaged.
    pub average: f64,
    /// The (initial) learning rate; `None` chooses it by the norms of the samples.
    pub eta0: Option<f64>,
    /// The momentum coefficient gamma.
    pub momentum: f64,
    /// The decay rate of the mean squared gradient of RMSprop.
    pub decay: f64,
    /// What RMSprop adds to the mean squared gradient.
    pub epsilon: f64,
    /// Whether the rules are those of the listings in the papers where these differ from the text:
    /// Pegasos divides by the number of violators, NAG tests the margin at w, and RMSprop divides
    /// by the mean squared gradient itself.
    pub as_printed: bool,
    /// How the bias is computed.
    pub intercept: Intercept,
    /// The order of the samples.
    pub visit: Visit,
    /// Early stopping; `None` runs all epochs.
    pub early_stop: Option<EarlyStop>,
    /// The seed of the order.
    pub seed: u64,
}

/// The default number of epochs.
const EPOCHS: usize = 20;

/// The least number of visits of samples with the default number of epochs.
const MIN_VISITS: usize = 3000;

impl SgdSettings {
    /// The maximum number of epochs over `n_rows` samples.
    pub(super) fn epochs_of(&self, n_rows: usize) -> usize {
        let default = || EPOCHS.max(MIN_VISITS.div_ceil(n_rows.max(1)));
        self.epochs.unwrap_or_else(default)
    }

    /// Checks the hyperparameters and returns the solver.
    pub fn check(self) -> Result<Sgd> {
        let reject = |name, value: f64, rule| Err(Error::parameter(name, value, rule));
        let unit = |value: f64| (0.0..=1.0).contains(&value);
        if self.epochs == Some(0) {
            return reject("epochs", 0.0, "it must be at least 1");
        }
        if self.batch_size == 0 {
            return reject("batch_size", 0.0, "it must be at least 1");
        }
        if !unit(self.average) {
            return reject("average", self.average, "it must be from 0 to 1");
        }
        if let Some(eta) = self.eta0 {
            check_positive("eta0", eta)?;
        }
        if !(0.0..1.0).contains(&self.momentum) {
            return reject("momentum", self.momentum, "it must be from 0 to below 1");
        }
        if !(0.0..1.0).contains(&self.decay) {
            return reject("decay", self.decay, "it must be from 0 to below 1");
        }
        check_positive("epsilon", self.epsilon)?;
        if let Some(stop) = self.early_stop {
            if stop.tol.is_nan() || stop.tol < 0.0 {
                return reject("tol", stop.tol, "it must not be negative");
            }
            if stop.patience == 0 {
                return reject("n_iter_no_change", 0.0, "it must be at least 1");
            }
            if let Some(share) = stop.validation
                && !(share > 0.0 && share < 1.0)
            {
                let rule = "it must be between 0 and 1";
                return reject("validation_fraction", share, rule);
            }
        }
        let penalty = self.penalty.check()?;
        Ok(Sgd {
            settings: Self { penalty, ..self },
        })
    }
}
