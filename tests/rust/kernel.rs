//! Blocks of kernel values equal the formulas of the kernels, for any range of rows and any number
//! of queries, and each value depends on its two samples only.

use softmargin::data::{Csr, Dense, Matrix, Random, Real};
use softmargin::kernel::{Gamma, Kernel, KernelKind, KernelSettings, PackedRows, Queries};
use softmargin::simd::Lanes;
use std::borrow::Cow;
use std::ops::Range;

const N: usize = 150;
const D: usize = 19;
/// Panels have 64 rows in f32 and 32 in f64.
const RANGES: [Range<usize>; 9] = [
    0..N,
    5..9,
    0..64,
    60..70,
    63..129,
    64..96,
    1..N,
    149..N,
    70..70,
];

/// Two thirds of the values are 0.
fn dense<T: Real>(n: usize, seed: u64) -> Dense<'static, T> {
    let mut random = Random::new(seed);
    let mut value = || match random.below(3) {
        0 => T::from_f64(2.0 * random.unit() - 1.0),
        _ => T::ZERO,
    };
    let values = (0..n * D).map(|_| value()).collect();
    Dense::new(Cow::Owned(values), n, D).expect("finite values")
}

fn sparse<T: Real>(dense: &Dense<'_, T>) -> Csr<'static, T> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..dense.n_rows() {
        let stored = dense
            .row(i)
            .iter()
            .enumerate()
            .filter(|(_, v)| **v != T::ZERO);
        for (column, &value) in stored {
            indices.push(column as u32);
            values.push(value);
        }
        offsets.push(values.len());
    }
    Csr::new(offsets, Cow::Owned(indices), Cow::Owned(values), D).expect("canonical rows")
}

fn kernels() -> impl Iterator<Item = Kernel> {
    let kinds = [
        KernelKind::Linear,
        KernelKind::Rbf,
        KernelKind::Polynomial,
        KernelKind::Sigmoid,
    ];
    kinds.into_iter().map(|kind| {
        let settings = KernelSettings {
            kind,
            gamma: Gamma::Value(0.3),
            degree: 3,
            coef0: 0.5,
        };
        settings.check_numbers().expect("valid numbers")
    })
}

/// The formula, in f64.
fn formula<T: Real>(kernel: &Kernel, x: &[T], z: &[T]) -> f64 {
    let pairs = || x.iter().zip(z).map(|(x, z)| (x.to_f64(), z.to_f64()));
    let dot: f64 = pairs().map(|(x, z)| x * z).sum();
    let distance: f64 = pairs().map(|(x, z)| (x - z).powi(2)).sum();
    match kernel.kind() {
        KernelKind::Rbf => (-kernel.gamma() * distance).exp(),
        KernelKind::Polynomial => (kernel.gamma() * dot + kernel.coef0()).powi(3),
        KernelKind::Sigmoid => (kernel.gamma() * dot + kernel.coef0()).tanh(),
        _ => dot,
    }
}

fn pack<T: Lanes>(rows: &Matrix<'_, T>) -> PackedRows<T> {
    let order: Vec<u32> = (0..rows.n_rows() as u32).collect();
    PackedRows::new(rows, &order).expect("rows with features")
}

fn block<T: Lanes>(
    packed: &PackedRows<T>,
    kernel: &Kernel,
    queries: &Queries<T>,
    rows: Range<usize>,
) -> Vec<T> {
    let mut out = vec![T::ZERO; queries.len() * rows.len()];
    let stride = rows.len();
    packed.kernel_block(kernel, queries, rows, &mut out, stride);
    out
}

fn blocks_equal_the_formulas<T: Lanes>() {
    let tolerance = if size_of::<T>() == 4 { 2e-5 } else { 1e-13 };
    let (own, others) = (dense::<T>(N, 1), dense::<T>(48, 2));
    let as_dense = |m: &Dense<'static, T>| Matrix::Dense(m.clone());
    let as_sparse = |m: &Dense<'static, T>| Matrix::Sparse(sparse(m));
    let all = [pack(&as_dense(&own)), pack(&as_sparse(&own))];
    for packed in &all {
        for matrix in [as_dense(&others), as_sparse(&others)] {
            for kernel in kernels() {
                for (m, range) in [1, 2, 7, 8, 9, 48]
                    .iter()
                    .flat_map(|&m| RANGES.map(|range| (m, range)))
                {
                    let mut queries = Queries::new();
                    packed.load(&matrix, 0..m, &mut queries).expect("memory");
                    let values = block(packed, &kernel, &queries, range.clone());
                    for q in 0..m {
                        for (k, r) in range.clone().enumerate() {
                            let value = values[q * range.len() + k].to_f64();
                            let exact = formula(&kernel, others.row(q), own.row(r));
                            let error = (value - exact).abs();
                            assert!(error <= tolerance, "{kernel:?}: {value}, not {exact}");
                        }
                    }
                }
            }
        }
    }
}

fn bits_depend_on_the_two_samples_only<T: Lanes>() {
    let own = dense::<T>(N, 3);
    for matrix in [Matrix::Sparse(sparse(&own)), Matrix::Dense(own)] {
        let packed = pack(&matrix);
        for kernel in kernels() {
            let mut queries = Queries::new();
            packed.load_own(40..88, &mut queries).expect("memory");
            let whole = block(&packed, &kernel, &queries, 0..N);
            for (range, q) in RANGES.into_iter().cycle().zip(0..48) {
                packed
                    .load(&matrix, 40 + q..41 + q, &mut queries)
                    .expect("memory");
                let alone = block(&packed, &kernel, &queries, range.clone());
                assert_eq!(alone, whole[q * N..][range], "{kernel:?}, query {q}");
            }
        }
    }
}

fn a_block_writes_nothing_else<T: Lanes>() {
    let own = dense::<T>(N, 4);
    for matrix in [Matrix::Sparse(sparse(&own)), Matrix::Dense(own)] {
        let packed = pack(&matrix);
        let mut queries = Queries::new();
        packed.load_own(0..48, &mut queries).expect("memory");
        let untouched = T::from_f64(-77.0);
        for (kernel, range) in kernels().flat_map(|k| RANGES.map(|range| (k, range))) {
            let mut out = vec![untouched; 48 * N];
            packed.kernel_block(&kernel, &queries, range.clone(), &mut out, N);
            let rests = out.chunks(N).map(|row| &row[range.len()..]);
            assert!(
                rests.flatten().all(|v| *v == untouched),
                "{kernel:?} {range:?}"
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
    blocks_equal_the_formulas,
    bits_depend_on_the_two_samples_only,
    a_block_writes_nothing_else
);
