//! Stochastic gradient descent with a decreasing learning rate (Lu and Jin 2017, equation 4).
//!
//! ```text
//! eta_t = eta / (1 + lambda eta t);   w <- (1 - eta_t lambda) w + eta_t u
//! ```

use super::super::example::Example;
use super::scaled::Scaled;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// The rule with its state; see the module.
#[derive(Debug, Clone)]
pub struct Plain {
    w: Scaled,
    lambda: f64,
    eta: f64,
    n_steps: u64,
}

impl Plain {
    /// Continues from a state.
    pub fn new(lambda: f64, eta: f64, state: &RuleState) -> Self {
        Self {
            w: Scaled::new(state),
            lambda,
            eta,
            n_steps: state.n_steps,
        }
    }
}

impl Rule for Plain {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        self.w.output(example)
    }

    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        let eta = self.eta / (1.0 + self.lambda * self.eta * self.n_steps as f64);
        self.w.scale_by(1.0 - eta * self.lambda);
        for (factor, example) in violators {
            self.w.add(eta * factor, example);
        }
        self.w.add_to_mean();
    }

    fn start_average(&mut self) {
        self.w.start_average();
    }

    fn weights(&self) -> Vec<f64> {
        self.w.result()
    }

    fn state(&self) -> RuleState {
        self.w.state(self.n_steps, self.eta)
    }
}
