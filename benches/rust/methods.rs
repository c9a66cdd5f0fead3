//! What do the other kernel methods cost, and what does a path save?
//!
//! Two normal distributions of 4 features in f64 (distance of the means 1.5, seed 1), 1,000
//! samples, RBF with gamma 1/4, C = 1, one thread, a cache of 64 MB. NL-SGD: two epochs; NN-ISDA:
//! tol 1e-2; MN-SVM: eps 1e-3.
//!
//! - `fit/*`: one training.
//! - `path/*`: a path of 4 values of C from 1/16 to 4; compare with four times `fit`. NL-SGD must
//!   take less than three times as long as one training, the others less than four times.
//!
//! `cargo bench '^methods/'`

use criterion::{BenchmarkId, Criterion, criterion_group};
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{
    Bias, Method, MnSvmSettings, NewtonSettings, NlSgdSettings, NnIsdaSettings, Order, Selection,
    Step,
};
use softmargin::{Result, threads};
use std::borrow::Cow;

const N: usize = 1_000;
const D: usize = 4;

/// A standard normal number (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

fn training_set() -> Result<TrainingSet<f64>> {
    let mut random = Random::new(1);
    let codes: Vec<u32> = (0..N).map(|_| random.below(2) as u32).collect();
    let mean = |row: usize| 1.5 * f64::from(codes[row]) / (D as f64).sqrt();
    let values = (0..N * D).map(|k| mean(k / D) + normal(&mut random));
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values.collect()), N, D)?);
    let kernel = KernelSettings {
        gamma: Gamma::Value(0.25),
        ..KernelSettings::default()
    };
    TrainingSet::new(&rows, Labels::new(&codes, 2)?, vec![1.0; 2], kernel)
}

fn methods(cs: &[f64]) -> Result<[(&'static str, Method); 4]> {
    let cs = cs.to_vec();
    let nlsgd = NlSgdSettings {
        cs: cs.clone(),
        epochs: 2,
        average: 0.5,
        step: Step::Time,
        order: Order::Cyclic,
        seed: 0,
    };
    let nnisda = NnIsdaSettings {
        cs: cs.clone(),
        tol: 1e-2,
        max_iter: None,
    };
    let mnsvm = MnSvmSettings {
        cs: cs.clone(),
        eps: 1e-3,
        selection: Selection::Worst,
        seed: 0,
        max_iter: None,
    };
    let newton = NewtonSettings {
        cs,
        bias: Bias::Free,
        max_iter: None,
        line_search: true,
    };
    Ok([
        ("nlsgd", nlsgd.check()?.into()),
        ("nnisda", nnisda.check()?.into()),
        ("mnsvm", mnsvm.check()?.into()),
        ("newton", newton.check()?.into()),
    ])
}

/// Trains on one thread and returns the number of support vectors.
fn train(set: &TrainingSet<f64>, method: &Method) -> Result<usize> {
    let (source, monitor) = (RowSource::Cached, Monitor::new());
    let train = || set.train(method, Scheme::OneVsOne, source, 64 << 20, &monitor);
    let machines = threads::install(1, train)??.machines.concat();
    Ok(machines.iter().map(|machine| machine.terms.len()).sum())
}

fn kernel_methods(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("methods");
    group.sample_size(10);
    let set = training_set().expect("valid rows");
    for (kind, cs) in [("fit", &[1.0][..]), ("path", &[0.0625, 0.25, 1.0, 4.0][..])] {
        for (name, method) in methods(cs).expect("valid settings") {
            group.bench_function(BenchmarkId::new(kind, name), |bench| {
                bench.iter(|| train(&set, &method).expect("a training"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, kernel_methods);
