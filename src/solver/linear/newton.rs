//! Primal Newton in w for the squared hinge.
//!
//! ```text
//! 1/2 |w|^2 + sum_i c_i max(0, 1 - y_i w . x_i)^2
//! ```
//!
//! While the set S of rows with a loss stays the same, the objective is quadratic with the
//! Hessian `H = I + 2 sum_S c_i x_i x_i'`. A Newton step solves `H p = -gradient`, with a
//! Cholesky factor where there are few features and by conjugate gradients, as exactly as is
//! worth it, where there are many; then it goes along p to the smallest value of the objective,
//! which is convex and piecewise quadratic there.
//!
//! Cost of a step: O(|S| d^2 + d^3), or two passes through S for each conjugate gradient.

use super::certificate::{certificate, expand};
use super::sums::{outputs, weighted_sum};
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Loss, Outline, Penalty, Recorder,
    RuleState,
};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};
use rayon::prelude::*;

mod expansion;
mod hessian;

pub use expansion::Expansion;
use hessian::Hessian;

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearNewtonSettings {
    /// Norm against losses.
    pub penalty: Penalty,
    /// The share of the first gradient, times the share of the rarer label, at which to stop.
    pub tol: f64,
    /// The most Newton steps; `None` for no limit.
    pub max_iter: Option<usize>,
    /// The bias.
    pub intercept: Intercept,
    /// Whether the weight of the constant feature is not part of the norm.
    pub free_bias: bool,
}

impl LinearNewtonSettings {
    /// The only way to a [`LinearNewton`].
    pub fn check(self) -> Result<LinearNewton> {
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let penalty = self.penalty.check()?;
        Ok(LinearNewton {
            settings: Self { penalty, ..self },
        })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearNewton {
    settings: LinearNewtonSettings,
}

/// A step that gains less than this share of the objective is the last one.
const SMALLEST_GAIN: f64 = 1e-15;

/// The share of the first gradient, or of the objective as a gap, that rounding may leave.
const NEAR: f64 = 1e-6;

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

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        let given = &self.settings;
        if start.is_some() || given.free_bias {
            return Ok(None);
        }
        let c = given.penalty.c(outline.n_rows);
        LinearMachine::untrained_exact(outline, given.intercept, c).map(Some)
    }
}

