//! Linear machines: the weights of the features are found without a kernel.
//!
//! ```text
//! lambda / 2 |w|^2 + 1/n sum_i c_i loss(1 - y_i f(x_i)),   f(x) = w . x + b,   lambda = 1 / (C n)
//! ```
//!
//! with the hinge `max(0, z)` or its square, and weights `c_i` of rows. A bias is the weight of a
//! constant feature, and so part of the norm, or found afterwards ([`Intercept`]).
//!
//! Weights are f64, whatever the type of the rows.

mod certificate;
mod dual;
mod exact;
mod example;
mod gradient;
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

/// A trained linear machine: `f(x) = weights . x + bias`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMachine {
    /// One for each feature.
    pub weights: Vec<f64>,
    /// The constant.
    pub bias: f64,
    /// Passes through the rows, or steps of methods that look at all rows in each.
    pub n_iter: u64,
    /// How the training ended.
    pub status: Status,
    /// Of exact methods.
    pub certificate: Option<Certificate>,
    /// Where a stochastic method would go on.
    pub state: Option<RuleState>,
    /// Weights on the way, where they were asked for.
    pub snapshots: Vec<Snapshot>,
}

impl LinearMachine {
    /// From the weights of all features, the last that of the constant feature.
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

    /// All zeros: the training ended before its first step.
    fn untrained(outline: &Outline, intercept: Intercept) -> Result<Self> {
        let weights = try_zeros(outline.n_features + 1, 1, "weights")?;
        let mut machine = Self::new(outline.constant, weights, 0, Status::TimeLimit);
        if intercept == Intercept::Violators {
            machine.bias = outline.violators_bias();
        }
        Ok(machine)
    }

    /// As [`LinearMachine::untrained`], with the certificate of zero weights for the price `c`
    /// of a loss: each row has a loss of 1, and no dual variable is above 0.
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

    /// Takes the bias that is found afterwards, and what was recorded.
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
        self.or_nothing();
    }

    /// Whether all weights are, those to go on from included.
    fn is_finite(&self) -> bool {
        let of_state = self
            .state
            .iter()
            .flat_map(|s| s.weights.iter().chain(&s.memory));
        let mut numbers = self.weights.iter().chain([&self.bias]).chain(of_state);
        numbers.all(|number| number.is_finite())
    }

    /// All zeros, and with a status that says so, if a number is not finite.
    fn or_nothing(&mut self) {
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

/// A method that trains one linear machine.
pub trait LinearSolver: Sync {
    /// Vectors as long as the weights: how many a training holds at a time, and how many of these
    /// its result keeps. They are taken without asking.
    fn n_vectors(&self) -> (usize, usize);

    /// Trains, from a state where there is one and the method can use it.
    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine>;

    /// Whether [`LinearProblem::square`] is asked for.
    fn uses_squares(&self) -> bool {
        false
    }

    /// The machine of a training that had no time for a step, made without a look at the rows;
    /// `None` where it cannot do without.
    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>>;
}
