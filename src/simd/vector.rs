//! Vector types: thin wrappers around those of the CPU.

use crate::data::Real;

/// The vector types of a floating-point type, one per level.
pub trait Lanes: Real {
    /// 512 bits.
    type V512: Vector<Self>;
    /// 256 bits.
    type V256: Vector<Self>;
    /// An array that the compiler maps to the registers of the baseline.
    type Base: Vector<Self>;

    /// Constants of the exponential function.
    const EXP: Exp<Self>;
}

/// `exp(x) = 2^n exp(r)` with `n = round(x / ln 2)`, `r = x - n ln 2` and a Taylor polynomial in `r`.
#[derive(Debug, Clone, Copy)]
pub struct Exp<T: 'static> {
    /// Below this the result is 0.
    pub low: T,
    /// Above this the result is constant.
    pub high: T,
    /// 1.5 * 2^(mantissa bits): adding and subtracting it rounds to an integer.
    pub round: T,
    /// 1 / ln 2.
    pub log2_e: T,
    /// ln 2 with its last bits cleared, and the remainder.
    pub ln_2: (T, T),
    /// 1/k!, from the highest power to the constant.
    pub taylor: &'static [T],
}

/// Number of lanes of the widest vector: the size of buffers for the remainders of slices.
pub const WIDEST: usize = 16;

/// Operations on all lanes.
///
/// # Safety
/// Every method needs the instruction set of its type, and must therefore be inlined into a
/// function that enables it. Pointers must be valid for `LEN` elements.
#[allow(clippy::missing_safety_doc)] // one contract for all methods, above
pub trait Vector<T>: Copy {
    /// Number of lanes.
    const LEN: usize;
    /// Number of vectors per row of a product tile that fit the registers.
    const TILE: usize;
    /// The vector of f64 of the same level.
    type Wide: Vector<f64>;

    unsafe fn splat(x: T) -> Self;
    unsafe fn load(from: *const T) -> Self;
    unsafe fn store(self, to: *mut T);
    /// Loads `n <= LEN` elements and pads with `pad`; the pointer must be valid for `n` elements.
    #[inline(always)]
    unsafe fn load_part(from: *const T, n: usize, pad: T) -> Self
    where
        T: Copy,
    {
        let mut buffer = [pad; WIDEST];
        // SAFETY: the buffer is as long as the widest vector.
        unsafe {
            for (i, lane) in buffer[..n].iter_mut().enumerate() {
                *lane = *from.add(i);
            }
            Self::load(buffer.as_ptr())
        }
    }
    /// Stores the first `n <= LEN` elements; the pointer must be valid for `n` elements.
    #[inline(always)]
    unsafe fn store_part(self, to: *mut T, n: usize)
    where
        T: Copy + Default,
    {
        let mut buffer = [T::default(); WIDEST];
        // SAFETY: the buffer is as long as the widest vector.
        unsafe {
            self.store(buffer.as_mut_ptr());
            for (i, lane) in buffer[..n].iter().enumerate() {
                *to.add(i) = *lane;
            }
        }
    }
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn mul(self, b: Self) -> Self;
    unsafe fn div(self, b: Self) -> Self;
    /// `self * b + c`, fused if the level supports it.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    unsafe fn min(self, b: Self) -> Self;
    unsafe fn max(self, b: Self) -> Self;
    /// A bit mask of the lanes that are equal to those of `b`; the first lane is the lowest bit.
    unsafe fn equal(self, b: Self) -> u32;
    /// `self` where `a > b`, else `other`.
    unsafe fn where_greater(self, a: Self, b: Self, other: Self) -> Self;
    /// 2 to the power of integers, all of which are exponents of normal numbers.
    unsafe fn pow2(self) -> Self;
    /// `self` where `x >= low`, else 0.
    unsafe fn zero_below(self, x: Self, low: Self) -> Self;
    /// Loads as many elements as a vector of f64 has lanes.
    unsafe fn load_wide(from: *const T) -> Self::Wide;
    /// Rounds the lanes of a vector of f64 and stores them.
    unsafe fn store_narrow(wide: Self::Wide, to: *mut T);
    /// The lanes of both vectors in turn: those of the lower halves, and those of the upper halves.
    unsafe fn interleave(self, b: Self) -> (Self, Self);
}

