//! A model is restored from consistent parts; inconsistent parts are rejected.

use softmargin::data::{Dense, Matrix, Random};
use softmargin::kernel::{Gamma, Kernel, KernelKind, KernelSettings, PackedRows};
use softmargin::model::{Model, Ties};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{Patterns, Scheme};
use softmargin::{Error, Result};
use std::borrow::Cow;

const D: usize = 6;

fn dense(n: usize, seed: u64) -> Dense<'static, f64> {
    let mut random = Random::new(seed);
    let values = (0..n * D).map(|_| random.unit()).collect();
    Dense::new(Cow::Owned(values), n, D).expect("finite values")
}

fn linear() -> Result<Kernel> {
    let settings = KernelSettings {
        kind: KernelKind::Linear,
        gamma: Gamma::Value(1.0),
        ..KernelSettings::default()
    };
    settings.check_numbers()
}

/// The parts of a model of three classes with 2, 0 and 1 support vectors.
struct Parts {
    rows: usize,
    support: Vec<u32>,
    n_support: Vec<usize>,
    dual_coef: Vec<f64>,
    biases: Vec<f64>,
    scheme: Scheme,
    patterns: Option<Patterns>,
}

fn parts() -> Parts {
    Parts {
        rows: 3,
        support: vec![4, 7, 5],
        n_support: vec![2, 0, 1],
        dual_coef: vec![0.5, -1.0, 0.25, 2.0, 0.0, -0.5],
        biases: vec![0.1, 0.2, 0.3],
        scheme: Scheme::OneVsOne,
        patterns: None,
    }
}

/// The same support vectors with two ordinal classifiers.
fn ordinal() -> Parts {
    let mut patterns = Patterns::new(3);
    patterns.add(&[1.0, 1.0], 2, 1.0).expect("few patterns");
    Parts {
        biases: vec![0.1, 0.2],
        scheme: Scheme::Ordinal,
        patterns: Some(patterns),
        ..parts()
    }
}

fn model(parts: Parts) -> Result<Model<f64>> {
    let order: Vec<u32> = (0..parts.rows as u32).collect();
    Model::from_parts(
        linear()?,
        parts.scheme,
        PackedRows::new(&Matrix::Dense(dense(10, 4)), &order)?,
        parts.support,
        &parts.n_support,
        parts.dual_coef,
        parts.biases,
        parts.patterns,
    )
}

#[test]
fn consistent_parts_are_restored() -> Result<()> {
    let (model, parts) = (model(parts())?, parts());
    assert_eq!(
        (model.n_classes(), model.n_machines(), model.n_coef_rows()),
        (3, 3, 2)
    );
    assert_eq!(
        (model.support(), model.n_support()),
        (&*parts.support, parts.n_support)
    );
    assert_eq!(
        (model.dual_coef(), model.biases()),
        (&*parts.dual_coef, &*parts.biases)
    );
    assert_eq!(
        model.rows().unpack()?,
        Matrix::Dense(dense(10, 4).gather(&[0, 1, 2])?)
    );
    Ok(())
}

#[test]
fn inconsistent_parts_are_rejected() {
    type Change = fn(&mut Parts);
    let changes: [(&str, Change); 13] = [
        ("one row too few", |p| p.rows = 2),
        ("one row too many", |p| p.rows = 4),
        ("an index too few", |p| p.support.truncate(2)),
        ("an index too many", |p| p.support.push(9)),
        ("one class", |p| p.n_support = vec![3]),
        ("no classes", |p| p.n_support = vec![]),
        ("another count", |p| p.n_support[1] = 1),
        ("a count that overflows", |p| {
            p.n_support = vec![usize::MAX, 1, 3]
        }),
        ("a coefficient too few", |p| p.dual_coef.truncate(5)),
        ("a coefficient too many", |p| p.dual_coef.push(0.0)),
        ("a bias too few", |p| p.biases.truncate(2)),
        ("a coefficient that is NaN", |p| p.dual_coef[4] = f64::NAN),
        ("a bias that is infinite", |p| {
            p.biases[2] = f64::NEG_INFINITY
        }),
    ];
    for (what, change) in changes {
        let mut changed = parts();
        change(&mut changed);
        match model(changed) {
            Err(Error::Data(message)) => assert!(message.starts_with("this is not a model: ")),
            other => panic!("{what} gave {other:?}"),
        }
    }
}

#[test]
fn patterns_belong_to_ordinal_classifiers_of_as_many_classes() -> Result<()> {
    let restored = model(ordinal())?;
    assert_eq!(restored.patterns(), ordinal().patterns.as_ref());
    let rows = Matrix::Dense(dense(5, 6));
    let found = restored.predict(&rows, Ties::LargestSum, &Monitor::new())?;
    assert_eq!(found, [2; 5], "the only label that was counted");
    type Change = fn(&mut Parts);
    let changes: [(&str, Change); 6] = [
        ("none", |p| p.patterns = None),
        ("empty", |p| p.patterns = Some(Patterns::new(3))),
        ("of two classes", |p| p.patterns = Some(Patterns::new(2))),
        ("of four classes", |p| p.patterns = Some(Patterns::new(4))),
        ("of pairs", |p| {
            *p = Parts {
                patterns: p.patterns.take(),
                ..parts()
            }
        }),
        ("a bias for each pair", |p| p.biases.push(0.3)),
    ];
    for (what, change) in changes {
        let mut changed = ordinal();
        change(&mut changed);
        match model(changed) {
            Err(Error::Data(message)) => assert!(message.starts_with("this is not a model: ")),
            other => panic!("{what} gave {other:?}"),
        }
    }
    Ok(())
}

#[test]
fn a_model_without_vectors_decides_by_its_bias() -> Result<()> {
    let empty = model(Parts {
        rows: 0,
        support: vec![],
        n_support: vec![0; 3],
        dual_coef: vec![],
        ..parts()
    })?;
    let rows = Matrix::Dense(dense(2, 5));
    let values = empty.decision_values(&rows, &Monitor::new())?;
    assert_eq!(values, [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]);
    Ok(())
}

#[test]
fn invalid_queries_are_rejected() -> Result<()> {
    let narrow = Matrix::Dense(Dense::new(Cow::Owned(vec![0.0; 5]), 1, 5)?);
    let refusal = model(parts())?.decision_values(&narrow, &Monitor::new());
    let message = "X has 5 features, but the model was fitted with 6 features";
    assert_eq!(refusal, Err(Error::Shape(message.into())));
    let huge = Matrix::Dense(Dense::new(Cow::Owned(vec![1e300; 6]), 1, 6)?);
    assert!(
        model(parts())?
            .decision_values(&huge, &Monitor::new())
            .is_err()
    );
    Ok(())
}

/// Decision values are finite even if coefficients exceed the range of the type of the samples.
#[test]
fn coefficients_may_exceed_the_type_of_the_samples() -> Result<()> {
    let rows = Matrix::Dense(Dense::new(Cow::Owned(vec![1.0f32, 2.0]), 2, 1)?);
    let model = Model::from_parts(
        linear()?,
        Scheme::OneVsOne,
        PackedRows::new(&rows, &[0, 1])?,
        vec![0, 1],
        &[1, 1],
        vec![1e39, -1e39],
        vec![0.0],
        None,
    )?;
    let values = model.decision_values(&rows, &Monitor::new())?;
    assert_relative(&values, &[-1e39, -2e39]);
    Ok(())
}

fn assert_relative(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{found} is not {expected}"
        );
    }
}
