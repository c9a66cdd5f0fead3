//! Kernel rows computed when they are asked for, and a cache of them.

use super::parts::{PIECE, pieces};
use super::rows::{READ_WORK, Work, walk, work_per_row};
use super::{
    CacheCounts, Kernel, KernelRows, PackedRows, Parts, Piece, QUERY_BLOCK, Queries, Row, RowCache,
    Threading,
};
use crate::Result;
use crate::simd::Lanes;
use rayon::prelude::*;
use std::collections::HashMap;

/// Missing rows that are computed before they are moved into a cache.
const PREPARE: usize = 4 * QUERY_BLOCK;
/// Rows computed when they are asked for, and forgotten.
pub struct ComputedRows<'a, T: Lanes> {
    packed: &'a PackedRows<T>,
    kernel: &'a Kernel,
    threading: Threading,
    parts: Parts,
    pieces: Vec<Piece>,
    queries: Queries<T>,
    buffer: Vec<T>,
    /// Prepared rows, and where each is among them.
    block: Vec<T>,
    places: HashMap<usize, usize>,
    n_computed: u64,
}

impl<'a, T: Lanes> ComputedRows<'a, T> {
    /// The problem made of these parts of the packed rows.
    pub fn new(
        packed: &'a PackedRows<T>,
        kernel: &'a Kernel,
        parts: Parts,
        threading: Threading,
    ) -> Self {
        let pieces = pieces(&parts);
        Self {
            packed,
            kernel,
            threading,
            parts,
            pieces,
            queries: Queries::new(),
            buffer: Vec::new(),
            block: Vec::new(),
            places: HashMap::new(),
            n_computed: 0,
        }
    }

    /// Whole rows, one after the other, in blocks of queries side by side.
    fn compute_block(&mut self, rows: &[usize]) -> Result<Vec<T>> {
        let n = self.parts.n_rows();
        let mut values = crate::error::zeros(rows.len(), n, "kernel rows")?;
        let (packed, kernel, parts) = (self.packed, self.kernel, &self.parts);
        let threads = match self.threading {
            Threading::Inside => rayon::current_num_threads(),
            Threading::SideBySide => 1,
        };
        let group = QUERY_BLOCK.min(rows.len().div_ceil(threads)).max(1);
        values
            .par_chunks_mut((group * n).max(1))
            .zip(rows.par_chunks(group))
            .try_for_each_init(Queries::new, |queries, (out, rows)| {
                let global: Vec<usize> = rows.iter().map(|&i| parts.global(i)).collect();
                packed.load_rows(&global, queries)?;
                for part in parts.iter() {
                    let out = &mut out[part.local.start..];
                    packed.kernel_block(kernel, queries, part.global.clone(), out, n);
                }
                Ok(())
            })?;
        self.n_computed += values.len() as u64;
        Ok(values)
    }
}

impl<T: Lanes> KernelRows<T> for ComputedRows<'_, T> {
    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn row(&mut self, i: usize) -> Result<Row<'_, T>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(self.parts.n_rows(), T::ZERO);
        let copy = |_: &Piece, own: &mut [T], values: &[T]| own.copy_from_slice(values);
        self.sweep(i, &mut buffer, copy, |(), ()| ())?;
        self.buffer = buffer;
        Ok(Row {
            base: &self.buffer,
            parts: &self.parts,
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
        let global = self.parts.global(i);
        self.packed
            .load_own(global..global + 1, &mut self.queries)?;
        self.n_computed += self.parts.n_rows() as u64;
        let (packed, kernel, queries) = (self.packed, self.kernel, &self.queries);
        let visit = |piece: &Piece, own: &mut [T], scratch: &mut [T; PIECE]| {
            let values = &mut scratch[..own.len()];
            packed.kernel_block(kernel, queries, piece.global.clone(), values, own.len());
            visit(piece, own, values)
        };
        let work = Work {
            per_row: work_per_row(self.packed),
            limit: self.threading.limit(),
        };
        Ok(walk(&self.pieces, state, work, &visit, &reduce))
    }

    fn room(&self) -> usize {
        usize::MAX
    }

    fn prepare(&mut self, rows: &[usize]) -> Result<()> {
        self.block = self.compute_block(rows)?;
        self.places = rows
            .iter()
            .enumerate()
            .map(|(place, &i)| (i, place))
            .collect();
        Ok(())
    }

    fn prepared(&self, i: usize) -> Row<'_, T> {
        let n = self.parts.n_rows();
        Row {
            base: self
                .places
                .get(&i)
                .map_or(&[], |place| &self.block[place * n..(place + 1) * n]),
            parts: &self.parts,
            is_local: true,
        }
    }

    fn threading(&self) -> Threading {
        self.threading
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn n_computed(&self) -> u64 {
        self.n_computed
    }
}

