//! Update rules of stochastic gradient descent, one per file.
//!
//! The objective is `lambda / 2 |w|^2 + mean of c_i max(0, 1 - y_i w . x_i)`. A step uses the
//! subgradient of a mini-batch B,
//!
//! ```text
//! g = lambda w - u,   u = 1/|B| sum of c_i y_i x_i over the violators: i in B with y_i w . x_i < 1
//! ```
//!
//! The listing of Duros and Katzman (2014, algorithm 2) divides by the number of violators instead of
//! |B|.
//!
//! The cost of a step is proportional to the number of stored features of its samples: decay and
//! momentum of the other features are applied when these features are read next. The exception is
//! [`RmsProp`], whose update is not linear: it visits every feature.

mod momentum;
mod nag;
mod pegasos;
mod plain;
mod rmsprop;
mod scaled;
mod velocity;

pub use momentum::momentum;
pub use nag::{MarginTest, nag};
pub use pegasos::Pegasos;
pub use plain::Plain;
pub use rmsprop::RmsProp;

use super::example::Example;
use crate::simd::Lanes;

/// The state of a rule, from which training can continue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleState {
    /// Number of steps.
    pub n_steps: u64,
    /// The weights after the last step.
    pub weights: Vec<f64>,
    /// A second number for each feature, if the rule has one: the velocity, the mean squared
    /// gradient, or the mean weight.
    pub memory: Vec<f64>,
    /// Number of steps over which the weights were averaged.
    pub n_averaged: u64,
    /// The initial learning rate.
    pub eta: f64,
}

/// An update rule with its state.
pub trait Rule {
    /// `w . x` at the point where the next step takes the gradient.
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64;

    /// Takes a step. `violators` contains `c_i y_i / |B|` and `x_i` of each violator; `output` has
    /// been called for them since the last step.
    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]);

    /// Starts averaging the weights with the next step, if the rule supports it.
    fn start_average(&mut self) {}

    /// The weights, or their mean if they are averaged.
    fn weights(&self) -> Vec<f64>;

    /// The state from which training can continue.
    fn state(&self) -> RuleState;
}
