//! OLLAWV, the online learning algorithm using worst violators (Melki 2018, algorithm 1.1).
//!
//! With outputs `o = 0`, bias `b = 0` and the first sample as the worst violator `wv`:
//!
//! ```text
//! for t = 1, 2, …:  eta = 2 / sqrt(t);  L = eta C y_wv;  B = beta L / n
//!                   o_i += L K(x_i, x_wv) + B   for every sample i not yet used
//!                   alpha_wv = L;  b += B;  wv is used
//!                   wv = argmin of y_i o_i over the unused samples
//!                   stop if y_wv o_wv >= M
//! ```
//!
//! The other step size of the paper is `eta = 1 / t`.
//!
//! **Several epochs** extend the algorithm: a sample may be the worst violator up to `epochs`
//! times. It is used up after that, instead of after the first time; `alpha_wv += L` replaces
//! `alpha_wv = L`, with the eta of the current step; and `o_i` is updated for every sample that is
//! not used up. There are no passes in a fixed order: a sample is used again as soon as it is the
//! worst violator again. The limit `max_sv_fraction` is one of support vectors, not of steps: once
//! it is reached, only support vectors are candidates for the worst violator.
//!
//! `o`, `alpha`, `b` and the threshold `M = margin C` all scale with `C`, so the loop runs with
//! `C = 1` and the result is scaled. The margin only determines when to stop, for any number of
//! epochs: **the classifier of a smaller margin is a prefix of the run of a larger one**, so one
//! run gives the classifiers of any number of margins.
//!
//! State: `v_i = y_i (o_i - b)`, and infinity for samples that are used up: one pass of
//! [`simd::axpy_argmin`] is the whole step. The bias is the same for all samples of a class and is
//! added, in f64, when the minima of the pieces are compared. Cost: one kernel row and one pass
//! for each step, at most `epochs` for each support vector; memory: two numbers per sample besides
//! the kernel rows.

use super::hyperparameters::{LARGEST_C, check_c};
use super::path::ascending;
use super::{BinarySolver, Machine, Problem, Status};
use crate::kernel::{Parts, Piece, SingleRows};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes, Smallest};
use crate::{Error, Result};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct OllawvSettings {
    /// The values of `M / C`, where to stop, one for each classifier of the path.
    pub margins: Vec<f64>,
    /// The scale of the decision function.
    pub c: f64,
    /// Whether the decision function has a bias (beta = 1).
    pub bias: bool,
    /// The maximum number of support vectors, as a fraction of the samples of a binary problem.
    pub max_sv_fraction: f64,
    /// How often a sample may be used.
    pub epochs: usize,
    /// The step size.
    pub rate: Rate,
}

impl Default for OllawvSettings {
    /// Algorithm 1.1 with a margin of 0.1.
    fn default() -> Self {
        Self {
            margins: vec![0.1],
            c: 1.0,
            bias: true,
            max_sv_fraction: 1.0,
            epochs: 1,
            rate: Rate::Root,
        }
    }
}

/// The step size eta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// `2 / sqrt(t)`.
    Root,
    /// `1 / t`.
    Inverse,
}

impl Rate {
    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "2/sqrt(t)" => Ok(Rate::Root),
            "1/t" => Ok(Rate::Inverse),
            _ => {
                let rule = "it must be '2/sqrt(t)' or '1/t'";
                Err(Error::parameter("step", format!("{name:?}"), rule))
            }
        }
    }

    /// The step size of step `t`.
    fn eta(self, t: usize) -> f64 {
        match self {
            Rate::Root => 2.0 / (t as f64).sqrt(),
            Rate::Inverse => 1.0 / t as f64,
        }
    }
}

/// The largest number of epochs: sums of step sizes stay far below the largest f32.
const MAX_EPOCHS: usize = 1_000_000;

impl OllawvSettings {
    /// Checks the hyperparameters and returns the solver.
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
        // Coefficients are multiples of C: a larger one may not be replaced.
        if check_c(self.c)? < self.c {
            let rule = "it must be at most 1e300";
            return Err(Error::parameter("C", self.c, rule));
        }
        if !(self.max_sv_fraction > 0.0 && self.max_sv_fraction <= 1.0) {
            return Err(Error::parameter(
                "max_sv_fraction",
                self.max_sv_fraction,
                "it must be above 0 and at most 1",
            ));
        }
        if !(1..=MAX_EPOCHS).contains(&self.epochs) {
            let rule = "it must be from 1 to 1000000";
            return Err(Error::parameter("epochs", self.epochs, rule));
        }
        Ok(Ollawv {
            ascending: ascending(&self.margins),
            settings: self,
        })
    }
}

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Ollawv {
    settings: OllawvSettings,
    /// The indices that sort the margins in ascending order.
    ascending: Vec<usize>,
}

