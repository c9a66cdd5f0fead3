//! Evaluation jobs and their schedule.

use super::clock::{Clock, Phase};
use super::scores::Scores;
use super::shared::Shared;
use super::source::{Scaling, Source, centers};
use super::task::{Buffers, Task};
use crate::kernel::{KernelKind, KernelSettings};
use crate::memory::byte_count;
use crate::model::{Ballots, Ties, n_scores};
use crate::monitor::Monitor;
use crate::multiclass::Scheme;
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Start};
use crate::{Error, Result};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// One split with the cells to evaluate on it: each kernel with the path of its solver.
#[derive(Debug, Clone)]
pub struct Job<S> {
    /// The number of the source of the samples.
    pub source: usize,
    /// Indices of the training samples, in the order in which a single training would see them;
    /// an index may occur more than once.
    pub train: Vec<u32>,
    /// Indices of the test samples.
    pub test: Vec<u32>,
    /// The kernels.
    pub kernels: Vec<KernelSettings>,
    /// The solver of each kernel, with its path of settings.
    pub solvers: Vec<S>,
    /// The starting point of each binary problem, with indices of the source; empty to start from
    /// zero. Used if all classes occur in the training samples.
    pub starts: Vec<Start>,
}

impl<S> Job<S> {
    /// Fails on indices that are out of bounds.
    pub(super) fn check<T: Lanes>(&self, sources: &[Source<'_, T>], plan: &Plan<'_>) -> Result<()> {
        let Some(source) = sources.get(self.source) else {
            return Err(Error::Shape(format!(
                "a split refers to source {}, but there are {}",
                self.source,
                sources.len()
            )));
        };
        if self.solvers.len() != self.kernels.len() {
            return Err(Error::Shape(
                "a split needs a path for each of its kernels".into(),
            ));
        }
        let n_rows = source.rows.n_rows();
        source.check(plan.n_classes)?;
        let mut rows = self.train.iter().chain(&self.test);
        if let Some(row) = rows.find(|&&row| row as usize >= n_rows) {
            return Err(Error::Shape(format!(
                "a split contains the index {row}, but X has {n_rows} samples"
            )));
        }
        if self.is_precomputed() {
            if self.kernels.iter().any(|kernel| !is_precomputed(kernel)) {
                let message = "precomputed kernels and others cannot be evaluated together";
                return Err(Error::Data(message.into()));
            }
            source.check_kernel(&self.train)?;
        }
        Ok(())
    }

    /// Whether the source contains kernel values instead of samples.
    pub fn is_precomputed(&self) -> bool {
        self.kernels.iter().any(is_precomputed)
    }
}

fn is_precomputed(kernel: &KernelSettings) -> bool {
    kernel.kind == KernelKind::Precomputed
}

/// What all jobs have in common.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// Number of classes.
    pub n_classes: usize,
    /// The weight of each class; `None` balances the classes of the training samples.
    pub class_weights: Option<&'a [f64]>,
    /// How features are scaled.
    pub scaling: Scaling,
    /// How classes are split into binary problems.
    pub scheme: Scheme,
    /// How ties between votes are broken.
    pub ties: Ties,
    /// What each cell contains besides its scores.
    pub wanted: Wanted,
    /// Memory budget in bytes for products and kernel matrices.
    pub budget_bytes: usize,
}

/// The predictions and decision values that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Whether predictions are kept.
    pub predictions: bool,
    /// The decision values that are kept.
    pub decisions: Option<Decisions>,
    /// Whether those of the training samples are kept as well.
    pub train: bool,
}

impl Wanted {
    /// Whether the training samples are evaluated.
    pub fn of_train(self) -> bool {
        self.train && (self.predictions || self.decisions.is_some())
    }
}

/// The form of decision values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decisions {
    /// One value per class; only one for two classes.
    Classes,
    /// One value per binary classifier.
    Machines,
}

