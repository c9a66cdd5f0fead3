//! The L2 problem that MN-SVM and NN-ISDA share, and its state.
//!
//! ```text
//! Q_ij = y_i y_j (K_ij + 1) + delta_ij / C_i,   g = Q alpha,   alpha >= 0
//! ```
//!
//! It is the dual of `1/2 (|w|^2 + b^2) + 1/2 sum C_i max(0, 1 - y_i f(x_i))^2`: squared
//! hinge loss, and a bias that is part of the norm, `b = sum y_i alpha_i`. NN-ISDA solves
//! `Q alpha = 1`; MN-SVM finds the same solution up to scale. All samples of a part have the same
//! label, so that a row of Q is a row of K with one factor and one constant for each part.

use super::hyperparameters::SMALLEST_C;
use super::rounding::rounding;
use super::{Machine, Problem, Status};
use crate::kernel::{BlockRows, Parts};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, Spread};
use crate::{Error, Result};

/// Coefficients and gradient.
pub struct L2 {
    pub parts: Parts,
    signs: Vec<f64>,
    weights: Vec<f64>,
    /// `1 / C_i`; infinite for a sample of weight 0, which is ignored.
    ridge: Vec<f64>,
    pub alpha: Vec<f64>,
    /// `Q alpha`; infinite for ignored samples.
    pub g: Vec<f64>,
    /// 0 for samples whose alpha may fall, minus infinity for the others.
    fall: Vec<f64>,
    n_iter: usize,
    /// An upper bound of all changes of g since it was last recomputed.
    moved: f64,
}

/// The samples that violate the optimality conditions most.
#[derive(Debug, Clone, Copy)]
pub struct Extremes {
    /// The smallest g, and its sample.
    pub low: (f64, usize),
    /// The largest g where alpha is positive, and its sample.
    pub high: (f64, usize),
}

impl Extremes {
    const NONE: Self = Self {
        low: (f64::INFINITY, 0),
        high: (f64::NEG_INFINITY, 0),
    };

    /// Merges the extremes of the samples from `start` on; ties go to the lower index.
    fn merge(mut self, start: usize, spread: Spread) -> Self {
        if spread.min < self.low.0 {
            self.low = (spread.min, start + spread.min_at);
        }
        if spread.max > self.high.0 {
            self.high = (spread.max, start + spread.max_at);
        }
        self
    }
}

impl L2 {
    /// The problem with all coefficients 0.
    pub fn new(problem: &Problem<'_>, parts: &Parts, c: f64) -> Result<Self> {
        let n = parts.n_rows();
        let weights = problem.weights_of(parts);
        let underflows = |weight: &&f64| **weight > 0.0 && c * **weight < SMALLEST_C;
        if let Some(weight) = weights.iter().find(underflows) {
            let rule = "its product with C is too small";
            return Err(Error::parameter(
                "class_weight or sample_weight",
                weight,
                rule,
            ));
        }
        let ignore = |weight: &f64| if *weight == 0.0 { f64::INFINITY } else { 0.0 };
        Ok(Self {
            parts: parts.clone(),
            signs: problem.signs_of(parts),
            ridge: weights.iter().map(|weight| 1.0 / (c * weight)).collect(),
            alpha: vec![0.0; n],
            g: weights.iter().map(ignore).collect(),
            fall: vec![f64::NEG_INFINITY; n],
            n_iter: 0,
            moved: 0.0,
            weights,
        })
    }

    /// The label of a sample.
    pub fn sign(&self, i: usize) -> f64 {
        self.signs[i]
    }

    /// `Q_ii`, from the diagonal of K.
    pub fn diagonal(&self, i: usize, k_ii: f64) -> f64 {
        k_ii + 1.0 + self.ridge[i]
    }

    /// The first sample of positive weight, in the caller's order.
    pub fn first_sample(&self, order: &[u32]) -> Option<usize> {
        (0..self.alpha.len())
            .filter(|&i| self.weights[i] != 0.0)
            .min_by_key(|&i| order[self.parts.global(i)])
    }

    /// The extremes of the current gradient.
    pub fn extremes(&mut self) -> Extremes {
        let no_terms: [(f64, &[f64]); 0] = [];
        Extremes::NONE.merge(0, simd::add_and_scan(&mut self.g, no_terms, &self.fall))
    }

