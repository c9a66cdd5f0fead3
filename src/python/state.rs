//! The state of a model as a frozen Python value: what files and pickles hold.

use super::arrays::{AnyMatrix, Rows, borrowed, slice};
use super::kernels::Kernel;
use super::model::AnyModel;
use crate::data::Matrix;
use crate::kernel::{KernelKind, PackedRows};
use crate::memory::{try_collect, try_with_capacity};
use crate::model::Model;
use crate::multiclass::{Patterns, Scheme};
use crate::simd::Lanes;
use crate::solver::Status;
use crate::{Error, Result};
use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::borrow::Cow;

/// The version of the format.
pub const VERSION: u32 = 1;

pub fn not_a_model(message: &str) -> Error {
    Error::Data(format!("this is not a model: {message}"))
}

/// The parts of a model. Nothing in it is trusted: [`ModelState::restore`] checks every value.
#[pyclass(module = "softmargin._core", frozen, get_all)]
pub struct ModelState {
    pub version: u32,
    /// "float32" or "float64".
    pub dtype: String,
    pub kernel: Kernel,
    pub multi_class: String,
    /// Support vectors; `None` for a precomputed kernel.
    pub rows: Option<Py<PyAny>>,
    pub n_cols: usize,
    pub support: Py<PyArray1<u32>>,
    pub n_support: Py<PyArray1<u64>>,
    pub dual_coef: Py<PyArray1<f64>>,
    pub intercept: Py<PyArray1<f64>>,
    /// Patterns of signs and the counts of the labels of each, for ordinal classes.
    pub patterns: Option<Py<PyArray1<u8>>>,
    pub pattern_counts: Option<Py<PyArray1<f64>>>,
    pub n_iter: Py<PyArray1<u64>>,
    pub n_loops: Py<PyArray1<u64>>,
    pub status: Py<PyList>,
    pub n_kernel_evals: u64,
}

#[pymethods]
impl ModelState {
    #[new]
    #[pyo3(signature = (
        *, version, dtype, kernel, multi_class, rows, n_cols, support, n_support, dual_coef,
        intercept, patterns, pattern_counts, n_iter, n_loops, status, n_kernel_evals
    ))]
    #[allow(clippy::too_many_arguments)] // named in Python
    fn new(
        version: u32,
        dtype: String,
        kernel: Kernel,
        multi_class: String,
        rows: Option<Py<PyAny>>,
        n_cols: usize,
        support: Py<PyArray1<u32>>,
        n_support: Py<PyArray1<u64>>,
        dual_coef: Py<PyArray1<f64>>,
        intercept: Py<PyArray1<f64>>,
        patterns: Option<Py<PyArray1<u8>>>,
        pattern_counts: Option<Py<PyArray1<f64>>>,
        n_iter: Py<PyArray1<u64>>,
        n_loops: Py<PyArray1<u64>>,
        status: Py<PyList>,
        n_kernel_evals: u64,
    ) -> PyResult<Self> {
        if version != VERSION {
            let message = format!("version {version} is newer than this package reads, {VERSION}");
            return Err(not_a_model(&message).into());
        }
        Scheme::parse(&multi_class)?;
        if patterns.is_some() != pattern_counts.is_some() {
            return Err(not_a_model("patterns and pattern_counts belong together").into());
        }
        Ok(Self {
            version,
            dtype,
            kernel,
            multi_class,
            rows,
            n_cols,
            support,
            n_support,
            dual_coef,
            intercept,
            patterns,
            pattern_counts,
            n_iter,
            n_loops,
            status,
            n_kernel_evals,
        })
    }
}

/// Copies an array of the state.
pub fn copied<T: Element + Clone>(
    py: Python<'_>,
    array: &Py<PyArray1<T>>,
    name: &str,
) -> PyResult<Vec<T>> {
    let wrong = |error: PyErr| PyErr::from(not_a_model(&format!("{name}: {error}")));
    let array = borrowed(py, array)?;
    let values = slice(&array).map_err(wrong)?;
    Ok(try_collect(values.iter().cloned(), "a part of a model")?)
}

/// How the training of each binary classifier ended: mostly one of a few words, which are not
/// copied.
pub fn status(py: Python<'_>, words: &Py<PyList>) -> PyResult<Vec<Cow<'static, str>>> {
    let words = words.bind(py);
    let wrong = |_| PyErr::from(not_a_model("status has the wrong type"));
    let mut found = try_with_capacity(words.len(), 1, "a part of a model")?;
    for word in words.iter() {
        let word: Cow<'_, str> = word.extract().map_err(wrong)?;
        let mut known = Status::ALL.map(Status::name).into_iter();
        found.push(match known.find(|name| *name == word) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(word.into_owned()),
        });
    }
    Ok(found)
}

