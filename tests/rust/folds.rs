//! Folds are stratified, as equal in size as possible, and the same for a seed in every release.

use softmargin::Result;
use softmargin::data::{Labels, Random, fold_labels, nested_fold_labels};

fn codes(n: usize, k: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..n)
        .map(|_| random.below(k).min(random.below(k)) as u32)
        .collect()
}

/// The size of each fold, without samples of `u32::MAX`.
fn sizes<'f>(folds: impl IntoIterator<Item = &'f u32>, n_folds: usize) -> Vec<usize> {
    let mut sizes = vec![0; n_folds];
    for &fold in folds.into_iter().filter(|fold| **fold != u32::MAX) {
        sizes[fold as usize] += 1;
    }
    sizes
}

fn is_even(sizes: &[usize]) -> bool {
    sizes
        .iter()
        .max()
        .zip(sizes.iter().min())
        .is_some_and(|(max, min)| max - min <= 1)
}

fn of_class<'f>(folds: &'f [u32], codes: &'f [u32], class: u32) -> impl Iterator<Item = &'f u32> {
    folds
        .iter()
        .zip(codes)
        .filter(move |(_, code)| **code == class)
        .map(|(fold, _)| fold)
}

#[test]
fn folds_are_even_in_size_and_in_every_class() -> Result<()> {
    for seed in 0..20 {
        let codes = codes(97, 5, seed);
        let labels = Labels::new(&codes, 5)?;
        for n_folds in [2, 3, 5, 10] {
            let folds = fold_labels(&labels, n_folds, seed)?;
            assert_eq!(folds.len(), 97);
            assert!(is_even(&sizes(&folds, n_folds)));
            for class in 0..5 {
                assert!(is_even(&sizes(of_class(&folds, &codes, class), n_folds)));
            }
        }
    }
    Ok(())
}

#[test]
fn inner_folds_are_even_over_the_remaining_samples() -> Result<()> {
    let codes = codes(120, 3, 1);
    let labels = Labels::new(&codes, 3)?;
    let (outer, inner) = nested_fold_labels(&labels, 5, 4, 42)?;
    assert_eq!(outer, fold_labels(&labels, 5, 42)?);
    assert_eq!(inner.len(), 5);
    for (held_out, inner) in inner.iter().enumerate() {
        let is_out = |row: usize| outer[row] as usize == held_out;
        assert!((0..120).all(|row| (inner[row] == u32::MAX) == is_out(row)));
        assert!(is_even(&sizes(inner, 4)));
        for class in 0..3 {
            assert!(is_even(&sizes(of_class(inner, &codes, class), 4)));
        }
    }
    Ok(())
}

#[test]
fn a_class_may_be_missing_from_the_inner_samples() -> Result<()> {
    // Class 1 has one sample; if it is held out, two classes remain.
    let codes = [0, 0, 0, 0, 1, 2, 2, 2, 2, 2];
    let labels = Labels::new(&codes, 3)?;
    let (_, inner) = nested_fold_labels(&labels, 2, 2, 0)?;
    assert!(inner.iter().all(|folds| is_even(&sizes(folds, 2))));
    Ok(())
}

/// Computed by an independent implementation of the description of the folds.
#[test]
fn a_seed_gives_the_same_folds_in_every_release() -> Result<()> {
    let labels = Labels::new(&[0, 1, 0, 1, 1, 0, 0, 1, 0, 1], 2)?;
    let pinned = [2, 0, 0, 2, 2, 0, 1, 0, 1, 1];
    assert_eq!(fold_labels(&labels, 3, 0)?, pinned);
    assert_ne!(
        fold_labels(&labels, 3, 1)?,
        pinned,
        "another seed, other folds"
    );
    let (outer, inner) = nested_fold_labels(&labels, 2, 2, 7)?;
    assert_eq!(outer, [1, 0, 0, 1, 1, 0, 0, 0, 1, 1]);
    let out = u32::MAX;
    assert_eq!(inner[1], [out, 1, 0, out, out, 0, 1, 0, out, out]);
    Ok(())
}

#[test]
fn invalid_numbers_of_folds_are_rejected() -> Result<()> {
    let labels = Labels::new(&[0, 0, 0, 1, 1], 2)?;
    assert_eq!(sizes(&fold_labels(&labels, 3, 0)?, 3), [2, 2, 1]);
    for (n_folds, rule) in [
        (0, "it must be at least 2"),
        (1, "it must be at least 2"),
        (
            4,
            "it cannot be greater than the number of samples in every class",
        ),
    ] {
        let error = fold_labels(&labels, n_folds, 0).expect_err(rule);
        let sentence = format!("n_folds = {n_folds} is not valid: {rule}");
        assert_eq!(error.to_string(), sentence);
    }
    assert!(
        nested_fold_labels(&labels, 2, 3, 0).is_err(),
        "two rows of a class, three folds"
    );
    Ok(())
}
