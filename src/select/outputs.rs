//! Outputs of the machines of a path for the rows of a split.

use super::gram::LazyGram;
use crate::Result;
use crate::data::Labels;
use crate::kernel::{ExactSums, KernelMatrix, Threading};
use crate::monitor::Monitor;
use crate::multiclass::Patterns;
use crate::simd::{self, Lanes};
use crate::solver::Machine;

/// The outputs of a path for the columns from `first` on, setting after setting. What two
/// settings that follow each other have in common is summed once.
pub fn outputs<T: Lanes>(
    gram: &LazyGram<'_, T>,
    n_cols: usize,
    first: usize,
    path: &[Machine],
) -> Vec<f64> {
    let mut outputs = Vec::with_capacity(path.len() * n_cols);
    let mut sums = vec![0.0; n_cols];
    let mut last: &[(u32, f64)] = &[];
    for machine in path {
        let terms = &machine.terms[..];
        if !add_change(gram, first, last, terms, &mut sums) {
            sums.fill(0.0);
            add_change(gram, first, &[], terms, &mut sums);
        }
        last = terms;
        outputs.extend(sums.iter().map(|sum| sum + machine.bias));
    }
    outputs
}

/// Computes the outputs of machines in f64 that need it; `outputs` are those of a path for some
/// rows, setting after setting.
pub fn replace_coarse(
    outputs: &mut [f64],
    path: &[Machine],
    exact: &dyn ExactSums,
    rows: &[usize],
    monitor: &Monitor,
) -> Result<()> {
    for (machine, outputs) in path.iter().zip(outputs.chunks_exact_mut(rows.len().max(1))) {
        if machine.needs_f64 {
            let terms = machine.terms.iter();
            let terms: Vec<_> = terms.map(|&(row, beta)| (row as usize, beta)).collect();
            outputs.fill(machine.bias);
            exact.add(&terms, rows, outputs, Threading::SideBySide, monitor)?;
        }
    }
    Ok(())
}

/// The patterns of training rows, sorted by class with their weights; the outputs are given
/// machine after machine, for these rows first.
pub fn patterns(labels: &Labels, row_weights: Option<&[f64]>, outputs: &[&[f64]]) -> Patterns {
    let mut patterns = Patterns::new(labels.n_classes());
    let mut of_row = vec![0.0; outputs.len()];
    for class in 0..labels.n_classes() {
        for row in labels.rows_of(class) {
            for (output, of_machine) in of_row.iter_mut().zip(outputs) {
                *output = of_machine[row];
            }
            patterns.add(
                &of_row,
                class,
                row_weights.map_or(1.0, |weights| weights[row]),
            );
        }
    }
    patterns
}

/// Adds what the sum of some terms has that another has not, if that is less than the sum.
fn add_change<T: Lanes>(
    gram: &LazyGram<'_, T>,
    first: usize,
    old: &[(u32, f64)],
    new: &[(u32, f64)],
    sums: &mut [f64],
) -> bool {
    let row = |row: u32| &gram.row(row as usize)[first..];
    if new.starts_with(old) {
        simd::add_rows(
            sums,
            new[old.len()..].iter().map(|&(i, beta)| (beta, row(i))),
        );
        return true;
    }
    // Where rows ascend, as those of exact machines do, each row comes up once.
    let mut changes: Vec<(f64, &[T])> = Vec::with_capacity(new.len());
    let (mut old, mut new) = (old, new);
    let n_new = new.len();
    while !(old.is_empty() && new.is_empty()) {
        let (i, before) = old.first().copied().unwrap_or((u32::MAX, 0.0));
        let (j, after) = new.first().copied().unwrap_or((u32::MAX, 0.0));
        let mut change = 0.0;
        if i <= j {
            (change, old) = (change - before, &old[1..]);
        }
        if j <= i {
            (change, new) = (change + after, &new[1..]);
        }
        if change != 0.0 {
            changes.push((change, row(i.min(j))));
        }
    }
    let is_less = changes.len() <= n_new;
    if is_less {
        simd::add_rows(sums, changes);
    }
    is_less
}
