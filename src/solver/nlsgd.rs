//! NL-SGD: stochastic subgradient descent with kernels (000, algorithm B and its changes).
//!
//! The objective is `lambda / 2 |w|^2 + mean of w_i max(0, 1 - y_i f(x_i))` with
//! `lambda = 1 / C` and no bias; `w_i` are the weights of rows. With counts `beta = 0`:
//!
//! ```text
//! for t = 1, …, T:  i = the next row;  alpha = beta / (lambda t)
//!                   if y_i sum_j alpha_j K_ij < 1:  beta_i += w_i y_i
//! ```
//!
//! The result is the mean of alpha over the last steps, or the last alpha. A count made at
//! step s is in all later alphas, so that its share of the mean is a sum of `1 / t` that is
//! known when it is made: nothing has to be averaged.
//!
//! State: the outputs `f_i = sum_j beta_j K_ij`, one array for each C. **All C of a path run
//! side by side**: they visit the same rows, and a kernel row is asked for once. Cost: a
//! kernel row for each step that some C counts.

use super::{BinarySolver, Machine, Problem, STEPS_TO_LOOK, Status, positive};
use crate::data::Random;
use crate::kernel::{KernelRows, Parts};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct NlSgdSettings {
    /// One machine for each.
    pub cs: Vec<f64>,
    /// Steps, in units of the rows of a machine.
    pub epochs: usize,
    /// The share of the steps over which alpha is averaged; 0 for the last alpha.
    pub average: f64,
    /// What alpha is divided by.
    pub step: Step,
    /// Which row comes next.
    pub order: Order,
    /// Of the order.
    pub seed: u64,
}

/// What counts are divided by, times lambda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The number of the step.
    Time,
    /// The number of rows, as the paper prints it.
    Rows,
}

impl Step {
    /// From its name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "t" => Ok(Step::Time),
            "m" => Ok(Step::Rows),
            _ => Err(Error::parameter("step", name, "it must be 't' or 'm'")),
        }
    }
}

/// Which row comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All rows in turn, shuffled once.
    Cyclic,
    /// Any row, drawn anew each time.
    Random,
}

impl Order {
    /// From its name.
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
    /// The only way to a [`NlSgd`].
    pub fn check(mut self) -> Result<NlSgd> {
        positive("C", &mut self.cs)?;
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

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct NlSgd {
    settings: NlSgdSettings,
}

/// The machine of one C while it is trained.
struct Run {
    c: f64,
    /// Outputs of the counts.
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
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let n = parts.n_rows();
        let (signs, weights) = (problem.signs_of(&parts), problem.weights_of(&parts));
        let n_steps = n.checked_mul(self.settings.epochs);
        let Some(n_steps) = n_steps.filter(|&steps| steps <= MOST_STEPS) else {
            let rule = "times the rows it makes too many steps";
            return Err(Error::parameter("epochs", self.settings.epochs, rule));
        };
        let shares = Shares::new(self.settings.average, self.settings.step, n_steps, n)?;
        let mut visits = self.visits(&parts, problem.order);
        let mut runs: Vec<Run> = self.settings.cs.iter().map(|&c| Run::new(c, n)).collect();
        let mut taken = n_steps;
        let mut counting = Vec::with_capacity(runs.len());
        for t in 1..=n_steps {
            monitor.tick(1)?;
            if t % STEPS_TO_LOOK == 0 && monitor.time_is_up() {
                taken = t - 1;
                break;
            }
            let i = visits.next(n);
            let divisor = shares.divisor(t);
            counting.clear();
            let counts = |run: &Run| signs[i] * run.outputs[i] * run.c < divisor;
            counting.extend((0..runs.len()).filter(|&k| counts(&runs[k])));
            if counting.is_empty() || weights[i] == 0.0 {
                continue;
            }
            let count = weights[i] * signs[i];
            let row = rows.row(i)?;
            for &k in &counting {
                let run = &mut runs[k];
                run.counts[i] += count;
                run.alpha[i] += count * run.c * shares.after(t);
                for (number, part) in parts.iter().enumerate() {
                    let outputs = &mut run.outputs[part.local.clone()];
                    simd::axpy(outputs, count, row.part(number));
                }
            }
        }
        let ended = if taken == n_steps {
            Status::Converged
        } else {
            // The alpha of now: what was averaged so far is meant for all steps.
            let divisor = shares.divisor(taken.max(1));
            for run in &mut runs {
                let counts = run.counts.iter();
                run.alpha = counts.map(|count| run.c * count / divisor).collect();
            }
            Status::TimeLimit
        };
        Ok(runs
            .iter()
            .map(|run| run.machine(&parts, taken, ended))
            .collect())
    }
}

/// So many steps are not too many for a number with 53 digits.
const MOST_STEPS: usize = 1 << 52;

impl NlSgd {
    fn visits(&self, parts: &Parts, order: &[u32]) -> Visits {
        let mut rows: Vec<usize> = (0..parts.n_rows()).collect();
        rows.sort_by_key(|&i| order[parts.global(i)]);
        let mut random = Random::new(self.settings.seed);
        if self.settings.order == Order::Cyclic {
            random.shuffle(&mut rows);
        }
        Visits {
            rows,
            random,
            order: self.settings.order,
            last: usize::MAX,
        }
    }
}

/// The order of the rows, which does not depend on how they are packed.
struct Visits {
    rows: Vec<usize>,
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
        self.rows[self.last]
    }
}

/// How much of the mean a count has.
struct Shares {
    step: Step,
    n: usize,
    /// The first step that is averaged.
    first: usize,
    /// The sum over the averaged steps from `first + k` on, at `k`, over their number.
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
            sums: crate::error::zeros(width + 1, 1, "the shares of the steps")?,
        };
        for k in (0..width).rev() {
            let own = 1.0 / (shares.divisor(first + k) * width as f64);
            shares.sums[k] = shares.sums[k + 1] + own;
        }
        Ok(shares)
    }

    /// What counts are divided by at a step, lambda aside.
    fn divisor(&self, t: usize) -> f64 {
        match self.step {
            Step::Time => t as f64,
            Step::Rows => self.n as f64,
        }
    }

    /// The share of a count made at step `t`.
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
        };
        machine.or_nothing()
    }
}
