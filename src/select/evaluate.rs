//! Evaluation jobs and their schedule.

use super::clock::{Clock, Phase};
use super::scores::Scores;
use super::shared::Shared;
use super::split::Scaling;
use super::task::{Buffers, Task};
use crate::data::Matrix;
use crate::kernel::{KernelKind, KernelSettings};
use crate::memory::byte_count;
use crate::model::{Ballots, Ties};
use crate::monitor::Monitor;
use crate::multiclass::Scheme;
use crate::simd::Lanes;
use crate::solver::BinarySolver;
use crate::{Error, Result};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One split with the cells to evaluate on it: all kernels with the whole path of the solver.
#[derive(Debug, Clone)]
pub struct Job<S> {
    /// Indices of the training samples, in the order in which a single training would see them;
    /// an index may occur more than once.
    pub train: Vec<u32>,
    /// Indices of the test samples.
    pub test: Vec<u32>,
    /// The kernels.
    pub kernels: Vec<KernelSettings>,
    /// The solver with its path of settings.
    pub solver: S,
}

impl<S> Job<S> {
    /// Fails on indices that are out of bounds and on precomputed kernels.
    pub(super) fn check(&self, n_rows: usize, plan: &Plan<'_>) -> Result<()> {
        if plan.codes.len() != n_rows || plan.codes.iter().any(|&c| c as usize >= plan.n_classes) {
            return Err(Error::Shape(
                "the class codes do not match the samples of X".into(),
            ));
        }
        let mut rows = self.train.iter().chain(&self.test);
        if let Some(row) = rows.find(|&&row| row as usize >= n_rows) {
            return Err(Error::Shape(format!(
                "a split contains the index {row}, but X has {n_rows} samples"
            )));
        }
        let is_precomputed = |kernel: &KernelSettings| kernel.kind == KernelKind::Precomputed;
        if self.kernels.iter().any(is_precomputed) {
            let message = "model selection does not support precomputed kernels";
            return Err(Error::Data(message.into()));
        }
        Ok(())
    }
}

/// What all jobs have in common.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// The class of each sample, less than `n_classes`.
    pub codes: &'a [u32],
    /// Number of classes.
    pub n_classes: usize,
    /// The weight of each class; `None` balances the classes of the training samples.
    pub class_weights: Option<&'a [f64]>,
    /// The weight of each sample.
    pub row_weights: Option<&'a [f64]>,
    /// How features are scaled.
    pub scaling: Scaling,
    /// How classes are split into binary problems.
    pub scheme: Scheme,
    /// How ties between votes are broken.
    pub ties: Ties,
    /// Memory budget in bytes for products and kernel matrices.
    pub budget_bytes: usize,
}

/// The result of one cell of the grid on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The scores of the predictions for the test samples.
    pub scores: Scores,
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
    cells: Vec<Vec<OnceLock<Vec<Cell>>>>,
    n_shared: AtomicUsize,
    clock: Clock,
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
        let _ = self.cells[job][kernel].set(cells.to_vec());
    }

    /// The cells of one kernel of one job; `None` if they are not finished.
    pub fn cells(&self, job: usize, kernel: usize) -> Option<&[Cell]> {
        self.cells.get(job)?.get(kernel)?.get().map(Vec::as_slice)
    }

    /// Evaluates all cells that are not finished, in parallel in the current thread pool. `T` is
    /// the type of the kernel values. Returns early without an error at the time limit.
    pub fn run<S: Lanes, T: Lanes, M: BinarySolver + Sync>(
        &self,
        rows: &Matrix<'_, S>,
        plan: &Plan<'_>,
        jobs: &[Job<M>],
        monitor: &Monitor,
    ) -> Result<()> {
        jobs.iter()
            .try_for_each(|job| job.check(rows.n_rows(), plan))?;
        let todo: Vec<usize> = (0..jobs.len()).filter(|&job| !self.is_done(job)).collect();
        let wanted: Vec<&Job<M>> = todo.iter().map(|&number| &jobs[number]).collect();
        let shared = Shared::<T>::find(rows, plan, &wanted, monitor)?;
        let budget = plan.budget_bytes - shared.as_ref().map_or(0, Shared::bytes);
        let buffers = Buffers::<T>::for_jobs(jobs);
        let run = |mode: Mode, number: usize| {
            let task = Task {
                rows,
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
        let (parallel, sequential): (Vec<usize>, Vec<usize>) =
            todo.iter().partition(|&&number| mode(number) == Mode::Jobs);
        parallel
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(|number| run(Mode::Jobs, number))?;
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
    let matrix = byte_count::<T>(job.train.len(), job.train.len() + job.test.len());
    let of_row = Ballots::bytes_of_row(plan.n_classes, job.solver.path_len());
    let votes = of_row.checked_mul(job.test.len());
    let fits = |n_matrices: usize, n_votes: usize| {
        let needed = || {
            let matrices = matrix?.checked_mul(n_matrices)?;
            matrices.checked_add(votes?.checked_mul(n_votes)?)
        };
        needed().is_some_and(|needed| needed <= budget)
    };
    if fits(2 * threads, threads) && (n_jobs >= 2 * threads || threads == 1) {
        Mode::Jobs
    } else if fits(1 + threads, threads) && job.kernels.len() >= threads {
        Mode::Kernels
    } else if fits(2, 0) {
        // Votes are not counted here: the models of the next mode take more memory.
        Mode::Machines
    } else {
        Mode::Rows
    }
}
