//! Kernel functions (Nguyen and Ho 2005, table 1): linear `x.z`; RBF `exp(-gamma |x-z|^2)`;
//! polynomial `(gamma x.z + coef0)^degree`; sigmoid `tanh(gamma x.z + coef0)`; precomputed,
//! where the values of X are kernel values.

use crate::data::{Matrix, Real};
use crate::simd::{self, Lanes, Product};
use crate::{Error, Result};

/// The kinds of kernels.
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

    /// Parses the name that scikit-learn uses.
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

    /// The product of two samples that the kernel is a function of. (Precomputed kernels have
    /// no products; their "dot products" are looked up.)
    pub fn product(self) -> Product {
        match self {
            KernelKind::Rbf => Product::SquaredDistance,
            KernelKind::Linear
            | KernelKind::Polynomial
            | KernelKind::Sigmoid
            | KernelKind::Precomputed => Product::Dot,
        }
    }
}

/// The kernel coefficient gamma, or a rule for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// A number.
    Value(f64),
    /// 1 / (number of features * variance of all values); 1 if all values are equal.
    Scale,
    /// 1 / number of features.
    Auto,
}

impl Gamma {
    /// The value of gamma for these training samples.
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

/// The variance of all values, including the zeros of sparse rows. Two passes avoid cancellation.
/// Exactly 0 if all values are equal, although their mean is rounded.
fn variance<T: Real>(rows: &Matrix<'_, T>) -> f64 {
    let count = rows.n_rows() as f64 * rows.n_cols() as f64;
    let values = rows.values();
    let zeros = count - values.len() as f64;
    let first = if zeros > 0.0 {
        T::ZERO
    } else {
        values.first().copied().unwrap_or(T::ZERO)
    };
    if values.iter().all(|&value| value == first) {
        return 0.0;
    }
    let mean = values.iter().map(|v| v.to_f64()).sum::<f64>() / count;
    let spread = values.iter().map(|v| (v.to_f64() - mean).powi(2));
    (spread.sum::<f64>() + zeros * mean * mean) / count
}

/// Kernel parameters as given by the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelSettings {
    /// The kind of kernel.
    pub kind: KernelKind,
    /// The coefficient of RBF, polynomial and sigmoid kernels.
    pub gamma: Gamma,
    /// The degree of polynomial kernels.
    pub degree: u32,
    /// The constant of polynomial and sigmoid kernels.
    pub coef0: f64,
}

impl Default for KernelSettings {
    /// The defaults of scikit-learn's `SVC`.
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
    /// Checks the parameters, resolves gamma for these training samples, and checks that no
    /// kernel value of them overflows `T`.
    pub fn check<T: Real>(self, rows: &Matrix<'_, T>) -> Result<Kernel> {
        self.check_within(rows, Extent::of(rows))
    }

    /// As [`KernelSettings::check`], with the extent of the samples computed in advance.
    pub fn check_within<T: Real>(self, rows: &Matrix<'_, T>, extent: Extent) -> Result<Kernel> {
        let gamma = Gamma::Value(self.gamma.resolve(rows));
        let kernel = Self { gamma, ..self }.check_numbers()?;
        kernel.check_range::<T>(extent)?;
        Ok(kernel)
    }

    /// Checks the parameters only; gamma must be a number.
    pub fn check_numbers(self) -> Result<Kernel> {
        let Gamma::Value(gamma) = self.gamma else {
            return Err(Error::parameter(
                "gamma",
                format!("{:?}", self.gamma),
                "it must be a number if there are no training samples",
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

/// The magnitude of the values of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The largest absolute value.
    pub largest: f64,
    /// The largest squared norm of a sample.
    pub square: f64,
}

impl Extent {
    /// The extent of a precomputed kernel matrix, of which only the largest value matters.
    pub fn of_values(largest: f64) -> Self {
        let square = 0.0;
        Self { largest, square }
    }

    /// Computes the extent in a pass over all values.
    pub fn of<T: Real>(rows: &Matrix<'_, T>) -> Self {
        Self {
            largest: rows.max_abs(),
            square: rows.max_square(),
        }
    }
}

/// A kernel function with checked parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    kind: KernelKind,
    gamma: f64,
    degree: u32,
    coef0: f64,
}

/// A rounding error of distances, relative to the width of the kernel, like those of f32.
const HARMLESS: f64 = 1e-6;

impl Kernel {
    /// The kind of kernel.
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// The kernel coefficient gamma.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether rounding errors of samples, of at most this norm, change kernel values by no more
    /// than computing them in f32 does.
    pub fn tolerates(&self, rounding: f64) -> bool {
        // Dot products change in proportion to their terms, as in f32.
        self.product() == Product::Dot || rounding * self.gamma().sqrt() <= HARMLESS
    }

    /// The degree of polynomial kernels.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The constant of polynomial and sigmoid kernels.
    pub fn coef0(&self) -> f64 {
        self.coef0
    }

    /// The product of two samples that the kernel is a function of.
    pub fn product(&self) -> Product {
        self.kind.product()
    }

    /// Replaces products by kernel values.
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

    /// Writes the kernel values of `products` to `out`.
    pub fn finish_into<T: Lanes>(&self, products: &[T], out: &mut [T]) {
        if self.kind == KernelKind::Rbf {
            return simd::exp_scaled_into(products, rbf_scale(self.gamma), out);
        }
        out.copy_from_slice(products);
        self.finish(out);
    }

    /// Fails if products or kernel values of samples of this extent could overflow `T`.
    pub fn check_range<T: Real>(&self, extent: Extent) -> Result<()> {
        let Extent { largest, square } = extent;
        let product = match self.product() {
            Product::Dot => square,
            Product::SquaredDistance => 4.0 * square,
        };
        let value = match self.kind {
            KernelKind::Precomputed => largest,
            KernelKind::Linear | KernelKind::Rbf | KernelKind::Sigmoid => product,
            KernelKind::Polynomial => {
                let base = self.gamma * product + self.coef0.abs();
                base.powf(f64::from(self.degree)).max(product)
            }
        };
        // Sums over up to 2^32 samples must stay finite, too.
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

/// `-gamma` in the type of the samples, clamped to finite values, so that its product with 0
/// is 0.
pub(super) fn rbf_scale<T: Real>(gamma: f64) -> T {
    T::from_f64(-gamma.min(T::MAX.to_f64()))
}
