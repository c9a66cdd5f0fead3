//! Trains all binary classifiers of a training set.

use super::training_set::Source;
use super::{MachineSpec, Scheme, TrainingSet};
use crate::data::Matrix;
use crate::kernel::{
    CachedRows, ComputedRows, ExactRows, ExactSums, Gram, GramRows, KernelKind, PackedRows, Parts,
    ShrinkableRows, SingleRows, Threading, sweep_pays,
};
use crate::memory::{account_small, try_collect, try_filled, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Machine, Problem, Start};
use crate::{Error, Result, threads};

/// Where kernel rows come from.
///
/// The kernel values are the same, bit for bit, and so are the classifiers of methods that read one
/// row at a time. An exact solver, whose working sets depend on the resident rows, reaches the same
/// optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSource {
    /// The cheapest source that fits the budget.
    Auto,
    /// One Gram matrix, shared by all binary problems.
    Gram,
    /// A cache of rows for each binary problem.
    Cached,
    /// Every row is computed when it is read.
    Computed,
}

impl RowSource {
    /// Parses the name used in Python.
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

/// The result of training.
#[derive(Debug, Clone)]
pub struct Training {
    /// For each setting of the path, the binary classifiers in the order of the scheme.
    pub machines: Vec<Vec<Machine>>,
    /// Number of kernel values computed.
    pub n_kernel_evals: u64,
}

impl<T: Lanes> TrainingSet<T> {
    /// Trains the binary classifiers of a scheme, in parallel in the current thread pool.
    ///
    /// `budget_bytes` bounds the Gram matrix, or all caches together.
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
            return self.train_on_samples(solver, scheme, &rows, monitor);
        }
        // All problems that are solved at the same time share the budget.
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

    /// Trains each classifier from the samples themselves, without kernel values.
    fn train_on_samples(
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
            account(machines.unwrap_or_default(), 0)
        };
        let trained = threads::try_par_map(0..n_machines, WHAT, train)?;
        transpose(trained, solver.path_len())
    }

    /// Untrained classifiers if the time limit has passed; otherwise `None`. Also `None` for the
    /// first classifier, which is always trained, and for a start from coefficients, which the
    /// solver has to project onto their bounds.
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

    /// The weight of each part of a binary problem.
    fn weights_of(&self, spec: &MachineSpec) -> Vec<f64> {
        let classes = spec.classes.iter();
        classes.map(|&class| self.class_weights[class]).collect()
    }

    /// The labels, weights and starting point of a binary problem.
    fn problem<'s>(
        &'s self,
        number: usize,
        spec: &'s MachineSpec,
        weights: &'s [f64],
    ) -> Problem<'s> {
        Problem {
            signs: &spec.signs,
            weights,
            targets: self.targets.as_deref(),
            row_weights: self.row_weights.as_deref(),
            order: self.labels.order(),
            start: self.starts.get(number).unwrap_or(&Start::Zero),
            exact: None,
        }
    }

    /// The packed rows in f64; `None` if kernel values are in f64 already, or precomputed.
    fn widened(&self) -> Option<ExactRows<'_, T>> {
        match &self.rows {
            Source::Packed(packed) => {
                let rows = ExactRows::new(packed, &self.kernel, &self.wide)?;
                Some(match self.rounding {
                    None => rows,
                    // The samples are in f64: the solution is as exact as with f64 throughout.
                    Some(rounding) => rows.with_unrounded(None, rounding).with_slack(1.0),
                })
            }
            Source::Precomputed(_) => None,
        }
    }

    /// Resolves [`RowSource::Auto`].
    ///
    /// One-vs-rest problems contain all samples: each kernel value is used several times, and the
    /// problems share a Gram matrix if it fits the budget. Pairs of classes use only a part of the
    /// matrix: they compute their rows, and cache them if the solver reads them again. (A method
    /// that reads a row once needs `2 s n^2` values for all pairs if a fraction `s` of the samples
    /// become support vectors, rarely more than the `n^2` of the matrix.)
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

    /// Trains each classifier on the kernel rows that `make` returns for its problem.
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
            let n_exact = widened.as_ref().map_or(0, ExactRows::n_computed);
            account(machines, rows.n_computed() + n_exact)
        };
        let size = |number| scheme.n_rows_of(number, &self.labels);
        let (order, n_large) = self.by_size(try_collect((0..n_machines).map(size), WHAT)?)?;
        // Large problems one after the other, each with all threads; then the others in parallel.
        let mut trained = try_with_capacity(n_machines, 1, WHAT)?;
        for &number in &order[..n_large] {
            let train = || train_one(number, Threading::Parallel);
            trained.push(threads::keep_awake(train)?);
        }
        trained.extend(threads::try_par_map(n_large..n_machines, WHAT, |place| {
            train_one(order[place], Threading::Sequential)
        })?);
        // Restore the order of the scheme.
        let mut place_of = try_filled(n_machines, 1, WHAT)?;
        for (place, &number) in order.iter().enumerate() {
            place_of[number] = place;
        }
        let path = |&place: &usize| std::mem::take(&mut trained[place]);
        let trained = try_collect(place_of.iter().map(path), WHAT)?;
        transpose(trained, solver.path_len())
    }

    /// The numbers of the binary problems, largest first, and how many of them are large.
    ///
    /// A problem is large if a single thread would still work on it when the others have finished,
    /// and if its sweeps are worth splitting among threads. Work is taken to be proportional to the
    /// square of the number of samples.
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

/// The purpose of the allocations, for error messages.
const WHAT: &str = "binary classifiers of all classes";

/// The classifiers of one binary problem along the path, and the number of kernel values computed.
type Path = (Vec<Machine>, u64);

/// Accounts for the memory of a path: there may be very many of them.
fn account(path: Vec<Machine>, n_computed: u64) -> Result<Path> {
    account_small(size_of_val(&path[..]), WHAT)?;
    for machine in &path {
        account_small(size_of_val(&machine.terms[..]), WHAT)?;
    }
    Ok((path, n_computed))
}

/// Transposes the classifiers: from one path per problem to one list per setting.
fn transpose(trained: Vec<Path>, path_len: usize) -> Result<Training> {
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
