//! Stratified, shuffled folds.
//!
//! The samples of each class are shuffled and dealt to the folds in turn; the next class starts
//! at the fold after the last one. So the folds differ by at most one sample in the count of each
//! class, and in size.

use super::{Labels, Random};
use crate::{Error, Result};

/// The fold, in `0..n_folds`, of each sample in the order of the caller.
pub fn fold_labels(labels: &Labels, n_folds: usize, seed: u64) -> Result<Vec<u32>> {
    named_fold_labels("n_folds", labels, n_folds, seed)
}

/// As [`fold_labels`], with the name of the parameter for error messages.
fn named_fold_labels(
    name: &'static str,
    labels: &Labels,
    n_folds: usize,
    seed: u64,
) -> Result<Vec<u32>> {
    let largest = (0..labels.n_classes())
        .map(|class| labels.rows_of(class).len())
        .max()
        .unwrap_or(0);
    check_n_folds(n_folds, largest, name)?;
    let mut random = Random::new(seed);
    let mut folds = vec![0u32; labels.n_rows()];
    let mut next = 0;
    for class in 0..labels.n_classes() {
        let mut rows = labels.order()[labels.rows_of(class)].to_vec();
        random.shuffle(&mut rows);
        for row in rows {
            folds[row as usize] = next as u32;
            next = (next + 1) % n_folds;
        }
    }
    Ok(folds)
}

/// The outer fold of each sample, and its inner folds: `inner[o][row]` is the inner fold of sample
/// `row` if outer fold `o` is held out, and `u32::MAX` for the samples of `o` itself.
pub fn nested_fold_labels(
    labels: &Labels,
    n_outer: usize,
    n_inner: usize,
    seed: u64,
) -> Result<(Vec<u32>, Vec<Vec<u32>>)> {
    let outer = named_fold_labels("outer", labels, n_outer, seed)?;
    let mut seeds = Random::new(seed ^ 0x005E_ED0F_01D5);
    let mut inner = Vec::with_capacity(n_outer);
    for held_out in 0..n_outer as u32 {
        let kept: Vec<u32> = (0..labels.n_rows() as u32)
            .filter(|&row| outer[row as usize] != held_out)
            .collect();
        inner.push(inner_labels(labels, &kept, n_inner, seeds.next_u64())?);
    }
    Ok((outer, inner))
}

/// Folds of the samples `kept` only; `u32::MAX` elsewhere.
fn inner_labels(labels: &Labels, kept: &[u32], n_inner: usize, seed: u64) -> Result<Vec<u32>> {
    let mut class_of_row = vec![0u32; labels.n_rows()];
    for class in 0..labels.n_classes() {
        for &row in &labels.order()[labels.rows_of(class)] {
            class_of_row[row as usize] = class as u32;
        }
    }
    // All samples of a class may be in the outer fold: renumber the remaining classes.
    let mut renumbered = vec![None; labels.n_classes()];
    let mut n_left = 0;
    let mut codes = Vec::with_capacity(kept.len());
    for &row in kept {
        let code = renumbered[class_of_row[row as usize] as usize].get_or_insert_with(|| {
            n_left += 1;
            n_left - 1
        });
        codes.push(*code);
    }
    let kept_labels = Labels::of_strata(&codes, n_left as usize)?;
    let folds = named_fold_labels("inner", &kept_labels, n_inner, seed)?;
    let mut all = vec![u32::MAX; labels.n_rows()];
    for (&row, fold) in kept.iter().zip(folds) {
        all[row as usize] = fold;
    }
    Ok(all)
}

/// The rule of scikit-learn: at least two folds, at most the number of samples of the largest
/// class.
fn check_n_folds(n_folds: usize, largest_class: usize, name: &'static str) -> Result<()> {
    if n_folds < 2 {
        return Err(Error::parameter(name, n_folds, "it must be at least 2"));
    }
    if n_folds > largest_class {
        return Err(Error::parameter(
            name,
            n_folds,
            "it cannot be greater than the number of samples in every class",
        ));
    }
    Ok(())
}
