//! Dual coordinate descent with shrinking for the hinge loss (Hsieh, Chang, Lin, Keerthi and
//! Sundararajan 2008), the epsilon-insensitive loss (Ho and Lin 2012), and their squares.
//!
//! ```text
//! min 1/2 |w|^2 + sum_i (D_i / 2 beta_i^2 - p_i beta_i + epsilon |beta_i|),   w = sum_i beta_i x_i
//! loss: |beta_i| <= c_i, D_i = 0        squared loss: D_i = 1 / (2 c_i)
//! ```
//!
//! For classification, p are the labels y, `epsilon = 0`, and `y_i beta_i >= 0`. For regression, p
//! are the targets, and beta may have either sign.
//!
//! A step minimizes over one coordinate. Its side s is the sign of beta or, at 0, that of the
//! residual `p_i - w . x_i`; the label for classification. With `alpha = s beta` and the gradient
//! `G = s (w . x_i - p_i) + epsilon + D_i alpha`, the step is `alpha <- alpha - G / (|x_i|^2 + D_i)`,
//! clipped to its bounds. A step below 0 is clipped for classification; for regression it
//! continues on the other side, where the gradient is smaller by `2 epsilon`.
//!
//! An epoch visits the active samples in random order. Shrinking removes a sample at a bound whose
//! gradient points outward by more than any projected gradient of the previous epoch; when the
//! active samples have converged, all samples become active again. Training ends when the
//! projected gradients of an epoch over all samples differ by at most `tol`. For regression, whose
//! dual variables are large if C is, the tolerance decreases until the duality gap is small.

