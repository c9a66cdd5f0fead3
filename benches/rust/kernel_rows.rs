//! How many RBF kernel values does one core compute per second, in single rows and in blocks?
//!
//! One row, and a block of 48 rows, for 2,048 samples of f32: dense with 16, 123 and 784 features
//! (a small data set, a9a, MNIST), and sparse with 14 values in 123 columns (a9a). Uniform numbers,
//! seed 1.
//!
//! `cargo bench '^kernel_rows/'`
//!
//! Compare `block_of_48` with `one_row`: a block saves reading the panels. Compare
//! `sparse_14_of_123` with `dense/123`, which has nine times the multiply-adds. A distance takes a
//! subtraction and a multiply-add per feature: two AVX-512 units can process 16 features per cycle,
//! and the aim for the block of 784 features is more than half of that.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings, PackedRows, QUERY_BLOCK, Queries};
use std::borrow::Cow;

const N: usize = 2_048;

fn dense(d: usize) -> Matrix<'static, f32> {
    let mut random = Random::new(1);
    let values = (0..N * d).map(|_| random.unit() as f32).collect();
    Matrix::Dense(Dense::new(Cow::Owned(values), N, d).expect("finite values"))
}

/// One value in each of 14 groups of columns.
fn sparse() -> Matrix<'static, f32> {
    const COLUMNS: usize = 123;
    const STORED: usize = 14;
    let mut random = Random::new(1);
    let mut indices = Vec::new();
    for group in (0..N).flat_map(|_| 0..STORED) {
        let (start, end) = (group * COLUMNS / STORED, (group + 1) * COLUMNS / STORED);
        indices.push((start + random.below(end - start)) as u32);
    }
    let offsets = (0..=N).map(|i| i * STORED).collect();
    let values = vec![1.0; N * STORED];
    let csr = Csr::new(offsets, Cow::Owned(indices), Cow::Owned(values), COLUMNS);
    Matrix::Sparse(csr.expect("canonical rows"))
}

fn kernel_rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel_rows");
    let cases = [
        ("dense/16", dense(16)),
        ("dense/123", dense(123)),
        ("dense/784", dense(784)),
        ("sparse_14_of_123", sparse()),
    ];
    for (name, matrix) in cases {
        let order: Vec<u32> = (0..N as u32).collect();
        let packed = PackedRows::new(&matrix, &order).expect("rows with features");
        let settings = KernelSettings {
            gamma: Gamma::Auto,
            ..KernelSettings::default()
        };
        let kernel = settings.check(&matrix).expect("a valid kernel");
        let mut queries = Queries::new();
        let mut out = vec![0.0; QUERY_BLOCK * N];
        for (shape, m) in [("one_row", 1), ("block_of_48", QUERY_BLOCK)] {
            group.throughput(Throughput::Elements((m * N) as u64));
            group.bench_function(BenchmarkId::new(shape, name), |bench| {
                bench.iter(|| {
                    packed.load_own(0..m, &mut queries).expect("memory");
                    packed.kernel_block(&kernel, &queries, 0..N, &mut out, N);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, kernel_rows);
