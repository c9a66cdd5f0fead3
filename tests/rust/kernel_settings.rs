//! Kernel parameters are resolved as in scikit-learn; invalid ones are rejected with their name,
//! value and rule.

use softmargin::data::{Csr, Dense, Matrix, Real};
use softmargin::kernel::{Gamma, Gram, KernelKind, KernelSettings, PackedRows};
use softmargin::monitor::Monitor;
use softmargin::{Error, Result};
use std::borrow::Cow;

fn dense<T: Real>(values: &[T], n_cols: usize) -> Matrix<'_, T> {
    let n_rows = values.len() / n_cols;
    let dense = Dense::new(Cow::Borrowed(values), n_rows, n_cols);
    Matrix::Dense(dense.expect("finite values"))
}

fn with(kind: KernelKind) -> KernelSettings {
    KernelSettings {
        kind,
        gamma: Gamma::Value(1.0),
        ..KernelSettings::default()
    }
}

#[test]
fn gamma_follows_its_rule() -> Result<()> {
    // Mean 2, variance ((-2)^2 + 0 + 0 + 2^2 + (-2)^2 + 2^2) / 6 = 16 / 6, three features.
    let rows = dense(&[0.0, 2.0, 2.0, 4.0, 0.0, 4.0], 3);
    let sparse = Matrix::Sparse(Csr::new(
        vec![0, 2, 4],
        Cow::Owned(vec![1, 2, 0, 2]),
        Cow::Owned(vec![2.0, 2.0, 4.0, 4.0]),
        3,
    )?);
    for rows in [rows, sparse] {
        assert_eq!(Gamma::Value(0.7).resolve(&rows), 0.7);
        assert_eq!(Gamma::Auto.resolve(&rows), 1.0 / 3.0);
        assert!((Gamma::Scale.resolve(&rows) - 1.0 / 8.0).abs() < 1e-15);
    }
    let constant = dense(&[5.0f32; 6], 2);
    assert_eq!(Gamma::Scale.resolve(&constant), 1.0, "nothing varies");
    assert_eq!(Gamma::Scale.resolve(&dense::<f64>(&[], 2)), 1.0, "no rows");
    // A large offset loses no digits: the variance of 1e8 and 1e8 + 1 is 1/4.
    assert_eq!(Gamma::Scale.resolve(&dense(&[1e8, 1e8 + 1.0], 1)), 4.0);
    Ok(())
}

/// Model selection resolves gamma on the first samples of a split; that must not copy them.
#[test]
fn gamma_of_the_first_samples_needs_no_copy() -> Result<()> {
    let values: Vec<f64> = (0..30).map(|i| f64::from(i).sqrt()).collect();
    let indices: Vec<u32> = (0..30).map(|i| i % 3).collect();
    let offsets: Vec<usize> = (0..=10).map(|row| 3 * row).collect();
    let sparse = Csr::new(offsets, Cow::Borrowed(&indices), Cow::Borrowed(&values), 4)?;
    for matrix in [dense(&values, 3), Matrix::Sparse(sparse)] {
        for n in [0, 1, 7, 10] {
            let head = matrix.head(n);
            let order: Vec<u32> = (0..n as u32).collect();
            let copy = matrix.gather(&order)?;
            assert_eq!(head, copy);
            assert_eq!(head.values().as_ptr(), values.as_ptr(), "borrowed");
            let gamma = |rows: &Matrix<'_, f64>| Gamma::Scale.resolve(rows).to_bits();
            assert_eq!(gamma(&head), gamma(&copy));
        }
    }
    Ok(())
}

#[test]
fn the_default_is_that_of_scikit_learn() -> Result<()> {
    let rows = dense(&[0.0, 2.0], 1);
    let kernel = KernelSettings::default().check(&rows)?;
    assert_eq!((kernel.kind(), kernel.degree()), (KernelKind::Rbf, 3));
    assert_eq!((kernel.gamma(), kernel.coef0()), (1.0, 0.0));
    Ok(())
}

