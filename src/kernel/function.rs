//! The kernel functions (002, table 1): linear `x.z`; RBF `exp(-gamma |x-z|^2)`;
//! polynomial `(gamma x.z + coef0)^degree`; sigmoid `tanh(gamma x.z + coef0)`;
//! precomputed, where the rows are kernel values already.

use crate::data::{Matrix, Real};
use crate::simd::{self, Lanes, Product};
use crate::{Error, Result};

/// Which function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum KernelKind {
    Linear,
    Rbf,
    Polynomial,
    Sigmoid,
    Precomputed,
}

impl KernelKind {
    const NAMES: [(KernelKind, &'static str); 5] = [
        (KernelKind::Linear, "linear"),
        (KernelKind::Rbf, "rbf"),
        (KernelKind::Polynomial, "poly"),
        (KernelKind::Sigmoid, "sigmoid"),
        (KernelKind::Precomputed, "precomputed"),
    ];

    /// From the name that scikit-learn uses.
    pub fn parse(name: &str) -> Result<Self> {
        let known = Self::NAMES.iter().find(|(_, known)| *known == name);
        known.map(|(kind, _)| *kind).ok_or_else(|| {
            Error::parameter(
                "kernel",
                format!("{name:?}"),
                "it must be 'linear', 'rbf', 'poly', 'sigmoid' or 'precomputed'",
            )
        })
    }

    /// The name that scikit-learn uses.
    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }
}

/// The width parameter, or the rule that gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// This number.
    Value(f64),
    /// 1 / (number of features * variance of all values); 1 where nothing varies.
    Scale,
    /// 1 / number of features.
    Auto,
}

impl Gamma {
    /// The number for these rows.
    pub fn resolve<T: Real>(self, rows: &Matrix<'_, T>) -> f64 {
        let d = rows.n_cols().max(1) as f64;
        match self {
            Gamma::Value(gamma) => gamma,
            Gamma::Auto => 1.0 / d,
            Gamma::Scale => {
                let gamma = 1.0 / (d * variance(rows));
                if gamma.is_finite() { gamma } else { 1.0 }
            }
        }
    }
}

/// Of all values, zeros of sparse rows included. Two passes: no cancellation.
fn variance<T: Real>(rows: &Matrix<'_, T>) -> f64 {
    let count = rows.n_rows() as f64 * rows.n_cols() as f64;
    let values = rows.values();
    let zeros = count - values.len() as f64;
    let mean = values.iter().map(|v| v.to_f64()).sum::<f64>() / count;
    let spread = values.iter().map(|v| (v.to_f64() - mean).powi(2));
    (spread.sum::<f64>() + zeros * mean * mean) / count
}

/// Parameters as they come from the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSettings {
    /// Which function.
    pub kind: KernelKind,
    /// Of all but linear and precomputed.
    pub gamma: Gamma,
    /// Of the polynomial.
    pub degree: u32,
    /// Of the polynomial and the sigmoid.
    pub coef0: f64,
}

impl Default for KernelSettings {
    /// As scikit-learn's `SVC`.
    fn default() -> Self {
        Self {
            kind: KernelKind::Rbf,
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
        }
    }
}

impl KernelSettings {
    /// The function for these rows: every number finite and inside its domain,
    /// and no kernel value of the rows beyond what `T` holds.
    pub fn check<T: Real>(self, rows: &Matrix<'_, T>) -> Result<Kernel> {
        self.check_within(rows, Extent::of(rows))
    }

    /// As [`KernelSettings::check`], with the extent of the rows, which serves many kernels.
    pub fn check_within<T: Real>(self, rows: &Matrix<'_, T>, extent: Extent) -> Result<Kernel> {
        let gamma = Gamma::Value(self.gamma.resolve(rows));
        let kernel = Self { gamma, ..self }.check_numbers()?;
        kernel.check_range::<T>(extent)?;
        Ok(kernel)
    }

