//! Dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008):
//! the exact reference for the hinge and the squared hinge.
//!
//! ```text
//! min 1/2 |w|^2 + 1/2 sum_i D_i alpha_i^2 - sum_i alpha_i,   w = sum_i alpha_i y_i x_i
//! hinge: 0 <= alpha_i <= c_i, D_i = 0        squared hinge: 0 <= alpha_i, D_i = 1 / (2 c_i)
//! ```
//!
//! A step takes one row to the optimum of its own alpha, `alpha_i - G / (|x_i|^2 + D_i)` cut to
//! its bounds, with the gradient `G = y_i w . x_i - 1 + D_i alpha_i`. An epoch visits the rows
//! that may still change, in random order. A row at a bound whose gradient points out of the
//! bounds by more than any row's did in the epoch before is left out, until all others are done.
//! It ends when in an epoch of all rows the gradients that point inwards lie within `tol`.

use super::certificate::{certificate, expand};
use super::{
    Intercept, LinearMachine, LinearProblem, LinearSolver, Loss, Outline, Penalty, Recorder,
    RuleState,
};
use crate::Result;
use crate::data::Random;
use crate::memory::try_with_capacity;
use crate::monitor::Monitor;
use crate::simd::{Lanes, prefetch};
use crate::solver::Status;
use crate::solver::hyperparameters::{check_max_iter, check_positive};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct DualSettings {
    /// The loss.
    pub loss: Loss,
    /// Norm against losses.
    pub penalty: Penalty,
    /// The largest difference of projected gradients at the end.
    pub tol: f64,
    /// The most epochs; `None` for no limit.
    pub max_iter: Option<usize>,
    /// The bias.
    pub intercept: Intercept,
    /// Of the order of rows.
    pub seed: u64,
}

