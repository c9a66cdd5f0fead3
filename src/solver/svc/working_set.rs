//! Working set selection (Joachims 1999; Nguyen and Ho 2005).
//!
//! The set contains the maximal violating pair, so that every iteration makes progress; then the
//! samples to keep ([`Kept`]); then the worst violators: half of them those with the largest `v`
//! that may rise, half those with the smallest `v` that may fall. Ties go to the lower index.

use super::dual::{Dual, Violation};
use super::side::Side;

/// The samples to keep in the next working set.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// The free samples of the previous set: up to three quarters of the set, so that violators
    /// enter.
    Previous(Vec<usize>),
    /// Seeds of the first set, such as the support vectors of another model, the most important
    /// one first: they may fill the set.
    Seeds(Vec<usize>),
}

impl Kept {
    /// The samples, in the order in which they enter the set.
    pub fn samples(&self) -> &[usize] {
        match self {
            Kept::Previous(samples) | Kept::Seeds(samples) => samples,
        }
    }
}

/// The size of the first working set.
const SMALLEST_SET: usize = 128;

/// Bytes of the largest kernel matrix of a working set.
const LARGEST_MATRIX: usize = 1 << 26;

/// The size up to which free samples enlarge the working set.
fn largest_size<T>() -> usize {
    (LARGEST_MATRIX / size_of::<T>()).isqrt()
}

/// Outer iterations after which the size is doubled.
const LOOPS_TO_DOUBLE: usize = 8;

/// The share of the samples that the first working set of regression has, up to a number of them.
const SHARE_OF_TARGETS: usize = 6;
const MOST_OF_TARGETS: usize = 2048;

/// The default size after some outer iterations.
///
/// A small set needs few kernel values and suits easy problems. Hard problems take many
/// iterations, each with a pass over all samples, and benefit from a larger set. Free samples
/// are correlated and should be in the set together. In regression, most samples are support
/// vectors, so that the rows of a large set are needed anyway.
pub fn default_size<T>(dual: &Dual, n_loops: usize) -> usize {
    let n = dual.len();
    let largest = (2.5 * (n as f64).sqrt()) as usize;
    let grown = SMALLEST_SET << (n_loops / LOOPS_TO_DOUBLE).min(3);
    let mut size = grown.min(largest.max(SMALLEST_SET));
    let mut for_free = 2 * dual.n_free();
    if dual.is_two_sided() {
        size = size.max((n / SHARE_OF_TARGETS).min(MOST_OF_TARGETS));
        for_free -= for_free * 3 / 8;
    }
    size.max(for_free.min(largest_size::<T>()))
}

/// The next working set: at most `size` samples, ascending.
pub fn select(dual: &Dual, violation: &Violation, kept: &Kept, size: usize) -> Vec<usize> {
    let n = dual.len();
    if n <= size {
        return (0..n).collect();
    }
    let mut is_member = vec![false; n];
    let mut chosen = Vec::with_capacity(size);
    // The maximal violating pair first; there is another one if the sides have their own levels.
    let mut pairs = violation.0.0;
    pairs.sort_by(|one, other| other.size().total_cmp(&one.size()));
    let pairs = pairs
        .iter()
        .flat_map(|extremes| [extremes.pair.0, extremes.pair.1]);
    let most = match kept {
        Kept::Previous(_) => (size / 4 * 3).saturating_sub(2),
        Kept::Seeds(seeds) => seeds.len(),
    };
    for i in pairs.chain(kept.samples().iter().copied().take(most)) {
        if !is_member[i] && chosen.len() < size {
            is_member[i] = true;
            chosen.push(i);
        }
    }
    let mut take = |chosen: &mut Vec<usize>, count: usize, key: &dyn Fn(usize) -> Option<f64>| {
        let is_new = |&i: &usize| !is_member[i];
        let mut worst: Vec<(f64, usize)> = (0..n)
            .filter(is_new)
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
    // Moves of the same side are compared; so are those of different sides with a shared level.
    let is_apart = dual.is_apart();
    let level = |side: Side| {
        if is_apart {
            violation.0[side].middle()
        } else {
            0.0
        }
    };
    let rising = |i: usize| {
        let badness = || dual.up_value(i) - level(dual.rising_side(i));
        dual.is_rising(i, violation).then(badness)
    };
    let falling = |i: usize| {
        let badness = || level(dual.falling_side(i)) - dual.low_value(i);
        dual.is_falling(i, violation).then(badness)
    };
    let left = size.saturating_sub(chosen.len());
    take(&mut chosen, left.div_ceil(2), &rising);
    let left = size.saturating_sub(chosen.len());
    take(&mut chosen, left, &falling);
    chosen.sort_unstable();
    chosen
}
