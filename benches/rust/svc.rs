//! What does exact training cost on easy and on hard problems, and what does a path over C save?
//!
//! Two normal distributions of 4 features in f64 (distance of the means 1.5, seed 1), RBF, tol
//! 1e-3, one thread, a cache of 64 MB.
//!
//! - `fit/easy`: 2,000 samples, C = 1, gamma 1/4: few steps, most support vectors at their bounds;
//!   kernel rows dominate.
//! - `fit/hard`: 1,000 samples, C = 1,024, gamma 1/8: tens of thousands of steps on correlated free
//!   samples; the inner solver dominates.
//! - `path/one_by_one` and `path/together`: 8 values of C, each 4 times the previous one, from 1/16
//!   to 1,024, on 1,000 samples with gamma 1/8.
//!
//! `cargo bench '^svc/'`
//!
//! Compare `path/together` with `path/one_by_one`: the aim is less than half the time, and it must
//! never take longer. Compare both fits with `sklearn.svm.SVC(C=..., gamma=...)` on the same
//! samples.

use criterion::{BenchmarkId, Criterion, criterion_group};
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{Formulation, Status, SvcSettings};
use softmargin::{Result, threads};
use std::borrow::Cow;

const D: usize = 4;

/// A standard normal number (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

fn training_set(n: usize, gamma: f64) -> Result<TrainingSet<f64>> {
    let mut random = Random::new(1);
    let codes: Vec<u32> = (0..n).map(|_| random.below(2) as u32).collect();
    let mean = |row: usize| 1.5 * f64::from(codes[row]) / (D as f64).sqrt();
    let values = (0..n * D).map(|k| mean(k / D) + normal(&mut random));
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values.collect()), n, D)?);
    let kernel = KernelSettings {
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    TrainingSet::new(&rows, Labels::new(&codes, 2)?, vec![1.0; 2], kernel)
}

/// Trains a classifier for each C on one thread and returns the number of support vectors.
fn train(set: &TrainingSet<f64>, cs: &[f64]) -> Result<usize> {
    let settings = SvcSettings {
        cs: cs.to_vec(),
        formulation: Formulation::Classification,
        tol: 1e-3,
        working_set_size: None,
        shrinking: true,
        max_iter: None,
    };
    let (solver, source, monitor) = (settings.check()?, RowSource::Cached, Monitor::new());
    let train = || set.train(&solver, Scheme::OneVsOne, source, 64 << 20, &monitor);
    let machines = threads::install(1, train)??.machines.concat();
    assert!(machines.iter().all(|m| m.status == Status::Converged));
    Ok(machines.iter().map(|machine| machine.terms.len()).sum())
}

fn svc(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("svc");
    group.sample_size(10);
    let fits = [("easy", 2_000, 1.0, 0.25), ("hard", 1_000, 1024.0, 0.125)];
    for (name, n, c, gamma) in fits {
        let set = training_set(n, gamma).expect("valid rows");
        group.bench_function(BenchmarkId::new("fit", name), |bench| {
            bench.iter(|| train(&set, &[c]).expect("a training"));
        });
    }
    let set = training_set(1_000, 0.125).expect("valid rows");
    let cs: Vec<f64> = (-2..6).map(|power| 4f64.powi(power)).collect();
    group.bench_function(BenchmarkId::new("path", "one_by_one"), |bench| {
        bench.iter(|| {
            let fits = cs.iter().map(|&c| train(&set, &[c]));
            fits.sum::<Result<usize>>().expect("trainings")
        });
    });
    group.bench_function(BenchmarkId::new("path", "together"), |bench| {
        bench.iter(|| train(&set, &cs).expect("a training"));
    });
    group.finish();
}

criterion_group!(benches, svc);
