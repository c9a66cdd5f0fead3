//! The row cache keeps the most recently used rows within a budget in bytes, as a plain list does,
//! for any sequence of calls.

use proptest::prelude::*;
use softmargin::kernel::{CacheCounts, RowCache};
use softmargin::{Error, Result};

const BYTES: usize = size_of::<f64>();

/// The value in column `at` of `row`.
fn value(row: usize, at: usize) -> f64 {
    (1000 * row + at) as f64
}

fn fill(row: usize, out: &mut [f64]) {
    let values = out.iter_mut().enumerate();
    values.for_each(|(at, out)| *out = value(row, at));
}

/// The plain model: slots ordered by last use, the most recent one first. `None` is a slot whose
/// row was discarded by a failed call.
#[derive(Default)]
struct List {
    room: usize,
    places: Vec<Option<usize>>,
    counts: CacheCounts,
}

impl List {
    fn has(&self, row: usize) -> bool {
        self.places.contains(&Some(row))
    }

    /// Requests some rows and returns the cache misses.
    fn ask(&mut self, rows: &[usize], succeeds: bool) -> Vec<usize> {
        let (there, missing): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&r| self.has(r));
        self.counts.hits += there.len() as u64;
        self.counts.misses += missing.len() as u64;
        for row in there {
            self.places.retain(|&place| place != Some(row));
            self.places.insert(0, Some(row));
        }
        for &row in &missing {
            if self.places.len() == self.room {
                let oldest = self.places.pop().flatten();
                self.counts.evictions += u64::from(oldest.is_some());
            }
            self.places.insert(0, succeeds.then_some(row));
        }
        missing
    }
}

/// Rows to request, as one group or one after the other, and whether computing them succeeds.
type Call = (Vec<usize>, bool, bool);

/// A cache and its model, for square matrices.
struct Pair {
    n: usize,
    cache: RowCache<f64>,
    list: List,
}

impl Pair {
    fn new(n: usize, budget: usize) -> Result<Self> {
        let room = (budget / (n * BYTES)).clamp(1, n);
        let list = List {
            room,
            ..List::default()
        };
        let cache = RowCache::new(n, n, budget)?;
        assert_eq!((cache.capacity(), cache.budget_bytes()), (room, budget));
        Ok(Self { n, cache, list })
    }

    fn call(&mut self, (rows, is_group, succeeds): &Call) -> Result<()> {
        let mut rows: Vec<usize> = rows.iter().map(|row| row % self.n).collect();
        if !is_group {
            return rows
                .iter()
                .try_for_each(|&row| self.ask_one(row, *succeeds));
        }
        let mut is_new = vec![true; self.n];
        rows.retain(|&row| std::mem::take(&mut is_new[row]));
        rows.truncate(self.cache.capacity());
        let expected = self.list.ask(&rows, *succeeds);
        let mut missing = Vec::new();
        let answer = self.cache.rows(&rows, |rows, places| {
            missing = rows.to_vec();
            assert_eq!(places.len(), rows.len());
            rows.iter()
                .zip(places)
                .for_each(|(&row, out)| fill(row, out));
            succeeds.then_some(()).ok_or(Error::Interrupted)
        });
        assert_eq!(answer.is_ok(), *succeeds || expected.is_empty());
        assert_eq!(missing, expected);
        self.check();
        Ok(())
    }

    fn ask_one(&mut self, row: usize, succeeds: bool) -> Result<()> {
        let missing = self.list.ask(&[row], succeeds);
        let mut is_filled = false;
        let answer = self.cache.row(row, |out| {
            is_filled = true;
            fill(row, out);
            succeeds.then_some(()).ok_or(Error::Interrupted)
        });
        match answer {
            Ok(values) => assert_eq!(values.len(), self.n),
            Err(error) => assert_eq!((error, succeeds), (Error::Interrupted, false)),
        }
        assert_eq!(is_filled, !missing.is_empty());
        self.check();
        Ok(())
    }

