//! The method OLLAWV.

use super::arrays::{Rows, slice, with_matrix};
use super::door;
use super::kernels::KernelArgs;
use super::model::{AnyModel, Model};
use crate::Result;
use crate::data::{Labels, Matrix};
use crate::kernel::KernelSettings;
use crate::model;
use crate::multiclass::{RowSource, Scheme, TrainingSet};
use crate::simd::Lanes;
use crate::solver::{Machine, OllawvSettings};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// What all methods share: how classes are split, and what the training may use.
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
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
}

/// One model for each margin.
#[pyfunction]
#[pyo3(signature = (rows, codes, class_weights, kernel, train, *, margins, c, bias, max_sv_fraction))]
#[allow(clippy::too_many_arguments)] // a keyword each, on the Python side
pub fn fit_ollawv<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
    class_weights: PyReadonlyArray1<'py, f64>,
    kernel: KernelArgs,
    train: TrainArgs,
    margins: Vec<f64>,
    c: f64,
    bias: bool,
    max_sv_fraction: f64,
) -> PyResult<Vec<Model>> {
    let rows = Rows::extract(rows)?;
    let settings = OllawvSettings {
        margins,
        c,
        bias,
        max_sv_fraction,
    };
    let solver = settings.check()?;
    let kernel = kernel.settings()?;
    let scheme = Scheme::parse(&train.multi_class)?;
    let source = RowSource::parse(&train.row_source)?;
    let (codes, weights) = (slice(&codes)?, slice(&class_weights)?);
    let any = rows.matrix()?;
    door::run(py, train.threads, train.progress.as_ref(), |monitor| {
        with_matrix!(&any, matrix => {
            let set = training_set(matrix, codes, weights, kernel)?;
            let training = set.train(&solver, scheme, source, train.cache_bytes, monitor)?;
            training
                .machines
                .iter()
                .map(|machines| finish(&set, scheme, machines, matrix, training.n_kernel_evals))
                .collect()
        })
    })
}

fn training_set<T: Lanes>(
    matrix: &Matrix<'_, T>,
    codes: &[u32],
    weights: &[f64],
    kernel: KernelSettings,
) -> Result<TrainingSet<T>> {
    let labels = Labels::new(codes, weights.len())?;
    TrainingSet::new(matrix, labels, weights.to_vec(), kernel)
}

fn finish<T: Lanes>(
    set: &TrainingSet<T>,
    scheme: Scheme,
    machines: &[Machine],
    matrix: &Matrix<'_, T>,
    n_kernel_evals: u64,
) -> Result<Model>
where
    AnyModel: From<model::Model<T>>,
{
    let model = model::Model::new(*set.kernel(), scheme, set.labels(), machines, matrix)?;
    Ok(Model {
        inner: AnyModel::from(model),
        n_iter: machines
            .iter()
            .map(|machine| machine.n_iter as u64)
            .collect(),
        status: machines
            .iter()
            .map(|machine| machine.status.name().into())
            .collect(),
        n_kernel_evals,
    })
}
