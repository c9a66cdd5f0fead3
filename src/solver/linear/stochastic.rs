//! Stochastic gradient descent: rows in turn, an update rule, and when to stop.
//!
//! (001; 004, section 4.3; 000, algorithm A.)

mod settings;

pub use settings::{EarlyStop, Optimizer, SgdSettings, Visit};

use super::example::Example;
use super::rules::{Momentum, Nag, Pegasos, Plain, RmsProp, Rule, RuleState};
use super::{Intercept, LinearMachine, LinearProblem, LinearSolver, Outline, Recorder};
use crate::data::Random;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::{Error, Result};

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd {
    settings: SgdSettings,
}

/// Rows that are asked for before they are needed.
const AHEAD: usize = 8;

impl LinearSolver for Sgd {
    fn n_vectors(&self) -> (usize, usize) {
        (7, 3)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        start: Option<&RuleState>,
        recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let given = &self.settings;
        let lambda = given.penalty.lambda(problem.n_rows());
        let state = self.begin(start, problem.n_weights());
        if problem.n_rows() == 0 {
            // Nothing to learn from, and no rows whose length the first step would go by.
            return Ok(untouched(problem.constant(), state, Status::Converged));
        }
        let eta = match given.eta0 {
            Some(eta) => eta,
            None if state.eta > 0.0 => state.eta,
            None => first_step(problem, given, lambda),
        };
        let gamma = given.momentum;
        match given.optimizer {
            Optimizer::Pegasos => {
                let ball = given.project.then(|| problem.mean_weight() / lambda);
                let rule = Pegasos::new(lambda, ball, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::Sgd => self.run(Plain::new(lambda, eta, &state), problem, recorder, monitor),
            Optimizer::Momentum => {
                let rule = Momentum::new(lambda, eta, gamma, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::Nag => {
                let rule = Nag::new(lambda, eta, gamma, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::RmsProp => {
                let rule = RmsProp::new(lambda, eta, &state);
                self.run(rule, problem, recorder, monitor)
            }
        }
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        let state = self.begin(start, outline.n_features + 1);
        let mut machine = untouched(outline.constant, state, Status::TimeLimit);
        if self.settings.intercept == Intercept::Violators {
            if start.is_some() {
                return Ok(None);
            }
            machine.bias = outline.violators_bias();
        }
        Ok(Some(machine))
    }
}

/// The machine of a state.
fn untouched(constant: f64, state: RuleState, status: Status) -> LinearMachine {
    let weights = match state.n_averaged {
        0 => state.weights.clone(),
        _ => state.memory.clone(),
    };
    let mut machine = LinearMachine::new(constant, weights, 0, status);
    machine.state = Some(state);
    machine.or_nothing();
    machine
}

/// Rows whose lengths the first step goes by.
const SAMPLE: usize = 1000;

/// A share of the step length after which a row of middle length is right, `1 / mean of |x|^2`,
/// or less if the norm weighs more: 0.3 was best over five sets. Steps that stay as long as they
/// are get a tenth of it, divided by what momentum makes of them, and RMSprop the 0.01 of the paper.
fn first_step<T: Lanes>(problem: &LinearProblem<'_, T>, given: &SgdSettings, lambda: f64) -> f64 {
    let n = problem.n_rows().min(SAMPLE);
    let sum: f64 = (0..n).map(|i| problem.example(i).square()).sum();
    let mean = if sum > 0.0 { sum / n as f64 } else { 1.0 };
    let one = 1.0 / (mean + lambda);
    match given.optimizer {
        Optimizer::Pegasos | Optimizer::Sgd => 0.3 * one,
        Optimizer::Momentum | Optimizer::Nag => 0.1 * (1.0 - given.momentum) * one,
        Optimizer::RmsProp => 0.01,
    }
}

impl Sgd {
    /// The state before the first step.
    fn begin(&self, start: Option<&RuleState>, n_weights: usize) -> RuleState {
        let mut state = start.cloned().unwrap_or_default();
        state.weights.resize(n_weights, 0.0);
        if self.settings.average == 0.0 && self.settings.optimizer.can_average() {
            (state.memory, state.n_averaged) = (Vec::new(), 0);
        }
        state
    }

    fn run<T: Lanes, R: Rule>(
        &self,
        mut rule: R,
        problem: &LinearProblem<'_, T>,
        mut recorder: Recorder,
        monitor: &Monitor,
    ) -> Result<LinearMachine> {
        let given = &self.settings;
        // Other rows come first in every call that goes on from another.
        let mut random = Random::new(given.seed.wrapping_add(rule.state().n_steps));
        let (train, validation) = self.hold_out(problem, &mut random)?;
        let mut order = train.clone();
        let n_steps = train.len().div_ceil(given.batch_size);
        let most_epochs = given.epochs_of(problem.n_rows());
        let average_from = self.average_from(n_steps, most_epochs);
        let mut judge = Judge::new(given.early_stop);
        let rows_to_look = problem.rows_to_look();
        let (mut step, mut n_epochs, mut status) = (0, 0, Status::Converged);
        let mut pulls = Vec::with_capacity(given.batch_size.min(train.len()));
        recorder.tell(0, || rule.weights());
        'epochs: for _ in 0..most_epochs {
            n_epochs += 1;
            match given.visit {
                Visit::InOrder => {}
                Visit::Shuffled => random.shuffle(&mut order),
                Visit::Drawn => order.fill_with(|| train[random.below(train.len())]),
            }
            let mut loss = 0.0;
            for batch in 0..n_steps {
                let first = batch * given.batch_size;
                let last = first.saturating_add(given.batch_size).min(train.len());
                if step == average_from {
                    rule.start_average();
                }
                pulls.clear();
                for place in first..last {
                    let i = order[place] as usize;
                    if let Some(&ahead) = order.get(place + AHEAD) {
                        problem.prefetch(ahead as usize);
                    }
                    loss += look(&mut rule, problem, i, last - first, &mut pulls);
                    if place.is_multiple_of(rows_to_look) {
                        monitor.tick(rows_to_look.min(train.len()) as u64)?;
                        if monitor.time_is_up() {
                            status = Status::TimeLimit;
                            break 'epochs;
                        }
                    }
                }
                rule.step(&pulls);
                step += 1;
                recorder.tell(step, || rule.weights());
            }
            let mean = loss / train.len().max(1) as f64;
            if judge.is_done(|| match &validation {
                Some(rows) => accuracy(problem, rows, &rule.weights()),
                None => -mean,
            }) {
                break;
            }
        }
        recorder.keep(step, || rule.weights());
        let mut machine = LinearMachine::new(problem.constant(), rule.weights(), n_epochs, status);
        machine.state = Some(rule.state());
        machine.finish(problem, given.intercept, recorder);
        Ok(machine)
    }

    /// The step from which on weights are averaged.
    fn average_from(&self, steps_of_epoch: usize, epochs: usize) -> u64 {
        let given = &self.settings;
        if given.average == 0.0 || !given.optimizer.can_average() {
            return u64::MAX;
        }
        let all = (steps_of_epoch as f64) * epochs as f64;
        ((1.0 - given.average) * all) as u64
    }

    /// The rows to visit, and those that judge, if some are to be held out.
    fn hold_out<T: Lanes>(
        &self,
        problem: &LinearProblem<'_, T>,
        random: &mut Random,
    ) -> Result<(Vec<u32>, Option<Vec<u32>>)> {
        let all: Vec<u32> = (0..problem.n_rows() as u32).collect();
        let Some(share) = self.settings.early_stop.and_then(|stop| stop.validation) else {
            return Ok((all, None));
        };
        let (mut train, mut held_out) = (Vec::new(), Vec::new());
        for sign in [1.0, -1.0] {
            let has_sign = |&&i: &&u32| problem.label(i as usize) == sign;
            let mut rows: Vec<u32> = all.iter().filter(has_sign).copied().collect();
            random.shuffle(&mut rows);
            let n = (share * rows.len() as f64).round() as usize;
            if n == 0 || n == rows.len() {
                let rule =
                    "each class needs at least one training sample and one validation sample";
                return Err(Error::parameter("validation_fraction", share, rule));
            }
            held_out.extend_from_slice(&rows[..n]);
            train.extend_from_slice(&rows[n..]);
        }
        train.sort_unstable();
        Ok((train, Some(held_out)))
    }
}

/// Looks at a row: its loss, and its pull if it has one.
#[inline]
fn look<'p, T: Lanes, R: Rule>(
    rule: &mut R,
    problem: &'p LinearProblem<'_, T>,
    i: usize,
    batch: usize,
    pulls: &mut Vec<(f64, Example<'p, T>)>,
) -> f64 {
    let (example, label) = (problem.example(i), problem.label(i));
    let loss = 1.0 - label * rule.output(&example);
    if loss > 0.0 {
        let weight = problem.weight(i);
        pulls.push((weight * label / batch as f64, example));
        weight * loss
    } else {
        0.0
    }
}

/// Counts epochs that did not get better.
struct Judge {
    stop: Option<EarlyStop>,
    best: f64,
    n_worse: usize,
}

impl Judge {
    fn new(stop: Option<EarlyStop>) -> Self {
        Self {
            stop,
            best: f64::NEG_INFINITY,
            n_worse: 0,
        }
    }

    /// Takes the score of an epoch, if it is wanted, and tells whether to stop.
    fn is_done(&mut self, score: impl FnOnce() -> f64) -> bool {
        let Some(stop) = self.stop else { return false };
        let score = score();
        if score > self.best + stop.tol {
            self.n_worse = 0;
        } else {
            self.n_worse += 1;
        }
        self.best = self.best.max(score);
        self.n_worse >= stop.patience
    }
}

/// The share of rows that weights get right.
fn accuracy<T: Lanes>(problem: &LinearProblem<'_, T>, rows: &[u32], w: &[f64]) -> f64 {
    let is_right = |&&i: &&u32| {
        let output = problem.example(i as usize).dot(w);
        (output > 0.0) == (problem.label(i as usize) > 0.0)
    };
    rows.iter().filter(is_right).count() as f64 / rows.len().max(1) as f64
}