/// Rows computed once and kept while the budget lasts.
pub struct CachedRows<'a, T: Lanes> {
    computed: ComputedRows<'a, T>,
    cache: RowCache<T>,
}

impl<'a, T: Lanes> CachedRows<'a, T> {
    /// A cache of `cache_bytes` before `computed`; of two rows, at least, since no step of
    /// a pair of rows can do with less.
    pub fn new(computed: ComputedRows<'a, T>, cache_bytes: usize) -> Result<Self> {
        let n = computed.parts.n_rows();
        let pair_bytes = 2 * n * size_of::<T>();
        let budget = if cache_bytes == 0 {
            0
        } else {
            cache_bytes.max(pair_bytes)
        };
        let cache = RowCache::new(n, budget)?;
        Ok(Self { computed, cache })
    }

    /// What the cache has seen.
    pub fn counts(&self) -> CacheCounts {
        self.cache.counts()
    }
}

/// A whole row, from the cache or into it.
fn fetch<'c, T: Lanes>(
    cache: &'c mut RowCache<T>,
    computed: &mut ComputedRows<'_, T>,
    i: usize,
) -> Result<&'c [T]> {
    let n = computed.parts.n_rows();
    let copy = |_: &Piece, own: &mut [T], values: &[T]| own.copy_from_slice(values);
    cache.row(i, n, |_, out| {
        computed.sweep(i, out, copy, |(), ()| ())?;
        Ok(())
    })
}

impl<T: Lanes> KernelRows<T> for CachedRows<'_, T> {
    fn parts(&self) -> &Parts {
        &self.computed.parts
    }

    fn row(&mut self, i: usize) -> Result<Row<'_, T>> {
        Ok(Row {
            base: fetch(&mut self.cache, &mut self.computed, i)?,
            parts: &self.computed.parts,
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
        let visit = |piece: &Piece, own: &mut [T], _: &mut [T; PIECE]| {
            visit(piece, own, &row[piece.local.clone()])
        };
        let work = Work {
            per_row: READ_WORK,
            limit: self.computed.threading.limit(),
        };
        Ok(walk(&self.computed.pieces, state, work, &visit, &reduce))
    }

    fn room(&self) -> usize {
        let row_bytes = self.computed.parts.n_rows() * size_of::<T>();
        self.cache.budget_bytes() / row_bytes.max(1)
    }

    fn prepare(&mut self, rows: &[usize]) -> Result<()> {
        let n = self.computed.parts.n_rows();
        // Those that are there first, so that making room for the others keeps them.
        let is_missing = |&i: &usize| !self.cache.touch(i, n);
        let missing: Vec<usize> = rows.iter().copied().filter(is_missing).collect();
        for missing in missing.chunks(PREPARE) {
            let block = self.computed.compute_block(missing)?;
            for (&i, values) in missing.iter().zip(block.chunks_exact(n)) {
                self.cache.row(i, n, |missing, out| {
                    out.copy_from_slice(&values[missing]);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn prepared(&self, i: usize) -> Row<'_, T> {
        Row {
            base: self.cache.peek(i),
            parts: &self.computed.parts,
            is_local: true,
        }
    }

    fn threading(&self) -> Threading {
        self.computed.threading
    }

    fn pieces(&self) -> &[Piece] {
        &self.computed.pieces
    }

    fn n_computed(&self) -> u64 {
        self.computed.n_computed
    }
}
