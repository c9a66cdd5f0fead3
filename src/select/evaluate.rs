//! Jobs of trainings and tests, and in which order they are done.

use super::clock::{Clock, Phase};
use super::shared::Shared;
use super::split::{Scaling, Split};
use super::task::{Memory, Task};
use crate::data::Matrix;
use crate::kernel::{KernelKind, KernelSettings};
use crate::model::Ties;
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
    /// Numbers of the training rows, in the order in which a single training would see them; a
    /// number may occur more than once.
    pub train: Vec<u32>,
    /// Numbers of the rows to predict.
    pub test: Vec<u32>,
    /// The kernels.
    pub kernels: Vec<KernelSettings>,
    /// The method.
    pub solver: S,
}

impl<S> Job<S> {
    /// Refuses rows that are not there, and kernels that are not functions of rows.
    pub(super) fn check(&self, n_rows: usize, plan: &Plan<'_>) -> Result<()> {
        if plan.codes.len() != n_rows || plan.codes.iter().any(|&c| c as usize >= plan.n_classes) {
            return Err(Error::Shape("class codes do not fit the rows".into()));
        }
        let mut rows = self.train.iter().chain(&self.test);
        if let Some(row) = rows.find(|&&row| row as usize >= n_rows) {
            return Err(Error::Shape(format!(
                "a split names row {row}, but X has {n_rows} rows"
            )));
        }
        let is_precomputed = |kernel: &KernelSettings| kernel.kind == KernelKind::Precomputed;
        if self.kernels.iter().any(is_precomputed) {
            let message = "a precomputed kernel has no rows to split";
            return Err(Error::Data(message.into()));
        }
        Ok(())
    }
}

/// What all jobs have in common.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// The class of each row, below `n_classes`.
    pub codes: &'a [u32],
    /// Number of classes.
    pub n_classes: usize,
    /// Weight of each class; `None` balances the classes of the training rows.
    pub class_weights: Option<&'a [f64]>,
    /// Weight of each row.
    pub row_weights: Option<&'a [f64]>,
    /// How rows are scaled.
    pub scaling: Scaling,
    /// How classes are split into machines.
    pub scheme: Scheme,
    /// How votes that tie are counted.
    pub ties: Ties,
    /// The most bytes of products and kernel matrices.
    pub budget_bytes: usize,
}

/// What one cell did on one split.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Rows of class `a` that were predicted as class `b`, at `a * n_classes + b`.
    pub confusion: Vec<u32>,
    /// Training rows that are a support vector of some machine.
    pub n_support: u32,
    /// Steps of all machines.
    pub n_iter: u64,
    /// Loops of all machines.
    pub n_loops: u64,
    /// Kernel values computed; what the settings of a path share counts for the first.
    pub n_kernel_evals: u64,
    /// Machines that did not converge.
    pub n_unfinished: u32,
    /// Those of them that stalled.
    pub n_stalled: u32,
}

/// The cells of each job: for each kernel, once it is done, the cells of the path.
pub struct Evaluation {
    cells: Vec<Vec<OnceLock<Vec<Cell>>>>,
    n_shared: AtomicUsize,
    clock: Clock,
}

/// What runs side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Splits, each with its own products and kernel matrix.
    Jobs,
    /// Kernels of a split, each with its own matrix.
    Kernels,
    /// Machines on one matrix.
    Machines,
    /// Machines and the insides of large ones; no matrix of all rows.
    Rows,
}

impl Evaluation {
    /// Nothing done yet.
    pub fn new<S>(jobs: &[Job<S>]) -> Self {
        let kernels = |job: &Job<S>| job.kernels.iter().map(|_| OnceLock::new()).collect();
        Self {
            cells: jobs.iter().map(kernels).collect(),
            n_shared: AtomicUsize::new(0),
            clock: Clock::default(),
        }
    }

    /// Products of splits that were copied from those of all rows.
    pub fn n_shared(&self) -> usize {
        self.n_shared.load(Ordering::Relaxed)
    }

    /// Seconds of all threads in each phase.
    pub fn seconds(&self) -> [(Phase, f64); 4] {
        self.clock.seconds()
    }

    /// Kernels of all jobs that are done.
    pub fn n_done(&self) -> usize {
        let kernels = self.cells.iter().flatten();
        kernels.filter(|cells| cells.get().is_some()).count()
    }

    /// Where its time goes.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether all kernels of a job are done.
    pub(super) fn is_done(&self, job: usize) -> bool {
        self.cells[job].iter().all(|cells| cells.get().is_some())
    }

    /// Enters the cells of one kernel of one job, unless they are there.
    pub(super) fn set(&self, job: usize, kernel: usize, cells: &[Cell]) {
        let _ = self.cells[job][kernel].set(cells.to_vec());
    }

    /// The cells of one kernel of one job, if they are done.
    pub fn cells(&self, job: usize, kernel: usize) -> Option<&[Cell]> {
        self.cells.get(job)?.get(kernel)?.get().map(Vec::as_slice)
    }

    /// Evaluates all cells that are not done, in parallel in the pool of the caller. `T` is the
    /// type of the kernel values. Ends early, without an error, when the time is up.
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
        let memory = Memory::<T>::for_jobs(jobs);
        let run = |mode: Mode, number: usize| {
            let task = Task {
                rows,
                plan,
                job: &jobs[number],
                cells: &self.cells[number],
                memory: &memory,
                shared: shared.as_ref(),
                n_shared: &self.n_shared,
                clock: &self.clock,
                monitor,
            };
            task.run(mode).map_err(|error| task.explain(error))
        };
        let mode = |number: usize| mode_of::<T, M>(&jobs[number], todo.len(), budget);
        let (side_by_side, alone): (Vec<usize>, Vec<usize>) =
            todo.iter().partition(|&&number| mode(number) == Mode::Jobs);
        side_by_side
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(|number| run(Mode::Jobs, number))?;
        alone
            .into_iter()
            .try_for_each(|number| run(mode(number), number))
    }
}

/// The mode of a job that keeps all threads busy within the budget.
fn mode_of<T: Lanes, M>(job: &Job<M>, n_jobs: usize, budget: usize) -> Mode {
    let threads = rayon::current_num_threads();
    let matrix = Split::<T>::bytes(job.train.len(), job.train.len() + job.test.len());
    let fits = |matrices: usize| {
        let needed = matrix.and_then(|bytes| bytes.checked_mul(matrices));
        needed.is_some_and(|needed| needed <= budget)
    };
    if fits(2 * threads) && (n_jobs >= 2 * threads || threads == 1) {
        Mode::Jobs
    } else if fits(1 + threads) && job.kernels.len() >= threads {
        Mode::Kernels
    } else if fits(2) {
        Mode::Machines
    } else {
        Mode::Rows
    }
}