    /// Sets signed coefficients of packed samples; ignores those of the wrong sign.
    pub fn start_from<T: Lanes>(
        &mut self,
        terms: &[(u32, f64)],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<()> {
        for &(row, beta) in terms {
            if let Some(i) = self.admissible(row, beta) {
                self.update([(i, beta.abs())], rows, monitor)?;
            }
        }
        self.n_iter = 0;
        Ok(())
    }

    /// Sets coefficients like [`L2::start_from`], scaled to sum 1. Returns `false` if all of them
    /// are ignored.
    pub fn start_from_normalized<T: Lanes>(
        &mut self,
        terms: &[(u32, f64)],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<bool> {
        let is_kept = |term: &&(u32, f64)| self.admissible(term.0, term.1).is_some();
        let kept: Vec<(u32, f64)> = terms.iter().filter(is_kept).copied().collect();
        let total: f64 = kept.iter().map(|term| term.1.abs()).sum();
        if !(total > 0.0 && total.is_finite()) {
            return Ok(false);
        }
        let shares: Vec<(u32, f64)> = kept.iter().map(|&(i, b)| (i, b / total)).collect();
        self.start_from(&shares, rows, monitor)?;
        Ok(true)
    }

    /// Scales all alphas by the factor with the largest `sum alpha - alpha' Q alpha / 2`; sets them
    /// to 0 if there is none.
    pub fn rescale(&mut self) {
        let total: f64 = self.alpha.iter().sum();
        let best = total / self.square();
        let factor = if best > 0.0 && best.is_finite() {
            best
        } else {
            0.0
        };
        self.moved *= factor;
        for i in (0..self.alpha.len()).filter(|&i| self.weights[i] > 0.0) {
            self.alpha[i] *= factor;
            self.g[i] *= factor;
            self.fall[i] = if self.alpha[i] > 0.0 {
                0.0
            } else {
                f64::NEG_INFINITY
            };
        }
    }

    /// Recomputes g from the coefficients.
    pub fn recompute_gradient<T: Lanes>(
        &mut self,
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Extremes> {
        let n_iter = self.n_iter;
        self.moved = 0.0;
        let alpha = std::mem::replace(&mut self.alpha, vec![0.0; self.g.len()]);
        for i in (0..alpha.len()).filter(|&i| self.weights[i] > 0.0) {
            self.g[i] = 0.0;
        }
        for (i, &alpha) in alpha.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0) {
            self.update([(i, alpha)], rows, monitor)?;
        }
        self.n_iter = n_iter;
        Ok(self.extremes())
    }

    /// The local index of a packed sample, if it may have this coefficient.
    fn admissible(&self, row: u32, beta: f64) -> Option<usize> {
        let i = self.parts.local(row as usize)?;
        let is_admissible = self.weights[i] > 0.0 && self.signs[i] * beta > 0.0 && beta.is_finite();
        is_admissible.then_some(i)
    }

    /// Sets one or two alphas, updates the gradient and returns its extremes.
    pub fn update<T: Lanes, const N: usize>(
        &mut self,
        changes: [(usize, f64); N],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Extremes> {
        rows.prefetch(&changes.map(|(i, _)| i), monitor)?;
        let prepared = changes.map(|(i, alpha)| {
            let change = alpha - self.alpha[i];
            self.g[i] += self.ridge[i] * change;
            self.alpha[i] = alpha;
            self.fall[i] = if alpha > 0.0 { 0.0 } else { f64::NEG_INFINITY };
            let row = rows.resident_row(i);
            let size = row.at(i).to_f64() + 1.0;
            self.moved += (size + self.ridge[i]) * change.abs();
            (row, self.signs[i] * change)
        });
        self.n_iter += 1;
        let mut extremes = Extremes::NONE;
        for (number, part) in self.parts.iter().enumerate() {
            let local = part.local.clone();
            if local.is_empty() {
                continue;
            }
            let sign = self.signs[local.start];
            let terms = prepared
                .iter()
                .map(|(row, factor)| (sign * factor, row.part(number)));
            let (g, fall) = (&mut self.g[local.clone()], &self.fall[local.clone()]);
            let spread = simd::add_and_scan(g, terms, fall);
            extremes = extremes.merge(local.start, spread);
        }
        Ok(extremes)
    }

    /// An upper bound of the rounding errors of g.
    pub fn drift(&self) -> f64 {
        f64::EPSILON * self.moved
    }

    /// The status of a solution whose violation is below `tol`: rounded kernel values must not have
    /// shifted g by more than that.
    pub fn confirm_optimum(
        &self,
        problem: &Problem<'_>,
        tol: f64,
        monitor: &Monitor,
    ) -> Result<Status> {
        let is_exact = self.rounding(problem, tol, monitor)? <= tol;
        Ok(if is_exact {
            Status::Converged
        } else {
            Status::Stalled
        })
    }

    /// The relative shift of two values of g by rounded kernel values.
    fn rounding(&self, problem: &Problem<'_>, enough: f64, monitor: &Monitor) -> Result<f64> {
        let beta: Vec<f64> = (0..self.alpha.len())
            .map(|i| self.signs[i] * self.alpha[i])
            .collect();
        let total: f64 = beta.iter().sum();
        let sum = |i: usize| self.signs[i] * (self.g[i] - self.ridge[i] * self.alpha[i]) - total;
        rounding(problem, &self.parts, &beta, sum, enough, monitor)
    }

    /// Number of iterations.
    pub fn n_iter(&self) -> usize {
        self.n_iter
    }

    /// `alpha' Q alpha`.
    pub fn square(&self) -> f64 {
        let used = self.alpha.iter().zip(&self.g).filter(|(a, _)| **a > 0.0);
        used.map(|(a, g)| a * g).sum()
    }

    /// The classifier, with all alphas scaled by a factor.
    pub fn machine(&self, factor: f64, status: Status) -> Machine {
        let used = || (0..self.alpha.len()).filter(|&i| self.alpha[i] > 0.0);
        let beta = |i: usize| factor * self.signs[i] * self.alpha[i];
        let terms: Vec<(u32, f64)> = used()
            .map(|i| (self.parts.global(i) as u32, beta(i)))
            .collect();
        let bias: f64 = terms.iter().map(|term| term.1).sum();
        let machine = Machine {
            terms,
            bias,
            n_iter: self.n_iter,
            n_loops: 1,
            status,
            needs_f64: false,
            implied: None,
        };
        machine.or_non_finite()
    }
}
