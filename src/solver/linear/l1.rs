//! Coordinate descent for the squared hinge loss with an L1 penalty, which sets many weights to 0
//! (Chang, Hsieh and Lin 2008; Yuan, Chang, Hsieh and Lin 2010).
//!
//! ```text
//! min |w|_1 + sum_i c_i max(0, 1 - y_i w . x_i)^2
//! ```
//!
//! A step changes the weight of one feature. With the loss `L(z)` after the step `w_j + z`, the
//! Newton direction d minimizes `|w_j + d| + L'(0) d + 1/2 L''(0) d^2`, and the line search halves
//! it until the objective decreases sufficiently:
//!
//! ```text
//! d = -(L' + 1) / L''   if L' + 1 <= L'' w_j
//!     -(L' - 1) / L''   if L' - 1 >= L'' w_j
//!     -w_j              otherwise
//! |w_j + t d| - |w_j| + L(t d) - L(0) <= sigma t (L' d + |w_j + d| - |w_j|),   t = 1, 1/2, 1/4, …
//! ```
//!
//! An epoch visits the active features in random order. Shrinking removes a feature of weight 0
//! with `|L'| < 1 - M / n`, where M is the largest violation of the previous epoch; when the active
//! features have converged, all features become active again. Every few epochs, a Newton step
//! changes all nonzero weights together.
//!
//! Training ends when the violations of the optimality conditions in an epoch over all features
//! sum to at most `tol` times the fraction of the rarer label times the sum of the first epoch, and
//! when the decrease `-(L' d + |w_j + d| - |w_j|)` that the directions predict sums to at most `tol`
//! times the objective. The second condition matters for a large C, with which the first
//! violations are large.
//!
//! The slacks `1 - y_i w . x_i` of all samples are updated with the weights.

use super::problem::PREFETCH_DISTANCE;
use super::sums::outputs;
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Outline, Penalty, Recorder, RuleState,
};
use crate::Result;
use crate::data::Random;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};

mod certificate;
mod columns;
mod subspace;

use certificate::certificate;
use columns::{Column, Columns};
use subspace::Subspace;

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct L1Settings {
    /// The regularization parameter.
    pub penalty: Penalty,
    /// The sum of violations, relative to that of the first epoch times the fraction of the rarer
    /// label, at which training ends.
    pub tol: f64,
    /// The maximum number of passes: epochs, and products of Newton steps; `None` for no limit.
    pub max_iter: Option<usize>,
    /// How the bias is computed.
    pub intercept: Intercept,
    /// The seed of the order of features.
    pub seed: u64,
}

impl L1Settings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(self) -> Result<L1Descent> {
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let penalty = self.penalty.check()?;
        Ok(L1Descent {
            settings: Self { penalty, ..self },
        })
    }
}

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct L1Descent {
    settings: L1Settings,
}

/// The fraction sigma of the predicted decrease that a step must reach.
const SIGMA: f64 = 0.01;

/// The maximum number of step lengths of a line search.
const MAX_TRIALS: usize = 30;

/// Epochs from one Newton step to the next.
const EPOCHS_PER_STEP: usize = 5;

/// The maximum number of products of a Newton step, which then takes about as long as the epochs
/// before.
const PRODUCTS_PER_STEP: usize = 5;

/// The active features have converged at this fraction of the smallest sum of violations over all
/// features: more accurate weights are of no use if other features have to become active.
const ACTIVE_FRACTION: f64 = 0.1;

/// Training has stalled if the sum of violations over all features does not decrease for this many
/// passes plus the number of passes before.
const PASSES_TO_STALL: usize = 1000;

/// Number of stored values to process between two checks for interrupts and the time limit.
const VALUES_PER_CHECK: usize = 1 << 21;

impl LinearSolver for L1Descent {
    fn n_vectors(&self) -> (usize, usize) {
        (11, 1)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        _: Option<&RuleState>,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let settings = &self.settings;
        let mut run = Run::new(problem, settings, monitor)?;
        let status = run.descend(settings, &mut recorder, monitor)?;
        let proof = certificate(problem, |i| problem.cost(i, run.c), &run.w, monitor)?;
        let n_passes = run.n_passes as u64;
        recorder.record(n_passes, || run.w.clone());
        let mut machine = LinearMachine::new(problem.constant(), run.w, n_passes, status);
        machine.certificate = Some(proof);
        machine.finish(problem, settings.intercept, recorder);
        Ok(machine)
    }

