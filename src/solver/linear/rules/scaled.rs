//! Weights stored as `w = scale v`, so that weight decay changes only the scale.
//!
//! The mean of w over the steps does not visit every feature, either. With the sum S of all scales
//! so far, `sum of w = S v - u`: a change of v by `delta` must not affect the terms before it, so
//! that u is increased by `S delta`.

use super::super::example::Example;
use super::RuleState;
use crate::simd::Lanes;

/// The scale below which it is multiplied into v.
const MIN_SCALE: f64 = 1e-100;

/// The weights, and their mean if they are averaged.
#[derive(Debug, Clone)]
pub struct Scaled {
    v: Vec<f64>,
    scale: f64,
    mean: Option<Mean>,
}

/// The terms of the mean of n weights, `(scales v - u) / n`.
#[derive(Debug, Clone)]
struct Mean {
    u: Vec<f64>,
    scales: f64,
    n: u64,
}

impl Scaled {
    /// Continues from a state.
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

    /// `w . x`.
    #[inline]
    pub fn output<T: Lanes>(&self, example: &Example<'_, T>) -> f64 {
        self.scale * example.dot(&self.v)
    }

    /// `w <- factor w`.
    #[inline]
    pub fn scale_by(&mut self, factor: f64) {
        self.scale *= factor;
        if self.scale.abs() < MIN_SCALE {
            self.apply_scale();
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

    /// Adds the weights to the mean, if they are averaged.
    #[inline]
    pub fn add_to_mean(&mut self) {
        if let Some(mean) = &mut self.mean {
            mean.scales += self.scale;
            mean.n += 1;
        }
    }

    /// Starts averaging, unless the weights are averaged already.
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

    /// The current weights.
    pub fn current(&self) -> Vec<f64> {
        scaled(&self.v, self.scale)
    }

    /// The mean of the weights if they are averaged, otherwise the current weights.
    pub fn result(&self) -> Vec<f64> {
        match &self.mean {
            Some(mean) if mean.n > 0 => self.mean_of(mean),
            _ => self.current(),
        }
    }

    /// The state of a rule with these weights.
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

    fn apply_scale(&mut self) {
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
