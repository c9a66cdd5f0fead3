//! NL-SGD: stochastic subgradient descent with kernels (Melki and Kecman 2016, algorithm B with
//! the changes described there).
//!
//! The objective is `lambda / 2 |w|^2 + mean of w_i max(0, 1 - y_i f(x_i))` with
//! `lambda = 1 / C` and no bias; `w_i` are sample weights. With counts `beta = 0`:
//!
//! ```text
//! for t = 1, …, T:  i = the next sample;  alpha = beta / (lambda t)
//!                   if y_i sum_j alpha_j K_ij < 1:  beta_i += w_i y_i
//! ```
//!
//! The result is the mean of alpha over the last steps, or the last alpha. A count added at
//! step s is part of all later alphas. Its share of the mean is a sum of `1 / t` that is known
//! when the count is added, so that no average has to be stored.
//!
//! State: the outputs `f_i = sum_j beta_j K_ij`, one array for each C. **All values of C of a path
//! are trained together**: they visit the same samples, and each kernel row is computed once.
//! Cost: a kernel row for each step in which the sample violates the margin for some C.

use super::hyperparameters::check_cs;
use super::limit::CHECK_INTERVAL;
use super::{BinarySolver, Machine, Problem, Status};
use crate::data::Random;
use crate::kernel::{Parts, SingleRows};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use crate::{Error, Result};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NlSgdSettings {
    /// The values of the regularization parameter C, one for each classifier of the path.
    pub cs: Vec<f64>,
    /// The number of passes over the samples.
    pub epochs: usize,
    /// The fraction of the steps, at the end, over which alpha is averaged; 0 for the last alpha.
    pub average: f64,
    /// The step size.
    pub step: Step,
    /// The order in which samples are visited.
    pub order: Order,
    /// The seed of the order.
    pub seed: u64,
}

/// The step size: counts are divided by lambda times this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The number of the step, t.
    Time,
    /// The number of samples, m, as printed in the paper.
    Rows,
}

impl Step {
    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "t" => Ok(Step::Time),
            "m" => Ok(Step::Rows),
            _ => Err(Error::parameter("step", name, "it must be 't' or 'm'")),
        }
    }
}

/// The order in which samples are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All samples in turn, shuffled once.
    Cyclic,
    /// A random sample in each step.
    Random,
}

impl Order {
    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "cyclic" => Ok(Order::Cyclic),
            "random" => Ok(Order::Random),
            _ => {
                let rule = "it must be 'cyclic' or 'random'";
                Err(Error::parameter("order", name, rule))
            }
        }
    }
}

impl NlSgdSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(mut self) -> Result<NlSgd> {
        check_cs(&mut self.cs)?;
        if self.epochs == 0 {
            return Err(Error::parameter("epochs", 0, "it must be at least 1"));
        }
        if !(0.0..=1.0).contains(&self.average) {
            let rule = "it must be from 0 to 1";
            return Err(Error::parameter("average", self.average, rule));
        }
        Ok(NlSgd { settings: self })
    }
}

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NlSgd {
    settings: NlSgdSettings,
}

/// The state of training for one C.
struct Run {
    c: f64,
    /// `sum_j beta_j K_ij`.
    outputs: Vec<f64>,
    counts: Vec<f64>,
    /// The averaged alpha so far.
    alpha: Vec<f64>,
}

impl BinarySolver for NlSgd {
    fn path_len(&self) -> usize {
        self.settings.cs.len()
    }

