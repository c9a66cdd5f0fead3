//! Pegasos (Shalev-Shwartz, Singer, Srebro and Cotter 2011).
//!
//! ```text
//! eta = 1 / (lambda t);   w <- (1 - eta lambda) w + eta u
//! w <- min(1, sqrt(c / lambda) / |w|) w                         with projection
//! ```
//!
//! c is the mean sample weight. The optimum is inside of this ball, because its objective is not
//! larger than that of w = 0.

use super::super::example::Example;
use super::scaled::Scaled;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// The rule with its state; see the module.
#[derive(Debug, Clone)]
pub struct Pegasos {
    w: Scaled,
    lambda: f64,
    n_steps: u64,
    /// The upper bound of `|w|^2`; infinite without projection.
    ball: f64,
    /// `|w|^2`, updated in each step; `None` without projection.
    square: Option<f64>,
    /// The step at which `|w|^2` was last recomputed.
    recomputed_at: u64,
}

/// Number of steps after which `|w|^2` is recomputed, because rounding errors accumulate.
const RECOMPUTE_INTERVAL: u64 = 10_000;

impl Pegasos {
    /// Continues from a state. With `ball`, w is projected to `|w|^2 <= ball`.
    pub fn new(lambda: f64, ball: Option<f64>, state: &RuleState) -> Self {
        let w = Scaled::new(state);
        Self {
            lambda,
            n_steps: state.n_steps,
            ball: ball.unwrap_or(f64::INFINITY),
            square: ball.map(|_| w.square()),
            recomputed_at: state.n_steps,
            w,
        }
    }

    /// Updates `|w|^2` for `w <- w + factor x`.
    fn update_square<T: Lanes>(&mut self, factor: f64, example: &Example<'_, T>) {
        if let Some(square) = &mut self.square {
            let output = self.w.output(example);
            *square += factor * (2.0 * output + factor * example.square());
        }
    }

    fn project(&mut self) {
        let Some(square) = &mut self.square else {
            return;
        };
        // Rounding errors may make it negative.
        if self.n_steps >= self.recomputed_at + RECOMPUTE_INTERVAL || *square < 0.0 {
            *square = self.w.square();
            self.recomputed_at = self.n_steps;
        }
        if *square > self.ball {
            self.w.scale_by((self.ball / *square).sqrt());
            *square = self.ball;
        }
    }
}

impl Rule for Pegasos {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        self.w.output(example)
    }

    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        let t = self.n_steps as f64;
        let (eta, factor) = (1.0 / (self.lambda * t), 1.0 - 1.0 / t);
        self.w.scale_by(factor);
        if let Some(square) = &mut self.square {
            *square *= factor * factor;
        }
        for (factor, example) in violators {
            self.update_square(eta * factor, example);
            self.w.add(eta * factor, example);
        }
        self.project();
        self.w.add_to_mean();
    }

    fn start_average(&mut self) {
        self.w.start_average();
    }

    fn weights(&self) -> Vec<f64> {
        self.w.result()
    }

    fn state(&self) -> RuleState {
        self.w.state(self.n_steps, 0.0)
    }
}
