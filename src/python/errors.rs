//! The one table from errors of the core to exceptions.

use crate::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyRuntimeError, PyValueError};

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Parameter { .. } | Error::Shape(_) | Error::Data(_) | Error::Text { .. } => {
                PyValueError::new_err(message)
            }
            Error::Memory { .. } => PyMemoryError::new_err(message),
            Error::Interrupted => PyKeyboardInterrupt::new_err(()),
            Error::Threads { .. } | Error::Internal(_) => PyRuntimeError::new_err(message),
        }
    }
}
