//! The augmented Lagrangian method for the hinge and the epsilon-insensitive loss, with Newton steps
//! in w (Rockafellar 1976; Yan and Li 2020).
//!
//! ```text
//! min_w 1/2 |w|^2 + sum_i c_i max_b [b r_i - epsilon |b| - e/2 (b - a_i)^2],   r_i = p_i - w . x_i
//! ```
//!
//! For regression, p are the targets, and `-1 <= b <= 1`. For classification, p are the labels y,
//! `epsilon = 0`, and b lies between 0 and y, so that `b r` is the share `|b|` of the slack
//! `1 - y w . x`.
//!
//! The maximum is attained at `b_i = clip(a_i + r_i / e)`, after which regression moves the argument
//! of `clip` towards 0 by `epsilon / e`. An outer iteration minimizes over w by Newton's method and
//! replaces the shares `a_i = beta_i / c_i` of the dual variables by `b_i`. Then
//! `w = sum_i c_i a_i x_i`, and the projected gradient of a free dual variable is
//! `e (a_i_old - a_i)`, 0 for all others: with a width `e` of half the tolerance, one outer
//! iteration is enough from any `a`. Larger widths come first, since they need fewer Newton steps.
//!
//! The Hessian `I + sum_J c_i / e x_i x_i'` has a term for the few samples J with `0 < |b_i| < 1`
//! only. Samples far from the margin, or from both edges of the tube, are inactive until a pass
//! over all samples, which decides on convergence, finds a violation.

use super::certificate::{LARGE_GAP, certificate_of_outputs, expand};
use super::line_search;
use super::newton::{Hessian, sum_over_samples};
use super::sums::{outputs, outputs_of, weighted_sum_of};
use super::{DualSettings, LinearMachine, LinearProblem, Loss, Recorder};
use crate::Result;
use crate::memory::{try_with_capacity, try_zeros};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::{Certificate, Status};

/// The range of the first width of the smoothed corner of the loss; between them, it is the range
/// of the projected gradients at the start.
const FIRST_WIDTHS: (f64, f64) = (0.1, 0.3);

/// The factor by which the width decreases.
const DECREASE: f64 = 0.3;

/// The distance from the margin at which samples become inactive, relative to the range of the
/// projected gradients.
const FAR: f64 = 2.0;

/// The maximum number of Newton steps of an outer iteration.
const MAX_STEPS: usize = 100;

/// The maximum number of outer iterations at the smallest width.
const MAX_REPEATS: usize = 8;

/// The accuracy of decision values relative to the tolerance.
const ACCURACY: f64 = 0.05;

/// The relative decrease of the objective below which Newton steps end.
const MIN_DECREASE: f64 = 1e-15;

/// Starts from weights and dual variables of another method.
pub struct Start {
    /// The weights; the last one is that of the constant feature.
    pub weights: Vec<f64>,
    /// The signed dual variables.
    pub beta: Vec<f64>,
    /// The range of the projected gradients.
    pub spread: f64,
    /// Number of iterations so far.
    pub n_iter: usize,
}

/// The result of [`solve`].
pub enum Outcome {
    /// Training converged or reached a limit.
    Solved(LinearMachine),
    /// Newton steps made no progress.
    Stalled {
        /// The best signed dual variables.
        beta: Vec<f64>,
        /// Number of iterations so far.
        n_iter: usize,
        /// The recorder with the snapshots so far.
        recorder: Recorder,
    },
}

