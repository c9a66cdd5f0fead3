//! LIBSVM text, piece by piece: Python opens, unpacks and writes the files.

use super::arrays::{AnyVec, Rows, rows_to_python, slice, with_matrix};
use super::door;
use crate::data::libsvm_text::{self, ReadOptions, Reader};
use crate::data::{Csr, Matrix, Real};
use crate::{Error, Result};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

#[pyclass(module = "softmargin._core")]
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
        door::run(py, 1, |_| match reader {
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

    /// Rows read so far and not taken.
    fn n_rows(&self) -> usize {
        match &self.reader {
            Some(AnyReader::F32(reader)) => reader.n_rows(),
            Some(AnyReader::F64(reader)) => reader.n_rows(),
            None => 0,
        }
    }

    /// As `finish`, for the samples read so far; the reader can continue.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.reader.as_mut().ok_or_else(finished)? {
            AnyReader::F32(reader) => to_arrays(py, || reader.take()),
            AnyReader::F64(reader) => to_arrays(py, || reader.take()),
        }
    }

    /// `((indptr, indices, data, n_cols), labels)`.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self.reader.take().ok_or_else(finished)? {
            AnyReader::F32(reader) => to_arrays(py, || reader.finish()),
            AnyReader::F64(reader) => to_arrays(py, || reader.finish()),
        }
    }
}

fn to_arrays<T: Real>(
    py: Python<'_>,
    rows: impl FnOnce() -> Result<(Csr<'static, T>, Vec<f64>)> + Send,
) -> PyResult<Bound<'_, PyTuple>>
where
    AnyVec: From<Vec<T>>,
{
    let (csr, labels) = door::run(py, 1, |_| rows())?;
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
    let text = door::run(py, 1, |_| {
        let mut text = Vec::new();
        with_matrix!(&view.matrix()?, matrix => {
            libsvm_text::write(matrix, labels, 0..matrix.n_rows(), zero_based, &mut text)?;
        });
        Ok(text)
    })?;
    Ok(PyBytes::new(py, &text))
}