impl Decisions {
    /// Number of decision values per sample, for `k` classes.
    pub fn width(self, scheme: Scheme, k: usize) -> Result<usize> {
        match self {
            Decisions::Machines if scheme != Scheme::OneVsRest => scheme.n_machines(k),
            _ => Ok(n_scores(k)),
        }
    }
}

/// Predictions and decision values of one cell, for the test samples and then, if they are
/// wanted, for the training samples, in the order of the caller.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outputs {
    /// The class of each sample.
    pub predicted: Vec<u32>,
    /// The decision values, sample by sample.
    pub decisions: Vec<f64>,
}

/// The result of one cell of the grid on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The scores of the predictions for the test samples.
    pub scores: Scores,
    /// What the plan wants besides the scores; see [`Evaluation::take_outputs`].
    pub outputs: Outputs,
    /// Number of training samples that are a support vector of some binary classifier.
    pub n_support: u32,
    /// Iterations of all binary classifiers.
    pub n_iter: u64,
    /// Outer loops of all binary classifiers.
    pub n_loops: u64,
    /// Number of kernel values computed; those that the settings of a path share are counted for
    /// the first setting.
    pub n_kernel_evals: u64,
    /// Number of binary classifiers that did not converge.
    pub n_unfinished: u32,
    /// Number of binary classifiers that stalled.
    pub n_stalled: u32,
}

/// The results of all jobs: for each finished kernel, the cells of the path.
pub struct Evaluation {
    cells: Vec<Vec<OnceLock<Finished>>>,
    n_shared: AtomicUsize,
    clock: Clock,
}

/// The cells of a finished kernel.
pub(super) struct Finished {
    cells: Vec<Cell>,
    /// The outputs of the cells, until they are taken.
    outputs: Mutex<Option<Vec<Outputs>>>,
}

impl Finished {
    pub(super) fn new(mut cells: Vec<Cell>) -> Self {
        let outputs = cells
            .iter_mut()
            .map(|cell| std::mem::take(&mut cell.outputs));
        let outputs = Mutex::new(Some(outputs.collect()));
        Self { cells, outputs }
    }
}

/// The unit of work that is evaluated in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Splits, each with its own products and kernel matrix.
    Jobs,
    /// Kernels of a split, each with its own matrix.
    Kernels,
    /// Binary classifiers that share one matrix.
    Machines,
    /// Binary classifiers and the sweeps of large ones, without a kernel matrix of all samples.
    Rows,
}

impl Evaluation {
    /// An evaluation without results.
    pub fn new<S>(jobs: &[Job<S>]) -> Self {
        let kernels = |job: &Job<S>| job.kernels.iter().map(|_| OnceLock::new()).collect();
        Self {
            cells: jobs.iter().map(kernels).collect(),
            n_shared: AtomicUsize::new(0),
            clock: Clock::default(),
        }
    }

    /// Number of splits' products that were copied from those of all samples.
    pub fn n_shared(&self) -> usize {
        self.n_shared.load(Ordering::Relaxed)
    }

    /// Seconds in each phase, summed over all threads.
    pub fn seconds(&self) -> [(Phase, f64); 4] {
        self.clock.seconds()
    }

    /// Number of finished kernels of all jobs.
    pub fn n_done(&self) -> usize {
        let kernels = self.cells.iter().flatten();
        kernels.filter(|cells| cells.get().is_some()).count()
    }

    /// Measures the time in each phase.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether all kernels of a job are finished.
    pub(super) fn is_done(&self, job: usize) -> bool {
        self.cells[job].iter().all(|cells| cells.get().is_some())
    }

    /// Stores the cells of one kernel of one job, unless they exist already.
    pub(super) fn set(&self, job: usize, kernel: usize, cells: &[Cell]) {
        let _ = self.cells[job][kernel].set(Finished::new(cells.to_vec()));
    }

    /// The cells of one kernel of one job; `None` if they are not finished.
    pub fn cells(&self, job: usize, kernel: usize) -> Option<&[Cell]> {
        Some(&self.cells.get(job)?.get(kernel)?.get()?.cells)
    }

