//! Min-max scaling of arrays.

use super::arrays::{AnyMatrix, Rows, rows_to_python, slice, with_matrix};
use super::door;
use crate::data::Affine;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

type Floats<'py> = Bound<'py, PyArray1<f64>>;

#[pyfunction]
pub fn minmax_fit<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let rows = Rows::extract(rows)?;
    let view = rows.view()?;
    let scaling = door::run(
        py,
        1,
        |_| with_matrix!(&view.matrix()?, matrix => Affine::min_max(matrix, 0..matrix.n_rows())),
    )?;
    let array = |values: &[f64]| values.to_vec().into_pyarray(py);
    Ok((array(scaling.shift()), array(scaling.width())))
}

/// The scaled rows, in the form in which they came.
#[pyfunction]
pub fn minmax_apply<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    shift: PyReadonlyArray1<'py, f64>,
    width: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::extract(rows)?;
    let view = rows.view()?;
    let (shift, width) = (slice(&shift)?, slice(&width)?);
    let scaled = door::run(py, 1, |_| {
        let scaling = Affine::from_parts(shift.to_vec(), width.to_vec())?;
        with_matrix!(&view.matrix()?, matrix => Ok(AnyMatrix::from(scaling.apply(matrix)?)))
    })?;
    with_matrix!(scaled, matrix => rows_to_python(py, matrix))
}
