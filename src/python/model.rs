//! A model as a Python object.

use super::arrays::{AnyMatrix, Rows, rows_to_python};
use super::door;
use super::state::{State, not_a_model, restored_rows, restored_view};
use crate::Error;
use crate::kernel::PackedRows;
use crate::memory::{checked_len, try_collect};
use crate::model;
use crate::monitor::Monitor;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use std::borrow::Cow;

#[pyclass(module = "softmargin._core", frozen)]
pub struct Model {
    pub inner: AnyModel,
    pub n_iter: Vec<u64>,
    pub n_loops: Vec<u64>,
    /// Names of [`Status`](crate::solver::Status), or what a file says.
    pub status: Vec<Cow<'static, str>>,
    pub n_kernel_evals: u64,
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
            false => door::run($py, $threads, None, work),
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

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let restore = py.get_type::<Self>().getattr("from_state")?;
        PyTuple::new(
            py,
            [
                restore,
                PyTuple::new(py, [slf.get().state(py)?])?.into_any(),
            ],
        )
    }

    /// Everything that [`Model::from_state`] needs, as plain arrays, numbers and strings.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        with_model!(&self.inner, model => {
            let kernel = model.kernel();
            state.set_item("version", 1)?;
            state.set_item("kernel", kernel.kind().name())?;
            state.set_item("gamma", kernel.gamma())?;
            state.set_item("degree", kernel.degree())?;
            state.set_item("coef0", kernel.coef0())?;
            state.set_item("multi_class", model.scheme().name())?;
            match model.rows() {
                PackedRows::Columns { n_cols, .. } => {
                    state.set_item("rows", py.None())?;
                    state.set_item("n_cols", n_cols)?;
                }
                rows => {
                    state.set_item("rows", rows_to_python(py, rows.unpack()?)?)?;
                    state.set_item("n_cols", rows.n_cols())?;
                }
            }
            let n_support = model.n_support().into_iter().map(|n| n as u64);
            state.set_item("support", array(py, model.support().iter().copied())?)?;
            state.set_item("n_support", array(py, n_support)?)?;
            state.set_item("dual_coef", array(py, model.dual_coef().iter().copied())?)?;
            state.set_item("intercept", array(py, model.biases().iter().copied())?)?;
            if let Some(patterns) = model.patterns() {
                let (signs, counts) = patterns.parts()?;
                state.set_item("patterns", array(py, signs.into_iter().map(u8::from))?)?;
                state.set_item("pattern_counts", counts.into_pyarray(py))?;
            }
        });
        state.set_item("dtype", self.dtype())?;
        state.set_item("n_iter", array(py, self.n_iter.iter().copied())?)?;
        state.set_item("n_loops", array(py, self.n_loops.iter().copied())?)?;
        state.set_item("status", self.status(py)?)?;
        state.set_item("n_kernel_evals", self.n_kernel_evals)?;
        Ok(state)
    }

    #[classmethod]
    fn from_state<'py>(_class: &Bound<'py, PyType>, state: &Bound<'py, PyDict>) -> PyResult<Self> {
        let mut state = State::extract(state)?;
        let inner = match (state.dtype.as_str(), &state.rows) {
            ("float32", None) => AnyModel::F32(state.precomputed()?),
            ("float64", None) => AnyModel::F64(state.precomputed()?),
            (dtype, Some(rows)) => match (dtype, restored_view(&restored_rows(rows)?)?.matrix()?) {
                ("float32", AnyMatrix::F32(matrix)) => AnyModel::F32(state.model(&matrix)?),
                ("float64", AnyMatrix::F64(matrix)) => AnyModel::F64(state.model(&matrix)?),
                _ => return Err(not_a_model("rows and dtype do not fit").into()),
            },
            _ => return Err(not_a_model("unknown dtype").into()),
        };
        let n_machines = with_model!(&inner, model => model.n_machines());
        let lengths = [state.n_iter.len(), state.n_loops.len(), state.status.len()];
        if lengths != [n_machines; 3] {
            let message = "n_iter, n_loops, status and intercept differ in length";
            return Err(not_a_model(message).into());
        }
        Ok(Self {
            inner,
            n_iter: state.n_iter,
            n_loops: state.n_loops,
            status: state.status,
            n_kernel_evals: state.n_kernel_evals,
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
