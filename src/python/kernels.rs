//! Kernel parameters, and the kernel matrix as an array.

use super::arrays::{AnyVec, Rows, with_matrix};
use super::door;
use crate::data::{Dense, Matrix};
use crate::kernel::{Gamma, Gram, KernelKind, KernelSettings, PackedRows};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use crate::{Error, Result};
use pyo3::prelude::*;
use std::borrow::Cow;

/// `(name, gamma, degree, coef0)`; gamma is a number, "scale" or "auto".
#[derive(FromPyObject)]
pub struct KernelArgs(String, GammaArg, i64, f64);

#[derive(FromPyObject)]
enum GammaArg {
    Value(f64),
    Rule(String),
}

impl KernelArgs {
    pub fn settings(&self) -> Result<KernelSettings> {
        let gamma = match &self.1 {
            GammaArg::Value(gamma) => Gamma::Value(*gamma),
            GammaArg::Rule(rule) if rule == "scale" => Gamma::Scale,
            GammaArg::Rule(rule) if rule == "auto" => Gamma::Auto,
            GammaArg::Rule(rule) => {
                return Err(Error::parameter(
                    "gamma",
                    format!("{rule:?}"),
                    "it must be a finite number, at least 0, or 'scale' or 'auto'",
                ));
            }
        };
        let degree = u32::try_from(self.2).map_err(|_| {
            let rule = "it must be a whole number from 0 to 4294967295";
            Error::parameter("degree", self.2, rule)
        })?;
        Ok(KernelSettings {
            kind: KernelKind::parse(&self.0)?,
            gamma,
            degree,
            coef0: self.3,
        })
    }
}

/// Refuses parameters that are those of no kernel, whatever the rows.
#[pyfunction]
pub fn check_kernel(kernel: KernelArgs) -> PyResult<()> {
    let row = Matrix::Dense(Dense::new(Cow::Borrowed(&[0.0][..]), 1, 1)?);
    kernel.settings()?.check(&row)?;
    Ok(())
}

#[pyfunction]
pub fn kernel_matrix<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    kernel: KernelArgs,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::extract(rows)?;
    let settings = kernel.settings()?;
    let view = rows.view()?;
    let (values, n) = door::run(py, threads, None, |monitor| {
        let rows = match settings.kind {
            KernelKind::Precomputed => view.matrix()?,
            _ => view.snapshot()?,
        };
        with_matrix!(&rows, matrix => {
            let values = matrix_of(matrix, settings, monitor)?;
            Ok((AnyVec::from(values), matrix.n_rows()))
        })
    })?;
    values.into_table(py, n, n)
}

fn matrix_of<T: Lanes>(
    matrix: &Matrix<'_, T>,
    settings: KernelSettings,
    monitor: &Monitor,
) -> Result<Vec<T>> {
    monitor.check()?;
    let kernel = settings.check(matrix)?;
    monitor.check()?;
    let order: Vec<u32> = (0..matrix.n_rows() as u32).collect();
    let gram = match kernel.kind() {
        KernelKind::Precomputed => Gram::precomputed(matrix, &order)?,
        _ => Gram::new(&PackedRows::new(matrix, &order)?, &kernel, monitor)?,
    };
    Ok(gram.into_values())
}

/// A number that tells rows from others: that of the rows of a training is kept by its models.
#[pyfunction]
pub fn rows_digest(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<u64> {
    let rows = Rows::extract(rows)?;
    let view = rows.view()?;
    let digest = door::run(
        py,
        1,
        None,
        |_| with_matrix!(&view.matrix()?, matrix => Ok(matrix.digest())),
    )?;
    Ok(digest.value())
}

/// Return the vector instructions in use: "avx512", "avx2" or "baseline".
#[pyfunction]
pub fn simd_level() -> &'static str {
    simd::level().name()
}
