//! Arrays from Python, checked, and borrowed where they can be.
//!
//! Rows come as a C-contiguous 2-D array, or as `(indptr, indices, data, n_cols)`
//! of a CSR matrix. Dense values are read in place while the interpreter is
//! detached: an array that another thread changes meanwhile gives other numbers,
//! never a wild access, since no index is taken from it.

use crate::data::{Csr, Dense, Matrix, Real};
use crate::{Error, Result};
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::borrow::Cow;

/// Arrays of rows, kept borrowed while their [`AnyMatrix`] is in use.
pub enum Rows<'py> {
    DenseF32(PyReadonlyArray2<'py, f32>),
    DenseF64(PyReadonlyArray2<'py, f64>),
    SparseF32(Sparse<'py, f32>),
    SparseF64(Sparse<'py, f64>),
}

pub struct Sparse<'py, T: Element> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: PyReadonlyArray1<'py, T>,
    n_cols: usize,
}

/// Rows of either type.
pub enum AnyMatrix<'a> {
    F32(Matrix<'a, f32>),
    F64(Matrix<'a, f64>),
}

/// Runs the same expression for either type of rows.
macro_rules! with_matrix {
    ($any:expr, $matrix:ident => $body:expr) => {
        match $any {
            $crate::python::arrays::AnyMatrix::F32($matrix) => $body,
            $crate::python::arrays::AnyMatrix::F64($matrix) => $body,
        }
    };
}
pub(crate) use with_matrix;

impl<'py> Rows<'py> {
    pub fn extract(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArray2<f64>>() {
            return Ok(Rows::DenseF64(array.try_readonly()?));
        }
        if let Ok(array) = object.cast::<PyArray2<f32>>() {
            return Ok(Rows::DenseF32(array.try_readonly()?));
        }
        let Ok(parts) = object.cast::<PyTuple>() else {
            return Err(PyTypeError::new_err(
                "rows must be a 2-D float32 or float64 array or the parts of a CSR matrix",
            ));
        };
        let (indptr, indices, data, n_cols) = parts.extract::<(
            Bound<'py, PyAny>,
            Bound<'py, PyAny>,
            Bound<'py, PyAny>,
            usize,
        )>()?;
        let offsets = unsigned(&indptr, "indptr")?;
        let indices = unsigned(&indices, "indices")?;
        if let Ok(values) = data.cast::<PyArray1<f64>>() {
            let values = values.try_readonly()?;
            return Ok(Rows::SparseF64(Sparse {
                offsets,
                indices,
                values,
                n_cols,
            }));
        }
        let values = data.cast::<PyArray1<f32>>()?.try_readonly()?;
        Ok(Rows::SparseF32(Sparse {
            offsets,
            indices,
            values,
            n_cols,
        }))
    }

    /// The rows, every value and index checked.
    pub fn matrix(&self) -> PyResult<AnyMatrix<'_>> {
        Ok(match self {
            Rows::DenseF32(array) => AnyMatrix::F32(dense(array)?),
            Rows::DenseF64(array) => AnyMatrix::F64(dense(array)?),
            Rows::SparseF32(parts) => AnyMatrix::F32(sparse(parts)?),
            Rows::SparseF64(parts) => AnyMatrix::F64(sparse(parts)?),
        })
    }
}

fn dense<'a, T: Real + Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<Matrix<'a, T>> {
    let [n_rows, n_cols] = [array.shape()[0], array.shape()[1]];
    let values = array
        .as_slice()
        .map_err(|_| PyTypeError::new_err("rows must be C-contiguous and aligned"))?;
    Ok(Matrix::Dense(Dense::new(
        Cow::Borrowed(values),
        n_rows,
        n_cols,
    )?))
}

fn sparse<'a, T: Real + Element>(parts: &'a Sparse<'_, T>) -> PyResult<Matrix<'a, T>> {
    let values = slice(&parts.values)?;
    Ok(Matrix::Sparse(Csr::new(
        parts.offsets.clone(),
        Cow::Borrowed(&parts.indices),
        Cow::Borrowed(values),
        parts.n_cols,
    )?))
}

/// A contiguous 1-D array as a slice.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array
        .as_slice()
        .map_err(|_| PyTypeError::new_err("arrays must be contiguous and aligned"))
}

/// Integers of either width as unsigned ones.
fn unsigned<U: TryFrom<i64>>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<U>> {
    if let Ok(array) = array.cast::<PyArray1<i32>>() {
        let array = array.try_readonly()?;
        return Ok(convert(slice(&array)?.iter().map(|&v| i64::from(v)), name)?);
    }
    let array = array.cast::<PyArray1<i64>>()?.try_readonly()?;
    Ok(convert(slice(&array)?.iter().copied(), name)?)
}

fn convert<U: TryFrom<i64>>(
    values: impl ExactSizeIterator<Item = i64>,
    name: &str,
) -> Result<Vec<U>> {
    let mut out = crate::error::reserve(values.len(), 1, "sparse indices")?;
    for value in values {
        let Ok(unsigned) = U::try_from(value) else {
            let message = format!("the {name} of sparse X contain {value}, outside 0 … 2^32 - 1");
            return Err(Error::Shape(message));
        };
        out.push(unsigned);
    }
    Ok(out)
}