    fn uses_rows_once(&self) -> bool {
        self.settings.epochs == 1 && self.settings.order == Order::Cyclic
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl SingleRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let n = parts.n_rows();
        let (signs, weights) = (problem.signs_of(&parts), problem.weights_of(&parts));
        let n_steps = n.checked_mul(self.settings.epochs);
        let Some(n_steps) = n_steps.filter(|&steps| steps <= MAX_STEPS) else {
            let rule = "its product with the number of samples is too large";
            return Err(Error::parameter("epochs", self.settings.epochs, rule));
        };
        let shares = Shares::new(self.settings.average, self.settings.step, n_steps, n)?;
        let mut visits = self.visits(&parts, problem.order);
        let mut runs: Vec<Run> = self.settings.cs.iter().map(|&c| Run::new(c, n)).collect();
        let mut n_taken = n_steps;
        let mut violated = Vec::with_capacity(runs.len());
        for t in 1..=n_steps {
            monitor.tick(1)?;
            if t % CHECK_INTERVAL == 0 && monitor.time_is_up() {
                n_taken = t - 1;
                break;
            }
            let i = visits.next(n);
            let divisor = shares.divisor(t);
            violated.clear();
            let is_violated = |run: &Run| signs[i] * run.outputs[i] * run.c < divisor;
            violated.extend((0..runs.len()).filter(|&k| is_violated(&runs[k])));
            if violated.is_empty() || weights[i] == 0.0 {
                continue;
            }
            let count = weights[i] * signs[i];
            let row = rows.row(i)?;
            for &k in &violated {
                let run = &mut runs[k];
                run.counts[i] += count;
                run.alpha[i] += count * run.c * shares.after(t);
                for (number, part) in parts.iter().enumerate() {
                    let outputs = &mut run.outputs[part.local.clone()];
                    simd::axpy(outputs, count, row.part(number));
                }
            }
        }
        let status = if n_taken == n_steps {
            Status::Converged
        } else {
            // The current alpha: the partial mean is meant for all steps.
            let divisor = shares.divisor(n_taken.max(1));
            for run in &mut runs {
                let counts = run.counts.iter();
                run.alpha = counts.map(|count| run.c * count / divisor).collect();
            }
            Status::TimeLimit
        };
        Ok(runs
            .iter()
            .map(|run| run.machine(&parts, n_taken, status))
            .collect())
    }
}

/// The largest number of steps: it is exact in f64.
const MAX_STEPS: usize = 1 << 52;

impl NlSgd {
    fn visits(&self, parts: &Parts, order: &[u32]) -> Visits {
        let mut samples: Vec<usize> = (0..parts.n_rows()).collect();
        samples.sort_by_key(|&i| order[parts.global(i)]);
        let mut random = Random::new(self.settings.seed);
        if self.settings.order == Order::Cyclic {
            random.shuffle(&mut samples);
        }
        Visits {
            samples,
            random,
            order: self.settings.order,
            last: usize::MAX,
        }
    }
}

/// The order of the samples, independent of how they are packed.
struct Visits {
    samples: Vec<usize>,
    random: Random,
    order: Order,
    last: usize,
}

impl Visits {
    fn next(&mut self, n: usize) -> usize {
        self.last = match self.order {
            Order::Cyclic => self.last.wrapping_add(1) % n,
            Order::Random => self.random.below(n),
        };
        self.samples[self.last]
    }
}

/// The share of a count in the mean of alpha.
struct Shares {
    step: Step,
    n: usize,
    /// The first step of the mean.
    first: usize,
    /// At `k`: the sum of `1 / divisor` over the steps of the mean from `first + k` on, divided by
    /// their number.
    sums: Vec<f64>,
}

impl Shares {
    fn new(average: f64, step: Step, n_steps: usize, n: usize) -> Result<Self> {
        let width = ((average * n_steps as f64).ceil() as usize).clamp(1, n_steps.max(1));
        let first = n_steps + 1 - width;
        let mut shares = Self {
            step,
            n,
            first,
            sums: crate::memory::try_zeros(width + 1, 1, "step sizes")?,
        };
        for k in (0..width).rev() {
            let own = 1.0 / (shares.divisor(first + k) * width as f64);
            shares.sums[k] = shares.sums[k + 1] + own;
        }
        Ok(shares)
    }

    /// The divisor of counts at step `t`, without lambda.
    fn divisor(&self, t: usize) -> f64 {
        match self.step {
            Step::Time => t as f64,
            Step::Rows => self.n as f64,
        }
    }

    /// The share of a count added at step `t`.
    fn after(&self, t: usize) -> f64 {
        self.sums[(t + 1).saturating_sub(self.first)]
    }
}

impl Run {
    fn new(c: f64, n: usize) -> Self {
        Self {
            c,
            outputs: vec![0.0; n],
            counts: vec![0.0; n],
            alpha: vec![0.0; n],
        }
    }

    fn machine(&self, parts: &Parts, n_iter: usize, status: Status) -> Machine {
        let used = self.alpha.iter().enumerate().filter(|(_, a)| **a != 0.0);
        let machine = Machine {
            terms: used.map(|(i, &a)| (parts.global(i) as u32, a)).collect(),
            bias: 0.0,
            n_iter,
            n_loops: 1,
            status,
            needs_f64: false,
            implied: None,
        };
        machine.or_non_finite()
    }
}