    fn untrained(&self, outline: &Outline, _: Option<&RuleState>) -> Result<Option<LinearMachine>> {
        let settings = &self.settings;
        let c = settings.penalty.c(outline.n_rows);
        let mut machine = LinearMachine::untrained_exact(outline, settings.intercept, c)?;
        if let Some(certificate) = &mut machine.certificate {
            // The gradient is not known without reading the samples.
            certificate.violation = f64::INFINITY;
        }
        Ok(Some(machine))
    }
}

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    columns: Columns,
    /// `sum_i c_i x_ij^2`, half of the largest second derivative, for each feature.
    squares: Vec<f64>,
    w: Vec<f64>,
    /// `sqrt(c_i) (1 - y_i w . x_i)` of all samples.
    slacks: Vec<f64>,
    /// The active features, then those removed by shrinking.
    order: Vec<u32>,
    n_active: usize,
    random: Random,
    n_passes: usize,
    /// Features visited and values read since the last check for interrupts and the time limit.
    unchecked: (u64, usize),
}

/// The violations of the optimality conditions in an epoch.
#[derive(Debug, Clone, Copy, Default)]
struct Violations {
    sum: f64,
    largest: f64,
    /// The predicted decrease of the objective.
    decrease: f64,
    /// Whether a weight changed.
    has_changed: bool,
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(
        problem: &'p LinearProblem<'a, T>,
        settings: &L1Settings,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (n, d) = (problem.n_rows(), problem.n_weights());
        let c = settings.penalty.c(n);
        let root = |i: usize| problem.cost(i, c).sqrt();
        let columns = Columns::new(problem, |i| root(i) * problem.label(i), monitor)?;
        let squares: Vec<f64> = (0..d).map(|j| columns.column(j).square()).collect();
        let mut slacks = try_zeros(n, 1, "slacks")?;
        (0..n).for_each(|i| slacks[i] = root(i));
        // The weights of features without values stay 0.
        let order: Vec<u32> = (0..d as u32)
            .filter(|&j| squares[j as usize] > 0.0)
            .collect();
        Ok(Self {
            problem,
            c,
            columns,
            squares,
            w: vec![0.0; d],
            slacks,
            n_active: order.len(),
            order,
            random: Random::new(settings.seed),
            n_passes: 0,
            unchecked: (0, 0),
        })
    }