    /// Removes and returns the outputs of the cells of one kernel of one job; `None` if they are
    /// not finished or were taken before.
    pub fn take_outputs(&self, job: usize, kernel: usize) -> Option<Vec<Outputs>> {
        let finished = self.cells.get(job)?.get(kernel)?.get()?;
        let outputs = finished.outputs.lock();
        outputs.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Evaluates all cells that are not finished, in parallel in the current thread pool. `T` is
    /// the type of the kernel values. Returns early without an error at the time limit.
    pub fn run<S: Lanes, T: Lanes, M: BinarySolver + Sync>(
        &self,
        sources: &[Source<'_, S>],
        plan: &Plan<'_>,
        jobs: &[Job<M>],
        monitor: &Monitor,
    ) -> Result<()> {
        jobs.iter().try_for_each(|job| job.check(sources, plan))?;
        let todo: Vec<usize> = (0..jobs.len()).filter(|&job| !self.is_done(job)).collect();
        let wanted: Vec<&Job<M>> = todo.iter().map(|&number| &jobs[number]).collect();
        let centers = centers::<S, T, M>(sources, plan, &wanted);
        let shared = Shared::<T>::find(sources, &centers, plan, &wanted, monitor)?;
        let budget = plan.budget_bytes - shared.as_ref().map_or(0, Shared::bytes);
        let buffers = Buffers::<T>::for_jobs(jobs);
        let run = |mode: Mode, number: usize| {
            let source = jobs[number].source;
            let task = Task {
                source: &sources[source],
                center: centers[source].as_deref(),
                plan,
                job: &jobs[number],
                cells: &self.cells[number],
                buffers: &buffers,
                shared: shared.as_ref(),
                n_shared: &self.n_shared,
                clock: &self.clock,
                monitor,
            };
            task.run(mode).map_err(|error| task.add_context(error))
        };
        let mode = |number: usize| mode_of::<T, M>(&jobs[number], plan, todo.len(), budget);
        let (mut parallel, sequential): (Vec<usize>, Vec<usize>) =
            todo.iter().partition(|&&number| mode(number) == Mode::Jobs);
        // The last jobs, too few for all threads, are split into kernels. (Splitting all of them
        // would let a thread that waits for kernels start further jobs, and exceed the budget.)
        let n_whole = parallel.len() - parallel.len() % rayon::current_num_threads();
        let last = parallel.split_off(n_whole);
        parallel
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(|number| run(Mode::Jobs, number))?;
        last.into_iter()
            .try_for_each(|number| run(Mode::Kernels, number))?;
        sequential
            .into_iter()
            .try_for_each(|number| run(mode(number), number))
    }
}

/// Chooses the mode that keeps all threads busy while matrices and votes fit the budget.
fn mode_of<T: Lanes, M: BinarySolver>(
    job: &Job<M>,
    plan: &Plan<'_>,
    n_jobs: usize,
    budget: usize,
) -> Mode {
    let threads = rayon::current_num_threads();
    let n_rows = job.train.len() + job.test.len();
    let matrix = byte_count::<T>(job.train.len(), n_rows);
    let longest = job.solvers.iter().map(BinarySolver::path_len).max();
    let of_row = Ballots::bytes_of_row(plan.n_classes, longest.unwrap_or(0));
    let n_counted = if plan.wanted.of_train() {
        n_rows
    } else {
        job.test.len()
    };
    let votes = of_row.checked_mul(n_counted);
    let fits = |n_matrices: usize, n_votes: usize| {
        let needed = || {
            let matrices = matrix?.checked_mul(n_matrices)?;
            matrices.checked_add(votes?.checked_mul(n_votes)?)
        };
        needed().is_some_and(|needed| needed <= budget)
    };
    if fits(2 * threads, threads) && n_jobs >= threads {
        Mode::Jobs
    } else if fits(1 + threads, threads) && job.kernels.len() >= threads {
        Mode::Kernels
    } else if fits(2, 0) || job.is_precomputed() {
        // Votes are not counted here: the models of the next mode take more memory.
        Mode::Machines
    } else {
        Mode::Rows
    }
}
