//! The vector exponential has an error of less than two units in the last place over its whole
//! range, is 0 below it, and its bits do not depend on the place in the slice.

use softmargin::data::Random;
use softmargin::simd::{self, Lanes};

/// The arguments for which the result is a normal number. The ends of this range are found by
/// bisection, so that they are adjacent numbers.
struct Range<T> {
    first_normal: T,
    last_below: T,
}

/// The error of `value`, in units in the last place of the exact value, a normal number.
fn ulps<T: Lanes>(value: T, exact: f64) -> f64 {
    let digits = if size_of::<T>() == 4 { 23 } else { 52 };
    let power = 2f64.powi(exact.log2().floor() as i32);
    (value.to_f64() - exact).abs() / power * 2f64.powi(digits)
}

fn smallest_normal<T: Lanes>() -> f64 {
    let exponent = if size_of::<T>() == 4 { -126 } else { -1022 };
    2f64.powi(exponent)
}

/// Adjacent numbers below and above the logarithm of the smallest normal number.
fn ends<T: Lanes>() -> Range<T> {
    let (mut low, mut high) = (T::from_f64(-1000.0), T::ZERO);
    loop {
        let middle = T::from_f64((low.to_f64() + high.to_f64()) / 2.0);
        if middle == low || middle == high {
            return Range {
                first_normal: high,
                last_below: low,
            };
        }
        if middle.to_f64().exp() < smallest_normal::<T>() {
            low = middle;
        } else {
            high = middle;
        }
    }
}

fn exp_of<T: Lanes>(x: T, scale: f64) -> f64 {
    let mut slice = [x];
    simd::exp_scaled(&mut slice, T::from_f64(scale));
    slice[0].to_f64()
}

fn the_error_is_below_two_ulp<T: Lanes>() {
    let mut random = Random::new(1);
    let low = ends::<T>().first_normal.to_f64();
    let n = 200_000;
    for scale in [-1.0, -0.37, -3.0, 1.0] {
        // Evenly spread over the range of results, and close to 0.
        let spread = (0..n).map(|_| random.unit() * low);
        let arguments: Vec<f64> = spread.chain([0.0, -0.0, low, 1e-3 * low, 1e-30]).collect();
        let x: Vec<T> = arguments.iter().map(|a| T::from_f64(a / scale)).collect();
        let mut y = x.clone();
        simd::exp_scaled(&mut y, T::from_f64(scale));
        for (x, y) in x.iter().zip(&y) {
            let argument = (*x * T::from_f64(scale)).to_f64();
            let exact = argument.exp();
            if exact >= smallest_normal::<T>() {
                let error = ulps(*y, exact);
                assert!(error <= 2.0, "exp({argument}) is off by {error} ulp");
            }
        }
    }
}

fn the_ends_are_exact<T: Lanes>() {
    let Range {
        first_normal,
        last_below,
    } = ends::<T>();
    let exact = first_normal.to_f64().exp();
    let error = ulps(T::from_f64(exp_of(first_normal, 1.0)), exact);
    assert!(error <= 2.0, "exp({first_normal}) is off by {error} ulp");
    assert_eq!(exp_of(last_below, 1.0), 0.0, "a subnormal result is 0");
    for huge in [-200.0, -1e4, -1e30, -1e38, f64::NEG_INFINITY] {
        assert_eq!(exp_of(T::from_f64(10.0 * huge), 1.0), 0.0);
    }
    for zero in [0.0, -0.0] {
        assert_eq!(exp_of(T::from_f64(zero), -0.25), 1.0);
        assert_eq!(exp_of(T::from_f64(3.0), zero), 1.0);
    }
}

fn large_results_stay_finite_and_ascend<T: Lanes>() {
    let mut last = 0.0;
    for x in (0..1000).map(f64::from).chain([1e30, f64::INFINITY]) {
        let y = exp_of(T::from_f64(x), 1.0);
        assert!(y.is_finite() && y >= last, "exp({x}) = {y}");
        last = y;
    }
}

fn bits_do_not_depend_on_the_place<T: Lanes>() {
    let mut random = Random::new(2);
    let x: Vec<T> = (0..300)
        .map(|_| T::from_f64(random.unit() * 90.0))
        .collect();
    let alone: Vec<f64> = x.iter().map(|&x| exp_of(x, -1.3)).collect();
    for n in 0..=x.len() {
        let mut first = x[..n].to_vec();
        simd::exp_scaled(&mut first, T::from_f64(-1.3));
        let first: Vec<f64> = first.iter().map(|y| y.to_f64()).collect();
        assert_eq!(first, alone[..n], "{n} elements");
    }
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() { super::$claim::<f32>(); })* }
        mod f64 { $(#[test] fn $claim() { super::$claim::<f64>(); })* }
    };
}

in_both_types!(
    the_error_is_below_two_ulp,
    the_ends_are_exact,
    large_results_stay_finite_and_ascend,
    bits_do_not_depend_on_the_place
);
