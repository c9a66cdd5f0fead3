//! The vector loops equal plain loops. The data are small integers, whose sums are exact in any
//! order of additions, so that results can be compared for equality.

use softmargin::data::Random;
use softmargin::simd::{self, Lanes, PAIR_LANES, Smallest};

/// All lengths below 200, and some around the blocks of longer loops.
fn lengths() -> impl Iterator<Item = usize> {
    (0..200).chain([511, 512, 513, 1023, 1024, 1025, 2048, 3001])
}

/// Integers from -8 to 8.
fn whole<T: Lanes>(n: usize, random: &mut Random) -> Vec<T> {
    let mut number = || random.below(17) as f64 - 8.0;
    (0..n).map(|_| T::from_f64(number())).collect()
}

fn pairs<T: Lanes>(a: &[T], b: &[T]) -> impl Iterator<Item = (f64, f64)> {
    a.iter().zip(b).map(|(a, b)| (a.to_f64(), b.to_f64()))
}

fn sums_equal_plain_sums<T: Lanes>() {
    let mut random = Random::new(1);
    for n in lengths() {
        let (a, b) = (whole::<T>(n, &mut random), whole::<T>(n, &mut random));
        let dot: f64 = pairs(&a, &b).map(|(a, b)| a * b).sum();
        assert_eq!(simd::dot(&a, &b).to_f64(), dot, "{n} elements");
        let distance: f64 = pairs(&a, &b).map(|(a, b)| (a - b).powi(2)).sum();
        assert_eq!(
            simd::squared_distance(&a, &b).to_f64(),
            distance,
            "{n} elements"
        );
    }
}

/// In any order of additions, the error is at most `n` roundings of the sum of absolute values.
fn rounding_stays_below_its_bound<T: Lanes>() {
    let mut random = Random::new(2);
    let is_single = size_of::<T>() == 4;
    let epsilon = if is_single {
        f32::EPSILON.into()
    } else {
        f64::EPSILON
    };
    for n in lengths() {
        let mut numbers =
            || -> Vec<T> { (0..n).map(|_| T::from_f64(random.unit() - 0.5)).collect() };
        let (a, b) = (numbers(), numbers());
        let sizes: f64 = pairs(&a, &b).map(|(a, b)| (a * b).abs()).sum();
        let plain: f64 = pairs(&a, &b).map(|(a, b)| a * b).sum();
        let error = (simd::dot(&a, &b).to_f64() - plain).abs();
        assert!(
            error <= (n + 1) as f64 * epsilon * sizes,
            "{error:e} at {n} elements"
        );
    }
}

fn updates_equal_plain_loops<T: Lanes>() {
    let mut random = Random::new(3);
    for n in lengths() {
        let (x, y) = (whole::<T>(n, &mut random), whole::<T>(n, &mut random));
        let a = T::from_f64(-3.0);
        let mut sums: Vec<f64> = y.iter().map(|y| y.to_f64()).collect();
        simd::add_rows(&mut sums, [(-3.0, &x[..])]);
        let plain = pairs(&x, &y).map(|(x, y)| y - 3.0 * x);
        assert_eq!(sums, plain.collect::<Vec<_>>(), "{n} elements");

        // A third of the samples is used; few distinct values result in many ties.
        let mut v = y;
        v.iter_mut().step_by(3).for_each(|v| *v = T::INFINITY);
        let plain: Vec<T> = x.iter().zip(&v).map(|(&x, &v)| v + a * x).collect();
        let mut expected = Smallest {
            value: T::INFINITY,
            index: 0,
        };
        for (index, &value) in plain.iter().enumerate() {
            if value < expected.value {
                expected = Smallest { value, index };
            }
        }
        assert_eq!(simd::axpy_argmin(&mut v, a, &x), expected, "{n} elements");
        assert_eq!(v, plain, "{n} elements");
    }
}

fn a_tie_goes_to_the_lowest_index<T: Lanes>() {
    for n in lengths() {
        let k = vec![T::ZERO; n];
        for first in [0, n / 3, n / 2, n.saturating_sub(1)] {
            let mut v = vec![T::INFINITY; n];
            v[first.min(n)..].fill(T::from_f64(-1.0));
            let found = simd::axpy_argmin(&mut v, T::from_f64(2.0), &k);
            assert_eq!(found.index, first, "{n} elements");
        }
    }
}

/// Penalties: `closed` for a third of the samples, 0 for the others.
fn penalties<T: Lanes>(n: usize, closed: T, random: &mut Random) -> Vec<T> {
    let mut number = || {
        if random.below(3) == 0 {
            closed
        } else {
            T::ZERO
        }
    };
    (0..n).map(|_| number()).collect()
}

