//! LIBSVM text, piece by piece: Python opens, unpacks and writes the files.

use super::arrays::{AnyVec, Rows, rows_to_python, slice, with_matrix};
use super::door;
use crate::Error;
use crate::data::libsvm_text::{self, ReadOptions, Reader};
use crate::data::{Matrix, Real};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

#[pyclass(module = "hinge._core")]
pub struct LibsvmReader {
    reader: Option<AnyReader>,
}

enum AnyReader {
    F32(Reader<f32>),
    F64(Reader<f64>),
}

fn finished() -> PyErr {
    Error::Data("this reader has finished".into()).into()
}

#[pymethods]
impl LibsvmReader {
    #[new]
    fn new(single_precision: bool, zero_based: bool, n_features: Option<usize>) -> Self {
        let options = ReadOptions {
            zero_based,
            n_features,
        };
        let reader = if single_precision {
            AnyReader::F32(Reader::new(options))
        } else {
            AnyReader::F64(Reader::new(options))
        };
        Self {
            reader: Some(reader),
        }
    }

    fn feed(&mut self, py: Python<'_>, piece: &[u8]) -> PyResult<()> {
        let reader = self.reader.as_mut().ok_or_else(finished)?;
        door::run(py, 1, None, |_| match reader {
            AnyReader::F32(reader) => reader.feed(piece),
            AnyReader::F64(reader) => reader.feed(piece),
        })
    }

    fn lines(&self) -> u64 {
        match &self.reader {
            Some(AnyReader::F32(reader)) => reader.lines(),
            Some(AnyReader::F64(reader)) => reader.lines(),
            None => 0,
        }
    }

    /// `((indptr, indices, data, n_cols), labels)`.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.reader.take().ok_or_else(finished)? {
            AnyReader::F32(reader) => arrays(py, reader),
            AnyReader::F64(reader) => arrays(py, reader),
        }
    }
}

fn arrays<T: Real>(py: Python<'_>, reader: Reader<T>) -> PyResult<Bound<'_, PyTuple>>
where
    AnyVec: From<Vec<T>>,
{
    let (csr, labels) = door::run(py, 1, None, |_| reader.finish())?;
    let rows = rows_to_python(py, Matrix::Sparse(csr))?;
    (rows, labels.into_pyarray(py)).into_pyobject(py)
}

/// Rows as text.
#[pyfunction]
pub fn libsvm_lines<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    labels: PyReadonlyArray1<'py, f64>,
    zero_based: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = Rows::extract(rows)?;
    let view = rows.view()?;
    let labels = slice(&labels)?;
    let text = door::run(py, 1, None, |_| {
        let mut text = Vec::new();
        with_matrix!(&view.matrix()?, matrix => {
            libsvm_text::write(matrix, labels, 0..matrix.n_rows(), zero_based, &mut text)?;
        });
        Ok(text)
    })?;
    Ok(PyBytes::new(py, &text))
}
