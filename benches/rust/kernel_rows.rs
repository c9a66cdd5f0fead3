//! How many RBF kernel values does one core compute per second, in single rows and in blocks?
//!
//! One row, a block of 48 rows, and a row of the kernel matrix of a working set of 1,024 samples,
//! for 4,096 samples of f32: dense with 16, 123 and 784 features (a small data set, a9a, MNIST), and
//! sparse with 14 values in 123 columns (a9a), 1 to 23 in 300 (w8a), and 44 in 8,315 (texts). Uniform
//! numbers, seed 1.
//!
//! `cargo bench '^kernel_rows/'`
//!
//! Compare `block_of_48` with `one_row`: a block saves reading the panels, and for sparse samples it
//! replaces gathers. Compare `working_set` with `one_row` of sparse samples, whose working set is
//! stored in panels. Compare `sparse/14_of_123` with `dense/123`, which has nine times the
//! multiply-adds. A distance takes a subtraction and a multiply-add per feature: two AVX-512 units can
//! process 16 features per cycle, and the aim for the block of 784 features is more than half of that.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::kernel::{
    BlockRows, CachedRows, ComputedRows, Gamma, KernelSettings, PackedRows, Parts, QUERY_BLOCK,
    Queries, Threading,
};
use std::borrow::Cow;

const N: usize = 4_096;

/// The number of samples of the working set.
const WORKING_SET: usize = 1_024;

fn dense(d: usize) -> Matrix<'static, f32> {
    let mut random = Random::new(1);
    let values = (0..N * d).map(|_| random.unit() as f32).collect();
    Matrix::Dense(Dense::new(Cow::Owned(values), N, d).expect("finite values"))
}

/// One value in each of some groups of columns, as many as `stored` returns.
fn sparse(columns: usize, stored: impl Fn(&mut Random) -> usize) -> Matrix<'static, f32> {
    let mut random = Random::new(1);
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for _ in 0..N {
        let groups = stored(&mut random);
        for group in 0..groups {
            let (start, end) = (group * columns / groups, (group + 1) * columns / groups);
            indices.push((start + random.below(end - start)) as u32);
        }
        offsets.push(indices.len());
    }
    let values = vec![1.0; indices.len()];
    let csr = Csr::new(offsets, Cow::Owned(indices), Cow::Owned(values), columns);
    Matrix::Sparse(csr.expect("canonical rows"))
}

fn kernel_rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel_rows");
    let cases = [
        ("dense/16", dense(16)),
        ("dense/123", dense(123)),
        ("dense/784", dense(784)),
        ("sparse/14_of_123", sparse(123, |_| 14)),
        (
            "sparse/12_of_300",
            sparse(300, |random| 1 + random.below(23)),
        ),
        ("sparse/44_of_8315", sparse(8_315, |_| 44)),
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
        let parts = Parts::new(std::iter::once(0..N));
        let rows = ComputedRows::new(&packed, &kernel, parts, Threading::Sequential);
        let rows = CachedRows::new(rows, 1 << 20).expect("memory");
        let samples: Vec<usize> = (0..N).step_by(N / WORKING_SET).collect();
        if let Some(subset) = rows.subset(&samples).expect("memory") {
            group.throughput(Throughput::Elements(WORKING_SET as u64));
            group.bench_function(BenchmarkId::new("working_set", name), |bench| {
                bench.iter(|| subset.row(WORKING_SET / 2, &mut out[..WORKING_SET]));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, kernel_rows);