    /// The resident rows are those of the model, with all their values.
    fn check(&self) {
        let expected: Vec<Vec<f64>> = (0..self.n)
            .map(|row| {
                let len = if self.list.has(row) { self.n } else { 0 };
                (0..len).map(|at| value(row, at)).collect()
            })
            .collect();
        assert!((0..self.n).all(|row| self.cache.peek(row) == expected[row]));
        assert_eq!(self.cache.counts(), self.list.counts);
        let row_bytes = self.n * BYTES;
        assert_eq!(self.cache.bytes(), self.list.places.len() * row_bytes);
        assert!(self.cache.bytes() <= self.cache.budget_bytes().max(row_bytes));
    }
}

/// Few rows, or more than a slab.
fn n_rows() -> impl Strategy<Value = usize> {
    prop_oneof![1usize..10, 130usize..200]
}

fn calls(most: usize) -> impl Strategy<Value = Vec<Call>> {
    let rows = prop::collection::vec(0usize..1000, 1..100);
    let call = (rows, any::<bool>(), prop::bool::weighted(0.8));
    prop::collection::vec(call, 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_sequence_of_calls_matches_a_plain_list(
        n in n_rows(), share in 0.0..1.1f64, calls in calls(20),
    ) {
        let budget = (share * (n * n * BYTES) as f64) as usize + 1;
        let mut pair = Pair::new(n, budget)?;
        for call in &calls {
            pair.call(call)?;
        }
    }

    #[test]
    fn a_shrunk_cache_takes_the_rows_and_columns_to_keep_and_leaves_nothing_behind(
        n in n_rows(), share in 0.0..1.1f64, kept in 0.0..1.0f64, calls in calls(10),
        seed in any::<u64>(),
    ) {
        let budget = (share * (n * n * BYTES) as f64) as usize + 1;
        let mut pair = Pair::new(n, budget)?;
        for call in &calls {
            pair.call(call)?;
        }
        let mut random = softmargin::data::Random::new(seed);
        let keep: Vec<usize> = (0..n).filter(|_| random.unit() < kept).collect();
        let mut shrunk = pair.cache.shrink(&keep)?;
        let cut = |row: usize| keep.iter().map(|&at| value(row, at)).collect::<Vec<_>>();
        for (number, &row) in keep.iter().enumerate() {
            let expected = if pair.list.has(row) { cut(row) } else { vec![] };
            prop_assert_eq!(shrunk.peek(number), expected);
        }
        prop_assert_eq!(shrunk.counts(), pair.list.counts);
        prop_assert!(shrunk.bytes() <= budget.max(keep.len() * BYTES));
        // Both remain usable: the old one is empty, the shrunk one has new row numbers.
        pair.list.places.clear();
        pair.check();
        for call in &calls {
            pair.call(call)?;
        }
        for (number, &row) in keep.iter().enumerate().rev() {
            let fill = |out: &mut [f64]| {
                out.copy_from_slice(&cut(row));
                Ok(())
            };
            prop_assert_eq!(shrunk.row(number, fill)?, cut(row));
        }
    }
}

#[test]
fn the_least_recently_used_row_is_evicted_first() -> Result<()> {
    let mut pair = Pair::new(5, 3 * 5 * BYTES)?;
    // Row 3 evicts row 1, and row 1 then evicts row 3.
    for row in [0, 1, 2, 0, 3, 2, 0, 1, 2] {
        pair.ask_one(row, true)?;
    }
    let counts = CacheCounts {
        hits: 4,
        misses: 5,
        evictions: 2,
    };
    assert_eq!(pair.cache.counts(), counts);
    Ok(())
}

#[test]
fn resident_rows_of_a_group_are_not_evicted_for_the_others() -> Result<()> {
    let mut pair = Pair::new(6, 3 * 6 * BYTES)?;
    pair.call(&(vec![0, 1, 2], true, true))?;
    // Row 0 is the least recently used, and requested last.
    pair.call(&(vec![4, 3, 0], true, true))?;
    assert!([0, 3, 4].iter().all(|&row| pair.list.has(row)));
    Ok(())
}

#[test]
fn a_row_may_be_requested_twice_in_one_group() -> Result<()> {
    let mut cache = RowCache::new(4, 4, 100 * BYTES)?;
    cache.rows(&[2, 2], |rows, places| {
        rows.iter()
            .zip(places)
            .for_each(|(&row, out)| fill(row, out));
        Ok(())
    })?;
    assert_eq!(cache.peek(2), [2000.0, 2001.0, 2002.0, 2003.0]);
    Ok(())
}

#[test]
fn a_failed_fill_leaves_no_partial_row() -> Result<()> {
    let mut cache = RowCache::new(3, 4, 100 * BYTES)?;
    let half = |out: &mut [f64]| {
        out[..2].fill(7.0);
        Err(Error::Interrupted)
    };
    assert_eq!(cache.row(1, half), Err(Error::Interrupted));
    assert!(cache.peek(1).is_empty());
    let whole = |out: &mut [f64]| {
        fill(1, out);
        Ok(())
    };
    assert_eq!(cache.row(1, whole)?, [1000.0, 1001.0, 1002.0, 1003.0]);
    assert_eq!((cache.counts().hits, cache.counts().misses), (0, 2));
    Ok(())
}

#[test]
fn a_budget_of_zero_is_rejected() {
    let error = RowCache::<f32>::new(3, 3, 0).expect_err("no budget");
    assert_eq!(
        error.to_string(),
        "cache_size = 0 is not valid: it must be positive"
    );
}

#[test]
fn empty_rows_take_no_bytes() -> Result<()> {
    let mut cache = RowCache::<f64>::new(3, 0, 1)?;
    for row in [0, 2, 0, 1] {
        assert!(cache.row(row, |_| Ok(()))?.is_empty());
    }
    assert_eq!(cache.bytes(), 0);
    Ok(())
}

#[test]
fn a_failed_allocation_is_an_error_and_uses_no_memory() -> Result<()> {
    let mut cache = RowCache::<f64>::new(2, 1 << 60, usize::MAX)?;
    for row in [0, 1, 0] {
        let answer = cache.row(row, |_| Ok(())).map(<[f64]>::len);
        assert!(matches!(answer, Err(Error::Memory { .. })));
        assert!(cache.peek(row).is_empty());
    }
    assert_eq!(cache.bytes(), 0);
    Ok(())
}

/// The length of a row of 1 MiB.
const LONG: usize = 1 << 18;

/// Requests rows of a large cache one after the other; returns how many of them were computed.
fn request(cache: &mut RowCache<f32>, rows: std::ops::Range<usize>) -> Result<u64> {
    let before = cache.counts().misses;
    for row in rows {
        let found = cache.row(row, |out| {
            out[0] = row as f32;
            Ok(())
        })?;
        assert_eq!((found.len(), found[0]), (LONG, row as f32));
    }
    Ok(cache.counts().misses - before)
}

#[test]
fn a_large_cache_grows_only_if_evicted_rows_are_requested_again() -> Result<()> {
    let (mib, n) = (1 << 20, 600);
    let mut cache = RowCache::new(n, LONG, 400 * mib)?.with_growth(4.0);
    // No row is requested twice.
    request(&mut cache, 0..n)?;
    assert!(cache.bytes() <= 128 * mib, "{} MiB", cache.bytes() / mib);
    // The rows of this loop fit the budget: in the end, all of them are resident.
    for _ in 0..4 {
        request(&mut cache, 0..300)?;
    }
    assert_eq!(request(&mut cache, 0..300)?, 0);
    // Those of this loop do not.
    for _ in 0..4 {
        request(&mut cache, 0..n)?;
    }
    assert_eq!(cache.bytes(), 400 * mib);
    Ok(())
}

#[test]
fn rows_of_one_request_are_resident_together_in_a_large_cache() -> Result<()> {
    let mut cache = RowCache::<f32>::new(600, LONG, 300 << 20)?;
    let rows: Vec<usize> = (0..cache.capacity()).collect();
    cache.rows(&rows, |rows, places| {
        let filled = rows.iter().zip(places);
        filled.for_each(|(&row, out)| out[0] = row as f32);
        Ok(())
    })?;
    assert!(rows.iter().all(|&row| cache.peek(row)[0] == row as f32));
    Ok(())
}
