//! Pegasos (Shalev-Shwartz, Singer, Srebro and Cotter 2011; 000 algorithm A, 001, 004).
//!
//! ```text
//! eta = 1 / (lambda t);   w <- (1 - eta lambda) w + eta sum of pulls
//! w <- min(1, sqrt(c / lambda) / |w|) w                         with projection
//! ```
//!
//! c is the mean weight of the rows, 1 without weights: the optimum is in that ball, since it is
//! not worse than w = 0.

use super::super::example::Example;
use super::scaled::Scaled;
use super::{Rule, RuleState};
use crate::simd::Lanes;

/// See the module.
#[derive(Debug, Clone)]
pub struct Pegasos {
    w: Scaled,
    lambda: f64,
    n_steps: u64,
    /// The largest `|w|^2`, if w is projected.
    ball: f64,
    /// `|w|^2`, kept up to date by what each step adds, if w is projected.
    square: Option<f64>,
    /// The step at which `|w|^2` was last summed.
    n_exact: u64,
}

/// Steps after which `|w|^2` is summed anew: rounding adds up.
const STEPS_TO_SUM: u64 = 10_000;

impl Pegasos {
    /// Goes on from a state; with a `ball`, no larger `|w|^2` is left.
    pub fn new(lambda: f64, ball: Option<f64>, state: &RuleState) -> Self {
        let w = Scaled::new(state);
        Self {
            lambda,
            n_steps: state.n_steps,
            ball: ball.unwrap_or(f64::INFINITY),
            square: ball.map(|_| w.square()),
            n_exact: state.n_steps,
            w,
        }
    }

    /// `|w|^2` after `w <- w + factor x`.
    fn grow<T: Lanes>(&mut self, factor: f64, example: &Example<'_, T>) {
        if let Some(square) = &mut self.square {
            let output = self.w.output(example);
            *square += factor * (2.0 * output + factor * example.square());
        }
    }

    fn project(&mut self) {
        let Some(square) = &mut self.square else {
            return;
        };
        // Rounding may even make it negative.
        if self.n_steps >= self.n_exact + STEPS_TO_SUM || *square < 0.0 {
            *square = self.w.square();
            self.n_exact = self.n_steps;
        }
        if *square > self.ball {
            self.w.shrink((self.ball / *square).sqrt());
            *square = self.ball;
        }
    }
}

impl Rule for Pegasos {
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        self.w.output(example)
    }

    fn step<T: Lanes>(&mut self, pulls: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        let t = self.n_steps as f64;
        let (eta, factor) = (1.0 / (self.lambda * t), 1.0 - 1.0 / t);
        self.w.shrink(factor);
        if let Some(square) = &mut self.square {
            *square *= factor * factor;
        }
        for (pull, example) in pulls {
            self.grow(eta * pull, example);
            self.w.add(eta * pull, example);
        }
        self.project();
        self.w.count();
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
