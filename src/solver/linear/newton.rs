//! Primal Newton's method in w for the squared hinge loss (Keerthi and DeCoste 2005) and the squared
//! epsilon-insensitive loss (Ho and Lin 2012).
//!
//! ```text
//! 1/2 |w|^2 + sum_i c_i z_i^2,   z_i = max(0, s_i (p_i - w . x_i) - epsilon)
//! ```
//!
//! For classification, the side s and p are the label y, and `epsilon = 0`, so that the slack z is
//! `max(0, 1 - y w . x)`. For regression, p is the target and s the sign of the residual.
//!
//! For a given set S of samples with a positive loss, and their sides, the objective is quadratic
//! with the Hessian `H = I + 2 sum_S c_i x_i x_i'`. A Newton step solves `H p = -gradient`: with a Cholesky factor
//! if there are few features, otherwise by conjugate gradients, more accurately from step to step.
//! The line search minimizes the objective along p, which is convex and piecewise quadratic.
//!
//! Cost of a step: O(|S| d^2 + d^3), or two passes over S per iteration of conjugate gradients.

use super::certificate::{certificate, expand};
use super::line_search;
use super::sums::{outputs, weighted_sum};
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Loss, Outline, Penalty, Recorder,
    RuleState,
};
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};
use crate::{Error, Result};
use rayon::prelude::*;

mod expansion;
mod hessian;

pub use expansion::Expansion;
pub use hessian::Hessian;

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearNewtonSettings {
    /// The loss, which is squared.
    pub loss: Loss,
    /// The regularization parameter.
    pub penalty: Penalty,
    /// The norm of the gradient, relative to the first one times the fraction of the rarer label
    /// for classification, at which training ends.
    pub tol: f64,
    /// The maximum number of Newton steps; `None` for no limit.
    pub max_iter: Option<usize>,
    /// How the bias is computed.
    pub intercept: Intercept,
    /// Whether the weight of the constant feature is excluded from the norm.
    pub free_bias: bool,
}

impl LinearNewtonSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(self) -> Result<LinearNewton> {
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let (penalty, loss) = (self.penalty.check()?, self.loss.check()?);
        if !loss.is_squared() || (self.free_bias && loss.tube().is_some()) {
            let rule = "Newton's method requires a squared loss, with a free bias that of labels";
            return Err(Error::parameter("loss", format!("{loss:?}"), rule));
        }
        Ok(LinearNewton {
            settings: Self {
                penalty,
                loss,
                ..self
            },
        })
    }
}

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearNewton {
    settings: LinearNewtonSettings,
}

/// The relative decrease of the objective below which training ends.
const MIN_DECREASE: f64 = 1e-15;

/// The relative duality gap that is accepted as rounding.
const ROUNDING_GAP: f64 = 1e-6;

impl LinearSolver for LinearNewton {
    fn n_vectors(&self) -> (usize, usize) {
        (9, 1)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let mut run = Run::new(problem, &self.settings, start)?;
        let status = run.descend(&self.settings, &mut recorder, monitor)?;
        self.machine(run, status, recorder, monitor)
    }

    fn tube(&self) -> Option<f64> {
        self.settings.loss.tube()
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        let settings = &self.settings;
        if start.is_some() || settings.free_bias {
            return Ok(None);
        }
        let c = settings.penalty.c(outline.n_rows);
        LinearMachine::untrained_exact(outline, settings.intercept, c).map(Some)
    }
}

