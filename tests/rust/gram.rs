//! The Gram matrix equals its rows computed one at a time. A precomputed matrix is sorted by class,
//! or rejected with the invalid place.

use softmargin::Result;
use softmargin::data::{Csr, Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, Gram, Kernel, KernelKind, KernelSettings, PackedRows, Queries};
use softmargin::monitor::Monitor;
use softmargin::multiclass::TrainingSet;
use softmargin::simd::Lanes;
use std::borrow::Cow;

/// Small matrices, all of whose values are computed, and large ones, half of which are copied.
fn matrices<T: Lanes>() -> [Matrix<'static, T>; 4] {
    [
        dense(131, 7),
        dense(900, 70),
        sparse(131, 2),
        sparse(900, 10),
    ]
}

fn dense<T: Lanes>(n: usize, d: usize) -> Matrix<'static, T> {
    let mut random = Random::new(1);
    let values = (0..n * d).map(|_| T::from_f64(random.unit() - 0.5));
    let dense = Dense::new(Cow::Owned(values.collect()), n, d);
    Matrix::Dense(dense.expect("finite values"))
}

/// One value in each of some groups of three columns.
fn sparse<T: Lanes>(n: usize, n_groups: usize) -> Matrix<'static, T> {
    let mut random = Random::new(2);
    let groups = (0..n).flat_map(|_| 0..n_groups);
    let columns = groups
        .map(|group| (3 * group + random.below(3)) as u32)
        .collect();
    let values = (0..n * n_groups).map(|_| T::from_f64(random.unit() - 0.5));
    let csr = Csr::new(
        (0..=n).map(|i| i * n_groups).collect(),
        Cow::Owned(columns),
        Cow::Owned(values.collect()),
        3 * n_groups,
    );
    Matrix::Sparse(csr.expect("canonical rows"))
}

fn pack<T: Lanes>(matrix: &Matrix<'_, T>) -> Result<PackedRows<T>> {
    PackedRows::new(matrix, &(0..matrix.n_rows() as u32).collect::<Vec<_>>())
}

fn kernel(kind: KernelKind, gamma: f64) -> Result<Kernel> {
    let settings = KernelSettings {
        kind,
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    settings.check_numbers()
}

fn a_gram_matrix_is_its_rows_one_at_a_time<T: Lanes>() -> Result<()> {
    for matrix in matrices::<T>() {
        let packed = pack(&matrix)?;
        for kind in [
            KernelKind::Linear,
            KernelKind::Rbf,
            KernelKind::Polynomial,
            KernelKind::Sigmoid,
        ] {
            let kernel = kernel(kind, 0.7)?;
            let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
            let n = matrix.n_rows();
            let (mut queries, mut row) = (Queries::new(), vec![T::ZERO; n]);
            for i in 0..n {
                packed
                    .load(&matrix, i..i + 1, &mut queries)
                    .expect("memory");
                packed.kernel_block(&kernel, &queries, 0..n, &mut row, n);
                assert_eq!(gram.row(i), row, "{kind:?}, row {i}");
                // Symmetric to the bit, and the RBF kernel of a sample with itself is 1.
                let column: Vec<T> = (0..n).map(|j| gram.row(j)[i]).collect();
                assert_eq!(column, row, "{kind:?}, column {i}");
                assert!(kind != KernelKind::Rbf || row[i] == T::from_f64(1.0));
            }
        }
    }
    Ok(())
}

fn a_precomputed_matrix_is_taken_in_the_order_given<T: Lanes>() -> Result<()> {
    let value = |i: usize, j: usize| T::from_f64((10 * i.min(j) + i.max(j)) as f64);
    let values = (0..9).map(|k| value(k / 3, k % 3)).collect();
    let order = [2u32, 0, 1];
    let gram = Gram::precomputed(
        &Matrix::Dense(Dense::new(Cow::Owned(values), 3, 3)?),
        &order,
    )?;
    for (i, &row) in order.iter().enumerate() {
        let expected: Vec<T> = order
            .iter()
            .map(|&j| value(row as usize, j as usize))
            .collect();
        assert_eq!(gram.row(i), expected);
    }
    Ok(())
}

#[test]
fn an_invalid_kernel_matrix_is_rejected_with_the_place() -> Result<()> {
    let train = |matrix: Matrix<'_, f64>| {
        let settings = KernelSettings {
            kind: KernelKind::Precomputed,
            ..KernelSettings::default()
        };
        let labels = Labels::new(&[0, 1, 0], 2)?;
        TrainingSet::new(&matrix, labels, vec![1.0; 2], settings)
    };
    let refusal = |matrix| train(matrix).expect_err("no kernel").to_string();
    let wide = Dense::new(Cow::Owned(vec![0.0; 12]), 3, 4)?;
    assert!(refusal(Matrix::Dense(wide)).contains("X is 3 x 4"));
    let mut values = vec![1.0; 9];
    values[5] = 1.1;
    let skew = refusal(Matrix::Dense(Dense::new(Cow::Owned(values), 3, 3)?));
    assert!(skew.contains("X[2, 1] = 1 but X[1, 2] = 1.1"), "{skew}");
    let empty = Csr::new(vec![0; 4], Cow::Owned(vec![]), Cow::Owned(vec![]), 3)?;
    assert!(refusal(Matrix::Sparse(empty)).contains("must be dense"));
    // An asymmetry of a few rounding errors is accepted.
    let nearly = vec![1.0, 0.5, 0.5 + 1e-9, 1.0];
    Gram::precomputed(
        &Matrix::Dense(Dense::new(Cow::Owned(nearly), 2, 2)?),
        &[0, 1],
    )?;
    let columns = PackedRows::<f64>::columns(vec![0, 3], 3).expect_err("column 3 of 3");
    assert!(columns.to_string().contains("support vector 3"));
    assert!(PackedRows::<f64>::columns(vec![0, 2], 3)?.unpack().is_err());
    Ok(())
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f32>() })* }
        mod f64 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f64>() })* }
    };
}

in_both_types!(
    a_gram_matrix_is_its_rows_one_at_a_time,
    a_precomputed_matrix_is_taken_in_the_order_given
);
