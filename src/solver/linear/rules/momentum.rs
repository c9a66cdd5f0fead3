//! Momentum (Lu and Jin 2017, algorithm 1).
//!
//! ```text
//! v <- gamma v + eta (lambda w - u);   w <- w - v
//! ```

use super::super::example::Example;
use super::velocity::Velocity;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// The rule with its state; see the module.
#[derive(Debug, Clone)]
pub struct Momentum {
    w: Velocity,
    eta: f64,
}

impl Momentum {
    /// Continues from a state.
    pub fn new(lambda: f64, eta: f64, gamma: f64, state: &RuleState) -> Self {
        Self {
            w: Velocity::new(gamma, eta * lambda, state),
            eta,
        }
    }
}

impl Rule for Momentum {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        self.w.output(0.0, example)
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
