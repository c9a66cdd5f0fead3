//! Min-max scaling of arrays.

use super::arrays::{AnyMatrix, Rows, slice, with_matrix};
use super::door;
use crate::data::{Matrix, MinMax};
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

type Floats<'py> = Bound<'py, PyArray1<f64>>;

#[pyfunction]
pub fn minmax_fit<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
) -> PyResult<(Floats<'py>, Floats<'py>)> {
    let rows = Rows::extract(rows)?;
    let any = rows.matrix()?;
    let scaling = door::run(
        py,
        1,
        None,
        |_| with_matrix!(&any, matrix => MinMax::fit(matrix, 0..matrix.n_rows())),
    )?;
    let array = |values: &[f64]| values.to_vec().into_pyarray(py);
    Ok((array(scaling.shift()), array(scaling.width())))
}

/// Dense rows come back as an array, sparse ones as the array of their stored values.
#[pyfunction]
pub fn minmax_apply<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    shift: PyReadonlyArray1<'py, f64>,
    width: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::extract(rows)?;
    let scaling = MinMax::from_parts(slice(&shift)?.to_vec(), slice(&width)?.to_vec())?;
    match rows.matrix()? {
        AnyMatrix::F32(matrix) => scaled(py, &matrix, &scaling),
        AnyMatrix::F64(matrix) => scaled(py, &matrix, &scaling),
    }
}

fn scaled<'py, T: crate::data::Real + Element>(
    py: Python<'py>,
    matrix: &Matrix<'_, T>,
    scaling: &MinMax,
) -> PyResult<Bound<'py, PyAny>> {
    let scaled = door::run(py, 1, None, |_| scaling.apply(matrix))?;
    Ok(match scaled {
        Matrix::Dense(dense) => {
            let shape = [dense.n_rows(), dense.n_cols()];
            dense
                .into_values()
                .into_pyarray(py)
                .reshape(shape)?
                .into_any()
        }
        Matrix::Sparse(csr) => csr.values().to_vec().into_pyarray(py).into_any(),
    })
}
