//! The error type. Python maps each variant to one exception class.

use std::fmt::Display;

/// The result of every fallible function of the core.
pub type Result<T> = std::result::Result<T, Error>;

/// Messages name the argument, the value or its place, and the rule that it violates.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter outside its domain.
    #[error("{name} = {value} is not valid: {rule}")]
    Parameter {
        /// The name of the parameter in Python.
        name: &'static str,
        /// Its value.
        value: String,
        /// The rule that the value violates.
        rule: &'static str,
    },
    /// Arrays with inconsistent shapes.
    #[error("{0}")]
    Shape(String),
    /// An invalid value in the data.
    #[error("{0}")]
    Data(String),
    /// An invalid line of a text file.
    #[error("line {line}: {message}")]
    Text {
        /// Line number, counted from 1.
        line: u64,
        /// A description of the problem.
        message: String,
    },
    /// An allocation that failed or would exceed the memory limits of the process.
    #[error("cannot allocate {bytes} bytes for {what}")]
    Memory {
        /// The requested size.
        bytes: ByteCount,
        /// The purpose of the buffer.
        what: &'static str,
    },
    /// The computation was interrupted by the caller.
    #[error("interrupted")]
    Interrupted,
    /// A thread pool that could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// The requested number of threads.
        threads: usize,
        /// The reason given by the system.
        reason: String,
    },
    /// A bug in this library.
    #[error("internal error (please report it): {0}")]
    Internal(String),
}

/// A number of bytes; `None` if it overflows `usize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteCount(pub Option<usize>);

impl Display for ByteCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "{bytes}"),
            None => f.write_str("more than 2^64"),
        }
    }
}

/// Numbers with more characters are written with an exponent.
const LONG: usize = 24;

impl Error {
    /// An [`Error::Parameter`] with any value that can be displayed.
    pub fn parameter(name: &'static str, value: impl Display, rule: &'static str) -> Self {
        let mut value = value.to_string();
        if value.len() > LONG
            && let Ok(number) = value.parse::<f64>()
        {
            value = format!("{number:e}");
        }
        Error::Parameter { name, value, rule }
    }
}
