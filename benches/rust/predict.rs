//! How many samples per second does a model with 1,000 support vectors classify?
//!
//! 2,000 samples of 64 features in f32 (uniform, seed 1), RBF, one thread, with a model of 2
//! classes (one binary classifier) and of 10 classes (45 binary classifiers, 9 coefficients per
//! support vector); the coefficients are random.
//!
//! `cargo bench '^predict/'`
//!
//! Compare 10 classes with 2: the kernel values are the same, so that the difference is the cost of
//! 45 classifiers and their votes. The aim is less than 2 times. Compare with
//! `sklearn.svm.SVC.predict` of a model of the same size, which predicts one sample at a time.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::{Dense, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings, PackedRows};
use softmargin::model::{Model, Ties};
use softmargin::monitor::Monitor;
use softmargin::multiclass::Scheme;
use softmargin::{Result, threads};
use std::borrow::Cow;

const ROWS: usize = 2_000;
const VECTORS: usize = 1_000;
const D: usize = 64;

fn rows(n: usize, random: &mut Random) -> Result<Matrix<'static, f32>> {
    let values = (0..n * D).map(|_| random.unit() as f32).collect();
    Ok(Matrix::Dense(Dense::new(Cow::Owned(values), n, D)?))
}

/// Classes of equal size; the values of the coefficients do not matter.
fn model(n_classes: usize, random: &mut Random) -> Result<Model<f32>> {
    let vectors = rows(VECTORS, random)?;
    let support: Vec<u32> = (0..VECTORS as u32).collect();
    let settings = KernelSettings {
        gamma: Gamma::Value(0.25),
        ..KernelSettings::default()
    };
    let n_machines = Scheme::OneVsOne.n_machines(n_classes)?;
    let n_coefficients = (n_classes - 1) * VECTORS;
    Model::from_parts(
        settings.check(&vectors)?,
        Scheme::OneVsOne,
        PackedRows::new(&vectors, &support)?,
        support,
        &vec![VECTORS / n_classes; n_classes],
        (0..n_coefficients).map(|_| random.unit() - 0.5).collect(),
        vec![0.0; n_machines],
        None,
    )
}

fn predict(model: &Model<f32>, rows: &Matrix<'_, f32>) -> Result<Vec<u32>> {
    model.predict(rows, Ties::LargestSum, &Monitor::new())
}

fn rows_per_second(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let rows = rows(ROWS, &mut random).expect("valid rows");
    let mut group = criterion.benchmark_group("predict");
    group.throughput(Throughput::Elements(ROWS as u64));
    for n_classes in [2, 10] {
        let model = model(n_classes, &mut random).expect("parts that fit");
        group.bench_function(BenchmarkId::new("classes", n_classes), |bench| {
            bench.iter(|| {
                threads::install(1, || predict(&model, &rows))
                    .flatten()
                    .expect("rows that fit")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rows_per_second);
