//! The domains of hyperparameters that several methods share.
//!
//! Every kernel method accepts the same C: at least [`SMALLEST_C`], so that `1 / C` is finite.
//! Values above [`LARGEST_C`], infinity included, are replaced by it, so that sums and
//! products of bounds stay finite. OLLAWV, whose coefficients are multiples of C, rejects them.
//! Linear methods compute squares of C, and their range is that of the square roots.

use crate::{Error, Result};

/// The smallest regularization parameter of a kernel method.
pub const SMALLEST_C: f64 = 1.0 / LARGEST_C;

/// The largest regularization parameter of a kernel method.
pub const LARGEST_C: f64 = 1e300;

/// Checks one C of a kernel method, and replaces values above [`LARGEST_C`].
pub fn check_c(c: f64) -> Result<f64> {
    let rule = "it must be a positive number, at least 1e-300";
    check_regularization("C", c, LARGEST_C, rule)
}

/// Checks a regularization parameter: rejects values below `1 / largest`, and replaces values
/// above `largest` by it.
pub fn check_regularization(
    name: &'static str,
    value: f64,
    largest: f64,
    rule: &'static str,
) -> Result<f64> {
    if value.is_nan() || value < 1.0 / largest {
        return Err(Error::parameter(name, value, rule));
    }
    Ok(value.min(largest))
}

/// Checks the values of C of a path, as [`check_c`] does.
pub fn check_cs(cs: &mut [f64]) -> Result<()> {
    if cs.is_empty() {
        return Err(Error::parameter("C", "[]", "at least one value is needed"));
    }
    cs.iter_mut().try_for_each(|c| {
        *c = check_c(*c)?;
        Ok(())
    })
}

/// Rejects a value that is not positive and finite, such as a tolerance of 0.
pub fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let rule = "it must be a finite positive number";
    Err(Error::parameter(name, value, rule))
}

/// Rejects a limit of 0 iterations.
pub fn check_max_iter(max_iter: Option<usize>) -> Result<()> {
    if max_iter == Some(0) {
        let rule = "it must be positive, or -1 for no limit";
        return Err(Error::parameter("max_iter", 0, rule));
    }
    Ok(())
}

/// Rejects a number that is not above 0 and at most 1.
pub fn check_fraction(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    let rule = "it must be greater than 0 and at most 1";
    Err(Error::parameter(name, value, rule))
}