impl LinearNewton {
    /// As [`LinearSolver::solve`], from the weights of another method after `n_iter` iterations,
    /// which count toward the limit. The gradient is compared with that of zero weights.
    pub fn continue_from<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        weights: Vec<f64>,
        n_iter: usize,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let settings = &self.settings;
        let mut run = Run::new(problem, settings, None)?;
        let mut gradient = try_zeros(problem.n_weights(), 1, "the gradient")?;
        run.gradient(&mut gradient, monitor)?;
        (run.first, run.w, run.n_iter) = (Some(norm(&gradient)), weights, n_iter);
        let status = run.descend(settings, &mut recorder, monitor)?;
        self.machine(run, status, recorder, monitor)
    }

    /// The machine of a finished run.
    fn machine<T: Lanes>(
        &self,
        run: Run<'_, '_, T>,
        status: Status,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let (problem, settings) = (run.problem, &self.settings);
        let found = if settings.free_bias {
            None
        } else {
            let (beta, cost) = (|i: usize| run.beta(i), |i| run.cost(i));
            let v = expand(problem, beta, monitor)?;
            let (loss, w) = (settings.loss, &run.w);
            let found = certificate(problem, loss, cost, w, Some(&v), beta, monitor)?;
            Some(found)
        };
        recorder.record(run.n_iter as u64, || run.w.clone());
        let mut machine = LinearMachine::new(problem.constant(), run.w, run.n_iter as u64, status);
        machine.certificate = found;
        machine.finish(problem, settings.intercept, recorder);
        Ok(machine)
    }
}

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    epsilon: f64,
    /// The factor of each squared weight in the norm: 1, or 0 for a free bias.
    ridge: Vec<f64>,
    w: Vec<f64>,
    /// The decision values of all samples.
    f: Vec<f64>,
    /// The norm of the gradient to which later ones are compared; `None` before the first.
    first: Option<f64>,
    n_iter: usize,
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(
        problem: &'p LinearProblem<'a, T>,
        settings: &LinearNewtonSettings,
        start: Option<&RuleState>,
    ) -> Result<Self> {
        let d = problem.n_weights();
        let mut ridge = vec![1.0; d];
        if settings.free_bias && problem.constant() != 0.0 {
            ridge[d - 1] = 0.0;
        }
        let mut w = start.map(|state| state.weights.clone()).unwrap_or_default();
        w.resize(d, 0.0);
        Ok(Self {
            problem,
            c: problem.c(settings.penalty, settings.loss),
            epsilon: problem.epsilon(settings.loss),
            ridge,
            w,
            f: try_zeros(problem.n_rows(), 1, "decision values")?,
            first: None,
            n_iter: 0,
        })
    }

    /// C times the weight of a sample.
    fn cost(&self, i: usize) -> f64 {
        self.problem.cost(i, self.c)
    }

    /// The slack z of sample `i` for a decision value `f`.
    fn slack(&self, i: usize, f: f64) -> f64 {
        let side = self.problem.side(i, f);
        self.problem.excess(i, side, f, self.epsilon).max(0.0)
    }

    /// The dual variable `2 c z` of sample `i`.
    fn alpha(&self, i: usize) -> f64 {
        2.0 * self.cost(i) * self.slack(i, self.f[i])
    }

    /// The dual variable of sample `i` with the sign of its side.
    fn beta(&self, i: usize) -> f64 {
        self.problem.side(i, self.f[i]) * self.alpha(i)
    }

    fn descend(
        &mut self,
        settings: &LinearNewtonSettings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Status> {
        let (d, n) = (self.problem.n_weights(), self.problem.n_rows());
        let rarer = self.problem.rarer_fraction();
        let mut gradient = try_zeros(d, 1, "the gradient")?;
        let mut change = try_zeros(n, 1, "decision values")?;
        outputs(self.problem, &self.w, &mut self.f, monitor)?;
        loop {
            recorder.record_if_due(self.n_iter as u64, || self.w.clone());
            self.gradient(&mut gradient, monitor)?;
            let gradient_norm = norm(&gradient);
            if !gradient_norm.is_finite() {
                return Ok(Status::NonFinite);
            }
            let first = *self.first.get_or_insert(gradient_norm);
            let small_gap = match self.has_free_bias() {
                // The gradient alone is not a criterion, because it grows with C.
                true => ROUNDING_GAP.max(settings.tol),
                false => settings.tol,
            };
            if gradient_norm <= settings.tol * rarer * first
                && self.gap(&gradient, monitor)? <= small_gap
            {
                return Ok(Status::Converged);
            }
            if settings.max_iter.is_some_and(|most| self.n_iter >= most) {
                return Ok(Status::IterationLimit);
            }
            if monitor.time_is_up() {
                return Ok(Status::TimeLimit);
            }
            monitor.tick(1)?;
            let has_loss = |i: usize| self.slack(i, self.f[i]) > 0.0;
            let curvature = |i: usize| {
                if has_loss(i) { 2.0 * self.cost(i) } else { 0.0 }
            };
            let tolerance = (gradient_norm / first).sqrt().min(0.1);
            let step = if (0..n).any(has_loss) {
                let hessian = Hessian::new(self.problem, &self.ridge, curvature);
                hessian.solve(&gradient, tolerance, monitor)?
            } else {
                // Only the norm is left; a free bias does not change.
                Some(gradient.iter().map(|g| -g).collect())
            };
            let Some(p) = step else {
                return Ok(Status::of_failed_step(monitor));
            };
            self.n_iter += 1;
            outputs(self.problem, &p, &mut change, monitor)?;
            let (length, decrease) = self.line_search(&p, &change);
            if !decrease.is_finite() {
                return Ok(Status::NonFinite);
            }
            for (w, p) in self.w.iter_mut().zip(&p) {
                *w += length * p;
            }
            for (f, change) in self.f.iter_mut().zip(&change) {
                *f += length * change;
            }
            if decrease <= MIN_DECREASE {
                self.gradient(&mut gradient, monitor)?;
                let is_near = self.gap(&gradient, monitor)? <= ROUNDING_GAP.max(settings.tol);
                return Ok(if is_near {
                    Status::Converged
                } else {
                    Status::Stalled
                });
            }
        }
    }

    /// The duality gap relative to the primal objective.
    ///
    /// The dual variables are `alpha = 2 c z`, so that `v = sum alpha s x` is w minus the gradient
    /// and needs no pass over the samples. With a free bias, `sum alpha y` must be 0: the dual
    /// variables of the label with the larger sum are scaled down.
    fn gap(&self, gradient: &[f64], monitor: &Monitor) -> Result<f64> {
        let alpha = |i: usize| self.alpha(i);
        let mut shares = [1.0, 1.0];
        let mut v: Vec<f64> = self.w.iter().zip(gradient).map(|(w, g)| w - g).collect();
        if self.has_free_bias() {
            let of_sample = |i: usize| match self.problem.label(i) > 0.0 {
                true => [alpha(i), 0.0, 0.0],
                false => [0.0, alpha(i), 0.0],
            };
            let [positive, negative, _] = sum_over_samples(self.f.len(), of_sample);
            shares = [negative / positive, positive / negative].map(|share| share.min(1.0));
        }
        let share = |i: usize| shares[usize::from(self.problem.label(i) < 0.0)];
        if shares != [1.0, 1.0] {
            let signed = |i: usize| share(i) * alpha(i) * self.problem.label(i);
            weighted_sum(self.problem, signed, &mut v, monitor)?;
        }
        let of_sample = |i: usize| {
            let (alpha, share) = (alpha(i), share(i));
            let loss = 0.5 * alpha * self.slack(i, self.f[i]);
            let goal = self.problem.side(i, self.f[i]) * self.problem.label(i) - self.epsilon;
            [loss, share * (alpha * goal - share * loss), 0.0]
        };
        let [losses, dual, _] = sum_over_samples(self.f.len(), of_sample);
        let primal = 0.5 * self.inner_product(&self.w, &self.w) + losses;
        let dual = dual - 0.5 * self.inner_product(&v, &v);
        Ok((primal - dual) / primal.max(f64::MIN_POSITIVE))
    }

    /// The inner product of two vectors of weights that induces the norm.
    fn inner_product(&self, a: &[f64], b: &[f64]) -> f64 {
        let each = a.iter().zip(b).zip(&self.ridge);
        each.map(|((a, b), ridge)| ridge * a * b).sum()
    }

    /// Whether the weight of the constant feature is excluded from the norm.
    fn has_free_bias(&self) -> bool {
        self.ridge.last() == Some(&0.0)
    }

    /// `R w - 2 sum_S c s z x` with the diagonal matrix R of the norm.
    fn gradient(&self, gradient: &mut [f64], monitor: &Monitor) -> Result<()> {
        let factor = |i: usize| -self.beta(i);
        weighted_sum(self.problem, factor, gradient, monitor)?;
        for ((g, w), ridge) in gradient.iter_mut().zip(&self.w).zip(&self.ridge) {
            *g += ridge * w;
        }
        Ok(())
    }

    /// The step length along `p` that minimizes the objective, and the relative decrease of the
    /// objective. A full step changes the decision values by `change`.
    ///
    /// The slope is increasing and piecewise linear. Each iteration is a Newton step for its root,
    /// or a bisection if that would leave the bracketing interval.
    fn line_search(&self, p: &[f64], change: &[f64]) -> (f64, f64) {
        let (w0, w1) = (
            self.inner_product(&self.w, &self.w),
            self.inner_product(&self.w, p),
        );
        let w2 = self.inner_product(p, p);
        // Value, slope and curvature after a step of length s.
        let at = |s: f64| -> [f64; 3] {
            let of_sample = |i: usize| {
                let f = self.f[i] + s * change[i];
                let (side, slack) = (self.problem.side(i, f), self.slack(i, f));
                if slack == 0.0 {
                    return [0.0; 3];
                }
                let (cost, change) = (self.cost(i), side * change[i]);
                let factor = 2.0 * cost * change;
                [cost * slack * slack, -factor * slack, factor * change]
            };
            let [value, slope, curvature] = sum_over_samples(self.f.len(), of_sample);
            [
                0.5 * w0 + s * (w1 + 0.5 * s * w2) + value,
                w1 + s * w2 + slope,
                w2 + curvature,
            ]
        };
        let (s, [before, after]) = line_search::minimize(at, 1e-10);
        (s, (before - after) / before.abs().max(f64::MIN_POSITIVE))
    }
}

/// Samples per piece of a sum.
const PIECE: usize = 4096;

/// Sums over all samples, in parallel, in pieces that do not depend on the number of threads.
pub fn sum_over_samples(n: usize, of_sample: impl Fn(usize) -> [f64; 3] + Sync) -> [f64; 3] {
    let add = |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let piece = |piece: usize| {
        let samples = piece * PIECE..((piece + 1) * PIECE).min(n);
        samples.map(&of_sample).fold([0.0; 3], add)
    };
    let pieces: Vec<[f64; 3]> = (0..n.div_ceil(PIECE)).into_par_iter().map(piece).collect();
    pieces.into_iter().fold([0.0; 3], add)
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}