    /// As [`KernelSettings::check`], where gamma is a number and there are no rows to check.
    pub fn check_numbers(self) -> Result<Kernel> {
        let Gamma::Value(gamma) = self.gamma else {
            return Err(Error::parameter(
                "gamma",
                format!("{:?}", self.gamma),
                "without rows it must be a number",
            ));
        };
        if !(gamma >= 0.0 && gamma.is_finite()) {
            return Err(Error::parameter(
                "gamma",
                gamma,
                "it must be a finite number, at least 0, or 'scale' or 'auto'",
            ));
        }
        if !self.coef0.is_finite() {
            return Err(Error::parameter(
                "coef0",
                self.coef0,
                "it must be a finite number",
            ));
        }
        Ok(Kernel {
            kind: self.kind,
            gamma,
            degree: self.degree,
            coef0: self.coef0,
        })
    }
}

/// How far rows reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The largest absolute value.
    pub largest: f64,
    /// The largest squared length of a row.
    pub square: f64,
}

impl Extent {
    /// Of values of which only the largest counts, as those of a kernel matrix.
    pub fn of_values(largest: f64) -> Self {
        let square = 0.0;
        Self { largest, square }
    }

    /// Goes through all values.
    pub fn of<T: Real>(rows: &Matrix<'_, T>) -> Self {
        Self {
            largest: rows.max_abs(),
            square: rows.max_square(),
        }
    }
}

/// A kernel function whose parameters were checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    kind: KernelKind,
    gamma: f64,
    degree: u32,
    coef0: f64,
}

impl Kernel {
    /// Which function.
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// The width parameter as a number.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The degree of the polynomial.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The constant of the polynomial and the sigmoid.
    pub fn coef0(&self) -> f64 {
        self.coef0
    }

    /// The sum over features that the function is made of.
    pub fn product(&self) -> Product {
        match self.kind {
            KernelKind::Rbf => Product::SquaredDistance,
            _ => Product::Dot,
        }
    }

    /// Turns products into kernel values.
    pub fn finish<T: Lanes>(&self, products: &mut [T]) {
        match self.kind {
            KernelKind::Linear | KernelKind::Precomputed => {}
            KernelKind::Rbf => simd::exp_scaled(products, rbf_scale(self.gamma)),
            KernelKind::Polynomial => {
                let degree = self.degree.min(i32::MAX as u32) as i32;
                for v in products {
                    let base = self.gamma * v.to_f64() + self.coef0;
                    *v = T::from_f64(base.powi(degree));
                }
            }
            KernelKind::Sigmoid => {
                for v in products {
                    *v = T::from_f64((self.gamma * v.to_f64() + self.coef0).tanh());
                }
            }
        }
    }

    /// As [`Kernel::finish`], from products that are kept.
    pub fn finish_into<T: Lanes>(&self, products: &[T], out: &mut [T]) {
        if self.kind == KernelKind::Rbf {
            return simd::exp_scaled_into(products, rbf_scale(self.gamma), out);
        }
        out.copy_from_slice(products);
        self.finish(out);
    }

    /// Refuses rows so large that products or kernel values leave the range of `T`.
    pub fn check_range<T: Real>(&self, extent: Extent) -> Result<()> {
        let Extent {
            largest,
            square: product,
        } = extent;
        let value = match self.kind {
            KernelKind::Precomputed => largest,
            KernelKind::Linear | KernelKind::Sigmoid => product,
            KernelKind::Rbf => 4.0 * product,
            KernelKind::Polynomial => {
                let base = self.gamma * product + self.coef0.abs();
                base.powf(f64::from(self.degree)).max(product)
            }
        };
        // Sums over rows stay finite, too: no more than 2^32 of them.
        if value < T::MAX.to_f64() / f64::from(u32::MAX) {
            return Ok(());
        }
        Err(Error::Data(format!(
            "X has values up to {largest:e}, which overflows the {} kernel in {}; scale the features",
            self.kind.name(),
            T::NAME
        )))
    }
}

/// `-gamma` in the type of the rows, and finite there: 0 times it must be 0.
pub(super) fn rbf_scale<T: Real>(gamma: f64) -> T {
    T::from_f64(-gamma.min(T::MAX.to_f64()))
}
