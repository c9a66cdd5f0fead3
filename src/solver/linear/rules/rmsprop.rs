//! RMSprop (Lu and Jin 2017, equation 6): the learning rate of each feature is divided by the root
//! of its mean squared gradient.
//!
//! ```text
//! g = lambda w - u;   E <- r E + (1 - r) g^2;   w <- w - eta g / sqrt(E + epsilon)
//! ```
//!
//! with r = 0.9 and epsilon = 1e-8 in the paper. The listing of the paper, algorithm 2, omits the
//! root, and epsilon in the division, without which a gradient of 0 would give 0 / 0; so
//! `root = false` divides by `E + epsilon`. Features with `u = 0` change,
//! too, and not linearly, so that a step visits every feature.

use super::super::example::Example;
use super::{Rule, RuleState};
use crate::simd::{self, Lanes, RmsStep};

/// The rule with its state; see the module.
#[derive(Debug, Clone)]
pub struct RmsProp {
    w: Vec<f64>,
    squares: Vec<f64>,
    /// All zeros between steps.
    u: Vec<f64>,
    step: RmsStep,
    n_steps: u64,
}

impl RmsProp {
    /// Continues from a state.
    pub fn new(step: RmsStep, state: &RuleState) -> Self {
        let d = state.weights.len();
        let squares = if state.memory.is_empty() {
            vec![0.0; d]
        } else {
            state.memory.clone()
        };
        Self {
            w: state.weights.clone(),
            squares,
            u: vec![0.0; d],
            step,
            n_steps: state.n_steps,
        }
    }
}

impl Rule for RmsProp {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        example.dot(&self.w)
    }

    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        for (factor, example) in violators {
            example.add_to(&mut self.u, *factor);
        }
        simd::rmsprop(&mut self.w, &mut self.squares, &self.u, self.step);
        for (_, example) in violators {
            example.for_each(self.w.len() - 1, |feature, _| self.u[feature] = 0.0);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn state(&self) -> RuleState {
        RuleState {
            n_steps: self.n_steps,
            weights: self.w.clone(),
            memory: self.squares.clone(),
            n_averaged: 0,
            eta: self.step.eta,
        }
    }
}
