//! Decision values of the binary classifiers of a path for the samples of a split.

use super::gram::LazyGram;
use crate::Result;
use crate::kernel::{ExactSums, KernelMatrix, Threading};
use crate::memory::{try_filled, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use crate::solver::Machine;

/// The decision values of a path for the columns from `first`, one setting after the other. Terms
/// that consecutive settings share are summed once.
pub fn outputs<T: Lanes>(
    gram: &LazyGram<'_, T>,
    n_cols: usize,
    first: usize,
    path: &[Machine],
) -> Result<Vec<f64>> {
    let mut outputs = try_with_capacity(path.len(), n_cols, "decision values of test samples")?;
    let mut sums: Vec<f64> = try_filled(n_cols, 1, "decision values of test samples")?;
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
    Ok(outputs)
}

/// Recomputes in f64 the decision values of those binary classifiers that need it; `outputs` are
/// those of a path for `rows`, one setting after the other.
pub fn recompute_in_f64(
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
            exact.add(&terms, rows, outputs, Threading::Sequential, monitor)?;
        }
    }
    Ok(())
}

/// Updates `sums` from the terms `old` to the terms `new`. Returns false, without a change, if
/// that takes more terms than starting again from zero.
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
    // If the samples ascend, as those of `Svc` do, each of them occurs once.
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