impl LinearNewton {
    /// As [`LinearSolver::solve`], from weights that another method found in `n_iter` steps: they
    /// count, and the gradient is measured by that of zero weights.
    pub fn go_on<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        weights: Vec<f64>,
        n_iter: usize,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let given = &self.settings;
        let mut run = Run::new(problem, given, None)?;
        let mut gradient = try_zeros(problem.n_weights(), 1, "the gradient")?;
        run.gradient(&mut gradient, monitor)?;
        (run.first, run.w, run.n_iter) = (Some(norm(&gradient)), weights, n_iter);
        let status = run.descend(given, &mut recorder, monitor)?;
        self.machine(run, status, recorder, monitor)
    }

    /// The machine of a descent that ended.
    fn machine<T: Lanes>(
        &self,
        run: Run<'_, '_, T>,
        status: Status,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let (problem, given) = (run.problem, &self.settings);
        let found = if given.free_bias {
            None
        } else {
            let alpha = |i: usize| 2.0 * run.price(i) * run.lack(i, run.f[i]);
            let price = |i| run.price(i);
            let v = expand(problem, alpha, monitor)?;
            let (loss, w) = (Loss::SquaredHinge, &run.w);
            let found = certificate(problem, loss, price, w, Some(&v), alpha, monitor)?;
            Some(found)
        };
        recorder.keep(run.n_iter as u64, || run.w.clone());
        let mut machine = LinearMachine::new(problem.constant(), run.w, run.n_iter as u64, status);
        machine.certificate = found;
        machine.finish(problem, given.intercept, recorder);
        Ok(machine)
    }
}

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    /// The weight of the square of each weight in the norm: 1, but perhaps for the constant.
    ridge: Vec<f64>,
    w: Vec<f64>,
    /// Outputs of all rows.
    f: Vec<f64>,
    /// The length of the gradient that others are measured by; `None` for the first.
    first: Option<f64>,
    n_iter: usize,
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(
        problem: &'p LinearProblem<'a, T>,
        given: &LinearNewtonSettings,
        start: Option<&RuleState>,
    ) -> Result<Self> {
        let d = problem.n_weights();
        let mut ridge = vec![1.0; d];
        if given.free_bias && problem.constant() != 0.0 {
            ridge[d - 1] = 0.0;
        }
        let mut w = start.map(|state| state.weights.clone()).unwrap_or_default();
        w.resize(d, 0.0);
        Ok(Self {
            problem,
            c: given.penalty.c(problem.n_rows()),
            ridge,
            w,
            f: try_zeros(problem.n_rows(), 1, "decision values")?,
            first: None,
            n_iter: 0,
        })
    }

    fn price(&self, i: usize) -> f64 {
        (self.c * self.problem.weight(i)).min(super::problem::LARGEST)
    }

    /// How much an output of row `i` lacks of a margin of 1.
    fn lack(&self, i: usize, f: f64) -> f64 {
        (1.0 - self.problem.label(i) * f).max(0.0)
    }

    fn descend(
        &mut self,
        given: &LinearNewtonSettings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Status> {
        let (d, n) = (self.problem.n_weights(), self.problem.n_rows());
        let (positive, negative) = self.problem.counts();
        let rarer = positive.min(negative).max(1) as f64 / n.max(1) as f64;
        let mut gradient = try_zeros(d, 1, "the gradient")?;
        let mut change = try_zeros(n, 1, "decision values")?;
        outputs(self.problem, &self.w, &mut self.f, monitor)?;
        loop {
            recorder.tell(self.n_iter as u64, || self.w.clone());
            self.gradient(&mut gradient, monitor)?;
            let length = norm(&gradient);
            if !length.is_finite() {
                return Ok(Status::NonFinite);
            }
            let first = *self.first.get_or_insert(length);
            let small_gap = match self.has_free_bias() {
                true => NEAR.max(given.tol), // the gradient alone says nothing: it grows with C
                false => given.tol,
            };
            if length <= given.tol * rarer * first && self.gap(&gradient, monitor)? <= small_gap {
                return Ok(Status::Converged);
            }
            if given.max_iter.is_some_and(|most| self.n_iter >= most) {
                return Ok(Status::IterationLimit);
            }
            if monitor.time_is_up() {
                return Ok(Status::TimeLimit);
            }
            monitor.tick(1)?;
            let has_loss = |i: usize| self.lack(i, self.f[i]) > 0.0;
            let price = |i: usize| {
                if has_loss(i) {
                    2.0 * self.price(i)
                } else {
                    0.0
                }
            };
            let exactness = (length / first).sqrt().min(0.1);
            let step = if (0..n).any(has_loss) {
                let hessian = Hessian::new(self.problem, &self.ridge, price);
                hessian.solve(&gradient, exactness, monitor)?
            } else {
                // The norm alone is left, and a free bias stays where it is.
                Some(gradient.iter().map(|g| -g).collect())
            };
            let Some(p) = step else {
                return Ok(Status::Stalled);
            };
            self.n_iter += 1;
            outputs(self.problem, &p, &mut change, monitor)?;
            let (way, gain) = self.line_search(&p, &change);
            if !gain.is_finite() {
                return Ok(Status::NonFinite);
            }
            for (w, p) in self.w.iter_mut().zip(&p) {
                *w += way * p;
            }
            for (f, change) in self.f.iter_mut().zip(&change) {
                *f += way * change;
            }
            if gain <= SMALLEST_GAIN {
                self.gradient(&mut gradient, monitor)?;
                let is_near = self.gap(&gradient, monitor)? <= NEAR.max(given.tol);
                return Ok(if is_near {
                    Status::Converged
                } else {
                    Status::Stalled
                });
            }
        }
    }

    /// The gap between primal and dual objective, as a share of the primal one.
    ///
    /// The dual variables are `2 c (1 - y f)`, so that their `v = sum alpha y x` is w less the
    /// gradient: no row is looked at. With a free bias `sum alpha y` must be 0: the side that
    /// outweighs the other is scaled down to it.
    fn gap(&self, gradient: &[f64], monitor: &Monitor) -> Result<f64> {
        let pull = |i: usize| 2.0 * self.price(i) * self.lack(i, self.f[i]);
        let mut shares = [1.0, 1.0];
        let mut v: Vec<f64> = self.w.iter().zip(gradient).map(|(w, g)| w - g).collect();
        if self.has_free_bias() {
            let of_row = |i: usize| match self.problem.label(i) > 0.0 {
                true => [pull(i), 0.0, 0.0],
                false => [0.0, pull(i), 0.0],
            };
            let [positive, negative, _] = sum_rows(self.f.len(), of_row);
            shares = [negative / positive, positive / negative].map(|share| share.min(1.0));
        }
        let share = |i: usize| shares[usize::from(self.problem.label(i) < 0.0)];
        if shares != [1.0, 1.0] {
            let signed = |i: usize| share(i) * pull(i) * self.problem.label(i);
            weighted_sum(self.problem, signed, &mut v, monitor)?;
        }
        let of_row = |i: usize| {
            let (pull, share) = (pull(i), share(i));
            let cost = 0.5 * pull * self.lack(i, self.f[i]);
            [cost, share * (pull - share * cost), 0.0]
        };
        let [losses, dual, _] = sum_rows(self.f.len(), of_row);
        let primal = 0.5 * self.square(&self.w, &self.w) + losses;
        let dual = dual - 0.5 * self.square(&v, &v);
        Ok((primal - dual) / primal.max(f64::MIN_POSITIVE))
    }

    /// The product of two sets of weights, as the norm counts them.
    fn square(&self, a: &[f64], b: &[f64]) -> f64 {
        let each = a.iter().zip(b).zip(&self.ridge);
        each.map(|((a, b), ridge)| ridge * a * b).sum()
    }

    /// Whether the weight of the constant feature is not part of the norm.
    fn has_free_bias(&self) -> bool {
        self.ridge.last() == Some(&0.0)
    }

    /// `w - 2 sum_S c y (1 - y f) x`, the norm's part by the ridge.
    fn gradient(&self, gradient: &mut [f64], monitor: &Monitor) -> Result<()> {
        let pull = |i: usize| {
            let lack = self.lack(i, self.f[i]);
            -2.0 * self.price(i) * lack * self.problem.label(i)
        };
        weighted_sum(self.problem, pull, gradient, monitor)?;
        for ((g, w), ridge) in gradient.iter_mut().zip(&self.w).zip(&self.ridge) {
            *g += ridge * w;
        }
        Ok(())
    }

    /// How far to go along `p`, which changes the outputs by `change`, and the share of the
    /// objective that is gained.
    ///
    /// The slope rises and is piecewise linear: each try goes to where the line that it lies
    /// on is 0, or to the middle of what is left where that leads out of it.
    fn line_search(&self, p: &[f64], change: &[f64]) -> (f64, f64) {
        let (w0, w1) = (self.square(&self.w, &self.w), self.square(&self.w, p));
        let w2 = self.square(p, p);
        // Value, slope and curvature at a place.
        let at = |s: f64| -> [f64; 3] {
            let of_row = |i: usize| {
                let lack = self.lack(i, self.f[i] + s * change[i]);
                if lack == 0.0 {
                    return [0.0; 3];
                }
                let (price, change) = (self.price(i), self.problem.label(i) * change[i]);
                let pull = 2.0 * price * change;
                [price * lack * lack, -pull * lack, pull * change]
            };
            let [value, slope, curvature] = sum_rows(self.f.len(), of_row);
            [
                0.5 * w0 + s * (w1 + 0.5 * s * w2) + value,
                w1 + s * w2 + slope,
                w2 + curvature,
            ]
        };
        let [before, first_slope, _] = at(0.0);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut s = 1.0;
        let mut now = at(s);
        for _ in 0..HALVINGS {
            let [_, slope, curvature] = now;
            if slope.abs() <= 1e-10 * first_slope.abs() {
                break;
            }
            if slope > 0.0 {
                high = s;
            } else {
                low = s;
            }
            s -= slope / curvature;
            if !(s > low && s < high) {
                s = if high.is_finite() {
                    0.5 * (low + high)
                } else {
                    2.0 * low
                };
            }
            now = at(s);
        }
        (s, (before - now[0]) / before.abs().max(f64::MIN_POSITIVE))
    }
}

/// The most tries of a line search.
const HALVINGS: usize = 50;

/// Rows of a piece of a sum.
const ROWS: usize = 4096;

/// Sums over all rows, in parallel, in pieces that do not depend on the threads.
fn sum_rows(n: usize, of_row: impl Fn(usize) -> [f64; 3] + Sync) -> [f64; 3] {
    let add = |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let piece = |piece: usize| {
        let rows = piece * ROWS..((piece + 1) * ROWS).min(n);
        rows.map(&of_row).fold([0.0; 3], add)
    };
    let pieces: Vec<[f64; 3]> = (0..n.div_ceil(ROWS)).into_par_iter().map(piece).collect();
    pieces.into_iter().fold([0.0; 3], add)
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}
