//! Trains all machines of a data set, sharing what they have in common.

use super::{MachineSpec, Scheme};
use crate::data::{Labels, Matrix};
use crate::kernel::{
    CachedRows, ComputedRows, Gram, GramRows, Kernel, KernelKind, KernelRows, KernelSettings,
    PackedRows, Parts, Threading, sweep_pays,
};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Machine, Problem, Start};
use crate::{Error, Result, threads};
use rayon::prelude::*;

/// Where kernel rows come from. The kernel values are the same, bit for bit, and so are the
/// machines of methods that see one row at a time; an exact solver, whose working sets
/// depend on the rows at hand, reaches the same optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSource {
    /// The cheapest that fits the budget.
    Auto,
    /// One Gram matrix, shared by all machines.
    Gram,
    /// A cache of rows for each machine.
    Cached,
    /// Computed at each use.
    Computed,
}

impl RowSource {
    /// From the name that Python uses.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(RowSource::Auto),
            "gram" => Ok(RowSource::Gram),
            "cached" => Ok(RowSource::Cached),
            "computed" => Ok(RowSource::Computed),
            _ => Err(Error::parameter(
                "rows",
                format!("{name:?}"),
                "it must be 'auto', 'gram', 'cached' or 'computed'",
            )),
        }
    }
}

/// Rows sorted by class and packed, with their kernel and weights.
#[derive(Debug, Clone)]
pub struct TrainingSet<T: Lanes> {
    kernel: Kernel,
    labels: Labels,
    class_weights: Vec<f64>,
    row_weights: Option<Vec<f64>>,
    starts: Vec<Start>,
    rows: Source<T>,
}

#[derive(Debug, Clone)]
enum Source<T: Lanes> {
    Packed(PackedRows<T>),
    Precomputed(Gram<T>),
}

/// What came out of a training.
#[derive(Debug, Clone)]
pub struct Training {
    /// For each setting of the path, the machines in the order of the scheme.
    pub machines: Vec<Vec<Machine>>,
    /// Kernel values computed.
    pub n_kernel_evals: u64,
}

impl<T: Lanes> TrainingSet<T> {
    /// Checks that everything fits together and packs the rows.
    pub fn new(
        rows: &Matrix<'_, T>,
        labels: Labels,
        class_weights: Vec<f64>,
        kernel: KernelSettings,
    ) -> Result<Self> {
        let kernel = kernel.check(rows)?;
        Self::with_kernel(rows, labels, class_weights, kernel)
    }

    /// As [`TrainingSet::new`], with a kernel that was checked for these rows.
    pub fn with_kernel(
        rows: &Matrix<'_, T>,
        labels: Labels,
        class_weights: Vec<f64>,
        kernel: Kernel,
    ) -> Result<Self> {
        if rows.n_rows() != labels.n_rows() {
            return Err(Error::Shape(format!(
                "X has {} rows, but y has {}",
                rows.n_rows(),
                labels.n_rows()
            )));
        }
        check_class_weights(&class_weights, labels.n_classes())?;
        let source = match kernel.kind() {
            KernelKind::Precomputed => {
                Source::Precomputed(Gram::precomputed(rows, labels.order())?)
            }
            _ => Source::Packed(PackedRows::new(rows, labels.order())?),
        };
        Ok(Self {
            kernel,
            labels,
            class_weights,
            row_weights: None,
            starts: Vec::new(),
            rows: source,
        })
    }

