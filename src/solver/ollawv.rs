//! OLLAWV, the online learning algorithm using worst violators (003, algorithm 1.1).
//!
//! With outputs `o = 0`, bias `b = 0` and the first row as the worst violator `wv`:
//!
//! ```text
//! for t = 1, 2, …:  eta = 2 / sqrt(t);  L = eta C y_wv;  B = beta L / n
//!                   o_i += L K(x_i, x_wv) + B   for every row i not yet used
//!                   alpha_wv = L;  b += B;  wv is used up
//!                   wv = argmin of y_i o_i over the unused rows
//!                   stop if y_wv o_wv >= M
//! ```
//!
//! `o`, `alpha`, `b` and the threshold `M = margin C` all scale with `C`, so the
//! loop runs with `C = 1` and the result is scaled. The margin only decides when
//! to stop: **the machine of a smaller margin is a prefix of the run of a larger
//! one**, so one run gives the machines of any number of margins.
//!
//! State: `v_i = y_i (o_i - b)`, and infinity for used rows: one pass of
//! [`simd::axpy_argmin`] is the whole step. The bias is the same for all rows of
//! a class and is added, in f64, where the smallest of each piece are compared. Cost: one kernel row and one pass
//! for each support vector; memory: one number a row besides the kernel rows.

use super::{BinarySolver, Machine, Problem, Status};
use crate::kernel::{KernelRows, Parts, Piece};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, Smallest};
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct OllawvSettings {
    /// `M / C`, where to stop; one machine comes out for each.
    pub margins: Vec<f64>,
    /// A pure scale of the decision function.
    pub c: f64,
    /// Whether there is a bias term (beta = 1).
    pub bias: bool,
    /// The most support vectors, as a share of the rows of each machine.
    pub max_sv_fraction: f64,
}

