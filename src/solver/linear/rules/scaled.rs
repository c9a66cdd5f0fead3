//! Weights that shrink at every step: `w = scale v`, so that only the scale changes.
//!
//! The mean of all `w` needs no visit of every feature either. With S the sum of all scales so
//! far, `sum of w = S v - u`: a change of v by `delta` is none of the sums before it, so that
//! u takes up `S delta`.

use super::super::example::Example;
use super::RuleState;
use crate::simd::Lanes;

/// Scales below this are multiplied out.
const SMALLEST: f64 = 1e-100;

#[derive(Debug, Clone)]
pub struct Scaled {
    v: Vec<f64>,
    scale: f64,
    mean: Option<Mean>,
}

#[derive(Debug, Clone)]
struct Mean {
    u: Vec<f64>,
    scales: f64,
    n: u64,
}

impl Scaled {
    /// Goes on from a state.
    pub fn new(state: &RuleState) -> Self {
        let mean = (state.n_averaged > 0).then(|| Mean {
            u: scaled(&state.memory, -(state.n_averaged as f64)),
            scales: 0.0,
            n: state.n_averaged,
        });
        Self {
            v: state.weights.clone(),
            scale: 1.0,
            mean,
        }
    }

    #[inline]
    pub fn output<T: Lanes>(&self, example: &Example<'_, T>) -> f64 {
        self.scale * example.dot(&self.v)
    }

    /// `w <- factor w`.
    #[inline]
    pub fn shrink(&mut self, factor: f64) {
        self.scale *= factor;
        if self.scale.abs() < SMALLEST {
            self.multiply_out();
        }
    }

    /// `w <- w + factor x`.
    #[inline]
    pub fn add<T: Lanes>(&mut self, factor: f64, example: &Example<'_, T>) {
        let change = factor / self.scale;
        example.add_to(&mut self.v, change);
        if let Some(mean) = &mut self.mean
            && mean.scales != 0.0
        {
            example.add_to(&mut mean.u, mean.scales * change);
        }
    }

    /// Takes the weights into the mean, if there is one.
    #[inline]
    pub fn count(&mut self) {
        if let Some(mean) = &mut self.mean {
            mean.scales += self.scale;
            mean.n += 1;
        }
    }

    /// Starts a mean, if there is none yet.
    pub fn start_average(&mut self) {
        self.mean.get_or_insert_with(|| Mean {
            u: vec![0.0; self.v.len()],
            scales: 0.0,
            n: 0,
        });
    }

    /// `|w|^2`.
    pub fn square(&self) -> f64 {
        self.scale * self.scale * self.v.iter().map(|v| v * v).sum::<f64>()
    }

    /// The weights of now.
    pub fn current(&self) -> Vec<f64> {
        scaled(&self.v, self.scale)
    }

    /// The mean of the weights, or those of now.
    pub fn result(&self) -> Vec<f64> {
        match &self.mean {
            Some(mean) if mean.n > 0 => self.mean_of(mean),
            _ => self.current(),
        }
    }

    /// What a rule with these weights knows.
    pub fn state(&self, n_steps: u64, eta: f64) -> RuleState {
        let mean = self.mean.as_ref().filter(|mean| mean.n > 0);
        RuleState {
            n_steps,
            weights: self.current(),
            memory: mean.map(|mean| self.mean_of(mean)).unwrap_or_default(),
            n_averaged: mean.map_or(0, |mean| mean.n),
            eta,
        }
    }

    fn mean_of(&self, mean: &Mean) -> Vec<f64> {
        let each = self.v.iter().zip(&mean.u);
        let n = mean.n as f64;
        each.map(|(v, u)| (mean.scales * v - u) / n).collect()
    }

    fn multiply_out(&mut self) {
        if let Some(mean) = &mut self.mean {
            for (u, v) in mean.u.iter_mut().zip(&self.v) {
                *u -= mean.scales * v;
            }
            mean.scales = 0.0;
        }
        self.v.iter_mut().for_each(|v| *v *= self.scale);
        self.scale = 1.0;
    }
}

fn scaled(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| factor * value).collect()
}
