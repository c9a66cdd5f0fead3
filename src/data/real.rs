//! The floating-point types of samples and kernel values.

use std::fmt::{Debug, Display};
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// `f32` or `f64`. Samples keep the type that the caller chose.
pub trait Real:
    Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Send
    + 'static
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// Positive infinity: marks samples that must not be selected again.
    const INFINITY: Self;
    /// The largest finite value.
    const MAX: Self;
    /// The name of the numpy type.
    const NAME: &'static str;

    /// The nearest value of this type.
    fn from_f64(x: f64) -> Self;
    /// The value as f64, which is exact.
    fn to_f64(self) -> f64;
    /// Whether the value is neither NaN nor infinite.
    fn is_finite(self) -> bool;
}

macro_rules! real {
    ($t:ident, $name:literal) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const INFINITY: Self = $t::INFINITY;
            const MAX: Self = $t::MAX;
            const NAME: &'static str = $name;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
        }
    };
}

real!(f32, "float32");
real!(f64, "float64");