fn pair_steps_equal_plain_loops<T: Lanes>() {
    let mut random = Random::new(4);
    for n in (1..40).map(|chunks| chunks * PAIR_LANES) {
        let (k_i, k_j) = (whole::<T>(n, &mut random), whole::<T>(n, &mut random));
        let mut v: Vec<T> = (0..n)
            .map(|_| T::from_f64(random.below(9) as f64))
            .collect();
        let rise = penalties(n, -T::INFINITY, &mut random);
        let fall = penalties(n, T::INFINITY, &mut random);
        let two = T::from_f64(2.0);
        let change = k_i.iter().zip(&k_j).map(|(&i, &j)| two * (i - j));
        let moved: Vec<T> = v.iter().zip(change).map(|(&v, d)| v - d).collect();
        let found = simd::update_pair(&mut v, (&rise, &fall), (&k_i, &k_j), two);
        assert_eq!(v, moved, "{n} rows");
        let with = |penalties: &[T]| -> Vec<T> {
            moved.iter().zip(penalties).map(|(&v, &p)| v + p).collect()
        };
        let (up, low) = (with(&rise), with(&fall));
        let largest = |most: T, &v: &T| if v > most { v } else { most };
        let smallest = |least: T, &v: &T| if v < least { v } else { least };
        let max_up = up.iter().fold(-T::INFINITY, largest);
        let min_low = low.iter().fold(T::INFINITY, smallest);
        assert_eq!((found.max_up, found.min_low), (max_up, min_low), "{n} rows");
        assert_eq!(Some(found.up_index), up.iter().position(|v| *v == max_up));
        let counts = |i: &usize| up[*i] > min_low || low[*i] < max_up;
        let found = simd::count_violators(&v, (&rise, &fall), (max_up, min_low));
        assert_eq!(found, (0..n).filter(counts).count(), "{n} rows");

        let (diagonal, k_ii) = (vec![T::from_f64(20.0); n], T::from_f64(20.0));
        let gain = |j: usize| {
            let b = max_up - low[j];
            let a = T::from_f64(40.0) - two * k_i[j];
            if b > T::ZERO {
                T::from_f64((b * b).to_f64() / a.to_f64())
            } else {
                T::ZERO
            }
        };
        let best = (0..n)
            .map(gain)
            .fold(T::ZERO, |most, own| largest(most, &own));
        let expected = (best > T::ZERO)
            .then(|| (0..n).find(|&j| gain(j) == best))
            .flatten();
        let found = simd::second_order((&v, &fall), &k_i, &diagonal, max_up, k_ii);
        assert_eq!(found, expected, "{n} rows");
    }
}

fn added_rows_and_their_spread_equal_plain_loops<T: Lanes>() {
    let mut random = Random::new(6);
    for n in lengths() {
        let g = whole::<f64>(n, &mut random);
        let rows = [whole::<T>(n, &mut random), whole::<T>(n, &mut random)];
        let counts = |i: usize| i % 3 != 1;
        let penalties: Vec<f64> = (0..n)
            .map(|i| if counts(i) { 0.0 } else { f64::NEG_INFINITY })
            .collect();
        for n_terms in 0..=2 {
            let terms = || [2.0, -3.0].into_iter().zip(&rows).take(n_terms);
            let mut expected = g.clone();
            for (factor, row) in terms() {
                for (sum, k) in expected.iter_mut().zip(row) {
                    *sum += factor * (k.to_f64() + 1.0);
                }
            }
            let mut found = g.clone();
            let given = terms().map(|(factor, row)| (factor, &row[..]));
            let spread = simd::add_and_scan(&mut found, given, &penalties);
            assert_eq!(found, expected, "{n} rows");
            let min = expected.iter().copied().fold(f64::INFINITY, f64::min);
            let counted = || (0..n).filter(|&i| counts(i));
            let max = counted()
                .map(|i| expected[i])
                .fold(f64::NEG_INFINITY, f64::max);
            if n > 0 {
                assert_eq!(spread.min, min, "{n} rows");
                assert_eq!(Some(spread.min_at), (0..n).find(|&i| expected[i] == min));
                assert_eq!(spread.max, max, "{n} rows");
                assert_eq!(Some(spread.max_at), counted().find(|&i| expected[i] == max));
            }
            let mut sums = g.clone();
            simd::axpy(&mut sums, 2.0, &rows[0]);
            let plain = g
                .iter()
                .zip(&rows[0])
                .map(|(sum, k)| sum + 2.0 * k.to_f64());
            assert_eq!(sums, plain.collect::<Vec<_>>(), "{n} rows");
        }
    }
}

#[test]
fn hinge_sums_equal_plain_sums() {
    let mut random = Random::new(7);
    for n in lengths() {
        let (slacks, column) = (whole::<f64>(n, &mut random), whole::<f64>(n, &mut random));
        let each = || slacks.iter().zip(&column);
        let active = || each().filter(|(b, _)| **b > 0.0);
        let expected = (
            active().map(|(b, x)| b * x).sum::<f64>(),
            active().map(|(_, x)| x * x).sum::<f64>(),
        );
        assert_eq!(simd::hinge_sums(&slacks, &column), expected, "{n} elements");
        for step in [-2.0, 0.0, 0.5, 3.0] {
            let loss = |b: f64| b.max(0.0).powi(2);
            let change: f64 = each().map(|(b, x)| loss(b - step * x) - loss(*b)).sum();
            assert_eq!(
                simd::hinge_change(&slacks, &column, step),
                change,
                "{n} elements"
            );
        }
    }
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() { super::$claim::<f32>(); })* }
        mod f64 { $(#[test] fn $claim() { super::$claim::<f64>(); })* }
    };
}

in_both_types!(
    sums_equal_plain_sums,
    rounding_stays_below_its_bound,
    updates_equal_plain_loops,
    a_tie_goes_to_the_lowest_index,
    pair_steps_equal_plain_loops,
    added_rows_and_their_spread_equal_plain_loops
);
