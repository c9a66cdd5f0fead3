//! Linear classifiers and regressors, trained in the weights of the features without kernel values.
//!
//! ```text
//! lambda / 2 |w|^2 + 1/n sum_i c_i loss(z_i),   f(x) = w . x + b,   lambda = 1 / (C n)
//! ```
//!
//! with the loss `max(0, z)` or its square, and sample weights `c_i`. For classification,
//! `z_i = 1 - y_i f(x_i)` with the labels y; for regression, `z_i = |p_i - f(x_i)| - epsilon` with
//! the targets p ([`Loss`]). The bias is either the
//! weight of a constant feature, and thus part of the norm, or computed after training
//! ([`Intercept`]).
//!
//! Weights are in f64, whatever the type of the samples.

mod certificate;
mod dual;
mod exact;
mod example;
mod gradient;
mod l1;
mod lagrangian;
mod line_search;
mod method;
mod newton;
mod problem;
mod record;
mod rules;
mod stochastic;
mod sums;

pub use dual::{DualDescent, DualSettings};
pub use exact::FasterExact;
pub use example::Example;
pub use gradient::{GradientDescent, GradientSettings};
pub use l1::{L1Descent, L1Settings};
pub use method::LinearMethod;
pub use newton::{Expansion, LinearNewton, LinearNewtonSettings};
pub use problem::{Intercept, LinearProblem, Loss, Outline, Penalty};
pub use record::{Recorder, Snapshot};
pub use rules::RuleState;
pub use stochastic::{EarlyStop, Optimizer, Sgd, SgdSettings, Visit};

use super::{Certificate, Status};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// A trained linear binary classifier or regressor: `f(x) = weights . x + bias`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMachine {
    /// The weight of each feature.
    pub weights: Vec<f64>,
    /// The bias.
    pub bias: f64,
    /// Number of epochs, or of steps for methods whose steps use all samples.
    pub n_iter: u64,
    /// How training ended.
    pub status: Status,
    /// The certificate, for exact methods.
    pub certificate: Option<Certificate>,
    /// The state from which training can continue, for gradient methods.
    pub state: Option<RuleState>,
    /// The recorded weights during training.
    pub snapshots: Vec<Snapshot>,
}

impl LinearMachine {
    /// From the weights of all features; the last one is that of the constant feature.
    fn new(constant: f64, mut weights: Vec<f64>, n_iter: u64, status: Status) -> Self {
        let bias = constant * weights.pop().unwrap_or(0.0);
        Self {
            weights,
            bias,
            n_iter,
            status,
            certificate: None,
            state: None,
            snapshots: Vec::new(),
        }
    }

    /// The classifier of a run that had no time for a step: all weights are 0.
    fn untrained(outline: &Outline, intercept: Intercept) -> Result<Self> {
        let weights = try_zeros(outline.n_features + 1, 1, "weights")?;
        let mut machine = Self::new(outline.constant, weights, 0, Status::TimeLimit);
        if intercept == Intercept::Violators {
            machine.bias = outline.violators_bias();
        }
        Ok(machine)
    }

    /// As [`LinearMachine::untrained`], with the certificate of zero weights: every sample has a
    /// loss of 1, and all dual variables are 0.
    fn untrained_exact(outline: &Outline, intercept: Intercept, c: f64) -> Result<Self> {
        let n_rows = outline.n_rows as f64;
        let losses = outline.weights.iter().sum::<f64>();
        let mut machine = Self::untrained(outline, intercept)?;
        machine.certificate = Some(Certificate {
            primal: (c * losses).min(n_rows * problem::LARGEST),
            dual: 0.0,
            violation: n_rows.min(1.0),
        });
        Ok(machine)
    }

    /// Computes the bias, if it is computed after training, stores the snapshots, and converts all
    /// quantities to the units of the targets.
    fn finish<T: Lanes>(
        &mut self,
        problem: &LinearProblem<'_, T>,
        intercept: Intercept,
        recorder: Recorder,
    ) {
        let bias = |weights: &[f64]| match intercept {
            Intercept::Violators => problem.violators_bias(weights),
            _ => problem.constant() * weights.last().unwrap_or(&0.0),
        };
        self.snapshots = recorder.finish();
        for snapshot in &mut self.snapshots {
            snapshot.bias = bias(&snapshot.weights);
            snapshot.weights.pop();
        }
        if intercept == Intercept::Violators {
            let mut weights = self.weights.clone();
            weights.push(0.0);
            self.bias = bias(&weights);
        }
        self.multiply(problem.unit());
        self.reset_if_not_finite();
    }

    /// Multiplies the decision values by `unit`.
    fn multiply(&mut self, unit: f64) {
        if unit == 1.0 {
            return;
        }
        let shots = self.snapshots.iter_mut();
        let of_shots = shots.flat_map(|shot| shot.weights.iter_mut().chain([&mut shot.bias]));
        let own = self.weights.iter_mut().chain([&mut self.bias]);
        own.chain(of_shots).for_each(|weight| *weight *= unit);
        self.certificate = self.certificate.map(|found| Certificate {
            primal: found.primal * unit * unit,
            // Finite, so that the gap is defined if both overflow.
            dual: (found.dual * unit * unit).min(f64::MAX),
            violation: found.violation * unit,
        });
    }

    /// Whether all weights are finite, including those of the state.
    fn is_finite(&self) -> bool {
        let of_state = self
            .state
            .iter()
            .flat_map(|s| s.weights.iter().chain(&s.memory));
        let mut numbers = self.weights.iter().chain([&self.bias]).chain(of_state);
        numbers.all(|number| number.is_finite())
    }

    /// If a number is not finite, sets all weights to 0 and the status to [`Status::NonFinite`].
    fn reset_if_not_finite(&mut self) {
        if self.status != Status::NonFinite && self.is_finite() {
            return;
        }
        self.status = Status::NonFinite;
        self.weights.fill(0.0);
        self.bias = 0.0;
        self.certificate = self.certificate.map(|_| Certificate {
            primal: f64::INFINITY,
            dual: f64::NEG_INFINITY,
            violation: f64::INFINITY,
        });
        self.state = self.state.take().map(|state| RuleState {
            weights: vec![0.0; state.weights.len()],
            ..RuleState::default()
        });
    }
}

/// A method that trains one linear binary classifier or regressor.
pub trait LinearSolver: Sync {
    /// The number of vectors as long as the weights that training allocates, and the number of
    /// those that its result keeps. Their allocation is not checked, so the caller has to.
    fn n_vectors(&self) -> (usize, usize);

    /// Trains a classifier, from `start` if the method supports that.
    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine>;

    /// The half-width of the tube, for regression; `None` for classification.
    fn tube(&self) -> Option<f64> {
        None
    }

    /// Whether the method uses [`LinearProblem::square`].
    fn uses_squares(&self) -> bool {
        false
    }

    /// The classifier of a run that had no time for a step, computed without reading the samples;
    /// `None` if that is not possible.
    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>>;
}
