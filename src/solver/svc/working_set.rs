//! Which rows the inner solver works on.
//!
//! First the worst pair of all, so that every loop makes progress; then rows worth keeping,
//! up to three quarters of the set: those of the last set that are strictly between their
//! bounds, or support vectors of a machine trained before; then the worst violators: half of
//! them the rows that want to go up most, half those that want to go down most. Ties go to
//! the lower index.

use super::dual::{Dual, Violation};

/// The next working set: at most `size` rows, ascending.
pub fn select(dual: &Dual, violation: Violation, worthy: &[usize], size: usize) -> Vec<usize> {
    let n = dual.len();
    if n <= size {
        return (0..n).collect();
    }
    let mut is_member = vec![false; n];
    let mut chosen = Vec::with_capacity(size);
    let pair = [violation.rows.0, violation.rows.1];
    let kept = worthy.iter().copied();
    for i in pair
        .into_iter()
        .chain(kept.take((size / 4 * 3).saturating_sub(2)))
    {
        if !is_member[i] {
            is_member[i] = true;
            chosen.push(i);
        }
    }
    let mut take = |chosen: &mut Vec<usize>, count: usize, key: &dyn Fn(usize) -> Option<f64>| {
        let free = |&i: &usize| !is_member[i];
        let mut worst: Vec<(f64, usize)> = (0..n)
            .filter(free)
            .filter_map(|i| key(i).map(|badness| (badness, i)))
            .collect();
        let count = count.min(worst.len());
        if count == 0 {
            return;
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if count < worst.len() {
            worst.select_nth_unstable_by(count - 1, order);
        }
        for &(_, i) in &worst[..count] {
            is_member[i] = true;
            chosen.push(i);
        }
    };
    let rising = |i: usize| (dual.may_rise(i) && dual.v[i] > violation.min_low).then(|| dual.v[i]);
    let falling = |i: usize| (dual.may_fall(i) && dual.v[i] < violation.max_up).then(|| -dual.v[i]);
    let left = size - chosen.len();
    take(&mut chosen, left.div_ceil(2), &rising);
    let left = size - chosen.len();
    take(&mut chosen, left, &falling);
    chosen.sort_unstable();
    chosen
}
