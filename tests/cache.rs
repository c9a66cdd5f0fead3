//! The row cache is a list of rows, the one used last in front, cut to a budget in bytes:
//! checked against such a list for any sequence of calls.

use hinge::kernel::{CacheCounts, RowCache};
use hinge::{Error, Result};
use proptest::prelude::*;

const BYTES: usize = size_of::<f64>();

fn value(row: usize, at: usize) -> f64 {
    (1000 * row + at) as f64
}

/// Asks for a row, and sees that just `missing` is computed and all values are right.
fn ask(cache: &mut RowCache<f64>, row: usize, len: usize, missing: usize) -> Result<()> {
    let mut n_computed = 0;
    let values = cache.row(row, len, |range, out| {
        assert_eq!(range.end, len);
        n_computed = range.len();
        assert_eq!(out.len(), n_computed);
        range.zip(out).for_each(|(at, out)| *out = value(row, at));
        Ok(())
    })?;
    let expected: Vec<f64> = (0..len).map(|at| value(row, at)).collect();
    assert_eq!(values, expected);
    assert_eq!(n_computed, missing, "row {row} of {len}");
    Ok(())
}

/// The plain model: rows with their lengths, the one used last in front.
#[derive(Default)]
struct List {
    rows: Vec<(usize, usize)>,
    counts: CacheCounts,
}

impl List {
    fn bytes(&self) -> usize {
        self.rows.iter().map(|(_, len)| len * BYTES).sum()
    }

    /// Makes room for a row and gives the number of its values that are missing.
    fn ask(&mut self, row: usize, len: usize, budget: usize, succeeds: bool) -> usize {
        let place = self.rows.iter().position(|(r, _)| *r == row);
        let have = place.map_or(0, |place| self.rows.remove(place).1);
        let missing = len.saturating_sub(have);
        match (have, missing) {
            (0, _) => self.counts.misses += 1,
            (_, 0) => self.counts.hits += 1,
            _ => self.counts.partial_hits += 1,
        }
        while missing > 0 && self.bytes() + (have + missing) * BYTES > budget {
            if self.rows.pop().is_none() {
                break;
            }
            self.counts.evictions += 1;
        }
        if missing == 0 || succeeds {
            self.rows.insert(0, (row, have.max(len)));
            self.counts.computed += missing as u64;
        }
        missing
    }
}

proptest! {
    #[test]
    fn any_sequence_of_calls_goes_as_in_a_plain_list(
        budget in 1usize..40 * BYTES,
        calls in prop::collection::vec((0usize..8, 1usize..16, 0u32..8), 1..200),
    ) {
        let mut cache = RowCache::new(8, budget)?;
        let mut list = List::default();
        for (row, len, luck) in calls {
            let succeeds = luck > 0;
            let missing = list.ask(row, len, budget, succeeds);
            if succeeds || missing == 0 {
                ask(&mut cache, row, len, missing)?;
            } else {
                let answer = cache.row(row, len, |_, _| Err(Error::Interrupted)).map(<[f64]>::len);
                prop_assert_eq!(answer, Err(Error::Interrupted));
            }
            prop_assert_eq!(cache.counts(), list.counts);
            prop_assert_eq!(cache.bytes(), list.bytes());
            // Only the row asked for last may exceed the budget, and then it is alone.
            prop_assert!(cache.bytes() <= budget || list.rows.len() == 1);
        }
    }
}

#[test]
fn the_row_not_used_for_longest_goes_first() -> Result<()> {
    let mut cache = RowCache::new(4, 3 * 5 * BYTES)?;
    for row in 0..3 {
        ask(&mut cache, row, 5, 5)?;
    }
    ask(&mut cache, 0, 5, 0)?;
    ask(&mut cache, 3, 5, 5)?; // Throws out row 1.
    ask(&mut cache, 2, 5, 0)?;
    ask(&mut cache, 0, 5, 0)?;
    ask(&mut cache, 1, 5, 5)?; // Throws out row 3.
    ask(&mut cache, 2, 5, 0)?;
    let counts = CacheCounts {
        hits: 4,
        partial_hits: 0,
        misses: 5,
        evictions: 2,
        computed: 25,
    };
    assert_eq!(cache.counts(), counts);
    Ok(())
}

#[test]
fn a_part_of_a_row_is_extended_and_not_computed_again() -> Result<()> {
    let mut cache = RowCache::new(2, 100 * BYTES)?;
    ask(&mut cache, 0, 3, 3)?;
    ask(&mut cache, 0, 10, 7)?;
    ask(&mut cache, 0, 4, 0)?;
    assert_eq!(cache.bytes(), 10 * BYTES);
    let counts = cache.counts();
    assert_eq!((counts.misses, counts.partial_hits, counts.hits), (1, 1, 1));
    Ok(())
}

#[test]
fn a_budget_of_nothing_is_refused() {
    let error = RowCache::<f32>::new(3, 0).expect_err("no budget");
    assert_eq!(
        error.to_string(),
        "cache bytes = 0 is not valid: it must be positive"
    );
}

#[test]
fn a_row_of_no_values_takes_no_place() -> Result<()> {
    let mut cache = RowCache::new(4, 6 * BYTES)?;
    ask(&mut cache, 0, 0, 0)?;
    ask(&mut cache, 1, 3, 3)?;
    ask(&mut cache, 2, 6, 6)?;
    assert_eq!(
        cache.counts().evictions,
        1,
        "only row 1 was there to throw out"
    );
    ask(&mut cache, 0, 0, 0)?;
    ask(&mut cache, 0, 0, 0)?;
    ask(&mut cache, 3, 6, 6)?;
    ask(&mut cache, 1, 6, 6)?;
    assert_eq!(cache.bytes(), 6 * BYTES);
    Ok(())
}

#[test]
fn the_budget_holds_after_a_refused_allocation() -> Result<()> {
    let budget = 6 * BYTES;
    let mut cache = RowCache::new(5, budget)?;
    ask(&mut cache, 0, 3, 3)?;
    let answer = cache.row(0, 1 << 60, |_, _| Ok(())).map(<[f64]>::len);
    assert!(matches!(answer, Err(Error::Memory { .. })));
    for (row, len) in [(1, 3), (0, 3), (2, 3), (3, 3), (4, 6)] {
        cache.row(row, len, |_, out| {
            out.fill(0.0);
            Ok(())
        })?;
        assert!(
            cache.bytes() <= budget,
            "{} bytes after row {row}",
            cache.bytes()
        );
    }
    Ok(())
}
