//! Sigmoids that map decision values to probabilities (Platt 1999).
//!
//! The sigmoid of a binary classifier minimizes the cross-entropy
//!
//! ```text
//! sum over i of w_i (log(1 + exp(-m_i)) + s_i m_i),   m_i = -y_i (A f_i + B)
//! ```
//!
//! between `P(y = 1 | f) = 1 / (1 + exp(A f + B))` and the targets of Platt, whose distance from
//! the label is `s_i = 1 / (N + 2)` for a label of N samples. These lie strictly between 0 and 1,
//! so the minimum is finite even for separable data. Objective, targets and the damped Newton
//! method are those of Lin, Lin and Weng (2007).

use crate::memory::try_with_capacity;
use crate::monitor::Monitor;
use crate::{Error, Result};
use rayon::prelude::*;

/// The maximum number of Newton steps.
const MAX_STEPS: usize = 100;

/// The minimum length of a step. At the minimum curvature, full steps are too long by up to 1e20,
/// which backtracking has to make up for.
const MIN_STEP_LENGTH: f64 = 1e-25;

/// The required decrease, as a fraction of the predicted one.
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// The minimum curvature of a sample.
const MIN_CURVATURE: f64 = 1e-20;

/// The relative rounding error of the objective.
const OBJECTIVE_ROUNDING: f64 = 2e-15;

/// Positive lower bound of a divisor.
const TINY: f64 = 1e-300;

/// Decisions whose range is smaller than this, relative to the largest, differ by rounding only.
const ROUNDING: f64 = 1e-14;

/// Decisions below this are treated as 0, because the slope of their sigmoid might overflow.
const MIN_DECISION: f64 = 1e-290;

/// Slope and offset of a sigmoid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sigmoid {
    /// `A`; negative if large decision values indicate the positive class.
    pub slope: f64,
    /// `B`.
    pub offset: f64,
}

/// A sample of a binary classifier.
struct Sample {
    /// The decision value, divided by the largest one.
    f: f64,
    /// -1 for the positive class, 1 for the other.
    sign: f64,
    /// Distance of the target from the label.
    smoothing: f64,
    /// The weight, divided by the largest one.
    weight: f64,
}

/// Fits the sigmoid of each binary classifier, in parallel in the current thread pool.
///
/// `decisions` and `signs` contain `n_classifiers` values per sample; a sign is 1 for the positive
/// class, -1 for the other, and 0 for samples that are not used.
pub fn fit_sigmoids(
    decisions: &[f64],
    signs: &[i8],
    n_classifiers: usize,
    weights: Option<&[f64]>,
    monitor: &Monitor,
) -> Result<Vec<Sigmoid>> {
    let n = decisions.len() / n_classifiers.max(1);
    let fit = |number: usize| {
        monitor.check()?;
        let mut samples = try_with_capacity(n, 1, "samples of a sigmoid")?;
        for i in 0..n {
            let place = i * n_classifiers + number;
            let weight = weights.map_or(1.0, |weights| weights[i]);
            if signs[place] == 0 || weight.is_nan() || weight <= 0.0 {
                continue;
            }
            let f = decisions[place];
            if !f.is_finite() {
                let message = format!("decisions must be finite, but decision {i} is {f}");
                return Err(Error::Data(message));
            }
            samples.push(Sample {
                f,
                sign: -f64::from(signs[place]),
                smoothing: 0.0,
                weight,
            });
        }
        Ok(fit_sigmoid(samples))
    };
    (0..n_classifiers).into_par_iter().map(fit).collect()
}

