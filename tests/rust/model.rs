//! Decision values are the sums that define the binary classifiers, for dense and sparse samples,
//! and do not depend on the number of threads.

use softmargin::data::{Csr, Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, Gram, KernelKind, KernelSettings, PackedRows};
use softmargin::model::{Model, Ties};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{Patterns, RowSource, Scheme, TrainingSet};
use softmargin::solver::{Machine, OllawvSettings};
use softmargin::{Result, threads};
use std::borrow::Cow;

const D: usize = 6;
const SCHEMES: [Scheme; 3] = [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal];

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

/// Binary classifiers with many support vectors, and their training set.
fn train(
    rows: &Matrix<'_, f64>,
    k: usize,
    scheme: Scheme,
    kind: KernelKind,
) -> Result<(TrainingSet<f64>, Vec<Machine>)> {
    let mut random = Random::new(9);
    let codes: Vec<u32> = (0..rows.n_rows()).map(|_| random.below(k) as u32).collect();
    let labels = Labels::new(&codes, k)?;
    let set = TrainingSet::new(rows, labels, vec![1.0; k], settings(kind))?;
    let solver = OllawvSettings {
        margins: vec![0.5],
        c: 2.0,
        bias: true,
        max_sv_fraction: 0.8,
        ..OllawvSettings::default()
    };
    let monitor = Monitor::new();
    let trained = set.train(&solver.check()?, scheme, RowSource::Computed, 0, &monitor)?;
    Ok((set, trained.machines.concat()))
}

/// `sum alpha exp(-gamma |x - z|^2) + bias` of each classifier for each sample.
fn plain_sums(
    (set, machines): &(TrainingSet<f64>, Vec<Machine>),
    rows: &Dense<'_, f64>,
    queries: &Dense<'_, f64>,
) -> Vec<f64> {
    let rbf = |i: usize, row: u32| {
        let row = rows.row(set.labels().order()[row as usize] as usize);
        let squares = queries.row(i).iter().zip(row).map(|(x, z)| (x - z).powi(2));
        (-set.kernel().gamma() * squares.sum::<f64>()).exp()
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
fn decision_values_are_the_sums_of_the_classifiers() -> Result<()> {
    // More support vectors per class and more queries than a block has; few and many classifiers.
    let (rows, queries) = (dense(900, 1), dense(101, 2));
    for (k, scheme) in [2, 4, 10]
        .into_iter()
        .flat_map(|k| SCHEMES.map(|scheme| (k, scheme)))
    {
        for own in [Matrix::Dense(rows.clone()), sparse(&rows)] {
            let trained = train(&own, k, scheme, KernelKind::Rbf)?;
            let expected = plain_sums(&trained, &rows, &queries);
            let model = Model::new(&trained.0, scheme, &trained.1, &Monitor::new())?;
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
    for scheme in SCHEMES {
        let decide = |rows: &Matrix<'_, f64>, kind| {
            let (set, machines) = train(rows, 3, scheme, kind)?;
            let model = Model::new(&set, scheme, &machines, &Monitor::new())?;
            let scores = model.class_scores(rows, &Monitor::new())?;
            Ok((model.decision_values(rows, &Monitor::new())?, scores))
        };
        let expected: Result<(Vec<f64>, Vec<f64>)> = decide(&rows, KernelKind::Rbf);
        assert_eq!(decide(&gram, KernelKind::Precomputed)?, expected?);
    }
    Ok(())
}

/// The rule of the paper, applied to the decision values of the training samples.
#[test]
fn ordinal_labels_are_counted_on_the_training_samples_by_their_weights() -> Result<()> {
    let (k, rows) = (4, Matrix::Dense(dense(150, 5)));
    let weights: Vec<f64> = (0..150).map(|row| 1.0 + f64::from(row % 3)).collect();
    let (set, machines) = train(&rows, k, Scheme::Ordinal, KernelKind::Rbf)?;
    let set = set.with_row_weights(&weights)?;
    let few: Vec<Machine> = machines
        .iter()
        .map(|machine| Machine {
            terms: machine.terms[..5].to_vec(),
            ..machine.clone()
        })
        .collect();
    let monitor = Monitor::new();
    let path = Model::path(&set, Scheme::Ordinal, &[&machines, &few], &monitor)?;
    let queries = Matrix::Dense(dense(80, 6));
    let found = path.predict_path(&queries, Ties::LargestSum, &monitor)?;
    for (setting, machines) in [&machines, &few].into_iter().enumerate() {
        let model = Model::new(&set, Scheme::Ordinal, machines, &monitor)?;
        let values = model.decision_values(&rows, &monitor)?;
        let mut patterns = Patterns::new(k);
        for row in 0..150 {
            let place = set.labels().order().iter().position(|&r| r == row as u32);
            let class = set.labels().class_of(place.expect("a place for each row"));
            patterns
                .add(&values[row * (k - 1)..][..k - 1], class, weights[row])
                .expect("few patterns");
        }
        assert_eq!(model.patterns(), Some(&patterns));
        let values = model.decision_values(&queries, &monitor)?;
        let winner = |outputs: &[f64]| patterns.winner(outputs);
        let expected: Vec<u32> = values.chunks(k - 1).map(winner).collect();
        assert_eq!(
            model.predict(&queries, Ties::LowestLabel, &monitor)?,
            expected
        );
        let of_setting: Vec<u32> = found.chunks(2).map(|both| both[setting]).collect();
        assert_eq!(of_setting, expected, "setting {setting}");
        let by_five =
            threads::install(5, || Model::new(&set, Scheme::Ordinal, machines, &monitor))??;
        assert_eq!(by_five.patterns(), Some(&patterns));
    }
    Ok(())
}