    /// Runs epochs and Newton steps until training ends.
    fn descend(
        &mut self,
        settings: &L1Settings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Status> {
        let rarer = self.problem.rarer_fraction();
        let max_passes = settings.max_iter.unwrap_or(usize::MAX);
        let (mut enough, mut largest) = (None, f64::INFINITY);
        // The smallest sum of violations of an epoch over all features, and its pass.
        let mut best = (f64::INFINITY, 0);
        let mut n_epochs = 0usize;
        loop {
            recorder.record_if_due(self.n_passes as u64, || self.w.clone());
            if self.n_passes >= max_passes {
                return Ok(Status::IterationLimit);
            }
            let Some(found) = self.epoch(largest, monitor)? else {
                return Ok(Status::TimeLimit);
            };
            (n_epochs, self.n_passes) = (n_epochs + 1, self.n_passes + 1);
            if !found.sum.is_finite() {
                return Ok(Status::NonFinite);
            }
            let enough = *enough.get_or_insert(settings.tol * rarer * found.sum);
            let is_full = self.n_active == self.order.len();
            if is_full && found.sum < best.0 {
                best = (found.sum, self.n_passes);
            }
            let is_stalled = !found.has_changed || self.n_passes > 2 * best.1 + PASSES_TO_STALL;
            let is_done = |enough: f64| found.sum <= enough || is_stalled;
            largest = found.largest;
            if is_full && is_done(enough) && self.is_optimal(found, settings.tol) {
                return Ok(Status::Converged);
            } else if is_full && is_stalled {
                return Ok(Status::Stalled);
            } else if !is_full && is_done(enough.max(ACTIVE_FRACTION * best.0)) {
                // The active features have converged: activate all features.
                (self.n_active, largest) = (self.order.len(), f64::INFINITY);
                self.compute_slacks(monitor)?;
            } else if n_epochs.is_multiple_of(EPOCHS_PER_STEP) {
                self.newton_step(max_passes, monitor)?;
            }
        }
    }

    /// Whether the predicted decrease of the objective is small.
    fn is_optimal(&self, found: Violations, tol: f64) -> bool {
        let norm: f64 = self.w.iter().map(|w| w.abs()).sum();
        let losses = self.slacks.iter().map(|b| b.max(0.0) * b.max(0.0));
        found.decrease <= tol * (norm + losses.sum::<f64>())
    }

    /// Changes all nonzero weights together.
    fn newton_step(&mut self, max_passes: usize, monitor: &Monitor) -> Result<()> {
        let active = self.order[..self.n_active].iter().copied();
        let features: Vec<u32> = active.filter(|&j| self.w[j as usize] != 0.0).collect();
        let weights: Vec<f64> = features.iter().map(|&j| self.w[j as usize]).collect();
        let subspace = Subspace {
            columns: &self.columns,
            features: &features,
            weights: &weights,
            slacks: &self.slacks,
        };
        let max_products = PRODUCTS_PER_STEP.min(max_passes - self.n_passes);
        if let Some(step) = subspace.step(max_products, monitor)? {
            for (&j, w) in features.iter().zip(step.weights) {
                self.w[j as usize] = w;
            }
            self.slacks = step.slacks;
            self.n_passes += step.n_products;
        }
        Ok(())
    }

    /// Removes the rounding errors of the steps from the slacks.
    fn compute_slacks(&mut self, monitor: &Monitor) -> Result<()> {
        outputs(self.problem, &self.w, &mut self.slacks, monitor)?;
        for (i, slack) in self.slacks.iter_mut().enumerate() {
            let root = self.problem.cost(i, self.c).sqrt();
            *slack = root * (1.0 - self.problem.label(i) * *slack);
        }
        Ok(())
    }

    /// Visits all active features; `None` if the time limit was reached. `largest` is the largest
    /// violation of the previous epoch.
    fn epoch(&mut self, largest: f64, monitor: &Monitor) -> Result<Option<Violations>> {
        let mut found = Violations::default();
        let bound = 1.0 - largest / self.slacks.len() as f64;
        self.random.shuffle(&mut self.order[..self.n_active]);
        let mut place = 0;
        while place < self.n_active {
            let j = self.order[place] as usize;
            if let Some(&ahead) = self.order[..self.n_active].get(place + PREFETCH_DISTANCE) {
                self.columns.column(ahead as usize).prefetch();
            }
            // Counted across epochs, because few features may be active.
            self.unchecked.0 += 1;
            self.unchecked.1 += self.columns.column(j).len() + 1;
            if self.unchecked.1 >= VALUES_PER_CHECK {
                monitor.tick(self.unchecked.0)?;
                self.unchecked = (0, 0);
                if monitor.time_is_up() {
                    return Ok(None);
                }
            }
            if self.visit(j, bound, &mut found) {
                place += 1;
            } else {
                self.n_active -= 1;
                self.order.swap(place, self.n_active);
            }
        }
        Ok(Some(found))
    }

    /// Takes a step in the weight of one feature; `false` if the feature is to be removed by
    /// shrinking.
    #[inline]
    fn visit(&mut self, j: usize, bound: f64, found: &mut Violations) -> bool {
        let (column, w) = (self.columns.column(j), self.w[j]);
        let (gradient, curvature) = column.derivatives(&self.slacks);
        if w == 0.0 && gradient.abs() < bound {
            return false;
        }
        let violation = violation(w, gradient);
        found.sum += violation;
        found.largest = found.largest.max(violation);
        if violation > 0.0 {
            let d = newton_direction(w, gradient, curvature);
            found.decrease -= gradient * d + norm_change(w, d);
            let next = w + self.line_search(column, w, d, gradient, self.squares[j]);
            if next != w {
                self.w[j] = next;
                found.has_changed = true;
                column.subtract_from(&mut self.slacks, next - w);
            }
        }
        true
    }

    /// The step along the direction `d`; 0 if no step decreases the objective sufficiently.
    #[inline]
    fn line_search(&self, column: Column<'_>, w: f64, d: f64, gradient: f64, square: f64) -> f64 {
        let decrease = gradient * d + norm_change(w, d);
        let mut length = 1.0;
        for _ in 0..MAX_TRIALS {
            let step = length * d;
            let enough = SIGMA * length * decrease - norm_change(w, step);
            // The loss changes by at most the left side, because L'' <= 2 sum c x^2.
            if gradient * step + square * step * step <= enough
                || column.loss_change(&self.slacks, step) <= enough
            {
                return step;
            }
            length *= 0.5;
        }
        0.0
    }
}

/// The distance of 0 from the subdifferential of the objective in one weight.
fn violation(w: f64, gradient: f64) -> f64 {
    if w == 0.0 {
        (gradient.abs() - 1.0).max(0.0)
    } else {
        (gradient + w.signum()).abs()
    }
}

/// The minimum of `|w + d| + gradient d + 1/2 curvature d^2`.
fn newton_direction(w: f64, gradient: f64, curvature: f64) -> f64 {
    let curvature = curvature.max(f64::MIN_POSITIVE);
    if gradient + 1.0 <= curvature * w {
        -(gradient + 1.0) / curvature
    } else if gradient - 1.0 >= curvature * w {
        -(gradient - 1.0) / curvature
    } else {
        -w
    }
}

/// `|w + step| - |w|`, without cancellation if the sign does not change.
fn norm_change(w: f64, step: f64) -> f64 {
    let next = w + step;
    if w >= 0.0 && next >= 0.0 {
        step
    } else if w <= 0.0 && next <= 0.0 {
        -step
    } else {
        next.abs() - w.abs()
    }
}
