//! Scaling maps the range of the fitted samples to [0, 1], equally for dense and sparse samples if
//! the minimum is 0, and rejects samples that it cannot scale.

use softmargin::data::{Affine, Csr, Dense, Matrix, Random};
use softmargin::{Error, Result};
use std::borrow::Cow;

fn dense(values: &[f64], n_cols: usize) -> Matrix<'_, f64> {
    let dense = Dense::new(Cow::Borrowed(values), values.len() / n_cols, n_cols);
    Matrix::Dense(dense.expect("finite values"))
}

/// One value per row: row `i` has `values[i]` in column `i % n_cols`.
fn diagonal(values: &[f64], n_cols: usize) -> Matrix<'static, f64> {
    let columns = (0..values.len()).map(|i| (i % n_cols) as u32);
    let csr = Csr::new(
        (0..=values.len()).collect(),
        Cow::Owned(columns.collect()),
        Cow::Owned(values.to_vec()),
        n_cols,
    );
    Matrix::Sparse(csr.expect("canonical rows"))
}

#[test]
fn fitted_samples_span_zero_to_one() -> Result<()> {
    let mut random = Random::new(1);
    let values: Vec<f64> = (0..300).map(|_| 20.0 * random.unit() - 7.0).collect();
    let rows = dense(&values, 3);
    let scaled = Affine::min_max(&rows, 0..100)?.apply(&rows)?;
    for column in 0..3 {
        let values = || scaled.values().iter().copied().skip(column).step_by(3);
        assert_eq!(values().fold(f64::INFINITY, f64::min), 0.0);
        assert_eq!(values().fold(f64::NEG_INFINITY, f64::max), 1.0);
    }
    Ok(())
}

#[test]
fn other_samples_are_scaled_by_the_fitted_range() -> Result<()> {
    let rows = dense(&[0.0, 5.0, 4.0, 5.0, 8.0, 6.0, -4.0, 1.0], 2);
    let scaler = Affine::min_max(&rows, [0, 1])?;
    assert_eq!(
        (scaler.shift(), scaler.width()),
        (&[0.0, 5.0][..], &[4.0, 1.0][..])
    );
    // The second feature is constant over the fitted samples: its width is 1.
    let expected = [0.0, 0.0, 1.0, 0.0, 2.0, 1.0, -1.0, -4.0];
    assert_eq!(scaler.apply(&rows)?.values(), expected);
    let copy = Affine::from_parts(scaler.shift().to_vec(), scaler.width().to_vec())?;
    assert_eq!(copy, scaler);
    Ok(())
}

#[test]
fn sparse_samples_are_divided_by_the_largest_absolute_value() -> Result<()> {
    let rows = diagonal(&[2.0, -3.0, -8.0, 1.5], 2);
    let scaler = Affine::min_max(&rows, 0..4)?;
    assert_eq!(
        (scaler.shift(), scaler.width()),
        (&[0.0; 2][..], &[8.0, 3.0][..])
    );
    assert_eq!(scaler.apply(&rows)?, diagonal(&[0.25, -1.0, -1.0, 0.5], 2));
    Ok(())
}

#[test]
fn dense_and_sparse_agree_where_the_minimum_is_zero() -> Result<()> {
    let rows = diagonal(&[2.0, 3.0, 8.0, 1.5], 2);
    let mut full = vec![0.0; 8];
    (0..4).for_each(|i| rows.copy_row(i, &mut full[2 * i..2 * i + 2]));
    let full = dense(&full, 2);
    let scaler = Affine::min_max(&full, 0..4)?;
    assert_eq!(scaler, Affine::min_max(&rows, 0..4)?);
    let (scaled, mut row) = (scaler.apply(&rows)?, [0.0; 2]);
    for (i, expected) in scaler.apply(&full)?.values().chunks(2).enumerate() {
        scaled.copy_row(i, &mut row);
        assert_eq!(row, expected);
    }
    Ok(())
}

#[test]
fn samples_that_cannot_be_scaled_are_rejected() -> Result<()> {
    let rows = dense(&[1.0, 0.0, 2.0, 0.0], 2);
    let no_rows = Affine::min_max(&rows, []).expect_err("no rows");
    assert_eq!(
        no_rows,
        Error::Data("at least one sample is required to fit the scaling".into())
    );
    let scaler = Affine::min_max(&rows, 0..2)?;
    let narrow = scaler
        .apply(&dense(&[1.0], 1))
        .expect_err("one feature of two");
    assert!(narrow.to_string().starts_with("X has 1 features"));
    let sparse = scaler
        .apply(&diagonal(&[1.0, 1.0], 2))
        .expect_err("zeros would move");
    assert!(
        sparse.to_string().contains("minimum 1 in feature 0"),
        "{sparse}"
    );
    for (shift, width) in [
        (vec![0.0], vec![]),
        (vec![f64::NAN], vec![1.0]),
        (vec![0.0], vec![0.0]),
        (vec![0.0], vec![-1.0]),
        (vec![0.0], vec![f64::INFINITY]),
    ] {
        assert!(Affine::from_parts(shift, width).is_err());
    }
    Ok(())
}

/// A range that overflows f64 is rejected with its feature.
#[test]
fn huge_ranges_do_not_overflow() {
    let rows = dense(&[-1.5e308, 1.5e308], 1);
    let error = Affine::min_max(&rows, 0..2).expect_err("a width of 3e308");
    assert!(error.to_string().contains("feature 0"), "{error}");
}
