//! What a computation may use.

use crate::Error;
use pyo3::prelude::*;
use std::time::Duration;

/// Threads, bytes of memory for kernel values, seconds, and a function that is called with the
/// number of steps while the computation runs.
#[pyclass(module = "softmargin._core", frozen)]
pub struct Limits {
    #[pyo3(get)]
    pub threads: usize,
    #[pyo3(get)]
    pub memory_bytes: usize,
    time_limit: Option<Duration>,
    #[pyo3(get)]
    pub progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (*, threads, memory_bytes = 0, time_limit = None, progress = None))]
    fn new(
        threads: usize,
        memory_bytes: usize,
        time_limit: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let rule = "it must be a positive number of seconds";
        let invalid = |seconds| Error::parameter("time_limit", seconds, rule);
        let limit = |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| invalid(seconds));
        Ok(Self {
            threads,
            memory_bytes,
            time_limit: time_limit.map(limit).transpose()?,
            progress,
        })
    }

    /// Seconds; `None` for no limit.
    #[getter]
    fn time_limit(&self) -> Option<f64> {
        self.time_limit.map(|limit| limit.as_secs_f64())
    }
}

impl Limits {
    /// A number of threads, and no other limit.
    pub fn threads(threads: usize) -> Self {
        Self {
            threads,
            memory_bytes: 0,
            time_limit: None,
            progress: None,
        }
    }

    /// The time limit; `None` for no limit.
    pub fn duration(&self) -> Option<Duration> {
        self.time_limit
    }
}
