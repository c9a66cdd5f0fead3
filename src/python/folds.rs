//! Fold labels as arrays.

use super::arrays::slice;
use super::door;
use crate::data::{self, Labels};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

type FoldArray<'py> = Bound<'py, PyArray1<u32>>;

#[pyfunction]
pub fn fold_labels<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    n_classes: usize,
    n_folds: usize,
    seed: u64,
) -> PyResult<FoldArray<'py>> {
    let codes = slice(&codes)?;
    let folds = door::run(py, 1, |_| {
        data::fold_labels(&Labels::of_strata(codes, n_classes)?, n_folds, seed)
    })?;
    Ok(folds.into_pyarray(py))
}

#[pyfunction]
pub fn nested_fold_labels<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    n_classes: usize,
    n_outer: usize,
    n_inner: usize,
    seed: u64,
) -> PyResult<(FoldArray<'py>, Vec<FoldArray<'py>>)> {
    let codes = slice(&codes)?;
    let (outer, inner) = door::run(py, 1, |_| {
        data::nested_fold_labels(
            &Labels::of_strata(codes, n_classes)?,
            n_outer,
            n_inner,
            seed,
        )
    })?;
    let inner = inner.into_iter().map(|folds| folds.into_pyarray(py));
    Ok((outer.into_pyarray(py), inner.collect()))
}
