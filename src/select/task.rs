//! One split: all its kernels, machines and settings, trained and tested.

use super::clock::{Clock, Phase};
use super::evaluate::{Cell, Job, Mode, Plan};
use super::gram::{LazyGram, Pool, spare_rows};
use super::outputs::{outputs, patterns, replace_coarse};
use super::shared::Shared;
use super::split::{Products, Split};
use crate::data::Matrix;
use crate::kernel::{ExactSums, Extent, GramRows, Kernel, Threading};
use crate::model::{Model, Votes};
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, TrainingSet};
use crate::simd::{Lanes, Product, zero_pages};
use crate::solver::{BinarySolver, Machine, Problem, Start, Status};
use crate::{Error, Result};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory that is used again: fresh memory costs as much as what is computed into it.
pub struct Memory<T> {
    products: Pool<Vec<T>>,
    kernel_rows: Pool<Pool<Vec<T>>>,
    /// The most training rows, and rows, of a job.
    most: (usize, usize),
}

impl<T: Lanes> Memory<T> {
    /// Nothing yet, and how much the largest of these jobs needs.
    pub fn for_jobs<M>(jobs: &[Job<M>]) -> Self {
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
            None => zero_pages(n_train, n, "products of rows"),
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
pub struct Task<'a, S: Lanes, T, M> {
    pub rows: &'a Matrix<'a, S>,
    pub plan: &'a Plan<'a>,
    pub job: &'a Job<M>,
    pub cells: &'a [OnceLock<Vec<Cell>>],
    pub memory: &'a Memory<T>,
    pub shared: Option<&'a Shared<T>>,
    pub n_shared: &'a AtomicUsize,
    pub clock: &'a Clock,
    pub monitor: &'a Monitor,
}

impl<S: Lanes, T: Lanes, M: BinarySolver + Sync> Task<'_, S, T, M> {
    /// Does the job, as far as it is not done.
    pub fn run(&self, mode: Mode) -> Result<()> {
        let (plan, job) = (self.plan, self.job);
        self.monitor.check()?;
        let clock = self.clock.start(Phase::Rows);
        let parts = (&job.train[..], &job.test[..]);
        let split = Split::<T>::new(self.rows, plan.codes, parts, plan.scaling, self.monitor)?;
        self.monitor.check()?;
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
        let n_exact: u64 = paths.iter().map(|tested| tested.n_exact).sum();
        let cells = self.count(split, &paths, gram.n_computed() + n_exact);
        drop(gram);
        self.memory.kernel_rows.give(room);
        self.keep(split, number, cells)
    }

    /// Enters the cells of one kernel. Those that stalled on f32 are computed anew on f64, as
    /// single trainings do it.
    fn keep(&self, split: &Split<T>, number: usize, cells: Option<Vec<Cell>>) -> Result<()> {
        let Some(mut cells) = cells else {
            return Ok(());
        };
        let is_coarse = size_of::<T>() < size_of::<f64>();
        if is_coarse && cells.iter().any(|cell| cell.n_stalled > 0) {
            let rows = split.rows.convert::<f64>()?;
            let Some(exact) = self.train_on(split, &rows, number)? else {
                return Ok(());
            };
            for (cell, exact) in cells.iter_mut().zip(exact) {
                if cell.n_stalled > 0 {
                    *cell = exact;
                }
            }
        }
        // Nobody else evaluates this kernel of this job.
        let _ = self.cells[number].set(cells);
        Ok(())
    }

    /// One machine with its whole path, and its outputs.
    fn train_machine(
        &self,
        split: &Split<T>,
        gram: &LazyGram<'_, T>,
        number: usize,
    ) -> Result<Tested> {
        let plan = self.plan;
        let spec = plan.scheme.machine(number, &split.labels);
        let exact = split.widened(gram.kernel());
        let weight = |&class: &usize| self.class_weight(split, class);
        let row_weights = self.row_weights(split);
        let problem = Problem {
            signs: &spec.signs,
            weights: &spec.classes.iter().map(weight).collect::<Vec<_>>(),
            row_weights: row_weights.as_deref(),
            order: split.labels.order(),
            start: &Start::Zero,
            exact: exact.as_ref().map(|rows| rows as &dyn ExactSums),
        };
        let mut rows = GramRows::new(gram, spec.parts, Threading::SideBySide);
        let clock = self.clock.start(Phase::Training);
        let path = self.job.solver.solve(&problem, &mut rows, self.monitor)?;
        drop(clock);
        let _clock = self.clock.start(Phase::Testing);
        let first = self.first_column(split);
        let mut outputs = outputs(gram, split.n_rows() - first, first, &path);
        if let Some(exact) = &exact {
            let rows: Vec<usize> = (first..split.n_rows()).collect();
            replace_coarse(&mut outputs, &path, exact, &rows, self.monitor)?;
        }
        Ok(Tested {
            path,
            outputs,
            n_exact: exact.map_or(0, |rows| rows.n_computed()),
        })
    }

    /// The first row that outputs are wanted for: that of the test rows, unless patterns of the
    /// training rows are to be counted.
    fn first_column(&self, split: &Split<T>) -> usize {
        let is_counted = self.plan.scheme.uses_patterns(split.labels.n_classes());
        if is_counted { 0 } else { split.n_train() }
    }

