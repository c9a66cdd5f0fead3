//! Kernel rows computed when they are asked for, and a cache of them.

use super::parts::{PIECE, pieces};
use super::rows::{READ_WORK, Work, walk, work_per_row};
use super::{
    CacheCounts, Kernel, KernelRows, PackedRows, Parts, Piece, Queries, Row, RowCache, Threading,
};
use crate::Result;
use crate::error::clear_to_zeros;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;

/// Rows of one task of [`KernelRows::add_apart`].
const APART: usize = 512;

/// Rows computed when they are asked for, and forgotten.
pub struct ComputedRows<'a, T: Lanes> {
    packed: Cow<'a, PackedRows<T>>,
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
            packed: Cow::Borrowed(packed),
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

    /// Whole rows to their places, in blocks of queries side by side.
    fn compute(
        &mut self,
        rows: &[usize],
        mut places: Vec<&mut [T]>,
        monitor: &Monitor,
    ) -> Result<()> {
        let (packed, kernel, parts) = (&*self.packed, self.kernel, &self.parts);
        let group = packed
            .query_block()
            .min(rows.len().div_ceil(self.n_threads()))
            .max(1);
        places
            .par_chunks_mut(group)
            .zip(rows.par_chunks(group))
            .try_for_each_init(Queries::new, |queries, (places, rows)| {
                monitor.check()?;
                let global: Vec<usize> = rows.iter().map(|&i| parts.global(i)).collect();
                packed.load_rows(&global, queries)?;
                for part in parts.iter() {
                    packed.kernel_chunks(kernel, queries, part.global.clone(), |chunk, values| {
                        let start = part.local.start + chunk.start - part.global.start;
                        let values = values.chunks_exact(chunk.len());
                        for (place, values) in places.iter_mut().zip(values) {
                            place[start..start + chunk.len()].copy_from_slice(values);
                        }
                    });
                }
                Ok(())
            })?;
        self.n_computed += (rows.len() * self.parts.n_rows()) as u64;
        Ok(())
    }

    /// How many threads this problem may keep busy.
    fn n_threads(&self) -> usize {
        match self.threading {
            Threading::Inside => rayon::current_num_threads(),
            Threading::SideBySide => 1,
        }
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
        let (packed, kernel, queries) = (&*self.packed, self.kernel, &self.queries);
        let visit = |piece: &Piece, own: &mut [T]| {
            let mut scratch = [T::ZERO; PIECE];
            let values = &mut scratch[..own.len()];
            packed.kernel_block(kernel, queries, piece.global.clone(), values, own.len());
            visit(piece, own, values)
        };
        let work = Work {
            per_row: work_per_row(&self.packed),
            limit: self.threading.limit(),
        };
        Ok(walk(&self.pieces, state, work, &visit, &reduce))
    }

    fn room(&self) -> usize {
        usize::MAX
    }

    fn prepare(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()> {
        let n = self.parts.n_rows();
        let mut block = std::mem::take(&mut self.block);
        clear_to_zeros(&mut block, rows.len(), n)?;
        let places = block.chunks_exact_mut(n.max(1)).collect();
        self.compute(rows, places, monitor)?;
        self.block = block;
        self.places = rows
            .iter()
            .enumerate()
            .map(|(place, &i)| (i, place))
            .collect();
        Ok(())
    }

    fn narrow(&mut self, keep: &[usize]) -> Result<Option<Self>> {
        let global: Vec<usize> = keep.iter().map(|&i| self.parts.global(i)).collect();
        let parts = self.parts.narrow(keep);
        Ok(Some(Self {
            packed: Cow::Owned(self.packed.gather(&global)?),
            kernel: self.kernel,
            threading: self.threading,
            pieces: pieces(&parts),
            parts,
            queries: Queries::new(),
            buffer: Vec::new(),
            block: Vec::new(),
            places: HashMap::new(),
            n_computed: 0,
        }))
    }

    fn rejoin(&mut self, narrow: Self) {
        self.n_computed += narrow.n_computed;
    }

    fn add_apart(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let (packed, parts) = (&*self.packed, &self.parts);
        let global: Vec<usize> = others.iter().map(|&k| parts.global(k)).collect();
        let terms: Vec<(usize, f64)> = terms
            .iter()
            .map(|&(i, factor)| (parts.global(i), factor))
            .collect();
        let others = packed.gather(&global)?;
        let n_computed = (terms.len() * sums.len()) as u64;
        add_kernel_sums(
            packed,
            &others,
            self.kernel,
            &terms,
            sums,
            self.threading,
            monitor,
        )?;
        self.n_computed += n_computed;
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

/// `sums_k += factor K(i, others_k)` over all packed rows `(i, factor)`.
pub(super) fn add_kernel_sums<T: Lanes>(
    packed: &PackedRows<T>,
    others: &PackedRows<T>,
    kernel: &Kernel,
    terms: &[(usize, f64)],
    sums: &mut [f64],
    threading: Threading,
    monitor: &Monitor,
) -> Result<()> {
    let task = |queries: &mut Queries<T>, (number, sums): (usize, &mut [f64])| {
        let rows = number * APART..number * APART + sums.len();
        for terms in terms.chunks(packed.query_block()) {
            monitor.check()?;
            let queried: Vec<usize> = terms.iter().map(|&(i, _)| i).collect();
            packed.load_rows(&queried, queries)?;
            others.kernel_chunks(kernel, queries, rows.clone(), |chunk, values| {
                let sums = &mut sums[chunk.start - rows.start..chunk.end - rows.start];
                let values = values.chunks_exact(chunk.len());
                simd::add_rows(sums, terms.iter().map(|term| term.1).zip(values));
            });
        }
        Ok(())
    };
    match threading {
        Threading::Inside => sums
            .par_chunks_mut(APART)
            .enumerate()
            .try_for_each_init(Queries::new, task),
        Threading::SideBySide => {
            let mut queries = Queries::new();
            let mut tasks = sums.chunks_mut(APART).enumerate();
            tasks.try_for_each(|part| task(&mut queries, part))
        }
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
        let cache = RowCache::new(n, n, budget)?;
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
    let copy = |_: &Piece, own: &mut [T], values: &[T]| own.copy_from_slice(values);
    cache.row(i, |out| {
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
        let visit = |piece: &Piece, own: &mut [T]| visit(piece, own, &row[piece.local.clone()]);
        let work = Work {
            per_row: READ_WORK,
            limit: self.computed.threading.limit(),
        };
        Ok(walk(&self.computed.pieces, state, work, &visit, &reduce))
    }

    fn room(&self) -> usize {
        self.cache.room()
    }

    fn prepare(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()> {
        let computed = &mut self.computed;
        self.cache.rows(rows, |missing, places| {
            computed.compute(missing, places, monitor)
        })
    }

    fn narrow(&mut self, keep: &[usize]) -> Result<Option<Self>> {
        let Some(computed) = self.computed.narrow(keep)? else {
            return Ok(None);
        };
        let cache = self.cache.narrow(keep)?;
        Ok(Some(Self { computed, cache }))
    }

    fn rejoin(&mut self, narrow: Self) {
        self.cache.set_counts(narrow.cache.counts());
        self.computed.rejoin(narrow.computed);
    }

    fn add_apart(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        self.computed.add_apart(terms, others, sums, monitor)
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