impl ModelState {
    /// The model of this state.
    pub fn restore(&self, py: Python<'_>) -> PyResult<AnyModel> {
        let mut parts = Parts::copy(self, py)?;
        let Some(rows) = &self.rows else {
            return match &*self.dtype {
                "float32" => Ok(AnyModel::F32(parts.precomputed()?)),
                "float64" => Ok(AnyModel::F64(parts.precomputed()?)),
                _ => Err(not_a_model("unknown dtype").into()),
            };
        };
        let wrong = |error| PyErr::from(not_a_model(&format!("rows: {error}")));
        let rows = Rows::extract(rows.bind(py)).map_err(wrong)?;
        match (&*self.dtype, rows.view().map_err(wrong)?.matrix()?) {
            ("float32", AnyMatrix::F32(matrix)) => Ok(AnyModel::F32(parts.model(&matrix)?)),
            ("float64", AnyMatrix::F64(matrix)) => Ok(AnyModel::F64(parts.model(&matrix)?)),
            _ => Err(not_a_model("rows and dtype do not match").into()),
        }
    }
}

/// The parts of a model in memory of our own.
struct Parts {
    kernel: Kernel,
    scheme: Scheme,
    n_cols: usize,
    support: Vec<u32>,
    n_support: Vec<usize>,
    dual_coef: Vec<f64>,
    biases: Vec<f64>,
    patterns: Option<Patterns>,
}

impl Parts {
    fn copy(state: &ModelState, py: Python<'_>) -> PyResult<Self> {
        let counts = copied(py, &state.n_support, "n_support")?;
        let n_support = try_collect(counts.into_iter().map(|n| n as usize), "classes")?;
        Ok(Self {
            kernel: state.kernel,
            scheme: Scheme::parse(&state.multi_class)?,
            n_cols: state.n_cols,
            support: copied(py, &state.support, "support")?,
            dual_coef: copied(py, &state.dual_coef, "dual_coef")?,
            biases: copied(py, &state.intercept, "intercept")?,
            patterns: patterns(state, n_support.len(), py)?,
            n_support,
        })
    }

    fn precomputed<T: Lanes>(&mut self) -> Result<Model<T>> {
        if self.kernel.settings().kind != KernelKind::Precomputed {
            return Err(not_a_model("rows are missing"));
        }
        let columns = try_collect(self.support.iter().copied(), "support vectors")?;
        let rows = PackedRows::columns(columns, self.n_cols)?;
        self.assemble(self.kernel.settings().check_numbers()?, rows)
    }

    fn model<T: Lanes>(&mut self, matrix: &Matrix<'_, T>) -> Result<Model<T>> {
        if self.kernel.settings().kind == KernelKind::Precomputed {
            return Err(not_a_model("a precomputed kernel has no rows"));
        }
        let kernel = self.kernel.settings().check(matrix)?;
        let order = try_collect(0..matrix.n_rows() as u32, "the order of rows")?;
        self.assemble(kernel, PackedRows::new(matrix, &order)?)
    }

    fn assemble<T: Lanes>(
        &mut self,
        kernel: crate::kernel::Kernel,
        rows: PackedRows<T>,
    ) -> Result<Model<T>> {
        Model::from_parts(
            kernel,
            self.scheme,
            rows,
            std::mem::take(&mut self.support),
            &self.n_support,
            std::mem::take(&mut self.dual_coef),
            std::mem::take(&mut self.biases),
            self.patterns.take(),
        )
    }
}

/// The patterns of a state; `None` if it has none.
fn patterns(state: &ModelState, n_classes: usize, py: Python<'_>) -> PyResult<Option<Patterns>> {
    let (Some(signs), Some(counts)) = (&state.patterns, &state.pattern_counts) else {
        return Ok(None);
    };
    // Not as bool: the bytes of a numpy bool may be anything.
    let signs = copied(py, signs, "patterns")?;
    if let Some(sign) = signs.iter().find(|sign| **sign > 1) {
        return Err(not_a_model(&format!("patterns contains {sign}, which is not 0 or 1")).into());
    }
    let signs = try_collect(signs.into_iter().map(|sign| sign == 1), "patterns of signs")?;
    let counts = copied(py, counts, "pattern_counts")?;
    let patterns = Patterns::from_parts(n_classes, &signs, &counts);
    Ok(Some(
        patterns.map_err(|error| not_a_model(&error.to_string()))?,
    ))
}
