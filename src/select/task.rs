//! Evaluation of one split: trains and tests all kernels, binary classifiers and settings.

use super::clock::{Clock, Phase};
use super::evaluate::{Cell, Job, Mode, Plan};
use super::gram::{LazyGram, Pool, row_buffers};
use super::outputs::{outputs, recompute_in_f64};
use super::scores::Counts;
use super::shared::Shared;
use super::split::{Products, Split};
use super::tally::{Tally, Tested, Work};
use crate::data::Matrix;
use crate::kernel::{ExactSums, Extent, GramRows, Kernel, Threading};
use crate::memory::try_filled;
use crate::model::Model;
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, TrainingSet};
use crate::simd::{Lanes, Product, zero_pages};
use crate::solver::{BinarySolver, Machine, Problem, Start, Status};
use crate::{Error, Result, threads};
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Buffers that jobs reuse: touching fresh memory costs as much as computing the values.
pub struct Buffers<T> {
    products: Pool<Vec<T>>,
    kernel_rows: Pool<Pool<Vec<T>>>,
    /// The largest numbers of training samples and of all samples of a job.
    most: (usize, usize),
}

impl<T: Lanes> Buffers<T> {
    /// No buffers yet; new ones have the size that the largest of these jobs needs.
    pub fn for_jobs<M>(jobs: &[Job<M>]) -> Self {
        let n_train = jobs.iter().map(|job| job.train.len());
        let n_rows = jobs.iter().map(|job| job.train.len() + job.test.len());
        Self {
            products: Pool::new(),
            kernel_rows: Pool::new(),
            most: (n_train.max().unwrap_or(0), n_rows.max().unwrap_or(0)),
        }
    }

    /// A buffer for the products of a job.
    fn products(&self) -> Result<Vec<T>> {
        let (n_train, n) = self.most;
        match self.products.take() {
            Some(buffer) => Ok(buffer),
            None => zero_pages(n_train, n, "products of samples"),
        }
    }

    /// Buffers for the kernel rows of a job.
    fn kernel_rows(&self) -> Result<Pool<Vec<T>>> {
        let (n_train, n) = self.most;
        match self.kernel_rows.take() {
            Some(buffer) => Ok(buffer),
            None => row_buffers(n_train, n),
        }
    }
}

/// The most bytes of decision values of binary classifiers that are trained in parallel.
const OUTPUT_BYTES: usize = 1 << 25;

/// The least number of binary classifiers per thread that are trained before their votes are
/// counted.
const LEAST_MACHINES: usize = 4;

/// The most binary classifiers that are trained before their votes are counted.
const MOST_MACHINES: usize = 4096;

/// The evaluation of one job.
pub struct Task<'a, S: Lanes, T, M> {
    pub rows: &'a Matrix<'a, S>,
    pub plan: &'a Plan<'a>,
    pub job: &'a Job<M>,
    pub cells: &'a [OnceLock<Vec<Cell>>],
    pub buffers: &'a Buffers<T>,
    pub shared: Option<&'a Shared<T>>,
    pub n_shared: &'a AtomicUsize,
    pub clock: &'a Clock,
    pub monitor: &'a Monitor,
}