/// The number of steps for which memory is reserved.
const MAX_RESERVED: usize = 1024;

/// Steps between two ticks of the monitor.
const TICK_INTERVAL: usize = 32;

/// The sample with the smallest `y o` of those that are not used up.
#[derive(Clone, Copy)]
struct Violator {
    output: f64,
    local: usize,
}

/// The violators in the order in which they were used.
struct Run {
    /// Local index and `L / C` of each step.
    steps: Vec<(usize, f64)>,
    /// The number of steps of each margin, in the order of `ascending`.
    lengths: Vec<usize>,
    /// The number of margins that were reached while all samples that were not used up were
    /// candidates; `None` if they always were.
    n_reached: Option<usize>,
}

/// How often each sample was used.
struct Uses {
    counts: Vec<u32>,
    /// The number of samples that were used.
    n_used: usize,
}

impl Uses {
    fn new(n: usize) -> Result<Self> {
        let counts = crate::memory::try_zeros(n, 1, "the number of uses of each sample")?;
        Ok(Self { counts, n_used: 0 })
    }

    /// Counts a use of a sample, and returns how often it was used.
    fn add(&mut self, i: usize) -> usize {
        self.n_used += usize::from(self.counts[i] == 0);
        self.counts[i] += 1;
        self.counts[i] as usize
    }

    /// Excludes samples that were never used from further selection.
    fn exclude_unused<T: Lanes>(&self, v: &mut [T]) {
        for (v, _) in v.iter_mut().zip(&self.counts).filter(|use_| *use_.1 == 0) {
            *v = T::INFINITY;
        }
    }
}

impl BinarySolver for Ollawv {
    fn path_len(&self) -> usize {
        self.settings.margins.len()
    }

    fn uses_rows_once(&self) -> bool {
        self.settings.epochs == 1
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl SingleRows<T>,
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
        rows: &mut impl SingleRows<T>,
        monitor: &Monitor,
    ) -> Result<Run> {
        self.check_weights::<T>(problem.weights)?;
        let parts = rows.parts().clone();
        let n = parts.n_rows();
        let beta = if self.settings.bias { 1.0 } else { 0.0 };
        let mut v = crate::memory::try_zeros::<T>(n, 1, "decision values")?;
        let mut worst = first_sample(&parts, problem.order);
        let most = self.max_vectors(n);
        let mut uses = Uses::new(n)?;
        let mut run = Run {
            steps: Vec::with_capacity(most.min(MAX_RESERVED)),
            lengths: Vec::with_capacity(self.ascending.len()),
            n_reached: None,
        };
        let mut bias = 0.0;
        for t in 1.. {
            // Threads that increment one counter in each step would wait for each other.
            if t % TICK_INTERVAL == 0 {
                monitor.tick(TICK_INTERVAL as u64)?;
            }
            monitor.check()?;
            let part = parts.part_of(worst.local);
            let l = self.settings.rate.eta(t) * problem.weights[part] * problem.signs[part];
            bias += beta * l / n as f64;
            run.steps.push((worst.local, l));
            if uses.add(worst.local) == self.settings.epochs {
                v[worst.local] = T::INFINITY;
            }
            worst = next_worst(problem, rows, &parts, &mut v, worst.local, l, bias)?;
            self.note_reached(&mut run, &worst);
            if uses.n_used == most && most < n && run.n_reached.is_none() {
                run.n_reached = Some(run.lengths.len());
                uses.exclude_unused(&mut v);
                worst = worst_of(problem, &parts, &v, bias);
                self.note_reached(&mut run, &worst);
            }
            if run.lengths.len() == self.ascending.len() {
                break;
            }
        }
        monitor.tick((run.steps.len() % TICK_INTERVAL) as u64)?;
        Ok(run)
    }

