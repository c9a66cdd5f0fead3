//! What does a Gram matrix cost?
//!
//! RBF, f32, 2,000 and 4,000 samples with 16 and 256 features, uniform numbers, seed 1, one thread.
//!
//! `cargo bench '^gram/'`
//!
//! Compare with `sklearn.metrics.pairwise.rbf_kernel` on one thread (`OMP_NUM_THREADS=1`).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::{Dense, Matrix, Random};
use softmargin::kernel::{Gamma, Gram, Kernel, KernelSettings, PackedRows};
use softmargin::monitor::Monitor;
use softmargin::{Result, threads};
use std::borrow::Cow;

const SHAPES: [(usize, usize); 4] = [(2_000, 16), (2_000, 256), (4_000, 16), (4_000, 256)];

fn packed(n: usize, d: usize) -> Result<PackedRows<f32>> {
    let mut random = Random::new(1);
    let values = (0..n * d).map(|_| random.unit() as f32).collect();
    let matrix = Matrix::Dense(Dense::new(Cow::Owned(values), n, d)?);
    PackedRows::new(&matrix, &(0..n as u32).collect::<Vec<_>>())
}

fn rbf(gamma: f64) -> Result<Kernel> {
    let settings = KernelSettings {
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    settings.check_numbers()
}

fn on_one_thread<R: Send>(work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    threads::install(1, work)?
}

fn gram(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gram");
    group.sample_size(10);
    for (n, d) in SHAPES {
        let shape = format!("{n}x{d}");
        let packed = packed(n, d).expect("valid rows");
        let kernel = rbf(1.0 / d as f64).expect("a valid kernel");
        group.throughput(Throughput::Elements((n * n) as u64));
        group.bench_function(BenchmarkId::new("matrix", &shape), |bench| {
            bench.iter(|| {
                let new = || Gram::new(&packed, &kernel, &Monitor::new());
                on_one_thread(new).expect("room")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, gram);
