//! Arrays from Python: validated, and borrowed where possible.
//!
//! Samples are passed as a C-contiguous 2-D array, or as `(indptr, indices, data, n_cols)` of a
//! CSR matrix. Values are read while the interpreter is detached, and another thread may change
//! them meanwhile. No index is computed from them, so that no access is out of bounds. Training
//! on a [`View::snapshot`] uses exactly the numbers that were validated; a [`View::matrix`] is
//! read in place, and its numbers may change.

use crate::data::{Csr, Dense, Matrix, Real};
use crate::memory::try_with_capacity;
use crate::{Error, Result};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
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

impl<'a> From<Matrix<'a, f32>> for AnyMatrix<'a> {
    fn from(matrix: Matrix<'a, f32>) -> Self {
        AnyMatrix::F32(matrix)
    }
}

impl<'a> From<Matrix<'a, f64>> for AnyMatrix<'a> {
    fn from(matrix: Matrix<'a, f64>) -> Self {
        AnyMatrix::F64(matrix)
    }
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

    /// The memory of the arrays, for threads that have no interpreter.
    pub fn view(&self) -> PyResult<View<'_>> {
        Ok(match self {
            Rows::DenseF32(array) => View::DenseF32(table(array)?),
            Rows::DenseF64(array) => View::DenseF64(table(array)?),
            Rows::SparseF32(parts) => View::SparseF32(parts.view()?),
            Rows::SparseF64(parts) => View::SparseF64(parts.view()?),
        })
    }
}

/// Values, number of rows and number of columns.
type Table<'a, T> = (&'a [T], usize, usize);

/// Memory of arrays, not checked yet.
pub enum View<'a> {
    DenseF32(Table<'a, f32>),
    DenseF64(Table<'a, f64>),
    SparseF32(SparseView<'a, f32>),
    SparseF64(SparseView<'a, f64>),
}

pub struct SparseView<'a, T> {
    offsets: &'a [usize],
    indices: &'a [u32],
    values: &'a [T],
    n_cols: usize,
}

impl<'a> View<'a> {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            View::DenseF32(table) => table.1,
            View::DenseF64(table) => table.1,
            View::SparseF32(parts) => parts.offsets.len().saturating_sub(1),
            View::SparseF64(parts) => parts.offsets.len().saturating_sub(1),
        }
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        match self {
            View::DenseF32(table) => table.2,
            View::DenseF64(table) => table.2,
            View::SparseF32(parts) => parts.n_cols,
            View::SparseF64(parts) => parts.n_cols,
        }
    }

    /// The samples, with every value and index validated.
    pub fn matrix(&self) -> Result<AnyMatrix<'a>> {
        Ok(match self {
            View::DenseF32(table) => AnyMatrix::F32(dense(table)?),
            View::DenseF64(table) => AnyMatrix::F64(dense(table)?),
            View::SparseF32(parts) => AnyMatrix::F32(sparse(parts)?),
            View::SparseF64(parts) => AnyMatrix::F64(sparse(parts)?),
        })
    }

    /// A validated copy of the samples, which nobody else can change.
    pub fn snapshot(&self) -> Result<AnyMatrix<'a>> {
        Ok(match self {
            View::DenseF32(table) => AnyMatrix::F32(dense_copy(table)?),
            View::DenseF64(table) => AnyMatrix::F64(dense_copy(table)?),
            View::SparseF32(parts) => AnyMatrix::F32(sparse_copy(parts)?),
            View::SparseF64(parts) => AnyMatrix::F64(sparse_copy(parts)?),
        })
    }
}

impl<T: Element> Sparse<'_, T> {
    fn view(&self) -> PyResult<SparseView<'_, T>> {
        Ok(SparseView {
            offsets: &self.offsets,
            indices: &self.indices,
            values: slice(&self.values)?,
            n_cols: self.n_cols,
        })
    }
}

fn table<'a, T: Element>(array: &'a PyReadonlyArray2<'_, T>) -> PyResult<Table<'a, T>> {
    let invalid = || PyTypeError::new_err("rows must be C-contiguous and aligned");
    if !array.is_c_contiguous() {
        return Err(invalid());
    }
    let values = array.as_slice().map_err(|_| invalid())?;
    Ok((values, array.shape()[0], array.shape()[1]))
}

fn dense<'a, T: Real>(&(values, n_rows, n_cols): &Table<'a, T>) -> Result<Matrix<'a, T>> {
    let dense = Dense::new(Cow::Borrowed(values), n_rows, n_cols)?;
    Ok(Matrix::Dense(dense))
}

fn sparse<'a, T: Real>(parts: &SparseView<'a, T>) -> Result<Matrix<'a, T>> {
    let csr = Csr::canonical(
        parts.offsets.to_vec(),
        Cow::Borrowed(parts.indices),
        Cow::Borrowed(parts.values),
        parts.n_cols,
    )?;
    Ok(Matrix::Sparse(csr))
}