/// Minimizes the hinge or epsilon-insensitive loss from `start`.
pub fn solve<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    settings: &DualSettings,
    start: Start,
    mut recorder: Recorder,
    monitor: &Monitor,
) -> Result<Outcome> {
    let mut before = try_with_capacity(start.beta.len(), 1, "dual variables")?;
    before.extend_from_slice(&start.beta);
    let norm = square(&start.weights);
    let mut run = Run::new(problem, settings, start)?;
    let goal = |(i, beta): (usize, &f64)| problem.label(i) * beta - run.epsilon * beta.abs();
    let dual = before.iter().enumerate().map(goal).sum::<f64>() - 0.5 * norm;
    let status = run.descend(settings, &mut recorder, monitor)?;
    let mut found = run.certificate();
    // An unfinished outer iteration may increase the objective.
    let is_worse = found.dual.is_nan() || found.dual < dual;
    if status != Status::Converged && is_worse {
        run.set_shares(&before);
        run.update_outputs(monitor)?;
        found = run.certificate();
    }
    // Small gradients with a large gap are due to rounding, which descent would not notice.
    let is_rounding = status == Status::Stalled && run.spread <= settings.tol;
    if matches!(status, Status::Stalled | Status::NonFinite) && !is_rounding {
        return Ok(Outcome::Stalled {
            n_iter: run.n_iter,
            beta: (0..before.len()).map(|i| run.beta(i)).collect(),
            recorder,
        });
    }
    let n_iter = run.n_iter as u64;
    recorder.record(n_iter, || run.w.clone());
    let mut machine = LinearMachine::new(problem.constant(), run.w, n_iter, status);
    machine.certificate = Some(found);
    machine.finish(problem, settings.intercept, recorder);
    Ok(Outcome::Solved(machine))
}

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    loss: Loss,
    epsilon: f64,
    ridge: Vec<f64>,
    w: Vec<f64>,
    /// The decision values; those of inactive samples are older than w.
    f: Vec<f64>,
    /// `beta / c`.
    shares: Vec<f64>,
    /// The samples whose decision values are updated, in increasing order.
    active: Vec<u32>,
    /// `sum c a x` of the inactive samples.
    inactive_sum: Vec<f64>,
    width: f64,
    /// The root mean square of the norms of the samples.
    radius: f64,
    /// The estimated range of the projected gradients.
    spread: f64,
    n_iter: usize,
}

/// How the Newton steps of an outer iteration ended.
enum Inner {
    Done,
    Failed(Status),
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(
        problem: &'p LinearProblem<'a, T>,
        settings: &DualSettings,
        start: Start,
    ) -> Result<Self> {
        let (n, d) = (problem.n_rows(), problem.n_weights());
        let (c, loss) = (problem.c(settings.penalty, settings.loss), settings.loss);
        let square = (0..n).map(|i| problem.square(i)).sum::<f64>() / n.max(1) as f64;
        let mut run = Self {
            problem,
            c,
            loss,
            epsilon: problem.epsilon(loss),
            ridge: vec![1.0; d],
            w: start.weights,
            f: try_zeros(n, 1, "decision values")?,
            shares: try_zeros(n, 1, "dual variables")?,
            active: try_with_capacity(n, 1, "active samples")?,
            inactive_sum: try_zeros(d, 1, "weights")?,
            width: start.spread.clamp(FIRST_WIDTHS.0, FIRST_WIDTHS.1),
            radius: square.sqrt(),
            spread: start.spread,
            n_iter: start.n_iter,
        };
        run.set_shares(&start.beta);
        Ok(run)
    }

    fn set_shares(&mut self, beta: &[f64]) {
        for (i, (share, beta)) in self.shares.iter_mut().zip(beta).enumerate() {
            let cost = self.problem.cost(i, self.c);
            // Exactly 1 at the bound.
            *share = if beta.abs() >= cost {
                beta.signum()
            } else {
                beta / cost
            };
        }
    }

    /// The dual variable of a sample.
    fn beta(&self, i: usize) -> f64 {
        self.cost(i) * self.shares[i]
    }

    fn certificate(&self) -> Certificate {
        let (cost, beta) = (|i| self.cost(i), |i| self.beta(i));
        certificate_of_outputs(self.problem, self.loss, cost, &self.w, &self.f, beta)
    }

    /// Recomputes the weights without rounding errors of the steps, and all decision values.
    fn update_outputs(&mut self, monitor: &Monitor) -> Result<()> {
        self.w = expand(self.problem, |i| self.beta(i), monitor)?;
        outputs(self.problem, &self.w, &mut self.f, monitor)
    }

    /// C times the weight of a sample.
    fn cost(&self, i: usize) -> f64 {
        self.problem.cost(i, self.c)
    }

    /// `b_i` for a decision value `f`.
    fn share(&self, i: usize, f: f64) -> f64 {
        let goal = self.problem.label(i);
        let share = self.shares[i] + (goal - f) / self.width;
        if !self.problem.has_targets() {
            return share.clamp(goal.min(0.0), goal.max(0.0));
        }
        let shift = (self.epsilon / self.width).min(share.abs());
        (share - shift.copysign(share)).clamp(-1.0, 1.0)
    }

    /// Whether the share of a sample changes with its decision value. Without a tube, 0 is not an
    /// end of the range of shares.
    fn is_free(&self, share: f64) -> bool {
        let is_inside = share != 0.0 || (self.problem.has_targets() && self.epsilon == 0.0);
        is_inside && share.abs() < 1.0
    }

