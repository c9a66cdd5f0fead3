//! Training of kernel methods: from arrays to models.

use super::arrays::{AnyMatrix, slice};
use super::door;
use super::limits::Limits;
use super::model::{AnyModel, Model};
use super::problem::TrainingData;
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::kernel::{Extent, Kernel, KernelKind, KernelSettings};
use crate::memory::try_collect;
use crate::model;
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, Scheme, Training, TrainingSet};
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Machine, Start, Status};
use pyo3::prelude::*;
use std::borrow::Cow;

/// Trains a model for each value of the solver's path.
///
/// If a binary problem stalls on kernel values in f32, all are trained again on values in f64. If
/// outputs need f64, the model holds its support vectors in f64.
pub fn fit(
    py: Python<'_>,
    data: &TrainingData,
    kernel: KernelSettings,
    limits: &Limits,
    row_source: &str,
    solver: &impl BinarySolver,
) -> PyResult<Vec<Model>> {
    let arrays = data.borrow(py)?;
    let view = arrays.rows.view()?;
    let recipe = Recipe {
        codes: slice(&arrays.codes)?,
        class_weights: slice(&arrays.class_weights)?,
        sample_weights: arrays.sample_weights.as_ref().map(slice).transpose()?,
        targets: arrays.targets.as_ref().map(slice).transpose()?,
        starts: data.starts(py)?,
        kernel,
        scheme: arrays.scheme,
        source: RowSource::parse(row_source)?,
        cache_bytes: limits.memory_bytes,
        solver,
    };
    // Training copies a precomputed matrix in any case, and checks its copy.
    let rows = || match recipe.kernel.kind {
        KernelKind::Precomputed => view.matrix(),
        _ => view.snapshot(),
    };
    door::run_within(py, limits, |monitor| {
        let set = match rows()? {
            AnyMatrix::F64(matrix) => {
                let set = recipe.set(matrix, monitor)?;
                let training = recipe.solve_rounded(&set, monitor)?;
                return recipe.models(&set, &training, monitor);
            }
            AnyMatrix::F32(matrix) => recipe.set(matrix, monitor)?,
        };
        let training = recipe.solve(&set, monitor)?;
        let any = |is: fn(&Machine) -> bool| training.machines.iter().flatten().any(is);
        // Kernel values in f32 may have been too coarse.
        let has_stalled = any(|machine| machine.status == Status::Stalled);
        let is_coarse = has_stalled || any(|machine| machine.needs_f64);
        if !is_coarse || monitor.time_is_up() {
            return recipe.models(&set, &training, monitor);
        }
        let set = set.widen()?;
        if has_stalled {
            let training = recipe.solve(&set, monitor)?;
            return recipe.models(&set, &training, monitor);
        }
        recipe.models(&set, &training, monitor)
    })
}

/// Everything that training requires besides the samples.
struct Recipe<'a, S> {
    codes: &'a [u32],
    class_weights: &'a [f64],
    sample_weights: Option<&'a [f64]>,
    targets: Option<&'a [f64]>,
    starts: Vec<Start>,
    kernel: KernelSettings,
    scheme: Scheme,
    source: RowSource,
    cache_bytes: usize,
    solver: &'a S,
}

impl<S: BinarySolver> Recipe<'_, S> {
    /// The samples with their labels and weights.
    fn set<T: Lanes>(&self, matrix: Matrix<'_, T>, monitor: &Monitor) -> Result<TrainingSet<T>> {
        let kernel = checked(self.kernel, &matrix, monitor)?;
        let labels = match self.scheme {
            Scheme::Single => Labels::single(self.codes.len())?,
            _ => Labels::new(self.codes, self.class_weights.len())?,
        };
        let weights = self.class_weights.to_vec();
        let mut set = TrainingSet::with_kernel(&matrix, labels, weights, kernel)?;
        drop(matrix); // the set has its own copy
        if let Some(targets) = self.targets {
            set = set.with_targets(targets)?;
        }
        if let Some(weights) = self.sample_weights {
            set = set.with_row_weights(weights)?;
        }
        set.with_starts(self.starts.clone())
    }

    /// Trains all binary classifiers.
    fn solve<T: Lanes>(&self, set: &TrainingSet<T>, monitor: &Monitor) -> Result<Training> {
        monitor.check()?;
        let (scheme, bytes) = (self.scheme, self.cache_bytes);
        set.train(self.solver, scheme, self.source, bytes, monitor)
    }

    /// Trains all binary classifiers on kernel values in f32 if that is precise enough.
    fn solve_rounded(&self, set: &TrainingSet<f64>, monitor: &Monitor) -> Result<Training> {
        if self.solver.tolerates_rounding()
            && let Some(rounded) = set.rounded()?
        {
            let training = self.solve(&rounded, monitor)?;
            let mut machines = training.machines.iter().flatten();
            if machines.all(|machine| machine.status != Status::Stalled) || monitor.time_is_up() {
                return Ok(training);
            }
        }
        self.solve(set, monitor)
    }

    /// A model for each value of the solver's path.
    fn models<T: Lanes>(
        &self,
        set: &TrainingSet<T>,
        training: &Training,
        monitor: &Monitor,
    ) -> Result<Vec<Model>>
    where
        AnyModel: From<model::Model<T>>,
    {
        let digest = set.digest().value();
        let of_setting = |machines: &Vec<Machine>| {
            let model = model::Model::new(set, self.scheme, machines, monitor)?;
            let n_rows = set.labels().n_rows();
            finish(model, machines, training.n_kernel_evals, n_rows, digest)
        };
        training.machines.iter().map(of_setting).collect()
    }
}

/// Checks the kernel in passes over all values, with a check for an interrupt between them.
fn checked<T: Lanes>(
    kernel: KernelSettings,
    matrix: &Matrix<'_, T>,
    monitor: &Monitor,
) -> Result<Kernel> {
    monitor.check()?;
    let extent = match kernel.kind {
        KernelKind::Precomputed => Extent::of_values(0.0), // that of the copy is checked
        _ => Extent::of(matrix),
    };
    monitor.check()?;
    let kernel = kernel.check_within(matrix, extent)?;
    monitor.check()?;
    Ok(kernel)
}

/// The Python object of a model, with the statistics of its training.
fn finish<T: Lanes>(
    model: model::Model<T>,
    machines: &[Machine],
    n_kernel_evals: u64,
    n_rows: usize,
    digest: u64,
) -> Result<Model>
where
    AnyModel: From<model::Model<T>>,
{
    let each = machines.iter();
    let what = "training statistics";
    let name = |machine: &Machine| Cow::Borrowed(machine.status.name());
    Ok(Model {
        n_kernel_evals: n_kernel_evals + model.n_counting_evals(n_rows),
        inner: AnyModel::from(model),
        n_iter: try_collect(each.clone().map(|machine| machine.n_iter as u64), what)?,
        n_loops: try_collect(each.clone().map(|machine| machine.n_loops as u64), what)?,
        status: try_collect(each.clone().map(name), what)?,
        implied: try_collect(each.map(|machine| machine.implied), what)?,
        rows_digest: Some(digest),
    })
}