/// Baseline vectors: loops over an array, vectorized by the compiler.
#[derive(Clone, Copy)]
pub struct Array<T, const N: usize>([T; N]);

macro_rules! array_vector {
    ($t:ident, $n:literal, $tile:literal, $int:ident, $bias:literal, $digits:literal) => {
        impl Array<$t, $n> {
            #[inline(always)]
            fn zip(self, b: Self, f: impl Fn($t, $t) -> $t) -> Self {
                Self(std::array::from_fn(|i| f(self.0[i], b.0[i])))
            }
        }

        impl Vector<$t> for Array<$t, $n> {
            const LEN: usize = $n;
            const TILE: usize = $tile;
            type Wide = Array<f64, 2>;

            #[inline(always)]
            unsafe fn splat(x: $t) -> Self {
                Self([x; $n])
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: the caller's pointer is valid for LEN elements.
                Self(unsafe { from.cast::<[$t; $n]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: the caller's pointer is valid for LEN elements.
                unsafe { to.cast::<[$t; $n]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                self.zip(b, |a, b| a + b)
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                self.zip(b, |a, b| a - b)
            }
            #[inline(always)]
            unsafe fn mul(self, b: Self) -> Self {
                self.zip(b, |a, b| a * b)
            }
            #[inline(always)]
            unsafe fn div(self, b: Self) -> Self {
                self.zip(b, |a, b| a / b)
            }
            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // A fused multiply-add is an instruction on AArch64, but a library call with SSE2.
                Self(std::array::from_fn(|i| {
                    if cfg!(target_arch = "aarch64") {
                        self.0[i].mul_add(b.0[i], c.0[i])
                    } else {
                        self.0[i] * b.0[i] + c.0[i]
                    }
                }))
            }
            #[inline(always)]
            unsafe fn min(self, b: Self) -> Self {
                self.zip(b, |a, b| if a < b { a } else { b })
            }
            #[inline(always)]
            unsafe fn max(self, b: Self) -> Self {
                self.zip(b, |a, b| if a > b { a } else { b })
            }
            #[inline(always)]
            unsafe fn equal(self, b: Self) -> u32 {
                let bit = |i: usize| u32::from(self.0[i] == b.0[i]) << i;
                (0..$n).map(bit).sum()
            }
            #[inline(always)]
            unsafe fn where_greater(self, a: Self, b: Self, other: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if a.0[i] > b.0[i] {
                        self.0[i]
                    } else {
                        other.0[i]
                    }
                }))
            }
            #[inline(always)]
            unsafe fn pow2(self) -> Self {
                Self(
                    self.0
                        .map(|n| $t::from_bits(((n as $int + $bias) << $digits) as _)),
                )
            }
            #[inline(always)]
            unsafe fn zero_below(self, x: Self, low: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    if x.0[i] >= low.0[i] { self.0[i] } else { 0.0 }
                }))
            }
            #[inline(always)]
            unsafe fn load_wide(from: *const $t) -> Array<f64, 2> {
                // SAFETY: the caller's pointer is valid for all lanes.
                let [a, b] = unsafe { from.cast::<[$t; 2]>().read_unaligned() };
                Array([a as f64, b as f64])
            }
            #[inline(always)]
            unsafe fn store_narrow(wide: Array<f64, 2>, to: *mut $t) {
                let [a, b] = wide.0;
                // SAFETY: the caller's pointer is valid for all lanes.
                unsafe { to.cast::<[$t; 2]>().write_unaligned([a as $t, b as $t]) }
            }
            #[inline(always)]
            unsafe fn interleave(self, b: Self) -> (Self, Self) {
                let (mut low, mut high) = (self, b);
                for i in 0..$n / 2 {
                    (low.0[2 * i], low.0[2 * i + 1]) = (self.0[i], b.0[i]);
                    (high.0[2 * i], high.0[2 * i + 1]) = (self.0[i + $n / 2], b.0[i + $n / 2]);
                }
                (low, high)
            }
        }
    };
}

array_vector!(f32, 4, 2, i32, 127, 23);
array_vector!(f64, 2, 2, i64, 1023, 52);

