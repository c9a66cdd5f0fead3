//! A model's state on its way back from a file.

use super::arrays::{Rows, View, slice};
use crate::data::Matrix;
use crate::kernel::{Gamma, Kernel, KernelKind, KernelSettings, PackedRows};
use crate::memory::{try_collect, try_with_capacity};
use crate::model::Model;
use crate::multiclass::{Patterns, Scheme};
use crate::simd::Lanes;
use crate::solver::Status;
use crate::{Error, Result};
use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::borrow::Cow;

pub fn not_a_model(message: &str) -> Error {
    Error::Data(format!("this is not a model: {message}"))
}

fn bad_rows(error: PyErr) -> PyErr {
    not_a_model(&format!("rows: {error}")).into()
}

/// The rows of a state; what is none gets the error of the other fields.
pub fn restored_rows<'py>(rows: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
    Rows::extract(rows).map_err(bad_rows)
}

/// The memory of these rows.
pub fn restored_view<'a>(rows: &'a Rows<'_>) -> PyResult<View<'a>> {
    rows.view().map_err(bad_rows)
}

/// A model's state as it came back from a file: nothing in it is trusted.
pub struct State<'py> {
    pub dtype: String,
    settings: KernelSettings,
    scheme: Scheme,
    pub rows: Option<Bound<'py, PyAny>>,
    n_cols: usize,
    support: Vec<u32>,
    n_support: Vec<usize>,
    dual_coef: Vec<f64>,
    biases: Vec<f64>,
    /// Signs and counts, where there are some.
    patterns: Option<(Vec<bool>, Vec<f64>)>,
    pub n_iter: Vec<u64>,
    pub n_loops: Vec<u64>,
    pub status: Vec<Cow<'static, str>>,
    pub n_kernel_evals: u64,
}

/// A field of the state; a missing or ill-typed one is named in the error.
fn field<'py, F>(state: &Bound<'py, PyDict>, name: &str) -> PyResult<F>
where
    F: for<'a> FromPyObject<'a, 'py>,
{
    let value = state
        .get_item(name)?
        .ok_or_else(|| not_a_model(&format!("{name} is missing")))?;
    let wrong = |_| PyErr::from(not_a_model(&format!("{name} has the wrong type")));
    value.extract::<F>().map_err(wrong)
}

fn array<T: Element + Clone + 'static>(state: &Bound<'_, PyDict>, name: &str) -> PyResult<Vec<T>> {
    let values: PyReadonlyArray1<'_, T> = field(state, name)?;
    let wrong = |error| PyErr::from(not_a_model(&format!("{name}: {error}")));
    let values = slice(&values).map_err(wrong)?;
    Ok(try_collect(values.iter().cloned(), "a part of a model")?)
}

/// The patterns of a state, which is older than they are or has no use for them if they are
/// not there.
fn patterns(state: &Bound<'_, PyDict>) -> PyResult<Option<(Vec<bool>, Vec<f64>)>> {
    let is_there = |name: &str| {
        let value = state.get_item(name)?;
        Ok::<_, PyErr>(value.is_some_and(|value| !value.is_none()))
    };
    if !is_there("patterns")? && !is_there("pattern_counts")? {
        return Ok(None);
    }
    // Not as bool: the bytes of a numpy bool may be anything.
    let signs: Vec<u8> = array(state, "patterns")?;
    if let Some(sign) = signs.iter().find(|sign| **sign > 1) {
        return Err(not_a_model(&format!("patterns has {sign}, which is not 0 or 1")).into());
    }
    let signs = try_collect(signs.into_iter().map(|sign| sign == 1), "patterns of signs")?;
    Ok(Some((signs, array(state, "pattern_counts")?)))
}

/// How each machine ended: mostly one of few words, which are not copied.
fn status(state: &Bound<'_, PyDict>) -> PyResult<Vec<Cow<'static, str>>> {
    let words: Bound<'_, PyList> = field(state, "status")?;
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

impl<'py> State<'py> {
    pub fn extract(state: &Bound<'py, PyDict>) -> PyResult<Self> {
        let version: u32 = field(state, "version")?;
        if version != 1 {
            let message = format!("version {version} is newer than this package reads, 1");
            return Err(not_a_model(&message).into());
        }
        let n_support: Vec<u64> = array(state, "n_support")?;
        let rows: Bound<'py, PyAny> = field(state, "rows")?;
        Ok(Self {
            dtype: field(state, "dtype")?,
            settings: KernelSettings {
                kind: KernelKind::parse(&field::<String>(state, "kernel")?)?,
                gamma: Gamma::Value(field(state, "gamma")?),
                degree: field(state, "degree")?,
                coef0: field(state, "coef0")?,
            },
            scheme: Scheme::parse(&field::<String>(state, "multi_class")?)?,
            rows: (!rows.is_none()).then_some(rows),
            n_cols: field(state, "n_cols")?,
            support: array(state, "support")?,
            n_support: try_collect(n_support.into_iter().map(|n| n as usize), "classes")?,
            dual_coef: array(state, "dual_coef")?,
            biases: array(state, "intercept")?,
            patterns: patterns(state)?,
            n_iter: array(state, "n_iter")?,
            n_loops: array(state, "n_loops")?,
            status: status(state)?,
            n_kernel_evals: field(state, "n_kernel_evals")?,
        })
    }

    pub fn precomputed<T: Lanes>(&mut self) -> Result<Model<T>> {
        if self.settings.kind != KernelKind::Precomputed {
            return Err(not_a_model("rows are missing"));
        }
        let kernel = self.settings.check_numbers()?;
        let columns = try_collect(self.support.iter().copied(), "support vectors")?;
        let rows = PackedRows::columns(columns, self.n_cols)?;
        self.assemble(kernel, rows)
    }

    pub fn model<T: Lanes>(&mut self, matrix: &Matrix<'_, T>) -> Result<Model<T>> {
        if self.settings.kind == KernelKind::Precomputed {
            return Err(not_a_model("a precomputed kernel has no rows"));
        }
        let kernel = self.settings.check(matrix)?;
        let order = try_collect(0..matrix.n_rows() as u32, "the order of rows")?;
        self.assemble(kernel, PackedRows::new(matrix, &order)?)
    }

    /// The model; what it is made of is taken out of the state.
    fn assemble<T: Lanes>(&mut self, kernel: Kernel, rows: PackedRows<T>) -> Result<Model<T>> {
        let read = |(signs, counts): &(Vec<bool>, Vec<f64>)| {
            let patterns = Patterns::from_parts(self.n_support.len(), signs, counts);
            patterns.map_err(|error| not_a_model(&error.to_string()))
        };
        let patterns = self.patterns.as_ref().map(read).transpose()?;
        Model::from_parts(
            kernel,
            self.scheme,
            rows,
            std::mem::take(&mut self.support),
            &self.n_support,
            std::mem::take(&mut self.dual_coef),
            std::mem::take(&mut self.biases),
            patterns,
        )
    }
}
