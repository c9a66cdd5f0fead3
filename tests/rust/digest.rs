//! The digest identifies samples, independent of their order in memory and their layout.

use softmargin::data::{Csr, Dense, Labels, Matrix, Random, Real};
use softmargin::kernel::{Gram, KernelKind, KernelSettings, PackedRows};
use softmargin::monitor::Monitor;
use softmargin::multiclass::TrainingSet;
use softmargin::{Result, simd::Lanes};
use std::borrow::Cow;

const N: usize = 70;
const D: usize = 9;

/// Values that are exact in both types; a third of them are zeros.
fn values() -> Vec<f64> {
    let mut random = Random::new(3);
    let value = |random: &mut Random| f64::from(random.below(300) as u32) / 64.0 - 2.0;
    let mut cell = || match random.below(3) {
        0 => 0.0,
        _ => value(&mut random),
    };
    (0..N * D).map(|_| cell()).collect()
}

fn dense<T: Real>(values: &[f64], n_cols: usize) -> Result<Matrix<'static, T>> {
    let values: Vec<T> = values.iter().map(|&v| T::from_f64(v)).collect();
    let n_rows = values.len() / n_cols;
    Ok(Matrix::Dense(Dense::new(
        Cow::Owned(values),
        n_rows,
        n_cols,
    )?))
}

fn sparse<T: Real>(values: &[f64]) -> Result<Matrix<'static, T>> {
    let (mut offsets, mut columns, mut stored) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks(D) {
        let cells = (0u32..).zip(row).filter(|(_, value)| **value != 0.0);
        let (of_row, values): (Vec<u32>, Vec<T>) = cells.map(|(j, v)| (j, T::from_f64(*v))).unzip();
        columns.extend(of_row);
        stored.extend(values);
        offsets.push(columns.len());
    }
    let csr = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(stored), D)?;
    Ok(Matrix::Sparse(csr))
}

fn labels() -> Result<Labels> {
    let codes: Vec<u32> = (0..N).map(|row| (row * row % 3) as u32).collect();
    Labels::new(&codes, 2)
}

fn a_training_set_has_the_digest_of_its_samples<T: Lanes>() -> Result<()> {
    let values = values();
    let expected = dense::<f64>(&values, D)?.digest();
    for rows in [dense::<T>(&values, D)?, sparse::<T>(&values)?] {
        assert_eq!(rows.digest(), expected);
        let set = TrainingSet::new(&rows, labels()?, vec![1.0; 2], KernelSettings::default())?;
        assert_eq!(set.digest(), expected);
    }
    let rows = dense::<T>(&values, D)?;
    let order: Vec<u32> = (0..N as u32).collect();
    let rbf = KernelSettings::default().check(&rows)?;
    let gram = Gram::new(&PackedRows::new(&rows, &order)?, &rbf, &Monitor::new())?;
    let gram = Matrix::Dense(Dense::new(Cow::Owned(gram.into_values()), N, N)?);
    let settings = KernelSettings {
        kind: KernelKind::Precomputed,
        ..KernelSettings::default()
    };
    let set = TrainingSet::new(&gram, labels()?, vec![1.0; 2], settings)?;
    assert_eq!(set.digest(), gram.digest());
    Ok(())
}

#[test]
fn other_rows_have_another_digest() -> Result<()> {
    let values = values();
    let digest =
        |values: &[f64], n_cols| Ok::<_, softmargin::Error>(dense::<f64>(values, n_cols)?.digest());
    let expected = digest(&values, D)?;
    for place in 0..values.len() {
        let mut changed = values.clone();
        changed[place] = f64::from_bits(changed[place].to_bits() + 1);
        assert_ne!(digest(&changed, D)?, expected, "a bit of value {place}");
        let mut swapped = values.clone();
        swapped.swap(place, (place + D) % (N * D));
        assert_eq!(digest(&swapped, D)? == expected, swapped == values);
    }
    assert_ne!(digest(&values, N)?, expected, "another shape");
    let zeros = [0.0; 12];
    assert_ne!(digest(&zeros, 3)?, digest(&zeros, 4)?);
    Ok(())
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f32>() })* }
        mod f64 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f64>() })* }
    };
}

in_both_types!(a_training_set_has_the_digest_of_its_samples);
