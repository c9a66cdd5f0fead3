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
use std::hash::{DefaultHasher, Hash, Hasher};

/// The kernel coefficient: a number, "scale" or "auto".
#[derive(FromPyObject, IntoPyObject)]
enum GammaRule {
    Value(f64),
    Rule(String),
}

/// A kernel with its parameters.
#[pyclass(module = "softmargin._core", frozen, eq, from_py_object)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    settings: KernelSettings,
}

#[pymethods]
impl Kernel {
    #[new]
    #[pyo3(signature = (kernel, gamma, degree, coef0))]
    fn new(kernel: &str, gamma: GammaRule, degree: i64, coef0: f64) -> PyResult<Self> {
        let gamma = match gamma {
            GammaRule::Value(gamma) => Gamma::Value(gamma),
            GammaRule::Rule(rule) if rule == "scale" => Gamma::Scale,
            GammaRule::Rule(rule) if rule == "auto" => Gamma::Auto,
            GammaRule::Rule(rule) => {
                let expected = "it must be a finite number, at least 0, or 'scale' or 'auto'";
                return Err(Error::parameter("gamma", format!("{rule:?}"), expected).into());
            }
        };
        let degree = u32::try_from(degree).map_err(|_| {
            let rule = "it must be a whole number from 0 to 4294967295";
            Error::parameter("degree", degree, rule)
        })?;
        let kind = KernelKind::parse(kernel)?;
        let settings = KernelSettings {
            kind,
            gamma,
            degree,
            coef0,
        };
        // The numbers are checked for a sample of zeros: those of X are not known yet.
        let zero = Matrix::Dense(Dense::new(Cow::Borrowed(&[0.0][..]), 1, 1)?);
        settings.check(&zero)?;
        Ok(Self { settings })
    }

    #[getter]
    fn kernel(&self) -> &'static str {
        self.settings.kind.name()
    }

    #[getter]
    fn gamma(&self) -> GammaRule {
        match self.settings.gamma {
            Gamma::Value(gamma) => GammaRule::Value(gamma),
            Gamma::Scale => GammaRule::Rule("scale".into()),
            Gamma::Auto => GammaRule::Rule("auto".into()),
        }
    }

    #[getter]
    fn degree(&self) -> u32 {
        self.settings.degree
    }

    #[getter]
    fn coef0(&self) -> f64 {
        self.settings.coef0
    }

    /// Equal kernels have equal hashes: 0.0 and -0.0 are equal.
    fn __hash__(&self) -> u64 {
        let KernelSettings {
            kind,
            gamma,
            degree,
            coef0,
        } = self.settings;
        let bits = |value: f64| (value + 0.0).to_bits();
        let gamma = match gamma {
            Gamma::Value(gamma) => (0u8, bits(gamma)),
            Gamma::Scale => (1, 0),
            Gamma::Auto => (2, 0),
        };
        let mut hasher = DefaultHasher::new();
        (kind.name(), gamma, degree, bits(coef0)).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.settings)
    }
}

impl Kernel {
    /// The parameters of a trained kernel.
    pub fn of(kernel: &crate::kernel::Kernel) -> Self {
        Self {
            settings: KernelSettings {
                kind: kernel.kind(),
                gamma: Gamma::Value(kernel.gamma()),
                degree: kernel.degree(),
                coef0: kernel.coef0(),
            },
        }
    }

    /// The parameters as the core takes them.
    pub fn settings(&self) -> KernelSettings {
        self.settings
    }
}

#[pyfunction]
pub fn kernel_matrix<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    kernel: &Kernel,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::extract(rows)?;
    let settings = kernel.settings();
    let view = rows.view()?;
    let (values, n) = door::run(py, threads, |monitor| {
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
        |_| with_matrix!(&view.matrix()?, matrix => Ok(matrix.digest())),
    )?;
    Ok(digest.value())
}

/// Return the vector instructions in use: "avx512", "avx2" or "baseline".
#[pyfunction]
pub fn simd_level() -> &'static str {
    simd::level().name()
}

/// Frees the memory that is kept for later fits, and returns its size in bytes.
#[pyfunction]
pub fn release_memory() -> usize {
    crate::memory::release_slabs()
}
