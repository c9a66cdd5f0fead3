//! Nesterov's accelerated gradient (Lu and Jin 2017, algorithm 3).
//!
//! ```text
//! v <- gamma v + eta (lambda (w - gamma v) - u);   w <- w - v
//! ```
//!
//! The violators in u are also those at `w - gamma v`. (The listing of the paper evaluates the loss
//! at w; its text and equation 7 evaluate the gradient at `w - gamma v`.)

use super::super::example::Example;
use super::velocity::Velocity;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// The rule with its state; see the module.
#[derive(Debug, Clone)]
pub struct Nag {
    w: Velocity,
    eta: f64,
    gamma: f64,
}

impl Nag {
    /// Continues from a state.
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

    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]) {
        self.w.step(self.eta, violators);
    }

    fn weights(&self) -> Vec<f64> {
        self.w.current().0
    }

    fn state(&self) -> RuleState {
        self.w.state(self.eta)
    }
}