#[test]
fn names_round_trip_and_unknown_ones_are_rejected() -> Result<()> {
    for name in ["linear", "rbf", "poly", "sigmoid", "precomputed"] {
        assert_eq!(KernelKind::parse(name)?.name(), name);
    }
    let error = KernelKind::parse("RBF").expect_err("no such kernel");
    assert!(
        error
            .to_string()
            .starts_with("kernel = \"RBF\" is not valid")
    );
    Ok(())
}

#[test]
fn numbers_outside_their_domain_are_rejected_by_name() {
    let rows = dense(&[0.0, 1.0], 1);
    let refused = |settings: KernelSettings, sentence: &str| {
        let error = settings.check(&rows).expect_err(sentence);
        assert!(matches!(error, Error::Parameter { .. }));
        assert!(error.to_string().starts_with(sentence), "{error}");
    };
    let gamma = |value| KernelSettings {
        gamma: Gamma::Value(value),
        ..KernelSettings::default()
    };
    refused(gamma(-0.5), "gamma = -0.5 is not valid");
    refused(gamma(f64::NAN), "gamma = NaN is not valid");
    refused(gamma(f64::INFINITY), "gamma = inf is not valid");
    let coef0 = |coef0| KernelSettings {
        coef0,
        ..KernelSettings::default()
    };
    refused(coef0(f64::NAN), "coef0 = NaN is not valid");
    refused(coef0(f64::NEG_INFINITY), "coef0 = -inf is not valid");
    let without_rows = KernelSettings::default().check_numbers();
    let error = without_rows.expect_err("a rule needs rows");
    assert!(error.to_string().starts_with("gamma = Scale is not valid"));
}

#[test]
fn samples_that_overflow_a_kernel_are_rejected() -> Result<()> {
    let refused = |settings: KernelSettings, largest: f32| {
        let error = settings
            .check(&dense(&[largest, 0.0], 1))
            .expect_err("overflow");
        let sentence = error.to_string();
        assert!(
            sentence.contains(&format!("{:e}", f64::from(largest))),
            "{sentence}"
        );
        assert!(sentence.contains(settings.kind.name()), "{sentence}");
        assert!(sentence.contains("float32"), "{sentence}");
    };
    refused(with(KernelKind::Linear), 1e18);
    refused(with(KernelKind::Rbf), 1e18);
    refused(with(KernelKind::Sigmoid), 1e18);
    refused(with(KernelKind::Polynomial), 1e6);
    refused(with(KernelKind::Precomputed), 1e33);
    // The same numbers fit f64, and smaller ones f32.
    with(KernelKind::Rbf).check(&dense(&[1e18, 0.0], 1))?;
    with(KernelKind::Rbf).check(&dense(&[1e10f32, 0.0], 1))?;
    Ok(())
}

/// Whatever `check` accepts has correct kernel values.
#[test]
fn an_rbf_that_is_accepted_has_ones_on_its_diagonal() -> Result<()> {
    // A gamma beyond float32, as a number, and as the rule gives it for small features.
    let tiny = [1e-25f32, -1e-25, 3e-25];
    for (values, gamma) in [
        ([0.5f32, 1.0, 2.0], Gamma::Value(1e39)),
        (tiny, Gamma::Scale),
    ] {
        let rows = dense(&values, 1);
        let settings = KernelSettings {
            gamma,
            ..KernelSettings::default()
        };
        let Ok(kernel) = settings.check(&rows) else {
            continue; // An error is correct, too.
        };
        let packed = PackedRows::new(&rows, &[0, 1, 2])?;
        let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
        let diagonal = [0, 1, 2].map(|i| gram.row(i)[i]);
        assert_eq!(diagonal, [1.0; 3], "gamma {gamma:?} = {}", kernel.gamma());
    }
    Ok(())
}
