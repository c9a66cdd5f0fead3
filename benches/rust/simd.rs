//! How many elements per second do the vector loops process on one core?
//!
//! `dot`, `squared_distance`, `exp_scaled` and `axpy_argmin` on 256, 4,096 and
//! 65,536 elements of f32 and f64: in the first-level cache, in the second, and
//! beyond. Uniform numbers in [0, 1), seed 1.
//!
//! `cargo bench '^simd/'`
//!
//! Compare the levels with each other (`SOFTMARGIN_SIMD=baseline|avx2|avx512`), and with `plain_*`,
//! the simplest loop. The aim for 4,096 elements of f32 with AVX2 or more is 8 times the speed of
//! `plain_dot` and `plain_exp`; f64 should take two to three times as long as f32.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::Random;
use softmargin::simd::{self, Lanes};
use std::hint::black_box;

const SIZES: [usize; 3] = [256, 4_096, 65_536];

fn numbers<T: Lanes>(n: usize, random: &mut Random) -> Vec<T> {
    (0..n).map(|_| T::from_f64(random.unit())).collect()
}

fn loops<T: Lanes>(criterion: &mut Criterion, exp: fn(T) -> T) {
    let mut group = criterion.benchmark_group(format!("simd/{}", T::NAME));
    for n in SIZES {
        let mut random = Random::new(1);
        let (a, b) = (numbers::<T>(n, &mut random), numbers::<T>(n, &mut random));
        let mut v = a.clone();
        let small = T::from_f64(1e-6);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::new("dot", n), |bench| {
            bench.iter(|| simd::dot(black_box(&a), black_box(&b)));
        });
        group.bench_function(BenchmarkId::new("plain_dot", n), |bench| {
            let plain = |a: &[T], b: &[T]| a.iter().zip(b).fold(T::ZERO, |s, (&a, &b)| s + a * b);
            bench.iter(|| plain(black_box(&a), black_box(&b)));
        });
        group.bench_function(BenchmarkId::new("squared_distance", n), |bench| {
            bench.iter(|| simd::squared_distance(black_box(&a), black_box(&b)));
        });
        // In place, repeatedly: the values converge to the x with exp(-x) = x.
        group.bench_function(BenchmarkId::new("exp_scaled", n), |bench| {
            bench.iter(|| simd::exp_scaled(black_box(&mut v), T::from_f64(-1.0)));
        });
        group.bench_function(BenchmarkId::new("plain_exp", n), |bench| {
            bench.iter(|| black_box(&mut v).iter_mut().for_each(|v| *v = exp(-*v)));
        });
        group.bench_function(BenchmarkId::new("axpy_argmin", n), |bench| {
            bench.iter(|| simd::axpy_argmin(black_box(&mut v), small, black_box(&b)));
        });
    }
    group.finish();
}

fn both_types(criterion: &mut Criterion) {
    loops::<f32>(criterion, f32::exp);
    loops::<f64>(criterion, f64::exp);
}

criterion_group!(benches, both_types);
