//! Stochastic gradient descent: the order of the samples, the update rule ([`super::rules`]), and
//! early stopping (Lu and Jin 2017; Duros and Katzman 2014, section 4.3; Melki and Kecman 2016,
//! algorithm A).

mod settings;

pub use settings::{EarlyStop, Optimizer, SgdSettings, Visit};

use super::example::Example;
use super::problem::PREFETCH_DISTANCE;
use super::rules::{MarginTest, Pegasos, Plain, RmsProp, Rule, RuleState, momentum, nag};
use super::{Intercept, LinearMachine, LinearProblem, LinearSolver, Outline, Recorder};
use crate::data::Random;
use crate::monitor::Monitor;
use crate::simd::{Lanes, RmsStep};
use crate::solver::Status;
use crate::{Error, Result};

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd {
    settings: SgdSettings,
}

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
        let settings = &self.settings;
        let lambda = settings.penalty.lambda(problem.n_rows());
        let state = self.initial_state(start, problem.n_weights());
        if problem.n_rows() == 0 {
            // Without samples there is no default learning rate.
            return Ok(machine_of(problem.constant(), state, Status::Converged));
        }
        let eta = match settings.eta0 {
            Some(eta) => eta,
            None if state.eta > 0.0 => state.eta,
            None => default_eta(problem, settings, lambda),
        };
        let gamma = settings.momentum;
        match settings.optimizer {
            Optimizer::Pegasos => {
                let ball = settings.project.then(|| problem.mean_weight() / lambda);
                let rule = Pegasos::new(lambda, ball, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::Sgd => self.run(Plain::new(lambda, eta, &state), problem, recorder, monitor),
            Optimizer::Momentum => {
                let rule = momentum(lambda, eta, gamma, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::Nag => {
                let test = match settings.as_printed {
                    true => MarginTest::AtWeights,
                    false => MarginTest::Ahead,
                };
                let rule = nag(lambda, eta, gamma, test, &state);
                self.run(rule, problem, recorder, monitor)
            }
            Optimizer::RmsProp => {
                let step = RmsStep {
                    lambda,
                    eta,
                    decay: settings.decay,
                    epsilon: settings.epsilon,
                    root: !settings.as_printed,
                };
                let rule = RmsProp::new(step, &state);
                self.run(rule, problem, recorder, monitor)
            }
        }
    }

    fn untrained(
        &self,
        outline: &Outline,
        start: Option<&RuleState>,
    ) -> Result<Option<LinearMachine>> {
        let state = self.initial_state(start, outline.n_features + 1);
        let mut machine = machine_of(outline.constant, state, Status::TimeLimit);
        if self.settings.intercept == Intercept::Violators {
            if start.is_some() {
                return Ok(None);
            }
            machine.bias = outline.violators_bias();
        }
        Ok(Some(machine))
    }
}

/// The classifier of a state.
fn machine_of(constant: f64, state: RuleState, status: Status) -> LinearMachine {
    let weights = match state.n_averaged {
        0 => state.weights.clone(),
        _ => state.memory.clone(),
    };
    let mut machine = LinearMachine::new(constant, weights, 0, status);
    machine.state = Some(state);
    machine.reset_if_not_finite();
    machine
}

/// Number of samples from which the default learning rate is computed.
const SAMPLE: usize = 1000;

/// The default learning rate: 0.3 times `1 / (mean of |x|^2 + lambda)`, after which a mean sample
/// is classified with a margin of 1; 0.3 was best on five data sets. Rules with a constant rate
/// get 0.1 times that, multiplied by `1 - momentum`. RMSprop gets 0.01, as in the paper.
fn default_eta<T: Lanes>(
    problem: &LinearProblem<'_, T>,
    settings: &SgdSettings,
    lambda: f64,
) -> f64 {
    let n = problem.n_rows().min(SAMPLE);
    let sum: f64 = (0..n).map(|i| problem.example(i).square()).sum();
    let mean = if sum > 0.0 { sum / n as f64 } else { 1.0 };
    let rate = 1.0 / (mean + lambda);
    match settings.optimizer {
        Optimizer::Pegasos | Optimizer::Sgd => 0.3 * rate,
        Optimizer::Momentum | Optimizer::Nag => 0.1 * (1.0 - settings.momentum) * rate,
        Optimizer::RmsProp => 0.01,
    }
}

impl Sgd {
    /// The state before the first step.
    fn initial_state(&self, start: Option<&RuleState>, n_weights: usize) -> RuleState {
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
        let settings = &self.settings;
        // A call that continues from another one visits the samples in another order.
        let mut random = Random::new(settings.seed.wrapping_add(rule.state().n_steps));
        let (train, validation) = self.hold_out(problem, &mut random)?;
        let mut order = train.clone();
        let n_steps = train.len().div_ceil(settings.batch_size);
        let max_epochs = settings.epochs_of(problem.n_rows());
        let average_from = self.average_from(n_steps, max_epochs);
        let mut stopping = EarlyStopping::new(settings.early_stop);
        let check_interval = problem.check_interval();
        let (mut step, mut n_epochs, mut status) = (0, 0, Status::Converged);
        let mut violators = Vec::with_capacity(settings.batch_size.min(train.len()));
        recorder.record_if_due(0, || rule.weights());
        'epochs: for _ in 0..max_epochs {
            n_epochs += 1;
            match settings.visit {
                Visit::InOrder => {}
                Visit::Shuffled => random.shuffle(&mut order),
                Visit::Drawn => order.fill_with(|| train[random.below(train.len())]),
            }
            let mut loss = 0.0;
            for batch in 0..n_steps {
                let first = batch * settings.batch_size;
                let last = first.saturating_add(settings.batch_size).min(train.len());
                if step == average_from {
                    rule.start_average();
                }
                violators.clear();
                for place in first..last {
                    let i = order[place] as usize;
                    if let Some(&ahead) = order.get(place + PREFETCH_DISTANCE) {
                        problem.prefetch(ahead as usize);
                    }
                    loss += visit(&mut rule, problem, i, last - first, &mut violators);
                    if place.is_multiple_of(check_interval) {
                        monitor.tick(check_interval.min(train.len()) as u64)?;
                        if monitor.time_is_up() {
                            status = Status::TimeLimit;
                            break 'epochs;
                        }
                    }
                }
                if settings.as_printed && settings.optimizer == Optimizer::Pegasos {
                    let share = (last - first) as f64 / violators.len().max(1) as f64;
                    violators
                        .iter_mut()
                        .for_each(|(factor, _)| *factor *= share);
                }
                rule.step(&violators);
                step += 1;
                recorder.record_if_due(step, || rule.weights());
            }
            let mean = loss / train.len().max(1) as f64;
            if stopping.is_due(|| match &validation {
                Some(rows) => accuracy(problem, rows, &rule.weights()),
                None => -mean,
            }) {
                break;
            }
        }
        recorder.record(step, || rule.weights());
        let mut machine = LinearMachine::new(problem.constant(), rule.weights(), n_epochs, status);
        machine.state = Some(rule.state());
        machine.finish(problem, settings.intercept, recorder);
        Ok(machine)
    }

    /// The step from which the weights are averaged.
    fn average_from(&self, steps_of_epoch: usize, epochs: usize) -> u64 {
        let settings = &self.settings;
        if settings.average == 0.0 || !settings.optimizer.can_average() {
            return u64::MAX;
        }
        let all = (steps_of_epoch as f64) * epochs as f64;
        ((1.0 - settings.average) * all) as u64
    }

    /// The training samples and, if some are held out, the validation samples.
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

/// Computes the loss of a sample, and stores the sample if it is a violator.
#[inline]
fn visit<'p, T: Lanes, R: Rule>(
    rule: &mut R,
    problem: &'p LinearProblem<'_, T>,
    i: usize,
    batch: usize,
    violators: &mut Vec<(f64, Example<'p, T>)>,
) -> f64 {
    let (example, label) = (problem.example(i), problem.label(i));
    let loss = 1.0 - label * rule.output(&example);
    if loss > 0.0 {
        let weight = problem.weight(i);
        violators.push((weight * label / batch as f64, example));
        weight * loss
    } else {
        0.0
    }
}

/// Counts epochs without improvement.
struct EarlyStopping {
    stop: Option<EarlyStop>,
    best: f64,
    n_no_change: usize,
}

impl EarlyStopping {
    fn new(stop: Option<EarlyStop>) -> Self {
        Self {
            stop,
            best: f64::NEG_INFINITY,
            n_no_change: 0,
        }
    }

    /// Records the score of an epoch; returns whether to stop. Does not compute the score without
    /// early stopping.
    fn is_due(&mut self, score: impl FnOnce() -> f64) -> bool {
        let Some(stop) = self.stop else { return false };
        let score = score();
        if score > self.best + stop.tol {
            self.n_no_change = 0;
        } else {
            self.n_no_change += 1;
        }
        self.best = self.best.max(score);
        self.n_no_change >= stop.patience
    }
}

/// The accuracy of weights on some samples.
fn accuracy<T: Lanes>(problem: &LinearProblem<'_, T>, rows: &[u32], w: &[f64]) -> f64 {
    let is_correct = |&&i: &&u32| {
        let output = problem.example(i as usize).dot(w);
        (output > 0.0) == (problem.label(i as usize) > 0.0)
    };
    rows.iter().filter(is_correct).count() as f64 / rows.len().max(1) as f64
}
