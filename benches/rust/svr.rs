//! What do regression, nu and novelty detection cost, compared with classification of the same
//! samples?
//!
//! 2,000 samples of 4 uniform features in f64 (seed 1), targets `sin(4 x_0) + x_1 x_2` plus uniform
//! noise of half-width 0.3; RBF with gamma 1, tol 1e-3, one thread, a cache of 64 MB.
//!
//! - `fit/epsilon`: epsilon-SVR with C = 10 and epsilon = 0.1: one coefficient per sample, not two.
//! - `fit/nu`: nu-SVR with C = 10 and nu = 0.5, with a sum of coefficients for each side.
//! - `fit/one_class`: the one-class problem with nu = 0.1.
//! - `path/one_by_one` and `path/together`: 4 values of C and 3 of epsilon, 12 settings.
//!
//! `cargo bench '^svr/'`
//!
//! `path/together` must take less than half the time of `path/one_by_one`.

use criterion::{BenchmarkId, Criterion, criterion_group};
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{Formulation, Status, SvcSettings};
use softmargin::{Result, threads};
use std::borrow::Cow;

const N: usize = 2_000;
const D: usize = 4;

fn training_set() -> Result<TrainingSet<f64>> {
    let mut random = Random::new(1);
    let values: Vec<f64> = (0..N * D).map(|_| random.unit()).collect();
    let target = |x: &[f64]| (4.0 * x[0]).sin() + x[1] * x[2];
    let noisy = |x| target(x) + 0.3 * (2.0 * random.unit() - 1.0);
    let targets: Vec<f64> = values.chunks_exact(D).map(noisy).collect();
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values), N, D)?);
    let kernel = KernelSettings {
        gamma: Gamma::Value(1.0),
        ..KernelSettings::default()
    };
    TrainingSet::new(&rows, Labels::single(N)?, vec![1.0], kernel)?.with_targets(&targets)
}

/// Trains all settings of a path on one thread and returns the number of support vectors.
fn train(set: &TrainingSet<f64>, cs: &[f64], formulation: Formulation) -> Result<usize> {
    let settings = SvcSettings {
        cs: cs.to_vec(),
        formulation,
        tol: 1e-3,
        working_set_size: None,
        shrinking: true,
        max_iter: None,
    };
    let (solver, source, monitor) = (settings.check()?, RowSource::Cached, Monitor::new());
    let train = || set.train(&solver, Scheme::Single, source, 64 << 20, &monitor);
    let machines = threads::install(1, train)??.machines.concat();
    assert!(machines.iter().all(|m| m.status == Status::Converged));
    Ok(machines.iter().map(|machine| machine.terms.len()).sum())
}

fn svr(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("svr");
    group.sample_size(10);
    let set = training_set().expect("valid rows");
    let fits = [
        (
            "epsilon",
            Formulation::Regression {
                epsilons: vec![0.1],
            },
        ),
        ("nu", Formulation::NuRegression { nus: vec![0.5] }),
        ("one_class", Formulation::OneClass { nus: vec![0.1] }),
    ];
    for (name, formulation) in fits {
        group.bench_function(BenchmarkId::new("fit", name), |bench| {
            bench.iter(|| train(&set, &[10.0], formulation.clone()).expect("a training"));
        });
    }
    let epsilons = [0.05, 0.1, 0.2];
    let path: Vec<(f64, f64)> = [1.0, 4.0, 16.0, 64.0]
        .iter()
        .flat_map(|&c| epsilons.map(|epsilon| (c, epsilon)))
        .collect();
    let (cs, all): (Vec<f64>, Vec<f64>) = path.iter().copied().unzip();
    group.bench_function(BenchmarkId::new("path", "one_by_one"), |bench| {
        bench.iter(|| {
            let fits = path.iter().map(|&(c, epsilon)| {
                let epsilons = vec![epsilon];
                train(&set, &[c], Formulation::Regression { epsilons })
            });
            fits.sum::<Result<usize>>().expect("trainings")
        });
    });
    group.bench_function(BenchmarkId::new("path", "together"), |bench| {
        bench.iter(|| {
            let epsilons = all.clone();
            train(&set, &cs, Formulation::Regression { epsilons }).expect("a training")
        });
    });
    group.finish();
}

criterion_group!(benches, svr);
