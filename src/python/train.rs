//! What all methods share: from arrays to trained models.

use super::arrays::{AnyMatrix, Rows, slice};
use super::door;
use super::kernels::KernelArgs;
use super::model::{AnyModel, Model};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::error::{collected, count_small, reserve};
use crate::kernel::{Extent, Kernel, KernelSettings};
use crate::model;
use crate::monitor::Monitor;
use crate::multiclass::{RowSource, Scheme, TrainingSet};
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Machine, Start, Status};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::borrow::Cow;

/// How classes are split, and what the training may use.
#[derive(FromPyObject)]
pub struct TrainArgs {
    #[pyo3(item)]
    multi_class: String,
    #[pyo3(item)]
    row_source: String,
    #[pyo3(item)]
    cache_bytes: usize,
    #[pyo3(item)]
    threads: usize,
    #[pyo3(item, default)]
    time_limit: Option<f64>,
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
}

/// Rows, labels, weights, and where machines start.
#[derive(FromPyObject)]
pub struct DataArgs<'py> {
    #[pyo3(item)]
    rows: Bound<'py, PyAny>,
    #[pyo3(item)]
    codes: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    class_weights: PyReadonlyArray1<'py, f64>,
    #[pyo3(item)]
    sample_weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    starts: Option<Bound<'py, PyList>>,
}

/// Where a machine starts: rows, and their coefficients, if they are known.
pub type StartArg<'py> = (
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f64>>,
);

fn starts(given: &Bound<'_, PyList>) -> PyResult<Vec<Start>> {
    let what = "starts of machines";
    let mut found = reserve(given.len(), 1, what)?;
    for start in given {
        let (rows, coefficients): StartArg<'_> = start.extract()?;
        let rows = slice(&rows)?.iter().copied();
        count_small(size_of::<(u32, f64)>() * rows.len(), what)?;
        found.push(match coefficients {
            None => Start::Rows(rows.collect()),
            Some(coefficients) => {
                Start::Terms(rows.zip(slice(&coefficients)?.iter().copied()).collect())
            }
        });
    }
    Ok(found)
}

/// One model for each setting of the solver's path. Where a machine stalls on rows of f32, all are
/// trained as if the rows were f64, and so is the model.
pub fn fit(
    py: Python<'_>,
    data: &DataArgs<'_>,
    kernel: &KernelArgs,
    train: &TrainArgs,
    solver: &impl BinarySolver,
) -> PyResult<Vec<Model>> {
    let rows = Rows::extract(&data.rows)?;
    let view = rows.view()?;
    let limits = door::Limits {
        threads: train.threads,
        seconds: train.time_limit,
    };
    let order = Order {
        codes: slice(&data.codes)?,
        class_weights: slice(&data.class_weights)?,
        sample_weights: data.sample_weights.as_ref().map(slice).transpose()?,
        starts: data
            .starts
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), starts)?,
        kernel: kernel.settings()?,
        scheme: Scheme::parse(&train.multi_class)?,
        source: RowSource::parse(&train.row_source)?,
        cache_bytes: train.cache_bytes,
        solver,
    };
    door::run_within(py, limits, train.progress.as_ref(), |monitor| {
        match &view.matrix()? {
            AnyMatrix::F64(matrix) => order.train(matrix, monitor),
            AnyMatrix::F32(matrix) => {
                let models = order.train(matrix, monitor)?;
                let has_stalled = |model: &Model| model.status.iter().any(|s| s == STALLED);
                if !models.iter().any(has_stalled) || monitor.time_is_up() {
                    return Ok(models);
                }
                // Kernel values in f32 may have been too coarse.
                order.train(&matrix.convert::<f64>()?, monitor)
            }
        }
    })
}

const STALLED: &str = Status::Stalled.name();

/// All that is known of a training but the rows.
struct Order<'a, S> {
    codes: &'a [u32],
    class_weights: &'a [f64],
    sample_weights: Option<&'a [f64]>,
    starts: Vec<Start>,
    kernel: KernelSettings,
    scheme: Scheme,
    source: RowSource,
    cache_bytes: usize,
    solver: &'a S,
}

impl<S: BinarySolver> Order<'_, S> {
    /// One model for each setting of the solver's path.
    fn train<T: Lanes>(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<Model>>
    where
        AnyModel: From<model::Model<T>>,
    {
        let kernel = checked(self.kernel, matrix, monitor)?;
        let labels = Labels::new(self.codes, self.class_weights.len())?;
        let weights = self.class_weights.to_vec();
        let mut set = TrainingSet::with_kernel(matrix, labels, weights, kernel)?;
        if let Some(weights) = self.sample_weights {
            set = set.with_row_weights(weights)?;
        }
        let set = set.with_starts(self.starts.clone())?;
        monitor.check()?;
        let (scheme, bytes) = (self.scheme, self.cache_bytes);
        let training = set.train(self.solver, scheme, self.source, bytes, monitor)?;
        let of_setting = |machines: &Vec<Machine>| {
            let model = model::Model::new(&set, scheme, machines, matrix, monitor)?;
            finish(model, machines, training.n_kernel_evals, matrix.n_rows())
        };
        training.machines.iter().map(of_setting).collect()
    }
}

/// The kernel, checked in passes over all values between which the monitor is looked at.
fn checked<T: Lanes>(
    kernel: KernelSettings,
    matrix: &Matrix<'_, T>,
    monitor: &Monitor,
) -> Result<Kernel> {
    monitor.check()?;
    let extent = Extent::of(matrix);
    monitor.check()?;
    let kernel = kernel.check_within(matrix, extent)?;
    monitor.check()?;
    Ok(kernel)
}

/// A model with what its training took.
fn finish<T: Lanes>(
    model: model::Model<T>,
    machines: &[Machine],
    n_kernel_evals: u64,
    n_rows: usize,
) -> Result<Model>
where
    AnyModel: From<model::Model<T>>,
{
    let each = machines.iter();
    let what = "numbers of machines";
    let name = |machine: &Machine| Cow::Borrowed(machine.status.name());
    Ok(Model {
        n_kernel_evals: n_kernel_evals + model.n_counting_evals(n_rows),
        inner: AnyModel::from(model),
        n_iter: collected(each.clone().map(|machine| machine.n_iter as u64), what)?,
        n_loops: collected(each.clone().map(|machine| machine.n_loops as u64), what)?,
        status: collected(each.map(name), what)?,
    })
}
