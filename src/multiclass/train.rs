//! Trains all machines of a data set, sharing what they have in common.

use super::{MachineSpec, Scheme};
use crate::data::{Digest, Labels, Matrix};
use crate::kernel::{
    CachedRows, ComputedRows, ExactSums, Extent, Gram, GramRows, Kernel, KernelKind,
    KernelSettings, PackedRows, Parts, ShrinkableRows, SingleRows, Threading, WidenedRows,
    sweep_pays,
};
use crate::memory::{account_small, try_collect, try_filled, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Machine, Problem, Start};
use crate::{Error, Result, threads};
use std::sync::OnceLock;

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
    /// The packed rows in f64, where a solver has asked for them.
    wide: OnceLock<PackedRows<f64>>,
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
                "X has {} samples, but y has {} labels",
                rows.n_rows(),
                labels.n_rows()
            )));
        }
        check_class_weights(&class_weights, labels.n_classes())?;
        let source = match kernel.kind() {
            KernelKind::Precomputed => {
                let gram = Gram::precomputed(rows, labels.order())?;
                kernel.check_range::<T>(Extent::of_values(gram.max_abs()))?;
                Source::Precomputed(gram)
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
            wide: OnceLock::new(),
        })
    }

    /// The same set with a positive weight for each row, in the caller's order.
    pub fn with_row_weights(mut self, weights: &[f64]) -> Result<Self> {
        check_sample_weights(weights, self.labels.n_rows())?;
        if let Some(row) = weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(Error::Data(format!(
                "sample_weight[{row}] = {} is not valid: it must be a finite positive number",
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
        let mut place = crate::memory::try_zeros::<u32>(n, 1, "the order of samples")?;
        for (packed, &row) in self.labels.order().iter().enumerate() {
            place[row as usize] = packed as u32;
        }
        let packed = |row: u32| {
            let known = place.get(row as usize).copied();
            known.ok_or_else(|| {
                Error::Shape(format!("init contains sample {row}, but X has {n} samples"))
            })
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
                        "init contains the coefficient {beta} for sample {row}; it must be finite"
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

    /// The same set with rows, or a kernel matrix, in f64.
    pub fn widen(self) -> Result<TrainingSet<f64>> {
        let rows = match self.rows {
            Source::Packed(packed) => Source::Packed(match self.wide.into_inner() {
                Some(wide) => wide,
                None => packed.widen()?,
            }),
            Source::Precomputed(gram) => Source::Precomputed(gram.widen()?),
        };
        Ok(TrainingSet {
            kernel: self.kernel,
            labels: self.labels,
            class_weights: self.class_weights,
            row_weights: self.row_weights,
            starts: self.starts,
            rows,
            wide: OnceLock::new(),
        })
    }

    /// The kernel, its gamma a number.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Classes and the order of the rows.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The rows in the order of the classes; `None` where a kernel matrix was given.
    pub fn packed(&self) -> Option<&PackedRows<T>> {
        match &self.rows {
            Source::Packed(packed) => Some(packed),
            Source::Precomputed(_) => None,
        }
    }

    /// A copy of the rows in the order of the classes, as a model of this set takes them.
    pub fn sorted_rows(&self) -> Result<Matrix<'static, T>> {
        match &self.rows {
            Source::Packed(packed) => packed.unpack(),
            Source::Precomputed(gram) => gram.with_columns_of(self.labels.order()),
        }
    }

    /// The digest of the rows as the caller has them.
    pub fn digest(&self) -> Digest {
        match &self.rows {
            Source::Packed(packed) => packed.digest(self.labels.order()),
            Source::Precomputed(gram) => gram.digest(self.labels.order()),
        }
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
                "init has {} starting points, but y needs {n_machines} binary classifiers",
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
                return Ok((machines, 0));
            }
            let spec = scheme.machine(number, &self.labels);
            let weights: Vec<f64> = self.weights_of(&spec);
            let problem = self.problem(number, &spec, &weights);
            let machines = solver.solve_rows(&problem, &spec.parts, rows, monitor)?;
            counted(machines.unwrap_or_default(), 0)
        };
        let trained = threads::try_par_map(0..n_machines, WHAT, train)?;
        collect(trained, solver.path_len())
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
            exact: None,
        }
    }

    /// The packed rows in f64, for kernel values that are rounded to less.
    fn widened(&self) -> Option<WidenedRows<'_, T>> {
        match &self.rows {
            Source::Packed(packed) => WidenedRows::new(packed, &self.kernel, &self.wide),
            Source::Precomputed(_) => None,
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
    fn train_with<R: SingleRows<T> + ShrinkableRows<T>>(
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
            let widened = self.widened();
            let problem = Problem {
                exact: widened.as_ref().map(|rows| rows as &dyn ExactSums),
                ..self.problem(number, &spec, &weights)
            };
            let mut rows = make(spec.parts.clone(), how)?;
            let machines = solver.solve(&problem, &mut rows, monitor)?;
            let n_exact = widened.as_ref().map_or(0, WidenedRows::n_computed);
            counted(machines, rows.n_computed() + n_exact)
        };
        let size = |number| scheme.n_rows_of(number, &self.labels);
        let (order, n_large) = self.by_size(try_collect((0..n_machines).map(size), WHAT)?)?;
        // One after the other, each with all threads; then side by side.
        let mut trained = try_with_capacity(n_machines, 1, WHAT)?;
        for &number in &order[..n_large] {
            let train = || train_one(number, Threading::Parallel);
            trained.push(threads::keep_awake(train)?);
        }
        trained.extend(threads::try_par_map(n_large..n_machines, WHAT, |place| {
            train_one(order[place], Threading::Sequential)
        })?);
        // Back into the order of the scheme.
        let mut place_of = try_filled(n_machines, 1, WHAT)?;
        for (place, &number) in order.iter().enumerate() {
            place_of[number] = place;
        }
        let path = |&place: &usize| std::mem::take(&mut trained[place]);
        let trained = try_collect(place_of.iter().map(path), WHAT)?;
        collect(trained, solver.path_len())
    }

    /// The numbers of the machines, those that all threads should share before the rest, and the
    /// largest first; and how many are shared.
    ///
    /// Shared are machines so large that a thread alone would be busy with one while the
    /// others have nothing left to do, if their sweeps are worth splitting. Work grows with
    /// the square of the number of rows.
    fn by_size(&self, sizes: Vec<usize>) -> Result<(Vec<usize>, usize)> {
        let work = |&number: &usize| sizes[number] as f64 * sizes[number] as f64;
        let total: f64 = (0..sizes.len()).map(|number| work(&number)).sum();
        let share = total / (2 * rayon::current_num_threads()) as f64;
        let pays = |n_rows| match &self.rows {
            Source::Packed(packed) => sweep_pays(packed, n_rows),
            Source::Precomputed(_) => false,
        };
        let mut numbers = try_collect(0..sizes.len(), WHAT)?;
        let is_small = |number: usize| work(&number) < share || !pays(sizes[number]);
        numbers.sort_unstable_by_key(|&number| {
            (is_small(number), std::cmp::Reverse(sizes[number]), number)
        });
        let n_large = numbers.partition_point(|&number| !is_small(number));
        Ok((numbers, n_large))
    }
}

