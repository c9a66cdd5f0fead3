//! Update rules of stochastic gradient descent, one a file.
//!
//! The objective is `lambda / 2 |w|^2 + mean of c_i max(0, 1 - y_i w . x_i)`. A step looks at a
//! few rows; those with a loss pull: the gradient is `lambda w - sum of pulls`, a pull being
//! `c_i y_i x_i / (number of rows looked at)`.
//!
//! A step costs as much as the stored features of its rows: decay and momentum of the other
//! features are made up for when these are looked at. The exception is [`RmsProp`], whose decay
//! is not linear: it visits every feature.

mod momentum;
mod nag;
mod pegasos;
mod plain;
mod rmsprop;
mod scaled;
mod velocity;

pub use momentum::Momentum;
pub use nag::Nag;
pub use pegasos::Pegasos;
pub use plain::Plain;
pub use rmsprop::RmsProp;

use super::example::Example;
use crate::simd::Lanes;

/// What a rule knows after some steps: enough to go on from there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleState {
    /// Steps taken.
    pub n_steps: u64,
    /// The weights after the last step.
    pub weights: Vec<f64>,
    /// A second number for each feature, where the rule has one: the velocity, the mean of
    /// squared gradients, or the mean of the weights.
    pub memory: Vec<f64>,
    /// Steps that are in the mean of the weights.
    pub n_averaged: u64,
    /// The first step length, where the rule chose it.
    pub eta: f64,
}

/// A rule in the middle of its steps.
pub trait Rule {
    /// `w . x` where the gradient of the next step is taken.
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64;

    /// A step along the pulls of some rows, whose outputs were asked for since the last step.
    fn step<T: Lanes>(&mut self, pulls: &[(f64, Example<'_, T>)]);

    /// From the next step on, the result is the mean of the weights; rules without one go on.
    fn start_average(&mut self) {}

    /// The weights that would be the result now.
    fn weights(&self) -> Vec<f64>;

    /// Everything, to go on later.
    fn state(&self) -> RuleState;
}
