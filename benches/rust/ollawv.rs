//! What does training OLLAWV cost with each row source, and what does a path of margins cost?
//!
//! 4,000 samples of 16 features in f32 (uniform, shifted by a quarter times the class modulo 4 in
//! one feature of four; seed 1), RBF with gamma 1, at most half of the samples as support vectors,
//! one thread.
//!
//! - `two_classes`: rows from a Gram matrix (including its computation), from a cache of 64 MB, or
//!   computed on demand; margin 0.1.
//! - `ten_classes_one_against_one`: the 45 binary classifiers of ten classes, the same sources.
//! - `margins`: the classifier of margin 0.1, and those of the 8 margins 0.1, 0.05, ….
//!
//! `cargo bench '^ollawv/'`
//!
//! Compare the sources with each other: `auto` must choose the fastest one. Compare
//! `margins/path_of_8` with `margins/one`: the aim is less than 1.1 times. Compare
//! `two_classes` with `sklearn.svm.SVC(gamma=1)` on the same samples.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::OllawvSettings;
use softmargin::{Result, threads};
use std::borrow::Cow;

const N: usize = 4_000;
const D: usize = 16;
const SOURCES: [&str; 4] = ["auto", "gram", "cached", "computed"];

fn training_set(n_classes: usize) -> Result<TrainingSet<f32>> {
    let mut random = Random::new(1);
    let codes: Vec<u32> = (0..N).map(|_| random.below(n_classes) as u32).collect();
    let mut value = |i: usize, j: usize| {
        let shift = if j % 4 == codes[i] as usize % 4 {
            0.25
        } else {
            0.0
        };
        (random.unit() + shift) as f32
    };
    let values = (0..N * D).map(|k| value(k / D, k % D)).collect();
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values), N, D)?);
    let kernel = KernelSettings {
        gamma: Gamma::Value(1.0),
        ..KernelSettings::default()
    };
    let labels = Labels::new(&codes, n_classes)?;
    TrainingSet::new(&rows, labels, vec![1.0; n_classes], kernel)
}

/// Trains on one thread and returns the number of steps.
fn train(set: &TrainingSet<f32>, margins: &[f64], source: &str) -> Result<u64> {
    let settings = OllawvSettings {
        margins: margins.to_vec(),
        c: 1.0,
        bias: true,
        max_sv_fraction: 0.5,
        ..OllawvSettings::default()
    };
    let (solver, source, monitor) = (settings.check()?, RowSource::parse(source)?, Monitor::new());
    let train = || set.train(&solver, Scheme::OneVsOne, source, 64 << 20, &monitor);
    threads::install(1, train)??;
    Ok(monitor.steps())
}

fn ollawv(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ollawv");
    group.sample_size(10);
    let mut bench = |name: BenchmarkId, set: &TrainingSet<f32>, margins: &[f64], source: &str| {
        let steps = train(set, margins, source).expect("a training");
        group.throughput(Throughput::Elements(steps));
        group.bench_function(name, |bench| {
            bench.iter(|| train(set, margins, source).expect("a training"))
        });
    };
    for (name, n_classes) in [("two_classes", 2), ("ten_classes_one_against_one", 10)] {
        let set = training_set(n_classes).expect("valid rows");
        for source in SOURCES {
            bench(BenchmarkId::new(name, source), &set, &[0.1], source);
        }
    }
    let set = training_set(2).expect("valid rows");
    let path: Vec<f64> = (0..8).map(|power| 0.1 * 2f64.powi(-power)).collect();
    bench(
        BenchmarkId::new("margins", "one"),
        &set,
        &path[..1],
        "computed",
    );
    bench(
        BenchmarkId::new("margins", "path_of_8"),
        &set,
        &path,
        "computed",
    );
    group.finish();
}

criterion_group!(benches, ollawv);
