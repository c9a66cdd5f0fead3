//! Decision values are the sums that the machines stand for, dense or sparse, and do not
//! depend on the number of threads.

use hinge::data::{Csr, Dense, Labels, Matrix, Random};
use hinge::kernel::{Gamma, Gram, Kernel, KernelKind, KernelSettings, PackedRows};
use hinge::model::Model;
use hinge::monitor::Monitor;
use hinge::multiclass::{RowSource, Scheme, TrainingSet};
use hinge::solver::{Machine, OllawvSettings};
use hinge::{Result, threads};
use std::borrow::Cow;

const D: usize = 6;
const SCHEMES: [Scheme; 2] = [Scheme::OneVsOne, Scheme::OneVsRest];

fn dense(n: usize, seed: u64) -> Dense<'static, f64> {
    let mut random = Random::new(seed);
    let values = (0..n * D).map(|_| random.unit()).collect();
    Dense::new(Cow::Owned(values), n, D).expect("finite values")
}

fn sparse(dense: &Dense<'_, f64>) -> Matrix<'static, f64> {
    let csr = Csr::new(
        (0..=dense.n_rows()).map(|i| i * D).collect(),
        Cow::Owned((0..dense.n_rows()).flat_map(|_| 0..D as u32).collect()),
        Cow::Owned(dense.values().to_vec()),
        D,
    );
    Matrix::Sparse(csr.expect("canonical rows"))
}

fn settings(kind: KernelKind) -> KernelSettings {
    KernelSettings {
        kind,
        gamma: Gamma::Value(1.2),
        ..KernelSettings::default()
    }
}

/// Machines that use most of their rows, with the labels they were trained with.
fn train(
    rows: &Matrix<'_, f64>,
    k: usize,
    scheme: Scheme,
    kind: KernelKind,
) -> Result<(Kernel, Labels, Vec<Machine>)> {
    let mut random = Random::new(9);
    let codes: Vec<u32> = (0..rows.n_rows()).map(|_| random.below(k) as u32).collect();
    let labels = Labels::new(&codes, k)?;
    let set = TrainingSet::new(rows, labels.clone(), vec![1.0; k], settings(kind))?;
    let solver = OllawvSettings {
        margins: vec![0.5],
        c: 2.0,
        bias: true,
        max_sv_fraction: 0.8,
    };
    let monitor = Monitor::new();
    let trained = set.train(&solver.check()?, scheme, RowSource::Computed, 0, &monitor)?;
    Ok((*set.kernel(), labels, trained.machines.concat()))
}

/// `sum alpha exp(-gamma |x - z|^2) + bias` of each machine for each row.
fn plain_sums(
    (kernel, labels, machines): &(Kernel, Labels, Vec<Machine>),
    rows: &Dense<'_, f64>,
    queries: &Dense<'_, f64>,
) -> Vec<f64> {
    let rbf = |i: usize, row: u32| {
        let row = rows.row(labels.order()[row as usize] as usize);
        let squares = queries.row(i).iter().zip(row).map(|(x, z)| (x - z).powi(2));
        (-kernel.gamma() * squares.sum::<f64>()).exp()
    };
    let value = |i: usize, machine: &Machine| {
        let terms = machine
            .terms
            .iter()
            .map(|&(row, alpha)| alpha * rbf(i, row));
        terms.sum::<f64>() + machine.bias
    };
    let all = (0..queries.n_rows()).flat_map(|i| machines.iter().map(move |m| (i, m)));
    all.map(|(i, machine)| value(i, machine)).collect()
}

#[test]
fn decision_values_are_the_sums_of_the_machines() -> Result<()> {
    // More vectors to a class than one block has, more queries, and few and many machines.
    let (rows, queries) = (dense(900, 1), dense(101, 2));
    for (k, scheme) in [2, 4, 10]
        .into_iter()
        .flat_map(|k| SCHEMES.map(|scheme| (k, scheme)))
    {
        for own in [Matrix::Dense(rows.clone()), sparse(&rows)] {
            let trained = train(&own, k, scheme, KernelKind::Rbf)?;
            let expected = plain_sums(&trained, &rows, &queries);
            let model = Model::new(trained.0, scheme, &trained.1, &trained.2, &own)?;
            for matrix in [Matrix::Dense(queries.clone()), sparse(&queries)] {
                let values = model.decision_values(&matrix, &Monitor::new())?;
                assert_eq!(values.len(), expected.len());
                let mut pairs = values.iter().zip(&expected);
                assert!(
                    pairs.all(|(a, b)| (a - b).abs() <= 1e-11),
                    "{k} classes, {scheme:?}"
                );
                let decide = || model.decision_values(&matrix, &Monitor::new());
                let by_eight = threads::install(8, decide)??;
                assert_eq!(by_eight, values);
            }
        }
    }
    Ok(())
}

#[test]
fn a_precomputed_kernel_gives_the_decision_values_of_its_formula() -> Result<()> {
    let rows = Matrix::Dense(dense(120, 3));
    let order: Vec<u32> = (0..120).collect();
    let rbf = settings(KernelKind::Rbf).check(&rows)?;
    let gram = Gram::new(&PackedRows::new(&rows, &order)?, &rbf, &Monitor::new())?;
    let gram = Matrix::Dense(Dense::new(Cow::Owned(gram.into_values()), 120, 120)?);
    let decide = |rows: &Matrix<'_, f64>, kind| {
        let (kernel, labels, machines) = train(rows, 3, Scheme::OneVsOne, kind)?;
        let model = Model::new(kernel, Scheme::OneVsOne, &labels, &machines, rows)?;
        model.decision_values(rows, &Monitor::new())
    };
    let expected = decide(&rows, KernelKind::Rbf)?;
    assert_eq!(decide(&gram, KernelKind::Precomputed)?, expected);
    Ok(())
}
