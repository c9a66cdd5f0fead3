//! Kernel parameters, and the kernel matrix as an array.

use super::arrays::{Rows, with_matrix};
use super::door;
use crate::data::Matrix;
use crate::kernel::{Gamma, Gram, KernelKind, KernelSettings, PackedRows};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use crate::{Error, Result};
use numpy::{Element, IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;

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
            Error::parameter("degree", self.2, "it must be a whole number, at least 0")
        })?;
        Ok(KernelSettings {
            kind: KernelKind::parse(&self.0)?,
            gamma,
            degree,
            coef0: self.3,
        })
    }
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
    with_matrix!(rows.matrix()?, matrix => matrix_of(py, &matrix, settings, threads))
}

fn matrix_of<'py, T: Lanes + Element>(
    py: Python<'py>,
    matrix: &Matrix<'_, T>,
    settings: KernelSettings,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let n = matrix.n_rows();
    let compute = |monitor: &Monitor| {
        let kernel = settings.check(matrix)?;
        let order: Vec<u32> = (0..n as u32).collect();
        let gram = match (kernel.kind(), matrix) {
            (KernelKind::Precomputed, Matrix::Dense(dense)) => Gram::precomputed(dense, &order)?,
            (KernelKind::Precomputed, Matrix::Sparse(_)) => {
                let message = "a precomputed kernel matrix must be dense, but X is sparse";
                return Err(Error::Data(message.into()));
            }
            _ => Gram::new(&PackedRows::new(matrix, &order)?, &kernel, monitor)?,
        };
        Ok(gram.into_values())
    };
    let values = door::run(py, threads, None, compute)?;
    Ok(values.into_pyarray(py).reshape([n, n])?.into_any())
}

#[pyfunction]
pub fn simd_level() -> &'static str {
    simd::level().name()
}