impl<S: Lanes, T: Lanes, M: BinarySolver + Sync> Task<'_, S, T, M> {
    /// Evaluates all kernels that are not finished.
    pub fn run(&self, mode: Mode) -> Result<()> {
        let (plan, job) = (self.plan, self.job);
        self.monitor.check()?;
        let clock = self.clock.start(Phase::Rows);
        let parts = (&job.train[..], &job.test[..]);
        let split = Split::<T>::new(self.rows, plan.codes, parts, plan.scaling, self.monitor)?;
        self.monitor.check()?;
        let train_rows = split.train_rows();
        let extent = Extent::of(&train_rows);
        let kernels = job
            .kernels
            .iter()
            .map(|settings| settings.check_within(&train_rows, extent))
            .collect::<Result<Vec<_>>>()?;
        drop(clock);
        if mode == Mode::Rows {
            return (0..kernels.len())
                .try_for_each(|number| self.evaluate_without_matrix(&split, number));
        }
        for product in Product::ALL {
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
            self.buffers.products.put(products.into_buffer());
        }
        Ok(())
    }

    /// The products of a split, copied from the shared ones or computed.
    fn products(&self, split: &Split<T>, product: Product) -> Result<Products<T>> {
        let buffer = || self.buffers.products();
        if let Some(shared) = self.shared
            && let Some(found) = shared.products(split, product, buffer, self.monitor)?
        {
            self.n_shared.fetch_add(1, Ordering::Relaxed);
            return Ok(found);
        }
        split.products(product, buffer()?, self.monitor)
    }

    /// Evaluates all cells of one kernel with a kernel matrix.
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
        let row_buffers = self.buffers.kernel_rows()?;
        let gram = LazyGram::new(kernel, products, &row_buffers);
        let n_machines = self.plan.scheme.n_machines(split.labels.n_classes())?;
        let (n_rows, n_settings) = (self.n_counted(split), self.job.solver.path_len());
        let mut tally = Tally::new(split, self.plan.scheme, self.plan.ties, n_rows, n_settings)?;
        let train = |machine: usize| self.train_machine(split, &gram, machine);
        // As many binary classifiers at once as there is memory for their decision values.
        let at_once = match mode {
            Mode::Machines => {
                let bytes = size_of::<f64>().saturating_mul(n_rows.saturating_mul(n_settings));
                let least = LEAST_MACHINES * rayon::current_num_threads();
                (OUTPUT_BYTES / bytes.max(1)).clamp(least, MOST_MACHINES.max(least))
            }
            _ => 1,
        };
        for start in (0..n_machines).step_by(at_once) {
            let numbers = start..n_machines.min(start + at_once);
            let tested =
                threads::try_par_map(numbers, "decision values of binary classifiers", train)?;
            let _clock = self.clock.start(Phase::Testing);
            let mut path = tested.iter().flat_map(|tested| &tested.path);
            if path.any(|machine| machine.status == Status::TimeLimit) {
                return Ok(());
            }
            tested.iter().for_each(|tested| tally.add(tested));
        }
        let clock = self.clock.start(Phase::Testing);
        let weights = self.row_weights(split);
        let n_computed = gram.n_computed() + tally.n_exact();
        let cells = tally.cells(split, self.plan.n_classes, weights.as_deref(), n_computed)?;
        drop(clock);
        drop(gram);
        self.buffers.kernel_rows.put(row_buffers);
        self.store(split, number, cells)
    }

    /// Stores the cells of one kernel. Cells that stalled in f32 are evaluated again in f64, like
    /// single trainings.
    fn store(&self, split: &Split<T>, number: usize, mut cells: Vec<Cell>) -> Result<()> {
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
        // No other thread evaluates this kernel of this job.
        let _ = self.cells[number].set(cells);
        Ok(())
    }

    /// Trains one binary classifier along the path and computes its decision values.
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
        let mut rows = GramRows::new(gram, spec.parts, Threading::Sequential);
        let clock = self.clock.start(Phase::Training);
        let path = self.job.solver.solve(&problem, &mut rows, self.monitor)?;
        drop(clock);
        let _clock = self.clock.start(Phase::Testing);
        let n_rows = self.n_counted(split);
        let first = split.n_rows() - n_rows;
        let mut outputs = outputs(gram, n_rows, first, &path)?;
        if let Some(exact) = &exact {
            let rows: Vec<usize> = (first..split.n_rows()).collect();
            recompute_in_f64(&mut outputs, &path, exact, &rows, self.monitor)?;
        }
        Ok(Tested {
            path,
            outputs,
            n_exact: exact.map_or(0, |rows| rows.n_computed()),
        })
    }

    /// Number of samples whose decision values are needed: the test samples, and the training
    /// samples before them if their patterns are counted.
    fn n_counted(&self, split: &Split<T>) -> usize {
        let is_counted = self.plan.scheme.uses_patterns(split.labels.n_classes());
        let n_test = split.n_rows() - split.n_train();
        if is_counted { split.n_rows() } else { n_test }
    }

    /// The weights of the training samples of a split.
    fn row_weights(&self, split: &Split<T>) -> Option<Vec<f64>> {
        let of_rows = |weights: &[f64]| {
            let rows = split.train().iter();
            rows.map(|&row| weights[row as usize]).collect()
        };
        self.plan.row_weights.map(of_rows)
    }

    /// The weight of a class of the training samples.
    fn class_weight(&self, split: &Split<T>, class: usize) -> f64 {
        match self.plan.class_weights {
            Some(weights) => weights[split.classes[class] as usize],
            None => {
                let share = split.labels.rows_of(class).len() * split.classes.len();
                split.n_train() as f64 / share as f64
            }
        }
    }

    /// Evaluates all cells of one kernel without a kernel matrix, like single trainings.
    fn evaluate_without_matrix(&self, split: &Split<T>, number: usize) -> Result<()> {
        if self.cells[number].get().is_some() || self.monitor.time_is_up() {
            return Ok(());
        }
        match self.train_on(split, &split.rows, number)? {
            Some(cells) => self.store(split, number, cells),
            None => Ok(()),
        }
    }

    /// The cells of one kernel on the samples of a split in any type; `None` if the time limit was
    /// reached.
    fn train_on<U: Lanes>(
        &self,
        split: &Split<T>,
        rows: &Matrix<'_, U>,
        number: usize,
    ) -> Result<Option<Vec<Cell>>> {
        let plan = self.plan;
        // In the order of the caller, on which the result of some solvers depends.
        let mut places: Vec<u32> = try_filled(split.n_train(), 1, "the order of samples")?;
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
        let n_settings = settings.len();
        let mut counts = Counts::new(plan.n_classes)?;
        let mut cells = Vec::new();
        for (setting, machines) in settings.iter().enumerate() {
            let mut work = Work::new(split.n_train())?;
            machines.iter().for_each(|machine| work.add(machine));
            let winners = predicted.iter().skip(setting).step_by(n_settings);
            let classes = winners.map(|&winner| split.classes[winner as usize]);
            let scores = counts.scores(&split.test_codes, classes);
            let n_kernel_evals = match setting {
                0 => training.n_kernel_evals + n_counting_evals,
                _ => 0,
            };
            cells.push(work.cell(scores, n_kernel_evals));
        }
        Ok(Some(cells))
    }

    /// The training samples of a split in the order of the caller, with their weights.
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

    /// The predicted class of each test sample for each setting of the path, and the number of
    /// kernel values that were computed to count the patterns of the training samples.
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

    /// Adds the split to the message of an error.
    pub fn add_context(&self, error: Error) -> Error {
        match error {
            Error::Data(message) => Error::Data(format!(
                "cannot evaluate the split with {} training and {} test samples: {message}",
                self.job.train.len(),
                self.job.test.len()
            )),
            other => other,
        }
    }
}
