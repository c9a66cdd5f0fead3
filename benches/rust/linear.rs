//! What do the steps of the update rules cost, and what does an exact solution cost?
//!
//! Uniform values and labels from a random hyperplane with noise (seed 1), no bias, lambda = 1e-4,
//! one thread. `dense`: 2,000 samples of 256 features in f32, 2 MB. `sparse`: 20,000 samples of
//! 5,000 features in f32 with 10 stored values each, 1.6 MB.
//!
//! - `epoch/*`: one pass in shuffled order. Compare with Pegasos: momentum and NAG, which have a
//!   velocity, should take about 1.5 times as long on dense and 3 times on sparse samples; RMSprop,
//!   whose steps visit every feature, takes a hundred times as long on sparse samples.
//! - `dual`: coordinate descent on the hinge loss to a tolerance of 1e-2. Compare with an epoch:
//!   how many passes does an exact solution cost?
//! - `newton`: Newton's method for the squared hinge loss to 1e-4 of the first gradient, with a
//!   Cholesky factor for 256 features, and by conjugate gradients for 5,000.
//! - `regression`: the epsilon-insensitive loss to a tolerance of 1e-2, by coordinate descent alone
//!   and by the faster method, for targets of the same hyperplane with noise. Compare both: is
//!   continuing by Newton steps the right choice?
//!
//! `cargo bench '^linear/'`

use criterion::{Criterion, Throughput, criterion_group};
use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{LinearSet, Scheme};
use softmargin::solver::linear::{
    DualSettings, Example, FasterExact, Intercept, LinearMethod, LinearNewtonSettings,
    LinearSolver, Loss, Optimizer, Penalty, SgdSettings, Visit,
};
use softmargin::{Result, threads};
use std::borrow::Cow;

const RULES: [&str; 5] = ["pegasos", "sgd", "momentum", "nag", "rmsprop"];
const PENALTY: Penalty = Penalty::Lambda(1e-4);

fn dense(n: usize, d: usize, random: &mut Random) -> Result<Matrix<'static, f32>> {
    let values = (0..n * d).map(|_| random.unit() as f32 - 0.5).collect();
    Ok(Matrix::Dense(Dense::new(Cow::Owned(values), n, d)?))
}

/// One stored value in each tenth of the features, so that columns ascend.
fn sparse(n: usize, d: usize, random: &mut Random) -> Result<Matrix<'static, f32>> {
    let part = d / 10;
    let column = |k: usize| (k % 10 * part + random.below(part)) as u32;
    let columns = (0..n * 10).map(column).collect();
    let values = (0..n * 10).map(|_| random.unit() as f32 - 0.5).collect();
    let offsets = (0..=n).map(|row| row * 10).collect();
    let rows = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(values), d)?;
    Ok(Matrix::Sparse(rows))
}

/// Labels by a random hyperplane; a tenth of them are random.
fn codes(rows: &Matrix<'_, f32>, random: &mut Random) -> Vec<u32> {
    // One more weight, for the constant feature.
    let plane: Vec<f64> = (0..=rows.n_cols()).map(|_| random.unit() - 0.5).collect();
    let is_above = |row: usize| {
        let (row, constant) = (rows.row(row), 0.0);
        Example { row, constant }.dot(&plane) > 0.0
    };
    let code = |row: usize| match random.below(10) {
        0 => random.below(2) as u32,
        _ => u32::from(is_above(row)),
    };
    (0..rows.n_rows()).map(code).collect()
}

fn epoch(rule: &str) -> Result<LinearMethod> {
    let settings = SgdSettings {
        optimizer: Optimizer::parse(rule)?,
        penalty: PENALTY,
        epochs: Some(1),
        batch_size: 1,
        project: false,
        average: 0.0,
        eta0: None,
        momentum: 0.9,
        decay: 0.9,
        epsilon: 1e-8,
        as_printed: false,
        intercept: Intercept::None,
        visit: Visit::Shuffled,
        early_stop: None,
        seed: 0,
    };
    Ok(settings.check()?.into())
}

/// The value of a random linear function with a tenth of noise, for each sample.
fn targets(rows: &Matrix<'_, f32>, random: &mut Random) -> Vec<f64> {
    let plane: Vec<f64> = (0..=rows.n_cols()).map(|_| random.unit() - 0.5).collect();
    let mut target = |row: usize| {
        let (row, constant) = (rows.row(row), 0.0);
        Example { row, constant }.dot(&plane) + 0.1 * (random.unit() - 0.5)
    };
    (0..rows.n_rows()).map(&mut target).collect()
}

fn regression() -> Result<[(&'static str, LinearMethod); 2]> {
    let settings = DualSettings {
        loss: Loss::Tube { epsilon: 0.01 },
        penalty: PENALTY,
        tol: 1e-2,
        max_iter: None,
        intercept: Intercept::None,
        seed: 0,
    };
    Ok([
        ("regression/dual", settings.clone().check()?.into()),
        ("regression/faster", FasterExact::new(settings)?.into()),
    ])
}

fn exact() -> Result<[(&'static str, LinearMethod); 2]> {
    let dual = DualSettings {
        loss: Loss::Hinge,
        penalty: PENALTY,
        tol: 1e-2,
        max_iter: None,
        intercept: Intercept::None,
        seed: 0,
    };
    let newton = LinearNewtonSettings {
        loss: Loss::SquaredHinge,
        penalty: PENALTY,
        tol: 1e-4,
        max_iter: None,
        intercept: Intercept::None,
        free_bias: false,
    };
    Ok([
        ("dual", dual.check()?.into()),
        ("newton", newton.check()?.into()),
    ])
}

/// Trains on one thread and returns the number of epochs or steps.
fn train(set: &LinearSet<'_, f32>, method: &LinearMethod) -> Result<u64> {
    let monitor = Monitor::new();
    let scheme = match method.tube() {
        Some(_) => Scheme::Single,
        None => Scheme::OneVsRest,
    };
    let train = || set.train(method, scheme, 0.0, &[], None, &monitor);
    let machines = threads::install(1, train)??;
    Ok(machines.iter().map(|machine| machine.n_iter).sum())
}

fn linear_methods(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let kinds = [
        ("dense", dense(2_000, 256, &mut random)),
        ("sparse", sparse(20_000, 5_000, &mut random)),
    ];
    for (kind, rows) in kinds {
        let rows = rows.expect("valid rows");
        let codes = codes(&rows, &mut random);
        let set = LinearSet::new(&rows, &codes, &[1.0, 1.0], None).expect("a valid set");
        let targets = targets(&rows, &mut random);
        let regression_set = LinearSet::regression(&rows, &targets, None).expect("a valid set");
        let mut group = criterion.benchmark_group(format!("linear/{kind}"));
        group.sample_size(10);
        group.throughput(Throughput::Elements(rows.n_rows() as u64));
        for rule in RULES {
            let method = epoch(rule).expect("valid settings");
            group.bench_function(format!("epoch/{rule}"), |bench| {
                bench.iter(|| train(&set, &method).expect("a training"));
            });
        }
        for (name, method) in exact().expect("valid settings") {
            group.bench_function(name, |bench| {
                bench.iter(|| train(&set, &method).expect("a training"));
            });
        }
        for (name, method) in regression().expect("valid settings") {
            group.bench_function(name, |bench| {
                bench.iter(|| train(&regression_set, &method).expect("a training"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, linear_methods);