/// Implements the methods that are single instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! x86_vector {
    ($t:ident, $vector:ident, $len:literal, $tile:literal,
     $set1:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $fma:ident,
     $min:ident, $max:ident, |$a:ident, $b:ident| $equal:expr, |$own:ident, $above:ident, $below:ident, $other:ident| $where_greater:expr,
     |$n:ident| $pow2:expr, |$v:ident, $x:ident, $low:ident| $zero_below:expr,
     $wide:ident, |$from:ident| $load_wide:expr, |$sums:ident, $to:ident| $store_narrow:expr, |$even:ident, $odd:ident| $interleave:expr
     $(, $load_part:ident, $store_part:ident)?) => {
        impl Vector<$t> for $vector {
            const LEN: usize = $len;
            const TILE: usize = $tile;
            type Wide = $wide;

            #[inline(always)]
            unsafe fn splat(x: $t) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $set1(x) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: the trait's contract.
                unsafe { $store(to, self) }
            }
            $(
                #[inline(always)]
                unsafe fn load_part(from: *const $t, n: usize, pad: $t) -> Self {
                    // SAFETY: lanes outside of the mask are not read.
                    unsafe { $load_part($set1(pad), ((1u32 << n) - 1) as _, from) }
                }
                #[inline(always)]
                unsafe fn store_part(self, to: *mut $t, n: usize) {
                    // SAFETY: lanes outside of the mask are not written.
                    unsafe { $store_part(to, ((1u32 << n) - 1) as _, self) }
                }
            )?
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $add(self, b) }
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $sub(self, b) }
            }
            #[inline(always)]
            unsafe fn mul(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $mul(self, b) }
            }
            #[inline(always)]
            unsafe fn div(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $div(self, b) }
            }
            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $fma(self, b, c) }
            }
            #[inline(always)]
            unsafe fn min(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $min(self, b) }
            }
            #[inline(always)]
            unsafe fn max(self, b: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $max(self, b) }
            }
            #[inline(always)]
            unsafe fn equal(self, $b: Self) -> u32 {
                let $a = self;
                // SAFETY: the trait's contract.
                unsafe { $equal }
            }
            #[inline(always)]
            unsafe fn where_greater(self, $above: Self, $below: Self, $other: Self) -> Self {
                let $own = self;
                // SAFETY: the trait's contract.
                unsafe { $where_greater }
            }
            #[inline(always)]
            unsafe fn pow2(self) -> Self {
                let $n = self;
                // SAFETY: the trait's contract.
                unsafe { $pow2 }
            }
            #[inline(always)]
            unsafe fn zero_below(self, $x: Self, $low: Self) -> Self {
                let $v = self;
                // SAFETY: the trait's contract.
                unsafe { $zero_below }
            }
            #[inline(always)]
            unsafe fn load_wide($from: *const $t) -> $wide {
                // SAFETY: the trait's contract.
                unsafe { $load_wide }
            }
            #[inline(always)]
            unsafe fn store_narrow($sums: $wide, $to: *mut $t) {
                // SAFETY: the trait's contract.
                unsafe { $store_narrow }
            }
            #[inline(always)]
            unsafe fn interleave(self, $odd: Self) -> (Self, Self) {
                let $even = self;
                // SAFETY: the trait's contract.
                unsafe { $interleave }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    x86_vector!(
        f32,
        __m512,
        16,
        4,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps,
        _mm512_div_ps,
        _mm512_fmadd_ps,
        _mm512_min_ps,
        _mm512_max_ps,
        |a, b| u32::from(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b)),
        |own, a, b, other| _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), other, own),
        |n| _mm512_scalef_ps(_mm512_set1_ps(1.0), n),
        |v, x, low| _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(x, low), v),
        __m512d,
        |from| _mm512_cvtps_pd(_mm256_loadu_ps(from)),
        |wide, to| _mm256_storeu_ps(to, _mm512_cvtpd_ps(wide)),
        |a, b| {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
            (
                _mm512_permutex2var_ps(a, low, b),
                _mm512_permutex2var_ps(a, high, b),
            )
        },
        _mm512_mask_loadu_ps,
        _mm512_mask_storeu_ps
    );
    x86_vector!(
        f64,
        __m512d,
        8,
        4,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_div_pd,
        _mm512_fmadd_pd,
        _mm512_min_pd,
        _mm512_max_pd,
        |a, b| u32::from(_mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b)),
        |own, a, b, other| _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b), other, own),
        |n| _mm512_scalef_pd(_mm512_set1_pd(1.0), n),
        |v, x, low| _mm512_maskz_mov_pd(_mm512_cmp_pd_mask::<_CMP_GE_OQ>(x, low), v),
        __m512d,
        |from| _mm512_loadu_pd(from),
        |wide, to| _mm512_storeu_pd(to, wide),
        |a, b| {
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
            (
                _mm512_permutex2var_pd(a, low, b),
                _mm512_permutex2var_pd(a, high, b),
            )
        },
        _mm512_mask_loadu_pd,
        _mm512_mask_storeu_pd
    );
    x86_vector!(
        f32,
        __m256,
        8,
        2,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_div_ps,
        _mm256_fmadd_ps,
        _mm256_min_ps,
        _mm256_max_ps,
        |a, b| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) as u32,
        |own, a, b, other| _mm256_blendv_ps(other, own, _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)),
        |n| {
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent))
        },
        |v, x, low| _mm256_and_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(x, low), v),
        __m256d,
        |from| _mm256_cvtps_pd(_mm_loadu_ps(from)),
        |wide, to| _mm_storeu_ps(to, _mm256_cvtpd_ps(wide)),
        |a, b| {
            let (even, odd) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            (
                _mm256_permute2f128_ps::<0x20>(even, odd),
                _mm256_permute2f128_ps::<0x31>(even, odd),
            )
        }
    );
    x86_vector!(
        f64,
        __m256d,
        4,
        2,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_div_pd,
        _mm256_fmadd_pd,
        _mm256_min_pd,
        _mm256_max_pd,
        |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, b)) as u32,
        |own, a, b, other| _mm256_blendv_pd(other, own, _mm256_cmp_pd::<_CMP_GT_OQ>(a, b)),
        |n| {
            let whole = _mm256_cvtepi32_epi64(_mm256_cvtpd_epi32(n));
            let exponent = _mm256_add_epi64(whole, _mm256_set1_epi64x(1023));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(exponent))
        },
        |v, x, low| _mm256_and_pd(_mm256_cmp_pd::<_CMP_GE_OQ>(x, low), v),
        __m256d,
        |from| _mm256_loadu_pd(from),
        |wide, to| _mm256_storeu_pd(to, wide),
        |a, b| {
            let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            (
                _mm256_permute2f128_pd::<0x20>(even, odd),
                _mm256_permute2f128_pd::<0x31>(even, odd),
            )
        }
    );
}