/// Fits one sigmoid. It is constant if the decisions are, or if a class is absent: the probability
/// is then the mean target, and 1/2 without samples.
fn fit_sigmoid(mut samples: Vec<Sample>) -> Sigmoid {
    let total = |label: f64| -> f64 {
        let of_label = samples.iter().filter(|sample| sample.sign == -label);
        of_label.map(|sample| sample.weight).sum()
    };
    let (n_positive, n_negative) = (total(1.0), total(-1.0));
    let heaviest = samples.iter().fold(0.0, |most: f64, s| most.max(s.weight));
    for sample in &mut samples {
        let n = if sample.sign < 0.0 {
            n_positive
        } else {
            n_negative
        };
        sample.smoothing = 1.0 / (n + 2.0);
        sample.weight /= heaviest;
    }
    let largest = samples.iter().fold(0.0, |most: f64, s| most.max(s.f.abs()));
    let (low, high) = samples
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| {
            (low.min(s.f / largest), high.max(s.f / largest))
        });
    if samples.is_empty() {
        return Sigmoid::default();
    }
    let is_constant = largest < MIN_DECISION || high - low <= ROUNDING;
    if is_constant || n_positive == 0.0 || n_negative == 0.0 {
        let (mut odds_for, mut odds_against) = (0.0, 0.0);
        for sample in &samples {
            let target = match sample.sign < 0.0 {
                true => 1.0 - sample.smoothing,
                false => sample.smoothing,
            };
            odds_for += sample.weight * target;
            odds_against += sample.weight * (1.0 - target);
        }
        return Sigmoid {
            slope: 0.0,
            offset: (odds_against / odds_for).ln(),
        };
    }
    samples.iter_mut().for_each(|sample| sample.f /= largest);
    let prior = ((n_negative + 1.0) / (n_positive + 1.0)).ln();
    let scaled = newton(&samples, prior);
    Sigmoid {
        slope: scaled.slope / largest,
        offset: scaled.offset,
    }
}

/// Minimizes the cross-entropy by Newton's method with backtracking, starting from slope 0. The
/// method ends when a step no longer decreases the objective. As its convergence is quadratic, the
/// parameters are then accurate to rounding.
fn newton(samples: &[Sample], prior: f64) -> Sigmoid {
    let mut own = Sigmoid {
        slope: 0.0,
        offset: prior,
    };
    let mut value = objective(samples, own);
    for _ in 0..MAX_STEPS {
        let (step, decrease) = newton_step(samples, own);
        let mut length = 1.0;
        let (next, trial) = loop {
            let next = Sigmoid {
                slope: own.slope + length * step.slope,
                offset: own.offset + length * step.offset,
            };
            let trial = objective(samples, next);
            let required = SUFFICIENT_DECREASE * length * decrease - OBJECTIVE_ROUNDING * value;
            if trial <= value - required {
                break (next, trial);
            }
            length /= 2.0;
            if length < MIN_STEP_LENGTH {
                return own;
            }
        };
        own = next;
        if trial >= value {
            break;
        }
        value = trial;
    }
    own
}

/// The cross-entropy.
fn objective(samples: &[Sample], sigmoid: Sigmoid) -> f64 {
    let term = |sample: &Sample| {
        let margin = sample.sign * (sigmoid.slope * sample.f + sigmoid.offset);
        let loss = (-margin.abs()).exp().ln_1p() + (-margin).max(0.0);
        sample.weight * (loss + sample.smoothing * margin)
    };
    samples.iter().map(term).sum()
}

/// The full Newton step, and twice the decrease that it predicts.
fn newton_step(samples: &[Sample], sigmoid: Sigmoid) -> (Sigmoid, f64) {
    // The gradient and the curvature of a sample with respect to `A f + B`.
    let derivatives = |sample: &Sample| {
        let margin = sample.sign * (sigmoid.slope * sample.f + sigmoid.offset);
        let small = (-margin.abs()).exp();
        let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
        let gradient = sample.weight * sample.sign * (sample.smoothing - wrong);
        let curvature = sample.weight * (wrong * (1.0 - wrong)).max(MIN_CURVATURE);
        (sample.f, gradient, curvature)
    };
    let (mut total, mut weighted) = (0.0, 0.0);
    for (f, _, curvature) in samples.iter().map(derivatives) {
        total += curvature;
        weighted += curvature * f;
    }
    // Around the mean weighted by curvature, the Hessian in slope and offset is diagonal.
    let mean = weighted / total;
    let (mut of_slope, mut slope, mut offset) = (0.0, 0.0, 0.0);
    for (f, gradient, curvature) in samples.iter().map(derivatives) {
        of_slope += curvature * (f - mean) * (f - mean);
        slope += gradient * (f - mean);
        offset += gradient;
    }
    let of_slope = of_slope.max(TINY);
    let slope_step = -slope / of_slope;
    let step = Sigmoid {
        slope: slope_step,
        offset: -offset / total - mean * slope_step,
    };
    (step, slope * slope / of_slope + offset * offset / total)
}