    /// `s r - epsilon` of a sample, where s is the side of its share.
    fn slack(&self, i: usize) -> f64 {
        let (share, f) = (self.shares[i], self.f[i]);
        let side = self.problem.side_of(i, share, f);
        self.problem.excess(i, side, f, self.epsilon)
    }

    fn descend(
        &mut self,
        settings: &DualSettings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Status> {
        let mut tol = settings.tol;
        self.width = self.width.max(0.5 * tol);
        outputs(self.problem, &self.w, &mut self.f, monitor)?;
        let tol_of_gap = settings.tol.max(LARGE_GAP);
        let mut far = FAR;
        for _ in 0..MAX_REPEATS {
            self.active.clear();
            self.active.extend(0..self.f.len() as u32);
            self.inactive_sum.fill(0.0);
            self.deactivate(far * self.spread.max(self.width), monitor)?;
            far *= 2.0;
            let inner = self.minimize_active(tol, settings, recorder, monitor)?;
            self.update_outputs(monitor)?;
            if self.w.iter().any(|w| !w.is_finite()) {
                return Ok(Status::NonFinite);
            }
            self.spread = self.projected_spread(0..self.f.len());
            let found = self.certificate();
            let has_small_gap = found.gap() <= tol_of_gap * found.primal;
            match inner {
                _ if self.spread <= settings.tol && has_small_gap => return Ok(Status::Converged),
                Inner::Failed(status) => return Ok(status),
                // With a large C, small gradients are not enough.
                Inner::Done if self.spread <= settings.tol => tol *= DECREASE * DECREASE,
                Inner::Done => {}
            }
        }
        Ok(Status::Stalled)
    }

    /// Outer iterations until the active samples have converged.
    fn minimize_active(
        &mut self,
        tol: f64,
        settings: &DualSettings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Inner> {
        let least = 0.5 * tol;
        let (mut n_repeats, mut is_last) = (0, false);
        loop {
            let is_accurate = is_last || self.width <= tol;
            let accuracy = ACCURACY * if is_accurate { tol } else { self.width };
            let inner = self.minimize(accuracy, settings, recorder, monitor)?;
            let spread = self.update_shares();
            if matches!(inner, Inner::Failed(_)) || (spread <= tol && is_accurate) {
                return Ok(inner);
            }
            self.spread = spread;
            is_last = spread <= tol;
            if self.width <= least {
                n_repeats += 1;
                if n_repeats == MAX_REPEATS {
                    return Ok(Inner::Failed(Status::Stalled));
                }
            }
            if !is_last {
                self.width = (self.width * DECREASE).max(least);
                self.deactivate(FAR * spread, monitor)?;
            }
        }
    }

    /// Removes active samples at a bound whose decision values are beyond the margin by more than
    /// `distance`, so that later steps are unlikely to move them off it.
    fn deactivate(&mut self, distance: f64, monitor: &Monitor) -> Result<()> {
        let mut removed = try_with_capacity(self.active.len(), 1, "inactive samples")?;
        let (problem, c) = (self.problem, self.c);
        let mut active = std::mem::take(&mut self.active);
        let shares = &self.shares;
        active.retain(|&sample| {
            let i = sample as usize;
            let slack = self.slack(i);
            if shares[i].abs() == 1.0 && slack > distance {
                removed.push(sample);
                return false;
            }
            shares[i] != 0.0 || slack >= -distance
        });
        self.active = active;
        if removed.is_empty() {
            return Ok(());
        }
        let factor = |place: usize| {
            let i = removed[place] as usize;
            problem.cost(i, c) * self.shares[i]
        };
        let mut sum = try_zeros(self.w.len(), 1, "weights")?;
        weighted_sum_of(problem, &removed, factor, &mut sum, monitor)?;
        for (all, sum) in self.inactive_sum.iter_mut().zip(&sum) {
            *all += sum;
        }
        Ok(())
    }

    /// Newton steps until the decision values are accurate.
    fn minimize(
        &mut self,
        accuracy: f64,
        settings: &DualSettings,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Inner> {
        let (problem, d) = (self.problem, self.w.len());
        let mut gradient = try_zeros(d, 1, "the gradient")?;
        let mut change = try_zeros(self.active.len(), 1, "decision values")?;
        let mut first = None;
        for _ in 0..MAX_STEPS {
            recorder.record_if_due(self.n_iter as u64, || self.w.clone());
            self.gradient(&mut gradient, monitor)?;
            let norm = square(&gradient).sqrt();
            if !norm.is_finite() {
                return Ok(Inner::Failed(Status::NonFinite));
            }
            let first = *first.get_or_insert(norm);
            if norm * self.radius <= accuracy {
                return Ok(Inner::Done);
            }
            if settings.max_iter.is_some_and(|most| self.n_iter >= most) {
                return Ok(Inner::Failed(Status::IterationLimit));
            }
            if monitor.time_is_up() {
                return Ok(Inner::Failed(Status::TimeLimit));
            }
            monitor.tick(self.active.len() as u64)?;
            let rows = self.active.iter().filter_map(|&i| {
                let i = i as usize;
                let share = self.share(i, self.f[i]);
                self.is_free(share).then(|| (i, self.cost(i) / self.width))
            });
            let hessian = Hessian::of_rows(problem, &self.ridge, rows.collect());
            let tolerance = (norm / first).sqrt().min(0.1);
            let Some(p) = hessian.solve(&gradient, tolerance, monitor)? else {
                return Ok(Inner::Failed(Status::of_failed_step(monitor)));
            };
            self.n_iter += 1;
            outputs_of(problem, &self.active, &p, &mut change, monitor)?;
            let (length, decrease) = self.line_search(&p, &change);
            if !decrease.is_finite() {
                return Ok(Inner::Failed(Status::NonFinite));
            }
            for (w, p) in self.w.iter_mut().zip(&p) {
                *w += length * p;
            }
            for (&i, change) in self.active.iter().zip(&change) {
                self.f[i as usize] += length * change;
            }
            if decrease <= MIN_DECREASE {
                return Ok(Inner::Done); // rounding
            }
        }
        Ok(Inner::Failed(Status::Stalled))
    }

    /// `w - sum c b x`.
    fn gradient(&self, gradient: &mut [f64], monitor: &Monitor) -> Result<()> {
        let factor = |place: usize| {
            let i = self.active[place] as usize;
            -self.cost(i) * self.share(i, self.f[i])
        };
        weighted_sum_of(self.problem, &self.active, factor, gradient, monitor)?;
        for ((g, w), sum) in gradient.iter_mut().zip(&self.w).zip(&self.inactive_sum) {
            *g += w - sum;
        }
        Ok(())
    }

    /// The step length along `p` that minimizes the objective, and the relative decrease of the
    /// objective. A full step changes the decision values of the active samples by `change`.
    fn line_search(&self, p: &[f64], change: &[f64]) -> (f64, f64) {
        let rest = |p: &f64, w: &f64, sum: &f64| p * (w - sum);
        let each = p.iter().zip(&self.w).zip(&self.inactive_sum);
        let (w0, w1, w2) = (
            square(&self.w),
            each.map(|((p, w), sum)| rest(p, w, sum)).sum::<f64>(),
            square(p),
        );
        // Value without a constant, slope and curvature after a step of length s.
        let at = |s: f64| -> [f64; 3] {
            let of_sample = |place: usize| {
                let i = self.active[place] as usize;
                let (cost, change) = (self.cost(i), change[place]);
                let f = self.f[i] + s * change;
                let share = self.share(i, f);
                let moved = share - self.shares[i];
                let gain = share * (self.problem.label(i) - f) - self.epsilon * share.abs();
                let value = cost * (gain - 0.5 * self.width * moved * moved);
                let curvature = if self.is_free(share) {
                    cost / self.width * change * change
                } else {
                    0.0
                };
                [value, -cost * share * change, curvature]
            };
            let [value, slope, curvature] = sum_over_samples(self.active.len(), of_sample);
            [
                s * (w1 + 0.5 * s * w2) + value,
                w1 + s * w2 + slope,
                w2 + curvature,
            ]
        };
        let (s, [before, after]) = line_search::minimize(at, 1e-3);
        let scale = (0.5 * w0 + before.abs()).max(f64::MIN_POSITIVE);
        (s, (before - after) / scale)
    }

    /// Replaces the shares by `b`; returns the range of the projected gradients.
    fn update_shares(&mut self) -> f64 {
        for place in 0..self.active.len() {
            let i = self.active[place] as usize;
            self.shares[i] = self.share(i, self.f[i]);
        }
        self.projected_spread(self.active.iter().map(|&i| i as usize))
    }

    /// The range of the projected gradients of some samples.
    fn projected_spread(&self, samples: impl Iterator<Item = usize>) -> f64 {
        let (mut lowest, mut highest) = (0.0f64, 0.0f64);
        for i in samples {
            let (share, gradient) = (self.shares[i].abs(), -self.slack(i));
            if share < 1.0 {
                lowest = lowest.min(gradient);
            }
            if share > 0.0 {
                highest = highest.max(gradient);
            }
        }
        highest - lowest
    }
}

fn square(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}