    /// The weights of the training rows of a split.
    fn row_weights(&self, split: &Split<T>) -> Option<Vec<f64>> {
        let of_rows = |weights: &[f64]| {
            let rows = split.train().iter();
            rows.map(|&row| weights[row as usize]).collect()
        };
        self.plan.row_weights.map(of_rows)
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

    /// Counts the predictions of all machines, for each setting of the path; `None` if the time
    /// was up.
    fn count(
        &self,
        split: &Split<T>,
        machines: &[Tested],
        n_kernel_evals: u64,
    ) -> Option<Vec<Cell>> {
        let _clock = self.clock.start(Phase::Testing);
        let all = || machines.iter().flat_map(|tested| &tested.path);
        if all().any(|machine| machine.status == Status::TimeLimit) {
            return None;
        }
        let k = self.plan.n_classes;
        let (scheme, labels) = (self.plan.scheme, &split.labels);
        // Outputs of the training rows come first, where patterns are counted.
        let n_counted = split.n_train() - self.first_column(split);
        let n_cols = n_counted + split.test_codes.len();
        let row_weights = self.row_weights(split);
        let cells = (0..self.job.solver.path_len()).map(|setting| {
            let mut confusion = vec![0; k * k];
            let outputs: Vec<&[f64]> = machines
                .iter()
                .map(|tested| &tested.outputs[setting * n_cols..(setting + 1) * n_cols])
                .collect();
            let count = || patterns(labels, row_weights.as_deref(), &outputs);
            let patterns = (n_counted > 0).then(count);
            let votes = Votes::new(scheme, labels.n_classes(), patterns.as_ref());
            let outputs: Vec<&[f64]> = outputs.iter().map(|of| &of[n_counted..]).collect();
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
        Some(cells.collect())
    }

    /// All cells of one kernel without a matrix of all rows, as single trainings do it.
    fn train_apart(&self, split: &Split<T>, number: usize) -> Result<()> {
        if self.cells[number].get().is_some() || self.monitor.time_is_up() {
            return Ok(());
        }
        let cells = self.train_on(split, &split.rows, number)?;
        self.keep(split, number, cells)
    }

    /// The cells of one kernel on the rows of a split, in any type; `None` if the time was up.
    fn train_on<U: Lanes>(
        &self,
        split: &Split<T>,
        rows: &Matrix<'_, U>,
        number: usize,
    ) -> Result<Option<Vec<Cell>>> {
        let plan = self.plan;
        // As the caller has them: the order of the rows is part of some methods.
        let mut places = vec![0; split.n_train()];
        for (place, &row) in split.labels.order().iter().enumerate() {
            places[row as usize] = place as u32;
        }
        let train_rows = &rows.gather(&places)?;
        let kernel = self.job.kernels[number].check(train_rows)?;
        let set = self.training_set(split, train_rows, kernel)?;
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
        let test_rows = rows.gather(&test)?;
        let late = |machine: &Machine| machine.status == Status::TimeLimit;
        if training.machines.iter().flatten().any(late) {
            return Ok(None);
        }
        let settings: Vec<&[Machine]> = training.machines.iter().map(Vec::as_slice).collect();
        let needs_f64 = training.machines.iter().flatten().any(|m| m.needs_f64);
        let (predicted, n_counting_evals) = if needs_f64 {
            self.predict(&set.widen()?, &settings, &test_rows.convert()?)?
        } else {
            self.predict(&set, &settings, &test_rows)?
        };
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
                    training.n_kernel_evals + n_counting_evals
                } else {
                    0
                };
                cell(confusion, n_kernel_evals, split.n_train(), &machines)
            })
            .collect();
        Ok(Some(cells))
    }

    /// The training rows of a split, in the caller's order, with their weights.
    fn training_set<U: Lanes>(
        &self,
        split: &Split<T>,
        train_rows: &Matrix<'_, U>,
        kernel: Kernel,
    ) -> Result<TrainingSet<U>> {
        let labels = split.labels.clone();
        let weights = (0..split.classes.len()).map(|class| self.class_weight(split, class));
        let set = TrainingSet::with_kernel(train_rows, labels, weights.collect(), kernel)?;
        match self.plan.row_weights {
            None => Ok(set),
            Some(weights) => {
                let rows = self.job.train.iter();
                let own: Vec<f64> = rows.map(|&row| weights[row as usize]).collect();
                set.with_row_weights(&own)
            }
        }
    }

    /// The class of each test row for each setting of the path, and the kernel values that
    /// counting patterns of training rows took.
    fn predict<U: Lanes>(
        &self,
        set: &TrainingSet<U>,
        settings: &[&[Machine]],
        test_rows: &Matrix<'_, U>,
    ) -> Result<(Vec<u32>, u64)> {
        let model = Model::path(set, self.plan.scheme, settings, self.monitor)?;
        let predicted = model.predict_path(test_rows, self.plan.ties, self.monitor)?;
        Ok((predicted, model.n_counting_evals(set.labels().n_rows())))
    }

    /// Says which split an error is about.
    pub fn explain(&self, error: Error) -> Error {
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

/// A machine with its path, and its outputs for each setting and row from
/// [`Task::first_column`] on.
struct Tested {
    path: Vec<Machine>,
    outputs: Vec<f64>,
    /// Kernel values computed in f64.
    n_exact: u64,
}

fn cell(confusion: Vec<u32>, n_kernel_evals: u64, n_train: usize, machines: &[&Machine]) -> Cell {
    let mut is_support = vec![false; n_train];
    for machine in machines {
        for &(row, _) in &machine.terms {
            is_support[row as usize] = true;
        }
    }
    let unfinished = |machine: &&&Machine| machine.status != Status::Converged;
    let stalled = |machine: &&&Machine| machine.status == Status::Stalled;
    Cell {
        confusion,
        n_support: is_support.iter().filter(|&&is| is).count() as u32,
        n_iter: machines.iter().map(|machine| machine.n_iter as u64).sum(),
        n_loops: machines.iter().map(|machine| machine.n_loops as u64).sum(),
        n_kernel_evals,
        n_unfinished: machines.iter().filter(unfinished).count() as u32,
        n_stalled: machines.iter().filter(stalled).count() as u32,
    }
}