impl DualSettings {
    /// The only way to a [`DualDescent`].
    pub fn check(self) -> Result<DualDescent> {
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        let penalty = self.penalty.check()?;
        Ok(DualDescent {
            settings: Self { penalty, ..self },
        })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct DualDescent {
    settings: DualSettings,
}

/// A row of the dual problem. All that a step needs of it lies side by side.
#[derive(Debug, Clone, Copy)]
struct Variable {
    alpha: f64,
    /// `1 / (|x|^2 + D)`, or 0 for a row of zeros without D, which only its bound stops.
    inverse: f64,
    /// The largest alpha.
    bound: f64,
    /// The label.
    sign: f64,
    /// D.
    diagonal: f64,
}

/// Rows that are asked for before they are needed.
const AHEAD: usize = 8;

/// Gradients below this are taken for 0.
const NOTHING: f64 = 1e-12;

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

    fn untrained(&self, outline: &Outline, _: Option<&RuleState>) -> Result<Option<LinearMachine>> {
        let given = &self.settings;
        let c = given.penalty.c(outline.n_rows);
        LinearMachine::untrained_exact(outline, given.intercept, c).map(Some)
    }
}

/// What came out of a descent that may be given up.
pub enum Attempt {
    /// The optimum, or where a limit ended the descent.
    Solved(LinearMachine),
    /// The descent was slow, or stuck.
    GivenUp {
        /// All of them, the last that of the constant feature.
        weights: Vec<f64>,
        /// Epochs until then.
        n_epochs: usize,
        /// With the weights on the way.
        recorder: Recorder,
    },
}

impl DualDescent {
    /// As [`LinearSolver::solve`], but gives up when it is to be expected that so many rows must
    /// be visited as are in more than `most_passes` passes through all of them.
    pub fn attempt<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        most_passes: f64,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<Attempt> {
        let mut run = Run::new(problem, &self.settings)?;
        let mut largest = 0.0;
        let is_slow = |run: &Run<'_, '_, T>, spread: f64| {
            largest = spread.max(largest);
            run.n_passes() >= PASSES_TO_JUDGE
                && run.expected_passes(largest, spread, self.settings.tol) > most_passes
        };
        let status = run.descend(&self.settings, is_slow, &mut recorder, monitor)?;
        match status {
            None | Some(Status::Stalled | Status::NonFinite) => {
                if run.w.iter().any(|w| !w.is_finite()) {
                    run.w.fill(0.0);
                }
                Ok(Attempt::GivenUp {
                    weights: run.w,
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

    /// The machine of a descent that ended.
    fn machine<T: Lanes>(
        &self,
        mut run: Run<'_, '_, T>,
        status: Status,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let (problem, given) = (run.problem, &self.settings);
        let alpha = |i: usize| run.variables[i].alpha;
        // Summed anew: the certificate is of these weights, without the roundings of all steps.
        run.w = expand(problem, alpha, monitor)?;
        let price = |i| run.price(i);
        let found = certificate(problem, given.loss, price, &run.w, None, alpha, monitor)?;
        let n_epochs = run.n_epochs as u64;
        recorder.keep(n_epochs, || run.w.clone());
        let mut machine = LinearMachine::new(problem.constant(), run.w, n_epochs, status);
        machine.certificate = Some(found);
        machine.finish(problem, given.intercept, recorder);
        Ok(machine)
    }
}

/// Passes through the rows after which the speed of a descent tells how many there will be.
const PASSES_TO_JUDGE: f64 = 8.0;

struct Run<'p, 'a, T: Lanes> {
    problem: &'p LinearProblem<'a, T>,
    c: f64,
    loss: Loss,
    w: Vec<f64>,
    variables: Vec<Variable>,
    /// Rows that may change, first; then those that are left out.
    order: Vec<u32>,
    n_active: usize,
    random: Random,
    n_epochs: usize,
    n_visited: u64,
    /// Rows visited since the last look at the clock.
    n_unseen: usize,
}

/// The projected gradients of an epoch.
#[derive(Debug, Clone, Copy)]
struct Gradients {
    lowest: f64,
    highest: f64,
    /// Whether some alpha changed.
    moved: bool,
}

impl<'p, 'a, T: Lanes> Run<'p, 'a, T> {
    fn new(problem: &'p LinearProblem<'a, T>, settings: &DualSettings) -> Result<Self> {
        let n = problem.n_rows();
        let mut run = Self {
            problem,
            c: settings.penalty.c(n),
            loss: settings.loss,
            w: vec![0.0; problem.n_weights()],
            variables: try_with_capacity(n, 1, "dual variables")?,
            order: (0..n as u32).collect(),
            n_active: n,
            random: Random::new(settings.seed),
            n_epochs: 0,
            n_visited: 0,
            n_unseen: 0,
        };
        for i in 0..n {
            let (bound, diagonal) = match run.loss {
                Loss::Hinge => (run.price(i), 0.0),
                Loss::SquaredHinge => (f64::INFINITY, 0.5 / run.price(i)),
            };
            let curvature = problem.square(i) + diagonal;
            run.variables.push(Variable {
                alpha: 0.0,
                inverse: if curvature > 0.0 {
                    1.0 / curvature
                } else {
                    0.0
                },
                bound,
                sign: problem.label(i),
                diagonal,
            });
        }
        Ok(run)
    }

    /// The C of a row.
    fn price(&self, i: usize) -> f64 {
        (self.c * self.problem.weight(i)).min(super::problem::LARGEST)
    }

    /// Rows visited so far, as passes through all of them.
    fn n_passes(&self) -> f64 {
        self.n_visited as f64 / self.order.len().max(1) as f64
    }

    /// How many passes there will be, if the gradients go on to fall as from the `largest` spread
    /// to that of the last epoch.
    fn expected_passes(&self, largest: f64, spread: f64, tol: f64) -> f64 {
        self.n_passes() * (largest / tol).ln() / (largest / spread).ln()
    }

    /// Descends until a reason to stop; `None` if `is_slow` says so of the spread of the projected
    /// gradients of an epoch.
    fn descend(
        &mut self,
        settings: &DualSettings,
        mut is_slow: impl FnMut(&Self, f64) -> bool,
        recorder: &mut Recorder,
        monitor: &Monitor,
    ) -> Result<Option<Status>> {
        let everything = Gradients {
            lowest: f64::NEG_INFINITY,
            highest: f64::INFINITY,
            moved: true,
        };
        let mut limits = everything;
        loop {
            recorder.tell(self.n_epochs as u64, || self.w.clone());
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
            let is_done = spread <= settings.tol;
            if is_done || !found.moved {
                if self.n_active == self.order.len() {
                    // No step changes anything though the gradients say so: rounding.
                    let stalled = Status::Stalled;
                    return Ok(Some(if is_done { Status::Converged } else { stalled }));
                }
                // The others are done: have a look at all rows.
                self.n_active = self.order.len();
                limits = everything;
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
                moved: true,
            };
        }
    }

    /// Visits all active rows; `None` if the time is up.
    fn epoch(&mut self, limits: Gradients, monitor: &Monitor) -> Result<Option<Gradients>> {
        let mut found = Gradients {
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            moved: false,
        };
        self.random.shuffle(&mut self.order[..self.n_active]);
        self.n_visited += self.n_active as u64;
        let mut place = 0;
        let rows_to_look = self.problem.rows_to_look();
        while place < self.n_active {
            // Counted through all epochs: few rows may be left.
            self.n_unseen += 1;
            if self.n_unseen == rows_to_look {
                self.n_unseen = 0;
                monitor.tick(rows_to_look as u64)?;
                if monitor.time_is_up() {
                    return Ok(None);
                }
            }
            if let Some(&ahead) = self.order[..self.n_active].get(place + AHEAD) {
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
        // No gradient at all points inwards.
        found.lowest = found.lowest.min(0.0);
        found.highest = found.highest.max(0.0);
        Ok(Some(found))
    }

    /// Takes one alpha to its optimum; `false` if the row is to be left out.
    #[inline]
    fn visit(&mut self, i: usize, limits: Gradients, found: &mut Gradients) -> bool {
        let example = self.problem.example(i);
        let variable = &mut self.variables[i];
        let Variable {
            alpha,
            inverse,
            bound,
            sign,
            diagonal,
        } = *variable;
        let gradient = sign * example.dot(&self.w) - 1.0 + diagonal * alpha;
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
        if projected.abs() > NOTHING {
            let next = if inverse > 0.0 {
                (alpha - gradient * inverse).clamp(0.0, bound)
            } else {
                bound
            };
            if next != alpha {
                variable.alpha = next;
                found.moved = true;
                example.add_to(&mut self.w, (next - alpha) * sign);
            }
        }
        true
    }
}
