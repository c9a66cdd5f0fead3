//! Kernel rows that are computed once and kept in a cache.

use super::rows::{READ_WORK, Work, visit_pieces};
use super::{
    BlockRows, CacheCounts, ComputedRows, KernelRows, Parts, Piece, Row, RowCache, ShrinkableRows,
    SingleRows, Subset, Threading,
};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// Multiply-adds in the time that the first use of memory for a kernel value takes.
const COST_OF_MEMORY: f64 = 64.0;

/// Multiply-adds in the time that the exponential or power of a kernel value takes.
const COST_OF_FUNCTION: f64 = 12.0;

/// Computed rows behind a cache with a budget in bytes.
pub struct CachedRows<'a, T: Lanes> {
    computed: ComputedRows<'a, T>,
    cache: RowCache<T>,
}

impl<'a, T: Lanes> CachedRows<'a, T> {
    /// Puts a cache of `cache_bytes` in front of `computed`. The cache holds at least two rows,
    /// because a step on a pair of samples needs both of their rows.
    pub fn new(computed: ComputedRows<'a, T>, cache_bytes: usize) -> Result<Self> {
        let n = computed.parts().n_rows();
        let pair_bytes = 2 * n * size_of::<T>();
        let budget = if cache_bytes == 0 {
            0
        } else {
            cache_bytes.max(pair_bytes)
        };
        let growth = (computed.cost_of_product() as f64 + COST_OF_FUNCTION) / COST_OF_MEMORY;
        let cache = RowCache::new(n, n, budget)?.with_growth(growth);
        Ok(Self { computed, cache })
    }

    /// Hits, misses and evictions of the cache so far.
    pub fn counts(&self) -> CacheCounts {
        self.cache.counts()
    }
}

/// The whole row `i` from the cache; on a cache miss, computes it into the cache.
fn fetch<'c, T: Lanes>(
    cache: &'c mut RowCache<T>,
    computed: &mut ComputedRows<'_, T>,
    i: usize,
) -> Result<&'c [T]> {
    let copy = |_: &Piece, own: &mut [T], values: &[T]| own.copy_from_slice(values);
    cache.row(i, |out| {
        computed.sweep(i, out, copy, |(), ()| ())?;
        Ok(())
    })
}

impl<T: Lanes> KernelRows for CachedRows<'_, T> {
    fn parts(&self) -> &Parts {
        self.computed.parts()
    }

    fn pieces(&self) -> &[Piece] {
        self.computed.pieces()
    }

    fn threading(&self) -> Threading {
        self.computed.threading()
    }

    fn n_computed(&self) -> u64 {
        self.computed.n_computed()
    }
}

impl<T: Lanes> SingleRows<T> for CachedRows<'_, T> {
    fn row(&mut self, i: usize) -> Result<Row<'_, T>> {
        Ok(Row {
            base: fetch(&mut self.cache, &mut self.computed, i)?,
            parts: self.computed.parts(),
            is_local: true,
        })
    }

    fn sweep<R: Send>(
        &mut self,
        i: usize,
        state: &mut [T],
        visit: impl Fn(&Piece, &mut [T], &[T]) -> R + Sync,
        reduce: impl Fn(R, R) -> R + Sync,
    ) -> Result<Option<R>> {
        let row = fetch(&mut self.cache, &mut self.computed, i)?;
        let visit = |piece: &Piece, own: &mut [T]| visit(piece, own, &row[piece.local.clone()]);
        let work = Work {
            per_row: READ_WORK,
            limit: self.computed.threading().limit(),
        };
        let pieces = self.computed.pieces();
        Ok(visit_pieces(pieces, state, work, &visit, &reduce))
    }
}

impl<T: Lanes> BlockRows<T> for CachedRows<'_, T> {
    fn is_resident(&self) -> bool {
        false
    }

    fn max_resident(&self) -> usize {
        self.cache.capacity()
    }

    fn prefetch(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()> {
        let computed = &mut self.computed;
        self.cache.rows(rows, |missing, places| {
            computed.compute(missing, places, monitor)
        })
    }

    fn subset(&self, samples: &[usize]) -> Result<Option<Subset<T>>> {
        match self.computes_subsets() {
            true => self.computed.subset_of(samples),
            false => Ok(None),
        }
    }

    fn count_computed(&mut self, n_values: u64) {
        self.computed.add_computed(n_values);
    }

    fn computes_subsets(&self) -> bool {
        self.computed.has_cheap_subsets()
    }

    fn resident_row(&self, i: usize) -> Row<'_, T> {
        Row {
            base: self.cache.peek(i),
            parts: self.computed.parts(),
            is_local: true,
        }
    }
}

impl<T: Lanes> ShrinkableRows<T> for CachedRows<'_, T> {
    fn shrink<R>(
        &mut self,
        keep: &[usize],
        solve: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<Option<R>> {
        let mut shrunk = Self {
            computed: self.computed.shrunk(keep)?,
            cache: self.cache.shrink(keep)?,
        };
        let result = solve(&mut shrunk)?;
        self.cache.set_counts(shrunk.cache.counts());
        self.computed.add_computed(shrunk.n_computed());
        Ok(Some(result))
    }

    fn accumulate_at(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        self.computed.accumulate_at(terms, others, sums, monitor)
    }
}
