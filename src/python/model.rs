//! A model as a Python object.

use super::arrays::{AnyMatrix, Rows, rows_to_python, slice};
use super::door;
use super::kernels::Kernel;
use super::linear::certificate_list;
use super::solvers::KernelSolver;
use super::state::{ModelState, VERSION, copied, not_a_model, status};
use crate::Error;
use crate::kernel::PackedRows;
use crate::memory::{checked_len, try_collect, try_filled};
use crate::model::{self, Certified};
use crate::monitor::Monitor;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::borrow::Cow;

#[pyclass(module = "softmargin._core", frozen)]
pub struct Model {
    pub inner: AnyModel,
    pub n_iter: Vec<u64>,
    pub n_loops: Vec<u64>,
    /// Names of [`Status`](crate::solver::Status), or what a file says.
    pub status: Vec<Cow<'static, str>>,
    pub n_kernel_evals: u64,
    /// What nu stands for; not known of a model from a file.
    pub implied: Vec<Option<f64>>,
    /// Of the training rows; not known of a model from a file.
    pub rows_digest: Option<u64>,
}

pub enum AnyModel {
    F32(model::Model<f32>),
    F64(model::Model<f64>),
}

impl From<model::Model<f32>> for AnyModel {
    fn from(model: model::Model<f32>) -> Self {
        AnyModel::F32(model)
    }
}

impl From<model::Model<f64>> for AnyModel {
    fn from(model: model::Model<f64>) -> Self {
        AnyModel::F64(model)
    }
}

macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            AnyModel::F32($model) => $body,
            AnyModel::F64($model) => $body,
        }
    };
}

/// Calls a method of the model with rows of its own type, inside the door.
macro_rules! apply {
    ($self:ident, $py:ident, $rows:ident, $threads:ident, $method:ident $(, $arg:expr)?) => {{
        let rows = Rows::extract($rows)?;
        let (view, inner) = (rows.view()?, &$self.inner);
        let work = |monitor: &Monitor| {
            match (inner, view.matrix()?) {
                (AnyModel::F32(model), AnyMatrix::F32(matrix)) => model.$method(&matrix, $($arg,)? monitor),
                (AnyModel::F64(model), AnyMatrix::F64(matrix)) => model.$method(&matrix, $($arg,)? monitor),
                _ => Err(Error::Data("X has another dtype than the model".into())),
            }
        };
        match with_model!(inner, model => model.is_brief(view.n_rows())) {
            true => door::run_briefly($py, work),
            false => door::run($py, $threads, work),
        }
    }};
}

