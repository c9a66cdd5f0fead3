//! Training data as a frozen Python value.

use super::arrays::{Rows, borrowed, slice};
use crate::memory::{account_small, try_with_capacity};
use crate::multiclass::Scheme;
use crate::solver::Start;
use crate::{Error, Result};
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Samples, their classes or targets and weights, the decomposition into binary problems, and the starting
/// points of these. The arrays are borrowed from Python while they are in use.
#[pyclass(module = "softmargin._core", frozen, get_all)]
pub struct TrainingData {
    rows: Py<PyAny>,
    codes: Py<PyArray1<u32>>,
    class_weights: Py<PyArray1<f64>>,
    sample_weights: Option<Py<PyArray1<f64>>>,
    targets: Option<Py<PyArray1<f64>>>,
    multi_class: String,
    starts: Option<Py<PyList>>,
}

#[pymethods]
impl TrainingData {
    #[new]
    #[pyo3(signature = (rows, codes, class_weights, *, multi_class, sample_weights = None, targets = None, starts = None))]
    fn new(
        rows: Py<PyAny>,
        codes: &Bound<'_, PyArray1<u32>>,
        class_weights: Py<PyArray1<f64>>,
        multi_class: String,
        sample_weights: Option<&Bound<'_, PyArray1<f64>>>,
        targets: Option<Py<PyArray1<f64>>>,
        starts: Option<Py<PyList>>,
    ) -> PyResult<Self> {
        Scheme::parse(&multi_class)?;
        check_lengths(codes.len(), sample_weights.map(|weights| weights.len()))?;
        Ok(Self {
            rows,
            codes: codes.clone().unbind(),
            class_weights,
            sample_weights: sample_weights.map(|weights| weights.clone().unbind()),
            targets,
            multi_class,
            starts,
        })
    }
}

/// Rejects sample weights that are not one for each sample.
pub fn check_lengths(n_samples: usize, n_weights: Option<usize>) -> Result<()> {
    match n_weights.filter(|&n_weights| n_weights != n_samples) {
        None => Ok(()),
        Some(n_weights) => Err(Error::Shape(format!(
            "there are {n_weights} sample weights for {n_samples} samples"
        ))),
    }
}

/// The arrays of [`TrainingData`], borrowed.
pub struct Borrowed<'py> {
    pub rows: Rows<'py>,
    pub codes: PyReadonlyArray1<'py, u32>,
    pub class_weights: PyReadonlyArray1<'py, f64>,
    pub sample_weights: Option<PyReadonlyArray1<'py, f64>>,
    pub targets: Option<PyReadonlyArray1<'py, f64>>,
    pub scheme: Scheme,
}

impl TrainingData {
    /// Borrows all arrays.
    pub fn borrow<'py>(&self, py: Python<'py>) -> PyResult<Borrowed<'py>> {
        let borrow = |array| borrowed(py, array);
        Ok(Borrowed {
            rows: Rows::extract(self.rows.bind(py))?,
            codes: borrowed(py, &self.codes)?,
            class_weights: borrow(&self.class_weights)?,
            sample_weights: self.sample_weights.as_ref().map(borrow).transpose()?,
            targets: self.targets.as_ref().map(borrow).transpose()?,
            scheme: Scheme::parse(&self.multi_class)?,
        })
    }

    /// The starting point of each binary problem; empty to start from zero.
    pub fn starts(&self, py: Python<'_>) -> PyResult<Vec<Start>> {
        starts(py, self.starts.as_ref())
    }
}

/// Starting points from a list of indices and coefficients.
pub fn starts(py: Python<'_>, given: Option<&Py<PyList>>) -> PyResult<Vec<Start>> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    let (given, what) = (given.bind(py), "starting points");
    let mut found = try_with_capacity(given.len(), 1, what)?;
    for start in given {
        let (rows, coefficients): StartArg<'_> = start.extract()?;
        let rows = slice(&rows)?.iter().copied();
        account_small(size_of::<(u32, f64)>() * rows.len(), what)?;
        found.push(match coefficients {
            None => Start::Rows(rows.collect()),
            Some(coefficients) => {
                Start::Terms(rows.zip(slice(&coefficients)?.iter().copied()).collect())
            }
        });
    }
    Ok(found)
}

/// Indices of samples, and their coefficients if those are known.
type StartArg<'py> = (
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f64>>,
);
