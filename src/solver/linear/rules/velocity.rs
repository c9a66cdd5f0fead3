//! Weights with a velocity, updated lazily: the rules [`momentum`](super::momentum) and
//! [`nag`](super::nag).
//!
//! A step without violators is linear: `(w, v) <- M (w, v)` for each feature, with
//!
//! ```text
//! v' = keep v + decay w,   w' = w - v'        M = | 1 - decay   -keep |
//!                                                 |     decay    keep |
//! ```
//!
//! A feature that was not read for k steps is multiplied by `M^k`, from precomputed powers for each
//! base-64 digit of k. Dense samples read all features, which then share one step number.

use super::super::example::Example;
use super::{Rule, RuleState};
use crate::data::Row;
use crate::simd::{self, Lanes};

/// A 2 x 2 matrix in row-major order.
type Map = [f64; 4];

const IDENTITY: Map = [1.0, 0.0, 0.0, 1.0];

/// Bits per digit.
const BITS: u32 = 6;

/// Digits of the largest number of steps.
const DIGITS: usize = 8;

/// Weights and velocities, each up to date as of some step.
#[derive(Debug, Clone)]
pub struct Velocity {
    w: Vec<f64>,
    v: Vec<f64>,
    powers: Vec<Map>,
    /// The margin is tested at `w - ahead v`.
    ahead: f64,
    eta: f64,
    n_steps: u64,
    /// The step as of which all features are up to date, for dense samples.
    all_at: u64,
    /// The step as of which each feature is up to date, for sparse samples.
    at: Vec<u64>,
}

impl Velocity {
    /// Continues from a state.
    pub fn new(keep: f64, decay: f64, ahead: f64, eta: f64, state: &RuleState) -> Self {
        let d = state.weights.len();
        let memory = &state.memory;
        let v = if memory.is_empty() {
            vec![0.0; d]
        } else {
            memory.clone()
        };
        Self {
            w: state.weights.clone(),
            v,
            powers: powers([1.0 - decay, -keep, decay, keep]),
            ahead,
            eta,
            n_steps: state.n_steps,
            all_at: state.n_steps,
            at: Vec::new(),
        }
    }

    /// Updates the features of a sparse sample to a step.
    #[inline]
    fn update<T: Lanes>(&mut self, example: &Example<'_, T>, step: u64) {
        if self.at.is_empty() {
            self.at = vec![self.all_at; self.w.len()];
        }
        let Self {
            w, v, at, powers, ..
        } = self;
        example.for_each(w.len() - 1, |feature, _| {
            let since = step - at[feature];
            at[feature] = step;
            if since > 0 && (w[feature] != 0.0 || v[feature] != 0.0) {
                (w[feature], v[feature]) = apply(powers, since, (w[feature], v[feature]));
            }
        });
    }

    /// Updates all features to the current step.
    fn update_all(&mut self) {
        if self.at.is_empty() {
            let map = self.power(self.n_steps - self.all_at);
            if self.n_steps > self.all_at {
                simd::map_pairs(&mut self.w, &mut self.v, map);
            }
        } else {
            let now = self.current();
            (self.w, self.v) = now;
            self.at.clear();
        }
        self.all_at = self.n_steps;
    }

    /// The current weights and velocities.
    fn current(&self) -> (Vec<f64>, Vec<f64>) {
        let at = |feature: usize| self.at.get(feature).copied().unwrap_or(self.all_at);
        let now = |feature: usize| {
            let since = self.n_steps - at(feature);
            apply(&self.powers, since, (self.w[feature], self.v[feature]))
        };
        (0..self.w.len()).map(now).unzip()
    }

    /// `M^k`.
    fn power(&self, k: u64) -> Map {
        digits(k).fold(IDENTITY, |map, place| product(map, self.powers[place]))
    }
}

impl Rule for Velocity {
    /// `(w - ahead v) . x` with the current w and v.
    #[inline]
    fn output<T: Lanes>(&mut self, example: &Example<'_, T>) -> f64 {
        let ahead = self.ahead;
        if let Row::Sparse(..) = example.row {
            self.update(example, self.n_steps);
            let velocity = if ahead == 0.0 {
                0.0
            } else {
                example.dot(&self.v)
            };
            return example.dot(&self.w) - ahead * velocity;
        }
        let map = self.power(self.n_steps - self.all_at);
        let of_w = map[0] - ahead * map[2];
        let of_v = map[1] - ahead * map[3];
        let velocity = if of_v == 0.0 {
            0.0
        } else {
            example.dot(&self.v)
        };
        of_w * example.dot(&self.w) + of_v * velocity
    }

    /// `v' = keep v + decay w - eta u, w' = w - v'`.
    #[inline]
    fn step<T: Lanes>(&mut self, violators: &[(f64, Example<'_, T>)]) {
        self.n_steps += 1;
        for (factor, example) in violators {
            match example.row {
                Row::Sparse(..) => self.update(example, self.n_steps),
                Row::Dense(_) => self.update_all(),
            }
            example.add_to(&mut self.v, -self.eta * factor);
            example.add_to(&mut self.w, self.eta * factor);
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.current().0
    }

    fn state(&self) -> RuleState {
        let (weights, memory) = self.current();
        RuleState {
            n_steps: self.n_steps,
            weights,
            memory,
            n_averaged: 0,
            eta: self.eta,
        }
    }
}

/// The places in `powers` of the factors of `M^k`, for all nonzero digits of k.
#[inline]
fn digits(k: u64) -> impl Iterator<Item = usize> {
    let k = k.min((1 << (BITS as usize * DIGITS)) - 1);
    let digit = move |place: usize| (k >> (BITS as usize * place)) as usize & ((1 << BITS) - 1);
    let used = (64 - k.leading_zeros()).div_ceil(BITS) as usize;
    (0..used)
        .filter(move |&place| digit(place) > 0)
        .map(move |place| (place << BITS) + digit(place))
}

/// `M^k (w, v)`.
#[inline]
fn apply(powers: &[Map], mut k: u64, (mut w, mut v): (f64, f64)) -> (f64, f64) {
    let mut powers = powers.chunks_exact(1 << BITS);
    while k > 0
        && let Some(of_digit) = powers.next()
    {
        let map = of_digit[k as usize & ((1 << BITS) - 1)];
        (w, v) = (map[0] * w + map[1] * v, map[2] * w + map[3] * v);
        k >>= BITS;
    }
    (w, v)
}

/// `M^(j 64^i)` at `64 i + j`.
fn powers(map: Map) -> Vec<Map> {
    let mut powers = Vec::with_capacity(DIGITS << BITS);
    let mut base = map;
    for _ in 0..DIGITS {
        let mut power = IDENTITY;
        for _ in 0..1 << BITS {
            powers.push(power);
            power = product(power, base);
        }
        base = power;
    }
    powers
}

fn product(a: Map, b: Map) -> Map {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
    ]
}