fn dense_copy<T: Real>(&(values, n_rows, n_cols): &Table<'_, T>) -> Result<Matrix<'static, T>> {
    let values = Cow::Owned(copy(values)?);
    Ok(Matrix::Dense(Dense::new(values, n_rows, n_cols)?))
}

/// The indices are our own already.
fn sparse_copy<'a, T: Real>(parts: &SparseView<'a, T>) -> Result<Matrix<'a, T>> {
    let csr = Csr::canonical(
        parts.offsets.to_vec(),
        Cow::Borrowed(parts.indices),
        Cow::Owned(copy(parts.values)?),
        parts.n_cols,
    )?;
    Ok(Matrix::Sparse(csr))
}

fn copy<T: Real>(values: &[T]) -> Result<Vec<T>> {
    let mut own = try_with_capacity(values.len(), 1, "a copy of the rows")?;
    own.extend_from_slice(values);
    Ok(own)
}

/// Borrows an array that a Python value holds.
pub fn borrowed<'py, T: Element>(
    py: Python<'py>,
    array: &Py<PyArray1<T>>,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    Ok(array.bind(py).try_readonly()?)
}

/// A contiguous 1-D array as a slice.
pub fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array
        .as_slice()
        .map_err(|_| PyTypeError::new_err("arrays must be contiguous and aligned"))
}

/// Values of either type on their way to Python.
pub enum AnyVec {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl From<Vec<f32>> for AnyVec {
    fn from(values: Vec<f32>) -> Self {
        AnyVec::F32(values)
    }
}

impl From<Vec<f64>> for AnyVec {
    fn from(values: Vec<f64>) -> Self {
        AnyVec::F64(values)
    }
}

impl AnyVec {
    /// As a 1-D array.
    pub fn into_array(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            AnyVec::F32(values) => values.into_pyarray(py).into_any(),
            AnyVec::F64(values) => values.into_pyarray(py).into_any(),
        }
    }

    /// As a 2-D array.
    pub fn into_table(
        self,
        py: Python<'_>,
        n_rows: usize,
        n_cols: usize,
    ) -> PyResult<Bound<'_, PyAny>> {
        let shape = [n_rows, n_cols];
        Ok(match self {
            AnyVec::F32(values) => values.into_pyarray(py).reshape(shape)?.into_any(),
            AnyVec::F64(values) => values.into_pyarray(py).reshape(shape)?.into_any(),
        })
    }
}

/// Rows as Python takes them: an array, or `(indptr, indices, data, n_cols)`.
pub fn rows_to_python<'py, T: Real>(
    py: Python<'py>,
    rows: Matrix<'static, T>,
) -> PyResult<Bound<'py, PyAny>>
where
    AnyVec: From<Vec<T>>,
{
    match rows {
        Matrix::Dense(dense) => {
            let (n_rows, n_cols) = (dense.n_rows(), dense.n_cols());
            AnyVec::from(dense.into_values()).into_table(py, n_rows, n_cols)
        }
        Matrix::Sparse(csr) => {
            let n_cols = csr.n_cols();
            let mut offsets: Vec<i64> = try_with_capacity(csr.offsets().len(), 1, "sparse rows")?;
            offsets.extend(csr.offsets().iter().map(|&v| v as i64));
            let mut indices: Vec<i32> = try_with_capacity(csr.indices().len(), 1, "sparse rows")?;
            indices.extend(csr.indices().iter().map(|&v| v as i32));
            let parts = (
                offsets.into_pyarray(py),
                indices.into_pyarray(py),
                AnyVec::from(csr.into_values()).into_array(py),
                n_cols,
            );
            Ok(parts.into_pyobject(py)?.into_any())
        }
    }
}

/// Integers of either width as unsigned ones.
fn unsigned<U: TryFrom<i64>>(array: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<U>> {
    if let Ok(array) = array.cast::<PyArray1<i32>>() {
        let array = array.try_readonly()?;
        return Ok(convert(slice(&array)?, name)?);
    }
    let array = array.cast::<PyArray1<i64>>()?.try_readonly()?;
    Ok(convert(slice(&array)?, name)?)
}

fn convert<I, U>(values: &[I], name: &str) -> Result<Vec<U>>
where
    I: Copy + Into<i64>,
    U: TryFrom<i64>,
{
    let mut out = try_with_capacity(values.len(), 1, "sparse indices")?;
    // Ends at the first that does not fit.
    out.extend(
        values
            .iter()
            .map_while(|&value| U::try_from(value.into()).ok()),
    );
    match values.get(out.len()) {
        None => Ok(out),
        Some(&value) => Err(Error::Shape(format!(
            "the {name} of sparse X contain {}, outside 0 … 2^32 - 1",
            value.into()
        ))),
    }
}
