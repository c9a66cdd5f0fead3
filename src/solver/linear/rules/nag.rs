//! Nesterov's accelerated gradient (001, algorithm 3): the gradient where momentum would lead.
//!
//! ```text
//! v <- gamma v + eta (lambda (w - gamma v) - sum of pulls);   w <- w - v
//! ```
//!
//! The pulls, too, are those at `w - gamma v`. (The paper's listing asks for the loss at w, its
//! text and equation 7 for the gradient ahead.)

use super::super::example::Example;
use super::velocity::Velocity;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// See the module.
#[derive(Debug, Clone)]
pub struct Nag {
    w: Velocity,
    eta: f64,
    gamma: f64,
}

impl Nag {
    /// Goes on from a state.
    pub fn new(lambda: f64, eta: f64, gamma: f64, state: &RuleState) -> Self {
        let decay = eta * lambda;
        Self {
            w: Velocity::new(gamma * (1.0 - decay), decay, state),
            eta,
            gamma,
        }
    }
}

impl Rule for Nag {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        self.w.output(self.gamma, example)
    }

    fn step<T: Lanes>(&mut self, pulls: &[(f64, Example<'_, T>)]) {
        self.w.step(self.eta, pulls);
    }

    fn weights(&self) -> Vec<f64> {
        self.w.current().0
    }

    fn state(&self) -> RuleState {
        self.w.state(self.eta)
    }
}