    /// Notes the number of steps of the margins that the worst violator has reached; used-up
    /// samples have reached any margin.
    fn note_reached(&self, run: &mut Run, worst: &Violator) {
        let reached = self.ascending[run.lengths.len()..]
            .iter()
            .take_while(|&&m| worst.output >= self.settings.margins[m])
            .count();
        let n_steps = run.steps.len();
        run.lengths.resize(run.lengths.len() + reached, n_steps);
    }

    /// Rejects weights whose steps overflow the type of the rows, or f64 with C.
    fn check_weights<T: Lanes>(&self, weights: &[f64]) -> Result<()> {
        let largest = T::MAX.to_f64() / f64::from(u32::MAX);
        let fits = |&&w: &&f64| w < largest && w * self.settings.c <= LARGEST_C;
        match weights.iter().find(|w| !fits(w)) {
            None => Ok(()),
            Some(weight) => Err(Error::parameter(
                "class_weight",
                weight,
                "its product with C, or with kernel values in the type of X, is too large",
            )),
        }
    }

    fn max_vectors(&self, n: usize) -> usize {
        (self.settings.max_sv_fraction * n as f64).ceil() as usize
    }

    /// The classifier of each margin: a prefix of the run.
    fn machines(&self, run: &Run, parts: &Parts) -> Vec<Machine> {
        let n = parts.n_rows();
        let c = self.settings.c;
        let mut machines: Vec<Option<Machine>> = vec![None; self.ascending.len()];
        for (rank, (&margin, &len)) in self.ascending.iter().zip(&run.lengths).enumerate() {
            let steps = &run.steps[..len];
            let terms = self.coefficients(steps, n).into_iter();
            let terms = terms.map(|(i, l)| (parts.global(i) as u32, c * l));
            let total: f64 = steps.iter().map(|(_, l)| l / n as f64).sum();
            // Using up all samples is convergence, not a limit.
            let ended = run.n_reached.is_none_or(|n_reached| rank < n_reached);
            machines[margin] = Some(Machine {
                terms: terms.collect(),
                bias: if self.settings.bias { c * total } else { 0.0 },
                n_iter: len,
                n_loops: 1,
                needs_f64: false,
                implied: None,
                status: if ended {
                    Status::Converged
                } else {
                    Status::IterationLimit
                },
            });
        }
        machines.into_iter().flatten().collect()
    }

    /// The coefficient of each support vector, in the order of their first steps.
    fn coefficients(&self, steps: &[(usize, f64)], n: usize) -> Vec<(usize, f64)> {
        if self.settings.epochs == 1 {
            return steps.to_vec();
        }
        let mut places = vec![usize::MAX; n];
        let mut terms: Vec<(usize, f64)> = Vec::new();
        for &(i, l) in steps {
            if places[i] == usize::MAX {
                places[i] = terms.len();
                terms.push((i, 0.0));
            }
            terms[places[i]].1 += l;
        }
        terms
    }
}

/// The first sample in the caller's order.
fn first_sample(parts: &Parts, order: &[u32]) -> Violator {
    let starts = parts.iter().filter(|part| !part.local.is_empty());
    let first = starts.min_by_key(|part| order[part.global.start]);
    Violator {
        output: 0.0,
        local: first.map_or(0, |part| part.local.start),
    }
}

/// The sample with the smallest `y o`; its output is infinite if all samples are used up.
fn worst_of<T: Lanes>(problem: &Problem<'_>, parts: &Parts, v: &[T], bias: f64) -> Violator {
    let violator = |local: usize| Violator {
        output: v[local].to_f64() + problem.signs[parts.part_of(local)] * bias,
        local,
    };
    let mut worst = violator(0);
    for local in 1..v.len() {
        worst = worse(problem, parts, worst, violator(local));
    }
    worst
}

/// The violator with the smaller output; the first one in the caller's order in case of a tie.
fn worse(problem: &Problem<'_>, parts: &Parts, a: Violator, b: Violator) -> Violator {
    let caller = |w: &Violator| problem.order[parts.global(w.local)];
    if a.output < b.output || (a.output == b.output && caller(&a) < caller(&b)) {
        a
    } else {
        b
    }
}

/// Adds `l K` to all outputs and returns the next worst violator, with the bias in its output.
fn next_worst<T: Lanes>(
    problem: &Problem<'_>,
    rows: &mut impl SingleRows<T>,
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
    let worst = rows.sweep(violator, v, update, |a, b| worse(problem, parts, a, b))?;
    worst.ok_or_else(|| Error::Internal("a problem without samples".into()))
}