macro_rules! lanes {
    ($t:ident, $v512:ident, $v256:ident, $base:literal, $exp:expr) => {
        impl Lanes for $t {
            #[cfg(target_arch = "x86_64")]
            type V512 = std::arch::x86_64::$v512;
            #[cfg(target_arch = "x86_64")]
            type V256 = std::arch::x86_64::$v256;
            #[cfg(not(target_arch = "x86_64"))]
            type V512 = Array<$t, $base>;
            #[cfg(not(target_arch = "x86_64"))]
            type V256 = Array<$t, $base>;
            type Base = Array<$t, $base>;
            const EXP: Exp<$t> = $exp;
        }
    };
}

lanes!(
    f32,
    __m512,
    __m256,
    4,
    Exp {
        low: -87.336_54,
        high: 88.02,
        round: 12_582_912.0,
        log2_e: std::f32::consts::LOG2_E,
        ln_2: (0.693_359_4, -2.121_944_4e-4),
        taylor: &[
            1.0 / 5040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ],
    }
);
lanes!(
    f64,
    __m512d,
    __m256d,
    2,
    Exp {
        low: -708.396_418_532_264_1,
        high: 709.0,
        round: 6_755_399_441_055_744.0,
        log2_e: std::f64::consts::LOG2_E,
        ln_2: (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10),
        taylor: &[
            1.0 / 6_227_020_800.0,
            1.0 / 479_001_600.0,
            1.0 / 39_916_800.0,
            1.0 / 3_628_800.0,
            1.0 / 362_880.0,
            1.0 / 40_320.0,
            1.0 / 5_040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ],
    }
);