    /// The same set with a positive weight for each row, in the caller's order.
    pub fn with_row_weights(mut self, weights: &[f64]) -> Result<Self> {
        if weights.len() != self.labels.n_rows() {
            return Err(Error::Shape(format!(
                "{} sample weights were given for {} rows",
                weights.len(),
                self.labels.n_rows()
            )));
        }
        if let Some(row) = weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(Error::Data(format!(
                "sample_weight[{row}] = {} is not valid: it must be finite and positive",
                weights[row]
            )));
        }
        let order = self.labels.order().iter();
        self.row_weights = Some(order.map(|&row| weights[row as usize]).collect());
        Ok(self)
    }

    /// The same set with a start for each machine of the scheme to be trained; rows are in the
    /// caller's order.
    pub fn with_starts(mut self, starts: Vec<Start>) -> Result<Self> {
        if starts.is_empty() {
            return Ok(self);
        }
        let n = self.labels.n_rows();
        let mut place = crate::error::zeros::<u32>(n, 1, "the order of rows")?;
        for (packed, &row) in self.labels.order().iter().enumerate() {
            place[row as usize] = packed as u32;
        }
        let packed = |row: u32| {
            let known = place.get(row as usize).copied();
            known.ok_or_else(|| Error::Shape(format!("init names row {row}, but X has {n} rows")))
        };
        let convert = |start: Start| match start {
            Start::Zero => Ok(Start::Zero),
            Start::Rows(rows) => Ok(Start::Rows(
                rows.into_iter().map(packed).collect::<Result<_>>()?,
            )),
            Start::Terms(terms) => {
                let convert = |(row, beta): (u32, f64)| match beta.is_finite() {
                    true => Ok((packed(row)?, beta)),
                    false => Err(Error::Data(format!(
                        "init has the coefficient {beta} for row {row}: it must be finite"
                    ))),
                };
                Ok(Start::Terms(
                    terms.into_iter().map(convert).collect::<Result<_>>()?,
                ))
            }
        };
        self.starts = starts.into_iter().map(convert).collect::<Result<_>>()?;
        Ok(self)
    }

    /// The kernel, its gamma a number.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Classes and the order of the rows.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The weight of each row, in the order of the classes, where rows have weights.
    pub fn row_weights(&self) -> Option<&[f64]> {
        self.row_weights.as_deref()
    }

    /// Trains the machines of a scheme, in parallel in the pool of the caller.
    ///
    /// `budget_bytes` bounds the Gram matrix, or the caches of all machines together.
    pub fn train(
        &self,
        solver: &impl BinarySolver,
        scheme: Scheme,
        source: RowSource,
        budget_bytes: usize,
        monitor: &Monitor,
    ) -> Result<Training> {
        let n_machines = scheme.n_machines(self.labels.n_classes())?;
        if !self.starts.is_empty() && self.starts.len() != n_machines {
            return Err(Error::Shape(format!(
                "{} starts were given for {n_machines} machines",
                self.starts.len()
            )));
        }
        let packed = match &self.rows {
            Source::Precomputed(gram) => return self.train_on_gram(solver, scheme, gram, monitor),
            Source::Packed(packed) => packed,
        };
        if solver.has_linear_form() && self.kernel.kind() == KernelKind::Linear {
            let rows = packed.unpack()?;
            monitor.check()?;
            return self.train_on_rows(solver, scheme, &rows, monitor);
        }
        // The budget is for all machines that are trained at the same time.
        let share = (budget_bytes / rayon::current_num_threads().min(n_machines)).max(1);
        let computed = |parts, how| ComputedRows::new(packed, &self.kernel, parts, how);
        match self.choose(source, solver, scheme, budget_bytes) {
            RowSource::Gram => self.train_on_new_gram(solver, scheme, packed, monitor),
            RowSource::Cached => self.train_with(solver, scheme, monitor, |parts, how| {
                CachedRows::new(computed(parts, how), share)
            }),
            RowSource::Auto | RowSource::Computed => {
                self.train_with(solver, scheme, monitor, |parts, how| {
                    Ok(computed(parts, how))
                })
            }
        }
    }

    /// Trains each machine from the rows themselves, without a kernel.
    fn train_on_rows(
        &self,
        solver: &impl BinarySolver,
        scheme: Scheme,
        rows: &Matrix<'_, T>,
        monitor: &Monitor,
    ) -> Result<Training> {
        let n_machines = scheme.n_machines(self.labels.n_classes())?;
        let train = |number: usize| {
            if let Some(machines) = self.untrained(number, solver, monitor) {
                return Ok((number, (machines, 0)));
            }
            let spec = scheme.machine(number, &self.labels);
            let weights: Vec<f64> = self.weights_of(&spec);
            let problem = self.problem(number, &spec, &weights);
            let machines = solver.solve_rows(&problem, &spec.parts, rows, monitor)?;
            Ok((number, (machines.unwrap_or_default(), 0)))
        };
        let machines = (0..n_machines).into_par_iter().with_max_len(1);
        let trained = machines.map(train).collect::<Result<Vec<_>>>()?;
        Ok(collect(trained, solver.path_len(), n_machines))
    }

    /// The machines of a path for which no time is left; `None` for the first, which is always
    /// begun, and where there are coefficients to start from, which a solver must fit to their
    /// bounds.
    fn untrained(
        &self,
        number: usize,
        solver: &impl BinarySolver,
        monitor: &Monitor,
    ) -> Option<Vec<Machine>> {
        let has_terms = matches!(self.starts.get(number), Some(Start::Terms(_)));
        let is_late = number > 0 && !has_terms && monitor.time_is_up();
        is_late.then(|| vec![Machine::untrained(); solver.path_len()])
    }

    /// The weight of each part of a machine.
    fn weights_of(&self, spec: &MachineSpec) -> Vec<f64> {
        let classes = spec.classes.iter();
        classes.map(|&class| self.class_weights[class]).collect()
    }

    /// A machine's labels and weights.
    fn problem<'s>(
        &'s self,
        number: usize,
        spec: &'s MachineSpec,
        weights: &'s [f64],
    ) -> Problem<'s> {
        Problem {
            signs: &spec.signs,
            weights,
            row_weights: self.row_weights.as_deref(),
            order: self.labels.order(),
            start: self.starts.get(number).unwrap_or(&Start::Zero),
        }
    }

    /// The source that `Auto` stands for.
    ///
    /// Machines of all rows, one for each of many classes, need every value several
    /// times and share a Gram matrix where it fits. Pairs of classes use only a part
    /// of it: they compute their rows, and keep them if they ask for them again. (A
    /// method that uses a row once needs `2 s n^2` values for all pairs if a share `s`
    /// of their rows become support vectors, seldom more than the `n^2` of the matrix.)
    fn choose(
        &self,
        source: RowSource,
        solver: &impl BinarySolver,
        scheme: Scheme,
        budget_bytes: usize,
    ) -> RowSource {
        let n = self.labels.n_rows();
        let fits = Gram::<T>::bytes(n).is_some_and(|bytes| bytes <= budget_bytes);
        match source {
            RowSource::Auto
                if scheme == Scheme::OneVsRest && self.labels.n_classes() > 2 && fits =>
            {
                RowSource::Gram
            }
            RowSource::Auto if solver.uses_rows_once() => RowSource::Computed,
            RowSource::Auto => RowSource::Cached,
            other => other,
        }
    }

    fn train_on_new_gram(
        &self,
        solver: &impl BinarySolver,
        scheme: Scheme,
        packed: &PackedRows<T>,
        monitor: &Monitor,
    ) -> Result<Training> {
        let Some(gram) = Gram::within_time(packed, &self.kernel, monitor)? else {
            return self.train_with(solver, scheme, monitor, |parts, how| {
                Ok(ComputedRows::new(packed, &self.kernel, parts, how))
            });
        };
        let mut training = self.train_on_gram(solver, scheme, &gram, monitor)?;
        training.n_kernel_evals = gram.n_rows() as u64 * gram.n_rows() as u64;
        Ok(training)
    }

    fn train_on_gram(
        &self,
        solver: &impl BinarySolver,
        scheme: Scheme,
        gram: &Gram<T>,
        monitor: &Monitor,
    ) -> Result<Training> {
        self.train_with(solver, scheme, monitor, |parts, how| {
            Ok(GramRows::new(gram, parts, how))
        })
    }

    /// Trains each machine on the rows that `make` gives it.
    fn train_with<R: KernelRows<T>>(
        &self,
        solver: &impl BinarySolver,
        scheme: Scheme,
        monitor: &Monitor,
        make: impl Fn(Parts, Threading) -> Result<R> + Sync,
    ) -> Result<Training> {
        let n_machines = scheme.n_machines(self.labels.n_classes())?;
        let train_one = |number: usize, how: Threading| {
            if let Some(machines) = self.untrained(number, solver, monitor) {
                return Ok((machines, 0));
            }
            let spec = scheme.machine(number, &self.labels);
            let weights = self.weights_of(&spec);
            let problem = self.problem(number, &spec, &weights);
            let mut rows = make(spec.parts.clone(), how)?;
            let machines = solver.solve(&problem, &mut rows, monitor)?;
            Ok((machines, rows.n_computed()))
        };
        let size = |number| scheme.n_rows(number, &self.labels);
        let (large, small) = self.split_by_size((0..n_machines).map(size).collect());
        // One after the other, each with all threads; then side by side.
        let mut trained = Vec::with_capacity(n_machines);
        for number in large {
            let train = || train_one(number, Threading::Inside);
            trained.push((number, threads::keep_awake(train)?));
        }
        trained.par_extend(
            small
                .into_par_iter()
                .with_max_len(1)
                .map(|number| Ok((number, train_one(number, Threading::SideBySide)?)))
                .collect::<Result<Vec<_>>>()?,
        );
        Ok(collect(trained, solver.path_len(), n_machines))
    }

    /// Splits machines into those that all threads should share, and the rest, largest first.
    ///
    /// Shared are machines so large that a thread alone would be busy with one while the
    /// others have nothing left to do, if their sweeps are worth splitting. Work grows with
    /// the square of the number of rows.
    fn split_by_size(&self, sizes: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let work = |&number: &usize| sizes[number] as f64 * sizes[number] as f64;
        let total: f64 = (0..sizes.len()).map(|number| work(&number)).sum();
        let share = total / (2 * rayon::current_num_threads()) as f64;
        let pays = |n_rows| match &self.rows {
            Source::Packed(packed) => sweep_pays(packed, n_rows),
            Source::Precomputed(_) => false,
        };
        let mut numbers: Vec<usize> = (0..sizes.len()).collect();
        numbers.sort_by_key(|&number| std::cmp::Reverse(sizes[number]));
        let is_large = |number: &usize| work(number) >= share && pays(sizes[*number]);
        numbers.into_iter().partition(is_large)
    }
}

/// From machines with their paths to paths with their machines.
fn collect(
    mut trained: Vec<(usize, (Vec<Machine>, u64))>,
    path_len: usize,
    n_machines: usize,
) -> Training {
    trained.sort_by_key(|(number, _)| *number);
    let mut machines: Vec<Vec<Machine>> = Vec::new();
    machines.resize_with(path_len, || Vec::with_capacity(n_machines));
    let mut n_kernel_evals = 0;
    for (_, (path, computed)) in trained {
        n_kernel_evals += computed;
        for (setting, machine) in machines.iter_mut().zip(path) {
            setting.push(machine);
        }
    }
    Training {
        machines,
        n_kernel_evals,
    }
}

fn check_class_weights(weights: &[f64], n_classes: usize) -> Result<()> {
    if weights.len() != n_classes {
        return Err(Error::Shape(format!(
            "{} class weights were given for {n_classes} classes",
            weights.len()
        )));
    }
    match weights.iter().find(|w| !(**w > 0.0 && w.is_finite())) {
        None => Ok(()),
        Some(weight) => Err(Error::parameter(
            "class_weight",
            weight,
            "every weight must be a finite positive number",
        )),
    }
}