/// What is allocated for machines.
const WHAT: &str = "binary classifiers of all classes";

/// A machine with its whole path, and the kernel values that were computed for it.
type Path = (Vec<Machine>, u64);

/// Counts what a machine holds, of which there may be very many.
fn counted(path: Vec<Machine>, n_computed: u64) -> Result<Path> {
    account_small(size_of_val(&path[..]), WHAT)?;
    for machine in &path {
        account_small(size_of_val(&machine.terms[..]), WHAT)?;
    }
    Ok((path, n_computed))
}

/// From machines with their paths to paths with their machines.
fn collect(trained: Vec<Path>, path_len: usize) -> Result<Training> {
    let settings = (0..path_len).map(|_| try_with_capacity(trained.len(), 1, WHAT));
    let mut machines: Vec<Vec<Machine>> = settings.collect::<Result<_>>()?;
    let mut n_kernel_evals = 0;
    for (path, computed) in trained {
        n_kernel_evals += computed;
        for (setting, machine) in machines.iter_mut().zip(path) {
            setting.push(machine);
        }
    }
    Ok(Training {
        machines,
        n_kernel_evals,
    })
}

/// Fails unless there is one weight per sample.
pub(super) fn check_sample_weights(weights: &[f64], n_samples: usize) -> Result<()> {
    if weights.len() == n_samples {
        return Ok(());
    }
    Err(Error::Shape(format!(
        "sample_weight has {} values, but X has {n_samples} samples",
        weights.len()
    )))
}

fn check_class_weights(weights: &[f64], n_classes: usize) -> Result<()> {
    if weights.len() != n_classes {
        return Err(Error::Shape(format!(
            "class_weight has {} values, but y has {n_classes} classes",
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
