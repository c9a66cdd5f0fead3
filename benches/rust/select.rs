//! What does model selection cost, and what does sharing save?
//!
//! Four splits of 800 samples (two normal distributions of 16 features, f32 kernel values, seed 1),
//! eight gammas from 4^-5 to 4^2, a path of eight settings, one thread.
//!
//! - `together/*`: one evaluation, with kernel matrices.
//! - `separately/*`: the same cells without a matrix (a budget of 0 bytes), as single trainings.
//!
//! `cargo bench '^select/'`
//!
//! `together` must be faster than `separately`.

use criterion::{BenchmarkId, Criterion, criterion_group};
use softmargin::data::{Dense, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::model::Ties;
use softmargin::monitor::Monitor;
use softmargin::multiclass::Scheme;
use softmargin::select::{Evaluation, Job, Plan, Scaling, Source, Wanted};
use softmargin::solver::{Formulation, Method, OllawvSettings, SvcSettings};
use softmargin::{Result, threads};
use std::borrow::Cow;

const N: usize = 1_000;
const D: usize = 16;

fn rows() -> Result<(Matrix<'static, f64>, Vec<u32>)> {
    let mut random = Random::new(1);
    let codes: Vec<u32> = (0..N).map(|_| random.below(2) as u32).collect();
    let values = (0..N * D).map(|k| 0.3 * f64::from(codes[k / D]) + random.unit());
    let rows = Dense::new(Cow::Owned(values.collect()), N, D)?;
    Ok((Matrix::Dense(rows), codes))
}

fn methods() -> Result<[(&'static str, Method); 2]> {
    let ollawv = OllawvSettings {
        margins: vec![0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8],
        c: 1.0,
        bias: true,
        max_sv_fraction: 1.0,
        ..OllawvSettings::default()
    };
    let svc = SvcSettings {
        cs: (-2..6).map(|power| 4f64.powi(power)).collect(),
        formulation: Formulation::Classification,
        tol: 1e-3,
        working_set_size: None,
        shrinking: true,
        max_iter: None,
    };
    Ok([
        ("ollawv", ollawv.check()?.into()),
        ("svc", svc.check()?.into()),
    ])
}

fn jobs(method: &Method) -> Vec<Job<Method>> {
    let kernel = |power: i32| KernelSettings {
        gamma: Gamma::Value(4f64.powi(power)),
        ..KernelSettings::default()
    };
    let job = |fold: u32| Job {
        source: 0,
        train: (0..N as u32).filter(|row| row % 5 != fold).collect(),
        test: (0..N as u32).filter(|row| row % 5 == fold).collect(),
        kernels: (-5..3).map(kernel).collect(),
        solvers: vec![method.clone(); 8],
        starts: Vec::new(),
    };
    (0..4).map(job).collect()
}

/// Evaluates on one thread and returns the number of finished kernels.
fn evaluate(
    rows: &Matrix<'_, f64>,
    codes: &[u32],
    jobs: &[Job<Method>],
    budget_bytes: usize,
) -> Result<usize> {
    let plan = Plan {
        n_classes: 2,
        class_weights: Some(&[1.0; 2]),
        scaling: Scaling::MinMax,
        scheme: Scheme::OneVsOne,
        ties: Ties::LargestSum,
        wanted: Wanted::default(),
        budget_bytes,
    };
    let evaluation = Evaluation::new(jobs);
    let sources = [Source {
        rows: rows.head(rows.n_rows()),
        codes,
        row_weights: None,
        targets: None,
    }];
    threads::install(1, || {
        evaluation.run::<f64, f32, _>(&sources, &plan, jobs, &Monitor::new())
    })??;
    Ok(evaluation.n_done())
}

fn select(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    group.sample_size(10);
    let (rows, codes) = rows().expect("valid rows");
    for (name, method) in methods().expect("valid settings") {
        let jobs = jobs(&method);
        for (kind, budget) in [("together", 1 << 30), ("separately", 0)] {
            group.bench_function(BenchmarkId::new(kind, name), |bench| {
                bench.iter(|| evaluate(&rows, &codes, &jobs, budget).expect("an evaluation"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, select);
