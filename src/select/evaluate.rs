//! Trains and tests all cells of all splits.

use super::clock::{Clock, Phase};
use super::gram::{LazyGram, Pool, spare_rows};
use super::shared::Shared;
use super::split::{Products, Scaling, Split};
use crate::data::Matrix;
use crate::error::zeros;
use crate::kernel::{
    Extent, GramRows, Kernel, KernelKind, KernelMatrix, KernelSettings, Threading,
};
use crate::model::{Ties, Votes};
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, Scheme, TrainingSet};
use crate::simd::{self, Lanes, Product};
use crate::solver::{BinarySolver, Machine, Problem, Start, Status};
use crate::{Error, Result, model};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One split with the cells to evaluate on it: all kernels with the whole path of the solver.
#[derive(Debug, Clone)]
pub struct Job<S> {
    /// Numbers of the training rows, ascending.
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
    fn check(&self, n_rows: usize, plan: &Plan<'_>) -> Result<()> {
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
}

/// The cells of each job: for each kernel, once it is done, the cells of the path.
pub struct Evaluation {
    cells: Vec<Vec<OnceLock<Vec<Cell>>>>,
    n_shared: AtomicUsize,
    clock: Clock,
}

/// What runs side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
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
        let todo: Vec<usize> = (0..jobs.len())
            .filter(|&job| self.cells[job].iter().any(|cells| cells.get().is_none()))
            .collect();
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

/// Memory that is used again: fresh memory costs as much as what is computed into it.
struct Memory<T> {
    products: Pool<Vec<T>>,
    kernel_rows: Pool<Pool<Vec<T>>>,
    /// The most training rows, and rows, of a job.
    most: (usize, usize),
}

impl<T: Lanes> Memory<T> {
    fn for_jobs<M>(jobs: &[Job<M>]) -> Self {
        let n_train = jobs.iter().map(|job| job.train.len());
        let n_rows = jobs.iter().map(|job| job.train.len() + job.test.len());
        Self {
            products: Pool::new(),
            kernel_rows: Pool::new(),
            most: (n_train.max().unwrap_or(0), n_rows.max().unwrap_or(0)),
        }
    }

    /// Room for the products of a job.
    fn products(&self) -> Result<Vec<T>> {
        let (n_train, n) = self.most;
        match self.products.take() {
            Some(memory) => Ok(memory),
            None => zeros(n_train, n, "products of rows"),
        }
    }

    /// Room for the kernel rows of a job.
    fn kernel_rows(&self) -> Result<Pool<Vec<T>>> {
        let (n_train, n) = self.most;
        match self.kernel_rows.take() {
            Some(memory) => Ok(memory),
            None => spare_rows(n_train, n),
        }
    }
}

/// One job while it is being done.
struct Task<'a, S: Lanes, T, M> {
    rows: &'a Matrix<'a, S>,
    plan: &'a Plan<'a>,
    job: &'a Job<M>,
    cells: &'a [OnceLock<Vec<Cell>>],
    memory: &'a Memory<T>,
    shared: Option<&'a Shared<T>>,
    n_shared: &'a AtomicUsize,
    clock: &'a Clock,
    monitor: &'a Monitor,
}

