//! Evaluation of one split: trains and tests all kernels, binary classifiers and settings.

use super::clock::{Clock, Phase};
use super::evaluate::{Cell, Decisions, Finished, Job, Mode, Outputs, Plan};
use super::gram::{LazyGram, Origin, Pool, row_buffers};
use super::outputs::{outputs, recompute_in_f64};
use super::scores::Counts;
use super::shared::Shared;
use super::source::Source;
use super::split::{Products, Split, balanced_weight};
use super::tally::{Tally, Tested, Work};
use crate::data::Matrix;
use crate::kernel::{ExactSums, Extent, GramRows, Kernel, Threading};
use crate::memory::try_with_capacity;
use crate::model::Model;
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, Scheme, TrainingSet};
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
    pub source: &'a Source<'a, S>,
    pub center: Option<&'a [f64]>,
    pub plan: &'a Plan<'a>,
    pub job: &'a Job<M>,
    pub cells: &'a [OnceLock<Finished>],
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
        let split = Split::<T>::new(self.source, self.center, plan, job, self.monitor)?;
        let kernels = &split.kernels;
        self.monitor.check()?;
        drop(clock);
        if mode == Mode::Rows {
            return (0..kernels.len())
                .try_for_each(|number| self.evaluate_without_matrix(&split, number));
        }
        if let Some(packed) = split.packed()
            && self.uses_few_rows(&split)
        {
            let origin = Origin::Samples(packed, split.n_train());
            return match self.cells[0].get() {
                None => self.evaluate(&split, &kernels[0], 0, origin, mode),
                Some(_) => Ok(()),
            };
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
            let origin = Origin::Products(&products);
            let evaluate =
                |number: usize| self.evaluate(&split, &kernels[number], number, origin, mode);
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

    /// Whether a few kernel rows will be read: those of a single setting that starts close to the
    /// solution, if less than half of the samples have a coefficient there.
    fn uses_few_rows(&self, split: &Split<T>) -> bool {
        let used = |start: &Start| match start {
            Start::Terms(terms) => terms.iter().map(|&(row, _)| row).collect(),
            _ => Vec::new(),
        };
        let mut rows: Vec<u32> = self.job.starts.iter().flat_map(used).collect();
        rows.sort_unstable();
        rows.dedup();
        let is_single = split.kernels.len() == 1 && self.job.solvers[0].path_len() == 1;
        is_single && !rows.is_empty() && 2 * rows.len() < split.n_train()
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
        split.products(self.source, product, buffer()?, self.monitor)
    }

    /// Evaluates all cells of one kernel with a kernel matrix.
    fn evaluate(
        &self,
        split: &Split<T>,
        kernel: &Kernel,
        number: usize,
        origin: Origin<'_, T>,
        mode: Mode,
    ) -> Result<()> {
        if self.monitor.time_is_up() {
            return Ok(());
        }
        let row_buffers = self.buffers.kernel_rows()?;
        let gram = LazyGram::new(kernel, origin, &row_buffers)?;
        let n_machines = self.plan.scheme.n_machines(split.labels.n_classes())?;
        let solver = &self.job.solvers[number];
        let (n_rows, n_settings) = (self.n_counted(split), solver.path_len());
        let mut tally = Tally::new(split, self.plan, n_rows, n_settings)?;
        let train = |machine: usize| self.train_machine(split, &gram, solver, machine);
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
        let cells = tally.cells(split, self.plan, weights.as_deref(), n_computed)?;
        drop(clock);
        drop(gram);
        self.buffers.kernel_rows.put(row_buffers);
        self.store(split, number, cells)
    }

    /// Stores the cells of one kernel. Cells that stalled in f32 are evaluated again in f64, like
    /// single trainings.
    fn store(&self, split: &Split<T>, number: usize, mut cells: Vec<Cell>) -> Result<()> {
        let is_coarse = size_of::<T>() < size_of::<f64>();
        let has_stalled = cells.iter().any(|cell| cell.n_stalled > 0);
        if is_coarse
            && has_stalled
            && let Some(rows) = split.rows_in_f64()?
        {
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
        let _ = self.cells[number].set(Finished::new(cells));
        Ok(())
    }

    /// Trains one binary classifier along the path and computes its decision values.
    fn train_machine(
        &self,
        split: &Split<T>,
        gram: &LazyGram<'_, T>,
        solver: &M,
        number: usize,
    ) -> Result<Tested> {
        let plan = self.plan;
        let spec = plan.scheme.machine(number, &split.labels);
        let exact = split.exact(gram.kernel());
        let weight = |&class: &usize| self.class_weight(split, class);
        let row_weights = self.row_weights(split);
        let targets = self.of_train(split, self.source.targets);
        let start = self.start(split, number);
        let problem = Problem {
            signs: &spec.signs,
            weights: &spec.classes.iter().map(weight).collect::<Vec<_>>(),
            targets: targets.as_deref(),
            row_weights: row_weights.as_deref(),
            order: split.labels.order(),
            start: &start,
            exact: exact.as_ref().map(|rows| rows as &dyn ExactSums),
        };
        let mut rows = GramRows::new(gram, spec.parts, Threading::Sequential);
        let clock = self.clock.start(Phase::Training);
        let path = solver.solve(&problem, &mut rows, self.monitor)?;
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

    /// The starting point of a binary classifier, among the training samples of a split.
    fn start(&self, split: &Split<T>, number: usize) -> Start {
        let given = self.job.starts.get(number);
        let (Some(given), true) = (given, split.classes.len() == self.plan.n_classes) else {
            return Start::Zero;
        };
        let n_rows = self.source.rows.n_rows();
        let mut places = vec![u32::MAX; n_rows];
        for (place, &row) in split.train().iter().enumerate() {
            places[row as usize] = place as u32;
        }
        let place = |row: u32| places.get(row as usize).copied().filter(|&p| p != u32::MAX);
        match given {
            Start::Zero => Start::Zero,
            Start::Rows(rows) => Start::Rows(rows.iter().filter_map(|&row| place(row)).collect()),
            Start::Terms(terms) => {
                let terms = terms.iter();
                let own = terms.filter_map(|&(row, beta)| place(row).map(|place| (place, beta)));
                Start::Terms(own.collect())
            }
        }
    }

    /// Number of samples whose decision values are needed: the test samples, and the training
    /// samples before them if their patterns are counted.
    fn n_counted(&self, split: &Split<T>) -> usize {
        let has_patterns = self.plan.scheme.uses_patterns(split.labels.n_classes());
        let is_counted = has_patterns || self.plan.wanted.of_train();
        let n_test = split.n_rows() - split.n_train();
        if is_counted { split.n_rows() } else { n_test }
    }

    /// The weights of the training samples of a split.
    fn row_weights(&self, split: &Split<T>) -> Option<Vec<f64>> {
        self.of_train(split, self.source.row_weights)
    }

    /// The values of the training samples of a split, sorted by class.
    fn of_train(&self, split: &Split<T>, values: Option<&[f64]>) -> Option<Vec<f64>> {
        let rows = split.train().iter();
        values.map(|values| rows.map(|&row| values[row as usize]).collect())
    }

    /// The weight of a class of the training samples.
    fn class_weight(&self, split: &Split<T>, class: usize) -> f64 {
        match self.plan.class_weights {
            Some(weights) => weights[split.classes[class] as usize],
            None => {
                let n_of_class = split.labels.rows_of(class).len();
                balanced_weight(split.n_train(), n_of_class, split.classes.len())
            }
        }
    }

    /// Evaluates all cells of one kernel without a kernel matrix, like single trainings.
    fn evaluate_without_matrix(&self, split: &Split<T>, number: usize) -> Result<()> {
        if self.cells[number].get().is_some() || self.monitor.time_is_up() {
            return Ok(());
        }
        let cells = match (split.rows(), split.is_rounding_harmless(number)) {
            (Some(rows), true) => self.train_on(split, rows, number)?,
            (Some(_), false) => match split.rows_in_f64()? {
                Some(rows) => self.train_on(split, &rows, number)?,
                None => None,
            },
            (None, _) => None,
        };
        match cells {
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
        let train_rows = &rows.gather(&split.places()?)?;
        let kernel = split.kernels[number];
        kernel.check_range::<U>(Extent::of(train_rows))?;
        let set = self.training_set(split, train_rows, kernel)?;
        let clock = self.clock.start(Phase::Training);
        let training = set.train(
            &self.job.solvers[number],
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
        let (outputs, n_counting_evals) = if needs_f64 {
            let (train_rows, test_rows) = (train_rows.convert()?, test_rows.convert()?);
            self.decide(split, &set.widen()?, &settings, &train_rows, &test_rows)?
        } else {
            self.decide(split, &set, &settings, train_rows, &test_rows)?
        };
        let mut counts = Counts::new(plan.n_classes)?;
        let mut cells = Vec::new();
        for (setting, (machines, mut outputs)) in settings.iter().zip(outputs).enumerate() {
            let mut work = Work::new(split.n_train())?;
            machines.iter().for_each(|machine| work.add(machine));
            let predicted = outputs.predicted.iter().copied();
            let scores = counts.scores(&split.test_codes, predicted);
            if !plan.wanted.predictions {
                outputs.predicted = Vec::new();
            }
            let n_kernel_evals = match setting {
                0 => training.n_kernel_evals + n_counting_evals,
                _ => 0,
            };
            cells.push(work.cell(scores, outputs, n_kernel_evals));
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
        let mut set = TrainingSet::with_kernel(train_rows, labels, weights.collect(), kernel)?;
        let own = |values: &[f64]| -> Vec<f64> {
            let rows = self.job.train.iter();
            rows.map(|&row| values[row as usize]).collect()
        };
        if let Some(targets) = self.source.targets {
            set = set.with_targets(&own(targets))?;
        }
        if let Some(weights) = self.source.row_weights {
            set = set.with_row_weights(&own(weights))?;
        }
        Ok(set)
    }

    /// The predictions, and the decision values if they are wanted, of each setting of the path;
    /// and the number of kernel values that were computed to count the patterns of the training
    /// samples.
    fn decide<U: Lanes>(
        &self,
        split: &Split<T>,
        set: &TrainingSet<U>,
        settings: &[&[Machine]],
        train_rows: &Matrix<'_, U>,
        test_rows: &Matrix<'_, U>,
    ) -> Result<(Vec<Outputs>, u64)> {
        let (plan, n_settings) = (self.plan, settings.len());
        let model = Model::path(set, plan.scheme, settings, self.monitor)?;
        let mut parts = vec![test_rows];
        if plan.wanted.of_train() {
            parts.push(train_rows);
        }
        let n_rows: usize = parts.iter().map(|rows| rows.n_rows()).sum();
        let width = match plan.wanted.decisions {
            Some(form) => form.width(plan.scheme, split.classes.len())?,
            None => 0,
        };
        let mut outputs = Vec::new();
        for _ in 0..n_settings {
            outputs.push(Outputs {
                predicted: try_with_capacity(n_rows, 1, "predictions")?,
                decisions: try_with_capacity(n_rows, width, "decision values")?,
            });
        }
        let class_of = |winner: usize| split.classes[winner];
        for rows in parts {
            match plan.wanted.decisions {
                None => {
                    let winners = model.predict_path(rows, plan.ties, self.monitor)?;
                    for (place, winner) in winners.into_iter().enumerate() {
                        let of_setting = &mut outputs[place % n_settings];
                        of_setting.predicted.push(class_of(winner as usize));
                    }
                }
                Some(form) => {
                    let machines = form == Decisions::Machines && plan.scheme != Scheme::OneVsRest;
                    let values = model.decide_path(rows, plan.ties, machines, self.monitor)?;
                    for (place, values) in values.chunks_exact(1 + width).enumerate() {
                        let of_setting = &mut outputs[place % n_settings];
                        of_setting.predicted.push(class_of(values[0] as usize));
                        of_setting.decisions.extend_from_slice(&values[1..]);
                    }
                }
            }
        }
        Ok((outputs, model.n_counting_evals(set.labels().n_rows())))
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