use super::certificate::{LARGE_GAP, certificate, expand};
use super::problem::PREFETCH_DISTANCE;
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Loss, Outline, Penalty, Recorder,
    RuleState,
};
use crate::Result;
use crate::data::Random;
use crate::memory::{try_collect, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::{Lanes, prefetch};
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct DualSettings {
    /// The loss.
    pub loss: Loss,
    /// The regularization parameter.
    pub penalty: Penalty,
    /// The largest difference between projected gradients at which training ends.
    pub tol: f64,
    /// The maximum number of epochs; `None` for no limit.
    pub max_iter: Option<usize>,
    /// How the bias is computed.
    pub intercept: Intercept,
    /// The seed of the order of samples.
    pub seed: u64,
}

impl DualSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(self) -> Result<DualDescent> {
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let (penalty, loss) = (self.penalty.check()?, self.loss.check()?);
        Ok(DualDescent {
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
pub struct DualDescent {
    settings: DualSettings,
}

/// A dual variable with everything that its step reads, contiguous in memory.
#[derive(Debug, Clone, Copy)]
struct Variable {
    beta: f64,
    /// `1 / (|x|^2 + D)`; 0 for a sample of zeros with `D = 0`, whose step ends at the bound.
    inverse: f64,
    /// The upper bound of the absolute value of beta.
    bound: f64,
    /// The label or the target.
    target: f64,
    /// D.
    diagonal: f64,
}

/// Projected gradients up to this are taken for 0.
const NEGLIGIBLE: f64 = 1e-12;

impl LinearSolver for DualDescent {
    fn n_vectors(&self) -> (usize, usize) {
        (2, 1)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        _: Option<&RuleState>,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let mut run = Run::new(problem, &self.settings)?;
        let is_slow = |_: &Run<'_, '_, T>, _: f64| false;
        let status = run.descend(&self.settings, is_slow, &mut recorder, monitor)?;
        self.machine(run, status.unwrap_or(Status::Stalled), recorder, monitor)
    }

    fn uses_squares(&self) -> bool {
        true
    }

    fn tube(&self) -> Option<f64> {
        self.settings.loss.tube()
    }

    fn untrained(&self, outline: &Outline, _: Option<&RuleState>) -> Result<Option<LinearMachine>> {
        let settings = &self.settings;
        let c = settings.penalty.c(outline.n_rows);
        LinearMachine::untrained_exact(outline, settings.intercept, c).map(Some)
    }
}

/// The result of [`DualDescent::attempt`].
pub enum Attempt {
    /// Training converged or reached a limit.
    Solved(LinearMachine),
    /// Training was slow or stalled.
    GivenUp {
        /// The weights so far; the last one is that of the constant feature.
        weights: Vec<f64>,
        /// The signed dual variables so far.
        beta: Vec<f64>,
        /// The range of the projected gradients of the last epoch.
        spread: f64,
        /// Number of epochs so far.
        n_epochs: usize,
        /// The recorder with the snapshots so far.
        recorder: Recorder,
    },
}

impl DualDescent {
    /// The checked hyperparameters.
    pub fn settings(&self) -> &DualSettings {
        &self.settings
    }

    /// As [`LinearSolver::solve`], but gives up if the estimated number of passes over the samples
    /// exceeds `max_passes`, or if half of the maximum number of epochs has passed.
    pub fn attempt<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        max_passes: f64,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<Attempt> {
        let mut run = Run::new(problem, &self.settings)?;
        let (mut largest, mut last) = (0.0, f64::INFINITY);
        let min_passes = if self.settings.loss.is_squared() {
            MIN_PASSES
        } else {
            MIN_PASSES_UNSQUARED
        };
        let is_slow = |run: &Run<'_, '_, T>, spread: f64| {
            largest = spread.max(largest);
            last = spread;
            // With few active samples, there are many epochs in a pass.
            let is_late = |most| run.n_epochs >= most / 2;
            run.n_passes() >= min_passes
                && (run.expected_passes(largest, spread, self.settings.tol) > max_passes
                    || self.settings.max_iter.is_some_and(is_late))
        };
        let status = run.descend(&self.settings, is_slow, &mut recorder, monitor)?;
        match status {
            None | Some(Status::Stalled | Status::NonFinite) => {
                if run.w.iter().any(|w| !w.is_finite()) {
                    run.w.fill(0.0);
                    run.variables.iter_mut().for_each(|own| own.beta = 0.0);
                }
                let betas = run.variables.iter().map(|own| own.beta);
                Ok(Attempt::GivenUp {
                    weights: run.w,
                    beta: try_collect(betas, "dual variables")?,
                    spread: last,
                    n_epochs: run.n_epochs,
                    recorder,
                })
            }
            Some(status) => {
                let machine = self.machine(run, status, recorder, monitor)?;
                Ok(Attempt::Solved(machine))
            }
        }
    }

    /// As [`LinearSolver::solve`], from signed dual variables of another method after `n_iter`
    /// iterations, which count toward the limit.
    pub fn continue_from<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        beta: &[f64],
        n_iter: usize,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let mut run = Run::new(problem, &self.settings)?;
        for (variable, beta) in run.variables.iter_mut().zip(beta) {
            variable.beta = beta.clamp(-variable.bound, variable.bound);
        }
        run.w = expand(problem, |i| run.variables[i].beta, monitor)?;
        run.n_epochs = n_iter;
        let is_slow = |_: &Run<'_, '_, T>, _: f64| false;
        let status = run.descend(&self.settings, is_slow, &mut recorder, monitor)?;
        self.machine(run, status.unwrap_or(Status::Stalled), recorder, monitor)
    }

    /// The machine of a finished run.
    fn machine<T: Lanes>(
        &self,
        mut run: Run<'_, '_, T>,
        status: Status,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let (problem, settings) = (run.problem, &self.settings);
        let beta = |i: usize| run.variables[i].beta;
        // Recompute the weights without the rounding errors of the steps, for the certificate.
        run.w = expand(problem, beta, monitor)?;
        let cost = |i| run.cost(i);
        let found = certificate(problem, settings.loss, cost, &run.w, None, beta, monitor)?;
        let n_epochs = run.n_epochs as u64;
        recorder.record(n_epochs, || run.w.clone());
        let mut machine = LinearMachine::new(problem.constant(), run.w, n_epochs, status);
        machine.certificate = Some(found);
        machine.finish(problem, settings.intercept, recorder);
        Ok(machine)
    }
}

/// The number of passes after which the total number of passes is estimated.
const MIN_PASSES: f64 = 8.0;

/// The same for losses that are not squared.
const MIN_PASSES_UNSQUARED: f64 = 4.0;

/// The factor by which the tolerance decreases.
const DECREASE: f64 = 0.1;

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    epsilon: f64,
    /// Whether beta may have either sign.
    has_targets: bool,
    w: Vec<f64>,
    variables: Vec<Variable>,
    /// The active samples, then those removed by shrinking.
    order: Vec<u32>,
    n_active: usize,
    random: Random,
    n_epochs: usize,
    n_visited: u64,
    /// Samples visited since the last check for interrupts and the time limit.
    n_unchecked: usize,
}

/// The range of the projected gradients of an epoch.
#[derive(Debug, Clone, Copy)]
struct Gradients {
    lowest: f64,
    highest: f64,
    /// Whether a dual variable changed.
    has_changed: bool,
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(problem: &'p LinearProblem<'a, T>, settings: &DualSettings) -> Result<Self> {
        let (n, loss) = (problem.n_rows(), settings.loss);
        let mut run = Self {
            problem,
            c: problem.c(settings.penalty, loss),
            epsilon: problem.epsilon(loss),
            has_targets: problem.has_targets(),
            w: vec![0.0; problem.n_weights()],
            variables: try_with_capacity(n, 1, "dual variables")?,
            order: (0..n as u32).collect(),
            n_active: n,
            random: Random::new(settings.seed),
            n_epochs: 0,
            n_visited: 0,
            n_unchecked: 0,
        };
        for i in 0..n {
            let (bound, diagonal) = loss.bound_and_diagonal(run.cost(i));
            let curvature = problem.square(i) + diagonal;
            run.variables.push(Variable {
                beta: 0.0,
                inverse: if curvature > 0.0 {
                    1.0 / curvature
                } else {
                    0.0
                },
                bound,
                target: problem.label(i),
                diagonal,
            });
        }
        Ok(run)
    }

    /// C times the weight of a sample.
    fn cost(&self, i: usize) -> f64 {
        self.problem.cost(i, self.c)
    }

    /// Number of passes over all samples so far; shrinking makes it fractional.
    fn n_passes(&self) -> f64 {
        self.n_visited as f64 / self.order.len().max(1) as f64
    }

    /// The estimated total number of passes, if the spread of the projected gradients continues to
    /// decrease at its mean rate from the `largest` one so far to that of the last epoch.
    fn expected_passes(&self, largest: f64, spread: f64, tol: f64) -> f64 {
        self.n_passes() * (largest / tol).ln() / (largest / spread).ln()
    }

    /// Runs epochs until training ends. Returns `None` if `is_slow` is true for the spread of the
    /// projected gradients of an epoch.
    fn descend(
        &mut self,
        settings: &DualSettings,
        mut is_slow: impl FnMut(&Self, f64) -> bool,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Option<Status>> {
        let no_limits = Gradients {
            lowest: f64::NEG_INFINITY,
            highest: f64::INFINITY,
            has_changed: true,
        };
        let mut limits = no_limits;
        let mut tol = settings.tol;
        loop {
            recorder.record_if_due(self.n_epochs as u64, || self.w.clone());
            if settings.max_iter.is_some_and(|most| self.n_epochs >= most) {
                return Ok(Some(Status::IterationLimit));
            }
            let Some(found) = self.epoch(limits, monitor)? else {
                return Ok(Some(Status::TimeLimit));
            };
            self.n_epochs += 1;
            if found.highest.is_nan() || found.lowest.is_nan() {
                return Ok(Some(Status::NonFinite));
            }
            let spread = found.highest - found.lowest;
            let is_done = spread <= tol;
            if is_done || !found.has_changed {
                if self.n_active == self.order.len() {
                    if found.has_changed && self.has_large_gap(settings, monitor)? {
                        tol = spread * DECREASE;
                        limits = no_limits;
                        continue;
                    }
                    // No step makes progress although the gradients are not 0: rounding.
                    let stalled = Status::Stalled;
                    return Ok(Some(if is_done { Status::Converged } else { stalled }));
                }
                // The active samples have converged: activate all samples.
                self.n_active = self.order.len();
                limits = no_limits;
                continue;
            }
            if is_slow(self, spread) {
                return Ok(None);
            }
            limits = Gradients {
                lowest: if found.lowest < 0.0 {
                    found.lowest
                } else {
                    f64::NEG_INFINITY
                },
                highest: if found.highest > 0.0 {
                    found.highest
                } else {
                    f64::INFINITY
                },
                has_changed: true,
            };
        }
    }

    /// Whether the solution of a regression is far from the optimum.
    fn has_large_gap(&self, settings: &DualSettings, monitor: &Monitor) -> Result<bool> {
        if !self.has_targets {
            return Ok(false);
        }
        let (cost, beta) = (|i| self.cost(i), |i: usize| self.variables[i].beta);
        let loss = settings.loss;
        let found = certificate(self.problem, loss, cost, &self.w, None, beta, monitor)?;
        Ok(found.gap() > settings.tol.max(LARGE_GAP) * found.primal)
    }

    /// Visits all active samples; `None` if the time limit was reached.
    fn epoch(&mut self, limits: Gradients, monitor: &Monitor) -> Result<Option<Gradients>> {
        let mut found = Gradients {
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            has_changed: false,
        };
        self.random.shuffle(&mut self.order[..self.n_active]);
        self.n_visited += self.n_active as u64;
        let mut place = 0;
        let check_interval = self.problem.check_interval();
        while place < self.n_active {
            // Counted across epochs, because few samples may be active.
            self.n_unchecked += 1;
            if self.n_unchecked == check_interval {
                self.n_unchecked = 0;
                monitor.tick(check_interval as u64)?;
                if monitor.time_is_up() {
                    return Ok(None);
                }
            }
            if let Some(&ahead) = self.order[..self.n_active].get(place + PREFETCH_DISTANCE) {
                prefetch(&self.variables[ahead as usize..=ahead as usize]);
                self.problem.prefetch(ahead as usize);
            }
            if self.visit(self.order[place] as usize, limits, &mut found) {
                place += 1;
            } else {
                self.n_active -= 1;
                self.order.swap(place, self.n_active);
            }
        }
        // 0 if no projected gradient has this sign.
        found.lowest = found.lowest.min(0.0);
        found.highest = found.highest.max(0.0);
        Ok(Some(found))
    }

    /// Minimizes over one dual variable; `false` if the sample is to be removed by shrinking.
    #[inline]
    fn visit(&mut self, i: usize, limits: Gradients, found: &mut Gradients) -> bool {
        let example = self.problem.example(i);
        let variable = &mut self.variables[i];
        let Variable {
            beta,
            inverse,
            bound,
            target,
            diagonal,
        } = *variable;
        let (has_targets, epsilon) = (self.has_targets, self.epsilon);
        let error = example.dot(&self.w) - target;
        let side = match has_targets {
            false => target,
            true if beta != 0.0 => beta.signum(),
            true => -error.signum(),
        };
        let alpha = side * beta;
        let gradient = side * error + epsilon + diagonal * alpha;
        let mut projected = gradient;
        if alpha == 0.0 {
            if gradient > limits.highest {
                return false;
            }
            projected = gradient.min(0.0);
        } else if alpha == bound {
            if gradient < limits.lowest {
                return false;
            }
            projected = gradient.max(0.0);
        }
        found.lowest = found.lowest.min(projected);
        found.highest = found.highest.max(projected);
        if projected.abs() > NEGLIGIBLE {
            let mut next = if inverse > 0.0 {
                (alpha - gradient * inverse).min(bound)
            } else if gradient < 0.0 {
                bound
            } else {
                0.0
            };
            if next < 0.0 {
                next = match has_targets {
                    true => (next + 2.0 * epsilon * inverse).clamp(-bound, 0.0),
                    false => 0.0,
                };
            }
            if next != alpha {
                variable.beta = side * next;
                found.has_changed = true;
                example.add_to(&mut self.w, (next - alpha) * side);
            }
        }
        true
    }
}
