//! RMSprop (001, equation 6): each feature's step divided by the root of its mean square.
//!
//! ```text
//! g = lambda w - sum of pulls;   E <- 0.9 E + 0.1 g^2;   w <- w - eta g / sqrt(E + 1e-8)
//! ```
//!
//! (The paper's listing drops the root; its equation has it.) A feature without pull changes,
//! too, and not linearly: a step visits every feature.

use super::super::example::Example;
use super::{Rule, RuleState};
use crate::simd::{self, Lanes, RmsStep};

/// The share of the mean of squares that stays, and what keeps its root away from 0.
const DECAY: f64 = 0.9;
const EPSILON: f64 = 1e-8;

/// See the module.
#[derive(Debug, Clone)]
pub struct RmsProp {
    w: Vec<f64>,
    squares: Vec<f64>,
    /// All zeros between steps.
    pull: Vec<f64>,
    step: RmsStep,
    n_steps: u64,
}

impl RmsProp {
    /// Goes on from a state.
    pub fn new(lambda: f64, eta: f64, state: &RuleState) -> Self {
        let d = state.weights.len();
        let squares = if state.memory.is_empty() {
            vec![0.0; d]
        } else {
            state.memory.clone()
        };
        Self {
            w: state.weights.clone(),
            squares,
            pull: vec![0.0; d],
            step: RmsStep {
                lambda,
                eta,
                decay: DECAY,
                epsilon: EPSILON,
            },
            n_steps: state.n_steps,
        }
    }
}

impl Rule for RmsProp {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        example.dot(&self.w)
    }

    fn step<T: Lanes>(&mut self, pulls: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        for (pull, example) in pulls {
            example.add_to(&mut self.pull, *pull);
        }
        simd::rmsprop(&mut self.w, &mut self.squares, &self.pull, self.step);
        for (_, example) in pulls {
            example.for_each(self.w.len() - 1, |feature, _| self.pull[feature] = 0.0);
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
