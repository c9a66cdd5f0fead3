//! The values of a path as Python passes them.

use crate::{Error, Result};
use pyo3::prelude::*;

/// A value of a path: C, lambda, the margin or nu; or C with epsilon or nu.
#[derive(Debug, Clone, Copy, PartialEq, FromPyObject)]
pub enum PathValue {
    /// A single number.
    One(f64),
    /// C, and epsilon or nu.
    Two(f64, f64),
}

const TAKES_PAIRS: &str = "the path takes pairs of numbers";

/// Checks the settings of a method with a path that every method accepts.
pub fn check_settings<M>(method: impl Fn(&[PathValue]) -> Result<M>) -> Result<()> {
    match method(&[PathValue::One(1.0)]) {
        Err(Error::Data(message)) if message == TAKES_PAIRS => {
            method(&[PathValue::Two(1.0, 1.0)]).map(drop)
        }
        result => result.map(drop),
    }
}

/// The values of a path of single numbers.
pub fn numbers(path: &[PathValue]) -> Result<Vec<f64>> {
    let number = |value: &PathValue| match *value {
        PathValue::One(number) => Ok(number),
        PathValue::Two(..) => Err(Error::Data("the path takes numbers, not pairs".into())),
    };
    path.iter().map(number).collect()
}

/// Both values of a path of pairs.
pub fn pairs(path: &[PathValue]) -> Result<(Vec<f64>, Vec<f64>)> {
    let pair = |value: &PathValue| match *value {
        PathValue::One(_) => Err(Error::Data(TAKES_PAIRS.into())),
        PathValue::Two(one, other) => Ok((one, other)),
    };
    path.iter().map(pair).collect()
}