impl OllawvSettings {
    /// The only way to an [`Ollawv`].
    pub fn check(self) -> Result<Ollawv> {
        if self.margins.is_empty() {
            return Err(Error::parameter(
                "margins",
                "[]",
                "at least one margin is needed",
            ));
        }
        if let Some(margin) = self.margins.iter().find(|m| !(**m >= 0.0 && m.is_finite())) {
            let rule = "it must be a finite number, at least 0";
            return Err(Error::parameter("margin", margin, rule));
        }
        if !(self.c > 0.0 && self.c <= 1e300) {
            return Err(Error::parameter(
                "C",
                self.c,
                "it must be a positive number, at most 1e300",
            ));
        }
        if !(self.max_sv_fraction > 0.0 && self.max_sv_fraction <= 1.0) {
            return Err(Error::parameter(
                "max_sv_fraction",
                self.max_sv_fraction,
                "it must be above 0 and at most 1",
            ));
        }
        let mut ascending: Vec<usize> = (0..self.margins.len()).collect();
        ascending.sort_by(|&a, &b| self.margins[a].total_cmp(&self.margins[b]));
        Ok(Ollawv {
            settings: self,
            ascending,
        })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Ollawv {
    settings: OllawvSettings,
    /// Numbers of the margins, smallest margin first.
    ascending: Vec<usize>,
}

/// Steps for which there is room from the start.
const MOST_RESERVED: usize = 1024;

/// Steps between two of the monitor's counts.
const TICK: usize = 32;

/// The unused row with the smallest `y o`.
#[derive(Clone, Copy)]
struct Violator {
    output: f64,
    local: usize,
}

/// A run: the violators in the order in which they were used.
struct Run {
    /// Local row and `L / C` of each step.
    steps: Vec<(usize, f64)>,
    /// How many steps each margin takes, in the order of `ascending`.
    lengths: Vec<usize>,
    /// The margins from this one on were cut off by a limit.
    n_reached: usize,
}

impl BinarySolver for Ollawv {
    fn path_len(&self) -> usize {
        self.settings.margins.len()
    }

    fn uses_rows_once(&self) -> bool {
        true
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let run = self.run(problem, rows, monitor)?;
        Ok(self.machines(&run, rows.parts()))
    }
}

impl Ollawv {
    fn run<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Run> {
        self.check_weights::<T>(problem.weights)?;
        let parts = rows.parts().clone();
        let n = parts.n_rows();
        let beta = if self.settings.bias { 1.0 } else { 0.0 };
        let mut v = crate::error::zeros::<T>(n, 1, "the outputs")?;
        let mut worst = first_row(&parts, problem.order);
        let mut run = Run {
            steps: Vec::with_capacity(self.most_steps(n).min(MOST_RESERVED)),
            lengths: Vec::with_capacity(self.ascending.len()),
            n_reached: 0,
        };
        let mut bias = 0.0;
        for t in 1..=self.most_steps(n) {
            // Threads that all count, for each step, in one place would wait for each other.
            if t % TICK == 0 {
                monitor.tick(TICK as u64)?;
            }
            monitor.check()?;
            let part = parts.part_of(worst.local);
            let eta = 2.0 / (t as f64).sqrt();
            let l = eta * problem.weights[part] * problem.signs[part];
            bias += beta * l / n as f64;
            run.steps.push((worst.local, l));
            v[worst.local] = T::INFINITY;
            worst = next_worst(problem, rows, &parts, &mut v, worst.local, l, bias)?;
            let reached = self.ascending[run.lengths.len()..]
                .iter()
                .take_while(|&&m| worst.output >= self.settings.margins[m])
                .count();
            run.lengths.resize(run.lengths.len() + reached, t);
            if run.lengths.len() == self.ascending.len() {
                break;
            }
        }
        monitor.tick((run.steps.len() % TICK) as u64)?;
        run.n_reached = run.lengths.len();
        run.lengths.resize(self.ascending.len(), run.steps.len());
        Ok(run)
    }

    /// Refuses weights whose steps leave the range of the rows, or of f64 with C.
    fn check_weights<T: Lanes>(&self, weights: &[f64]) -> Result<()> {
        let largest = T::MAX.to_f64() / f64::from(u32::MAX);
        let fits = |&&w: &&f64| w < largest && w * self.settings.c <= 1e300;
        match weights.iter().find(|w| !fits(w)) {
            None => Ok(()),
            Some(weight) => Err(Error::parameter(
                "class_weight",
                weight,
                "times C, or times the kernel in the type of X, it is too large",
            )),
        }
    }

    fn most_steps(&self, n: usize) -> usize {
        (self.settings.max_sv_fraction * n as f64).ceil() as usize
    }

    /// Cuts the machine of each margin out of the run.
    fn machines(&self, run: &Run, parts: &Parts) -> Vec<Machine> {
        let n = parts.n_rows();
        let c = self.settings.c;
        let mut machines: Vec<Option<Machine>> = vec![None; self.ascending.len()];
        for (rank, (&margin, &len)) in self.ascending.iter().zip(&run.lengths).enumerate() {
            let steps = &run.steps[..len];
            let terms = steps.iter().map(|&(i, l)| (parts.global(i) as u32, c * l));
            let total: f64 = steps.iter().map(|(_, l)| l / n as f64).sum();
            // No row left to use is an end of its own, not a limit.
            let ended = rank < run.n_reached || len == n;
            machines[margin] = Some(Machine {
                terms: terms.collect(),
                bias: if self.settings.bias { c * total } else { 0.0 },
                n_iter: len,
                n_loops: 1,
                needs_f64: false,
                status: if ended {
                    Status::Converged
                } else {
                    Status::IterationLimit
                },
            });
        }
        machines.into_iter().flatten().collect()
    }
}

/// The row that the caller put first.
fn first_row(parts: &Parts, order: &[u32]) -> Violator {
    let starts = parts.iter().filter(|part| !part.local.is_empty());
    let first = starts.min_by_key(|part| order[part.global.start]);
    Violator {
        output: 0.0,
        local: first.map_or(0, |part| part.local.start),
    }
}

/// Adds `l K` to all outputs and finds the next worst violator, the bias included.
fn next_worst<T: Lanes>(
    problem: &Problem<'_>,
    rows: &mut impl KernelRows<T>,
    parts: &Parts,
    v: &mut [T],
    violator: usize,
    l: f64,
    bias: f64,
) -> Result<Violator> {
    let update = |piece: &Piece, v: &mut [T], kernel: &[T]| {
        let sign = problem.signs[piece.part];
        let Smallest { value, index } = simd::axpy_argmin(v, T::from_f64(sign * l), kernel);
        Violator {
            output: value.to_f64() + sign * bias,
            local: piece.local.start + index,
        }
    };
    let caller = |w: &Violator| problem.order[parts.global(w.local)];
    let worse = |a: Violator, b: Violator| {
        if a.output < b.output || (a.output == b.output && caller(&a) < caller(&b)) {
            a
        } else {
            b
        }
    };
    let worst = rows.sweep(violator, v, update, worse)?;
    worst.ok_or_else(|| Error::Internal("a problem without rows".into()))
}