impl<S: Lanes, T: Lanes, M: BinarySolver + Sync> Task<'_, S, T, M> {
    fn run(&self, mode: Mode) -> Result<()> {
        let (plan, job) = (self.plan, self.job);
        self.monitor.check()?;
        let clock = self.clock.start(Phase::Rows);
        let split = Split::<T>::new(self.rows, plan.codes, (&job.train, &job.test), plan.scaling)?;
        let train_rows = split
            .rows
            .gather(&(0..split.n_train() as u32).collect::<Vec<_>>())?;
        let extent = Extent::of(&train_rows);
        let kernels = job
            .kernels
            .iter()
            .map(|settings| settings.check_within(&train_rows, extent))
            .collect::<Result<Vec<_>>>()?;
        drop(clock);
        if mode == Mode::Rows {
            return (0..kernels.len()).try_for_each(|number| self.train_apart(&split, number));
        }
        for product in [Product::SquaredDistance, Product::Dot] {
            let wanted: Vec<usize> = (0..kernels.len())
                .filter(|&number| kernels[number].product() == product)
                .filter(|&number| self.cells[number].get().is_none())
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let clock = self.clock.start(Phase::Products);
            let products = self.products(&split, product)?;
            drop(clock);
            let evaluate =
                |number: usize| self.evaluate(&split, &kernels[number], number, &products, mode);
            if mode == Mode::Kernels {
                let kernels = wanted.into_par_iter().with_max_len(1);
                kernels.try_for_each(evaluate)?;
            } else {
                wanted.into_iter().try_for_each(evaluate)?;
            }
            self.memory.products.give(products.into_memory());
        }
        Ok(())
    }

    /// The products of the rows of a split, shared with others or its own.
    fn products(&self, split: &Split<T>, product: Product) -> Result<Products<T>> {
        let memory = || self.memory.products();
        if let Some(shared) = self.shared
            && let Some(found) = shared.products(split, product, memory, self.monitor)?
        {
            self.n_shared.fetch_add(1, Ordering::Relaxed);
            return Ok(found);
        }
        split.products(product, memory()?, self.monitor)
    }

    /// All cells of one kernel on a kernel matrix.
    fn evaluate(
        &self,
        split: &Split<T>,
        kernel: &Kernel,
        number: usize,
        products: &Products<T>,
        mode: Mode,
    ) -> Result<()> {
        if self.monitor.time_is_up() {
            return Ok(());
        }
        let room = self.memory.kernel_rows()?;
        let gram = LazyGram::new(kernel, products, &room);
        let scheme = self.plan.scheme;
        let n_machines = scheme.n_machines(split.labels.n_classes())?;
        let train = |machine: usize| self.train_machine(split, &gram, machine);
        let paths: Vec<Tested> = if mode == Mode::Machines {
            let machines = (0..n_machines).into_par_iter().with_max_len(1);
            machines.map(train).collect::<Result<_>>()?
        } else {
            (0..n_machines).map(train).collect::<Result<_>>()?
        };
        self.count(split, number, &paths, gram.n_computed());
        drop(gram);
        self.memory.kernel_rows.give(room);
        Ok(())
    }

    /// One machine with its whole path, and its outputs for the test rows.
    fn train_machine(
        &self,
        split: &Split<T>,
        gram: &LazyGram<'_, T>,
        number: usize,
    ) -> Result<Tested> {
        let plan = self.plan;
        let spec = plan.scheme.machine(number, &split.labels);
        let weight = |&class: &usize| self.class_weight(split, class);
        let row_weights: Option<Vec<f64>> = plan.row_weights.map(|weights| {
            split
                .train()
                .iter()
                .map(|&row| weights[row as usize])
                .collect()
        });
        let problem = Problem {
            signs: &spec.signs,
            weights: &spec.classes.iter().map(weight).collect::<Vec<_>>(),
            row_weights: row_weights.as_deref(),
            order: split.labels.order(),
            start: &Start::Zero,
        };
        let mut rows = GramRows::new(gram, spec.parts, Threading::SideBySide);
        let clock = self.clock.start(Phase::Training);
        let path = self.job.solver.solve(&problem, &mut rows, self.monitor)?;
        drop(clock);
        let _clock = self.clock.start(Phase::Testing);
        let outputs = outputs(gram, split.test_codes.len(), split.n_train(), &path);
        Ok(Tested { path, outputs })
    }

    /// The weight of a class of the training rows.
    fn class_weight(&self, split: &Split<T>, class: usize) -> f64 {
        match self.plan.class_weights {
            Some(weights) => weights[split.classes[class] as usize],
            None => {
                let share = split.labels.rows_of(class).len() * split.classes.len();
                split.n_train() as f64 / share as f64
            }
        }
    }

    /// Counts the predictions of all machines, for each setting of the path.
    fn count(&self, split: &Split<T>, number: usize, machines: &[Tested], n_kernel_evals: u64) {
        let _clock = self.clock.start(Phase::Testing);
        let all = || machines.iter().flat_map(|tested| &tested.path);
        if all().any(|machine| machine.status == Status::TimeLimit) {
            return;
        }
        let k = self.plan.n_classes;
        let votes = Votes::new(self.plan.scheme, split.labels.n_classes());
        let n_test = split.test_codes.len();
        let cells = (0..self.job.solver.path_len()).map(|setting| {
            let mut confusion = vec![0; k * k];
            let outputs: Vec<&[f64]> = machines
                .iter()
                .map(|tested| &tested.outputs[setting * n_test..(setting + 1) * n_test])
                .collect();
            let winners = votes.winners(&outputs, self.plan.ties);
            for (&code, winner) in split.test_codes.iter().zip(winners) {
                let predicted = split.classes[winner as usize];
                confusion[code as usize * k + predicted as usize] += 1;
            }
            let path: Vec<&Machine> = machines
                .iter()
                .map(|tested| &tested.path[setting])
                .collect();
            let n_kernel_evals = if setting == 0 { n_kernel_evals } else { 0 };
            cell(confusion, n_kernel_evals, split.n_train(), &path)
        });
        // Nobody else evaluates this kernel of this job.
        let _ = self.cells[number].set(cells.collect());
    }

    /// All cells of one kernel without a matrix of all rows, as single trainings do it.
    fn train_apart(&self, split: &Split<T>, number: usize) -> Result<()> {
        if self.cells[number].get().is_some() || self.monitor.time_is_up() {
            return Ok(());
        }
        let plan = self.plan;
        // As the caller has them: the order of the rows is part of some methods.
        let mut places = vec![0; split.n_train()];
        for (place, &row) in split.labels.order().iter().enumerate() {
            places[row as usize] = place as u32;
        }
        let train_rows = &split.rows.gather(&places)?;
        let labels = split.labels.clone();
        let weights = (0..split.classes.len()).map(|class| self.class_weight(split, class));
        let mut set = TrainingSet::new(
            train_rows,
            labels,
            weights.collect(),
            self.job.kernels[number],
        )?;
        if let Some(weights) = plan.row_weights {
            let own: Vec<f64> = self
                .job
                .train
                .iter()
                .map(|&row| weights[row as usize])
                .collect();
            set = set.with_row_weights(&own)?;
        }
        let clock = self.clock.start(Phase::Training);
        let training = set.train(
            &self.job.solver,
            plan.scheme,
            RowSource::Auto,
            plan.budget_bytes,
            self.monitor,
        )?;
        drop(clock);
        let _clock = self.clock.start(Phase::Testing);
        let test: Vec<u32> = (split.n_train() as u32..split.n_rows() as u32).collect();
        let test_rows = split.rows.gather(&test)?;
        let late = |machine: &Machine| machine.status == Status::TimeLimit;
        if training.machines.iter().flatten().any(late) {
            return Ok(());
        }
        let settings: Vec<&[Machine]> = training.machines.iter().map(Vec::as_slice).collect();
        let model = model::Model::path(
            *set.kernel(),
            plan.scheme,
            set.labels(),
            &settings,
            train_rows,
        )?;
        let predicted = model.predict_path(&test_rows, plan.ties, self.monitor)?;
        let k = plan.n_classes;
        let mut confusions = vec![vec![0; k * k]; settings.len()];
        for (&code, winners) in split
            .test_codes
            .iter()
            .zip(predicted.chunks_exact(settings.len()))
        {
            for (confusion, &winner) in confusions.iter_mut().zip(winners) {
                let class = split.classes[winner as usize] as usize;
                confusion[code as usize * k + class] += 1;
            }
        }
        let cells = confusions
            .into_iter()
            .zip(&settings)
            .enumerate()
            .map(|(place, (confusion, machines))| {
                let machines: Vec<&Machine> = machines.iter().collect();
                let n_kernel_evals = if place == 0 {
                    training.n_kernel_evals
                } else {
                    0
                };
                cell(confusion, n_kernel_evals, split.n_train(), &machines)
            })
            .collect();
        let _ = self.cells[number].set(cells);
        Ok(())
    }

    /// Says which split an error is about.
    fn explain(&self, error: Error) -> Error {
        match error {
            Error::Data(message) => Error::Data(format!(
                "the split of {} training and {} test rows cannot be evaluated: {message}",
                self.job.train.len(),
                self.job.test.len()
            )),
            other => other,
        }
    }
}

