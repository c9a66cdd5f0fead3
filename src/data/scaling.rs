//! Scaling of features.
//!
//! - Min-max: `x' = (x - min) / (max - min)`; a constant feature keeps a width of 1, so it maps to
//!   0. Sparse: each feature is divided by its largest absolute value and zeros stay zeros; where
//!   the minimum of a feature is 0 this is the same scaling.
//! - Standard: `x' = (x - mean) / deviation`, as scikit-learn's `StandardScaler`; a constant
//!   feature is only shifted. Sparse features are not shifted, so that zeros stay zeros.

use super::{Csr, Dense, Matrix, Real};
use crate::memory::{try_with_capacity, try_zeros};
use crate::{Error, Result};
use std::borrow::Cow;

/// The map `x' = (x - shift) / width` of each feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Affine {
    shift: Vec<f64>,
    width: Vec<f64>,
}

impl Affine {
    /// No scaling of `d` features.
    pub fn identity(d: usize) -> Result<Self> {
        let shift = try_zeros(d, 1, "feature ranges")?;
        let mut width: Vec<f64> = try_zeros(d, 1, "feature ranges")?;
        width.fill(1.0);
        Ok(Self { shift, width })
    }

    /// Fits mean and standard deviation of each feature over the given rows.
    pub fn standard<T: Real>(
        rows: &Matrix<'_, T>,
        used: impl IntoIterator<Item = usize> + Clone,
    ) -> Result<Self> {
        let d = rows.n_cols();
        let what = "means of features";
        let (mut mean, mut variance): (Vec<f64>, Vec<f64>) =
            (try_zeros(d, 1, what)?, try_zeros(d, 1, what)?);
        let mut n_stored: Vec<f64> = try_zeros(d, 1, what)?;
        let mut n_used = 0.0;
        for i in used.clone() {
            n_used += 1.0;
            rows.visit_row(i, |j, value| {
                mean[j] += value;
                n_stored[j] += 1.0;
            });
        }
        if n_used == 0.0 {
            return Err(no_samples());
        }
        mean.iter_mut().for_each(|mean| *mean /= n_used);
        // The sum of the deviations, 0 but for rounding, corrects the rounding of the mean.
        let mut deviation: Vec<f64> = try_zeros(d, 1, what)?;
        for i in used {
            rows.visit_row(i, |j, value| {
                let difference = value - mean[j];
                variance[j] += difference * difference;
                deviation[j] += difference;
            });
        }
        for (j, variance) in variance.iter_mut().enumerate() {
            // Values that are not stored are 0.
            let n_zeros = n_used - n_stored[j];
            *variance += n_zeros * mean[j] * mean[j];
            let deviation = deviation[j] - n_zeros * mean[j];
            *variance = (*variance - deviation * deviation / n_used) / n_used;
            if !variance.is_finite() || !mean[j].is_finite() {
                return Err(Error::Data(format!(
                    "the values of feature {j} are too large to scale"
                )));
            }
            // A variance within its rounding error is that of a constant feature.
            let noise = n_used * f64::EPSILON * *variance
                + (n_used * mean[j] * f64::EPSILON) * (n_used * mean[j] * f64::EPSILON);
            let is_constant = *variance <= noise;
            *variance = if is_constant { 1.0 } else { variance.sqrt() };
        }
        if let Matrix::Sparse(_) = rows {
            mean.fill(0.0);
        }
        Ok(Self {
            shift: mean,
            width: variance,
        })
    }