#[pymethods]
impl Model {
    #[getter]
    fn kernel(&self) -> &'static str {
        with_model!(&self.inner, model => model.kernel().kind().name())
    }

    #[getter]
    fn dtype(&self) -> &'static str {
        match self.inner {
            AnyModel::F32(_) => "float32",
            AnyModel::F64(_) => "float64",
        }
    }

    #[getter]
    fn gamma(&self) -> f64 {
        with_model!(&self.inner, model => model.kernel().gamma())
    }

    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let support = with_model!(&self.inner, model => model.support());
        array(py, support.iter().map(|&i| i as i32))
    }

    #[getter]
    fn n_support<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let counts = with_model!(&self.inner, model => model.n_support());
        array(py, counts.into_iter().map(|n| n as i32))
    }

    #[getter]
    fn dual_coef<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_model!(&self.inner, model => {
            let n_sv = model.support().len();
            let n_rows = model.n_coef_rows();
            let values = array(py, model.dual_coef().iter().copied())?;
            Ok(values.reshape([n_rows, n_sv])?.into_any())
        })
    }

    #[getter]
    fn intercept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        with_model!(&self.inner, model => array(py, model.biases().iter().copied()))
    }

    #[getter]
    fn n_iter<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        array(py, self.n_iter.iter().map(|&n| n as i64))
    }

    #[getter]
    fn n_loops<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        array(py, self.n_loops.iter().map(|&n| n as i64))
    }

    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        names(py, self.status.iter().map(|status| &**status))
    }

    /// Epsilon or C that nu of each binary classifier stands for; None for other formulations.
    #[getter]
    fn implied(&self) -> Vec<Option<f64>> {
        self.implied.clone()
    }

    #[getter]
    fn n_kernel_evals(&self) -> u64 {
        self.n_kernel_evals
    }

    /// Whether support vectors are sparse rows.
    #[getter]
    fn is_sparse(&self) -> bool {
        with_model!(&self.inner, model => matches!(model.rows(), PackedRows::Sparse(_)))
    }

    #[getter]
    fn rows_digest(&self) -> Option<u64> {
        self.rows_digest
    }

    /// Rows as an array, or as the parts of a CSR matrix.
    fn support_vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_model!(&self.inner, model => rows_to_python(py, model.rows().unpack()?))
    }

    fn decision_values<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = apply!(self, py, rows, threads, decision_values)?;
        self.table(
            py,
            values,
            with_model!(&self.inner, model => model.n_machines()),
        )
    }

    /// One score for each class; for two classes as `decision_values`.
    fn class_scores<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scores = apply!(self, py, rows, threads, class_scores)?;
        let k = with_model!(&self.inner, model => model.n_classes());
        self.table(py, scores, model::n_scores(k))
    }

    fn predict<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        threads: usize,
        break_ties: bool,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ties = if break_ties {
            model::Ties::LargestSum
        } else {
            model::Ties::LowestLabel
        };
        Ok(apply!(self, py, rows, threads, predict, ties)?.into_pyarray(py))
    }

    /// The certificate of each binary classifier, from the training samples in f64, their classes
    /// or targets and weights, and C of each binary classifier.
    #[allow(clippy::too_many_arguments)] // all that determines a problem
    fn certificates<'py>(
        &self,
        py: Python<'py>,
        solver: KernelSolver,
        rows: &Bound<'py, PyAny>,
        codes: PyReadonlyArray1<'py, u32>,
        weights: PyReadonlyArray1<'py, f64>,
        cs: Vec<f64>,
        targets: Option<PyReadonlyArray1<'py, f64>>,
        epsilon: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let no_optimum = || Error::Data("the method has no certificate".into());
        let objective = solver.objective(epsilon)?.ok_or_else(no_optimum)?;
        let rows = Rows::extract(rows)?;
        let view = rows.view()?;
        let problem = Certified {
            codes: slice(&codes)?,
            targets: targets.as_ref().map(slice).transpose()?,
            weights: slice(&weights)?,
            cs: &cs,
            objective,
        };
        let found = door::run(py, threads, |monitor| {
            let AnyMatrix::F64(matrix) = view.matrix()? else {
                return Err(Error::Data("certificates are computed in float64".into()));
            };
            match &self.inner {
                AnyModel::F64(model) => model.certificates(&matrix, &problem, monitor),
                AnyModel::F32(model) => {
                    let model = model.widen()?;
                    model.certificates(&matrix, &problem, monitor)
                }
            }
        })?;
        certificate_list(py, found.into_iter())
    }

    /// Everything that [`Model::from_state`] needs, as plain arrays, numbers and strings.
    fn state(&self, py: Python<'_>) -> PyResult<ModelState> {
        with_model!(&self.inner, model => {
            let (rows, n_cols) = match model.rows() {
                PackedRows::Columns { n_cols, .. } => (None, *n_cols),
                rows => (Some(rows_to_python(py, rows.unpack()?)?.unbind()), rows.n_cols()),
            };
            let (patterns, pattern_counts) = match model.patterns() {
                None => (None, None),
                Some(patterns) => {
                    let (signs, counts) = patterns.parts()?;
                    let signs = array(py, signs.into_iter().map(u8::from))?;
                    (Some(signs.unbind()), Some(counts.into_pyarray(py).unbind()))
                }
            };
            let n_support = model.n_support().into_iter().map(|n| n as u64);
            Ok(ModelState {
                version: VERSION,
                dtype: self.dtype().into(),
                kernel: Kernel::of(model.kernel()),
                multi_class: model.scheme().name().into(),
                rows,
                n_cols,
                support: array(py, model.support().iter().copied())?.unbind(),
                n_support: array(py, n_support)?.unbind(),
                dual_coef: array(py, model.dual_coef().iter().copied())?.unbind(),
                intercept: array(py, model.biases().iter().copied())?.unbind(),
                patterns,
                pattern_counts,
                n_iter: array(py, self.n_iter.iter().copied())?.unbind(),
                n_loops: array(py, self.n_loops.iter().copied())?.unbind(),
                status: self.status(py)?.unbind(),
                n_kernel_evals: self.n_kernel_evals,
            })
        })
    }

    #[staticmethod]
    fn from_state(py: Python<'_>, state: &ModelState) -> PyResult<Self> {
        let inner = state.restore(py)?;
        let n_machines = with_model!(&inner, model => model.n_machines());
        let n_iter = copied(py, &state.n_iter, "n_iter")?;
        let n_loops = copied(py, &state.n_loops, "n_loops")?;
        let status = status(py, &state.status)?;
        if [n_iter.len(), n_loops.len(), status.len()] != [n_machines; 3] {
            let message = "n_iter, n_loops, status and intercept differ in length";
            return Err(not_a_model(message).into());
        }
        Ok(Self {
            inner,
            n_iter,
            n_loops,
            status,
            n_kernel_evals: state.n_kernel_evals,
            implied: try_filled(n_machines, 1, "training statistics")?,
            rows_digest: None,
        })
    }
}

/// Numbers as an array.
fn array<T: Element>(
    py: Python<'_>,
    values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'_, PyArray1<T>>> {
    Ok(try_collect(values, "an array")?.into_pyarray(py))
}

/// What one entry of a list takes.
const ENTRY: usize = size_of::<usize>();

/// Words of which there are a few, many times each, as a list of as few objects.
pub fn names<'a, 'py>(
    py: Python<'py>,
    words: impl ExactSizeIterator<Item = &'a str>,
) -> PyResult<Bound<'py, PyList>> {
    // Python cannot say that there is no memory for it.
    checked_len::<u8>(words.len(), ENTRY, "a list")?;
    let mut known: Option<(&str, Bound<'py, PyString>)> = None;
    let objects = words.map(|word| match &known {
        Some((last, object)) if *last == word => object.clone(),
        _ => {
            let object = PyString::intern(py, word);
            known = Some((word, object.clone()));
            object
        }
    });
    PyList::new(py, objects)
}

impl Model {
    /// An array of rows of `width` numbers.
    fn table<'py>(
        &self,
        py: Python<'py>,
        values: Vec<f64>,
        width: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n_rows = values.len() / width;
        Ok(values.into_pyarray(py).reshape([n_rows, width])?.into_any())
    }
}