/// A machine with its path, and its outputs for each setting and test row.
struct Tested {
    path: Vec<Machine>,
    outputs: Vec<f64>,
}

/// The outputs of a path for the columns from `first` on, setting after setting. What two
/// settings that follow each other have in common is summed once.
fn outputs<T: Lanes>(
    gram: &LazyGram<'_, T>,
    n_test: usize,
    first: usize,
    path: &[Machine],
) -> Vec<f64> {
    let mut outputs = Vec::with_capacity(path.len() * n_test);
    let mut sums = vec![0.0; n_test];
    let mut last: &[(u32, f64)] = &[];
    for machine in path {
        let terms = &machine.terms[..];
        if !add_change(gram, first, last, terms, &mut sums) {
            sums.fill(0.0);
            add_change(gram, first, &[], terms, &mut sums);
        }
        last = terms;
        outputs.extend(sums.iter().map(|sum| sum + machine.bias));
    }
    outputs
}

/// Adds what the sum of some terms has that another has not, if that is less than the sum.
fn add_change<T: Lanes>(
    gram: &LazyGram<'_, T>,
    first: usize,
    old: &[(u32, f64)],
    new: &[(u32, f64)],
    sums: &mut [f64],
) -> bool {
    let row = |row: u32| &gram.row(row as usize)[first..];
    if new.starts_with(old) {
        simd::add_rows(
            sums,
            new[old.len()..].iter().map(|&(i, beta)| (beta, row(i))),
        );
        return true;
    }
    // Where rows ascend, as those of exact machines do, each row comes up once.
    let mut changes: Vec<(f64, &[T])> = Vec::with_capacity(new.len());
    let (mut old, mut new) = (old, new);
    let n_new = new.len();
    while !(old.is_empty() && new.is_empty()) {
        let (i, before) = old.first().copied().unwrap_or((u32::MAX, 0.0));
        let (j, after) = new.first().copied().unwrap_or((u32::MAX, 0.0));
        let mut change = 0.0;
        if i <= j {
            (change, old) = (change - before, &old[1..]);
        }
        if j <= i {
            (change, new) = (change + after, &new[1..]);
        }
        if change != 0.0 {
            changes.push((change, row(i.min(j))));
        }
    }
    let is_less = changes.len() <= n_new;
    if is_less {
        simd::add_rows(sums, changes);
    }
    is_less
}

fn cell(confusion: Vec<u32>, n_kernel_evals: u64, n_train: usize, machines: &[&Machine]) -> Cell {
    let mut is_support = vec![false; n_train];
    for machine in machines {
        for &(row, _) in &machine.terms {
            is_support[row as usize] = true;
        }
    }
    let unfinished = |machine: &&&Machine| machine.status != Status::Converged;
    Cell {
        confusion,
        n_support: is_support.iter().filter(|&&is| is).count() as u32,
        n_iter: machines.iter().map(|machine| machine.n_iter as u64).sum(),
        n_loops: machines.iter().map(|machine| machine.n_loops as u64).sum(),
        n_kernel_evals,
        n_unfinished: machines.iter().filter(unfinished).count() as u32,
    }
}