    /// Fits the range of each feature over the given rows.
    pub fn min_max<T: Real>(
        rows: &Matrix<'_, T>,
        used: impl IntoIterator<Item = usize>,
    ) -> Result<Self> {
        let d = rows.n_cols();
        let (mut low, mut high) = (
            try_zeros(d, 1, "feature ranges")?,
            try_zeros(d, 1, "feature ranges")?,
        );
        if let Matrix::Dense(_) = rows {
            low.fill(f64::INFINITY);
            high.fill(f64::NEG_INFINITY);
        }
        let mut n_used = 0usize;
        for i in used {
            n_used += 1;
            match rows {
                Matrix::Dense(m) => {
                    for (j, v) in m.row(i).iter().enumerate() {
                        low[j] = low[j].min(v.to_f64());
                        high[j] = high[j].max(v.to_f64());
                    }
                }
                Matrix::Sparse(m) => {
                    let (columns, values) = m.row(i);
                    for (&j, v) in columns.iter().zip(values) {
                        let high = &mut high[j as usize];
                        *high = high.max(v.to_f64().abs());
                    }
                }
            }
        }
        if n_used == 0 {
            return Err(no_samples());
        }
        // The width replaces the maximum.
        for (j, (high, low)) in high.iter_mut().zip(&low).enumerate() {
            *high = width(*low, *high).ok_or_else(|| {
                Error::Data(format!(
                    "the range of feature {j}, {low:e} to {high:e}, is too wide to scale"
                ))
            })?;
        }
        Ok(Self {
            width: high,
            shift: low,
        })
    }

    /// From a shift and a width of each feature.
    pub fn from_parts(shift: Vec<f64>, width: Vec<f64>) -> Result<Self> {
        let usable = |w: &f64| w.is_finite() && *w > 0.0;
        if shift.len() != width.len()
            || !shift.iter().all(|s| s.is_finite())
            || !width.iter().all(usable)
        {
            let message =
                "a scaling must have a finite shift and a positive width for each feature";
            return Err(Error::Data(message.into()));
        }
        Ok(Self { shift, width })
    }

    /// The subtracted minimum of each feature.
    pub fn shift(&self) -> &[f64] {
        &self.shift
    }

    /// The width that each feature is divided by.
    pub fn width(&self) -> &[f64] {
        &self.width
    }

    /// Scales rows. Values outside of the fitted range are mapped to values outside of [0, 1].
    pub fn apply<T: Real>(&self, rows: &Matrix<'_, T>) -> Result<Matrix<'static, T>> {
        self.apply_as(rows)
    }

    /// Scales rows and converts them to another type.
    pub fn apply_as<T: Real, U: Real>(&self, rows: &Matrix<'_, T>) -> Result<Matrix<'static, U>> {
        rows.check_n_cols(self.shift.len())?;
        let scale = |v: T, j: usize| U::from_f64((v.to_f64() - self.shift[j]) / self.width[j]);
        Ok(match rows {
            Matrix::Dense(m) => {
                let mut values = try_with_capacity(m.n_rows(), m.n_cols(), "scaled rows")?;
                for i in 0..m.n_rows() {
                    values.extend(m.row(i).iter().enumerate().map(|(j, &v)| scale(v, j)));
                }
                Matrix::Dense(Dense::new(Cow::Owned(values), m.n_rows(), m.n_cols())?)
            }
            Matrix::Sparse(m) => {
                if let Some(j) = self.shift.iter().position(|&s| s != 0.0) {
                    return Err(Error::Data(format!(
                        "the scaler was fitted on dense rows with minimum {} in feature {j}; \
                         sparse rows would lose their zeros",
                        self.shift[j]
                    )));
                }
                let mut values = try_with_capacity(m.values().len(), 1, "scaled rows")?;
                let stored = m.values().iter().zip(m.indices());
                values.extend(stored.map(|(&v, &j)| scale(v, j as usize)));
                Matrix::Sparse(Csr::new(
                    m.offsets().to_vec(),
                    Cow::Owned(m.indices().to_vec()),
                    Cow::Owned(values),
                    m.n_cols(),
                )?)
            }
        })
    }
}

fn no_samples() -> Error {
    Error::Data("at least one sample is required to fit the scaling".into())
}

/// `high - low`; 1 for a constant feature; `None` if the difference overflows.
fn width(low: f64, high: f64) -> Option<f64> {
    let width = high - low;
    match width {
        _ if !width.is_finite() => None,
        _ if width > 0.0 => Some(width),
        _ => Some(1.0),
    }
}
