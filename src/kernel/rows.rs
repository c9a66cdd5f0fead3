//! Kernel rows of one binary problem, whatever they come from.
//!
//! A problem is a few contiguous ranges ("parts") of the packed rows, which are
//! sorted by class. Its own, local indices run through the parts in turn. A
//! solver sees a row as one slice for each part, and never knows whether it was
//! read from a Gram matrix, kept by a cache, or computed just now.

use super::{CacheCounts, Gram, Kernel, PackedRows, QUERY_BLOCK, Queries, RowCache};
use crate::Result;
use crate::simd::{self, Lanes};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// One contiguous range of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where it is among the packed rows.
    pub global: Range<usize>,
    /// Where it is in the problem.
    pub local: Range<usize>,
}

/// All parts of a problem, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// From ascending ranges that do not overlap.
    pub fn new(ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut local = 0;
        let parts = ranges.into_iter().map(|global| {
            let start = local;
            local += global.len();
            Part {
                global,
                local: start..local,
            }
        });
        Self(parts.collect())
    }

    /// Number of rows of the problem.
    pub fn n_rows(&self) -> usize {
        self.0.last().map_or(0, |part| part.local.end)
    }

    /// Each part.
    pub fn iter(&self) -> std::slice::Iter<'_, Part> {
        self.0.iter()
    }

    /// The packed row of local row `i`.
    pub fn global(&self, i: usize) -> usize {
        let part = &self.0[self.part_of(i)];
        part.global.start + i - part.local.start
    }

    /// The number of the part that holds local row `i`.
    pub fn part_of(&self, i: usize) -> usize {
        self.0.partition_point(|part| part.local.end <= i)
    }
}

/// A kernel row as one slice for each part.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a, T> {
    base: &'a [T],
    parts: &'a Parts,
    is_local: bool,
}

impl<'a, T> Row<'a, T> {
    /// The values of one part.
    pub fn part(&self, part: usize) -> &'a [T] {
        let part = &self.parts.0[part];
        let span = if self.is_local {
            part.local.clone()
        } else {
            part.global.clone()
        };
        &self.base[span]
    }

    /// The values of one piece.
    pub fn piece(&self, piece: &Piece) -> &'a [T] {
        let span = if self.is_local {
            &piece.local
        } else {
            &piece.global
        };
        &self.base[span.clone()]
    }
}

impl<T: Copy> Row<'_, T> {
    /// The value at one local row.
    pub fn at(&self, i: usize) -> T {
        self.base[if self.is_local {
            i
        } else {
            self.parts.global(i)
        }]
    }
}

/// Rows of one piece of a sweep: short enough for the first-level cache.
const PIECE: usize = 1024;

/// Missing rows that are computed before they are moved into a cache.
const PREPARE: usize = 4 * QUERY_BLOCK;

/// Multiply-adds of a sweep from which it is worth waking other threads.
const PARALLEL_WORK: usize = 1 << 20;

/// A piece of a row, as a sweep visits it.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The part that holds it.
    pub part: usize,
    /// Its rows in the problem.
    pub local: Range<usize>,
    global: Range<usize>,
}

/// Pieces of all parts; they end at multiples of [`PIECE`] of the packed rows, so that no
/// panel is computed twice.
fn pieces(parts: &Parts) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let mut start = part.global.start;
        while start < part.global.end {
            let end = ((start / PIECE + 1) * PIECE).min(part.global.end);
            let local = part.local.start + start - part.global.start;
            pieces.push(Piece {
                part: number,
                local: local..local + end - start,
                global: start..end,
            });
            start = end;
        }
    }
    pieces
}

/// How a problem uses the threads of its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threading {
    /// Sweeps are split among all threads where that pays.
    Inside,
    /// Other problems keep the other threads busy.
    SideBySide,
}

impl Threading {
    /// Work from which a sweep is split.
    fn limit(self) -> usize {
        match self {
            Threading::Inside => PARALLEL_WORK,
            Threading::SideBySide => usize::MAX,
        }
    }
}

/// Whether sweeps over `n_rows` computed rows are large enough to be split.
pub fn sweep_pays<T: Lanes>(packed: &PackedRows<T>, n_rows: usize) -> bool {
    n_rows.saturating_mul(work_per_row(packed)) >= PARALLEL_WORK
}

/// Multiply-adds, about, that a computed kernel value costs.
fn work_per_row<T: Lanes>(packed: &PackedRows<T>) -> usize {
    packed.cost_of_product() + 16
}

/// Multiply-adds, about, that reading and using a kernel value costs.
const READ_WORK: usize = 4;

/// Rows of one problem.
pub trait KernelRows<T: Lanes>: Send {
    /// The ranges that make up the problem.
    fn parts(&self) -> &Parts;

    /// The kernel row of local row `i`.
    fn row(&mut self, i: usize) -> Result<Row<'_, T>>;

    /// Calls `visit(piece, state of the piece, kernel values of the piece)` for all of row
    /// `i`, in parallel where that pays, and reduces the answers.
    ///
    /// `reduce` must be associative; then the result does not depend on the threads.
    fn sweep<R: Send>(
        &mut self,
        i: usize,
        state: &mut [T],
        visit: impl Fn(&Piece, &mut [T], &[T]) -> R + Sync,
        reduce: impl Fn(R, R) -> R + Sync,
    ) -> Result<Option<R>>;

    /// How many rows [`KernelRows::prepare`] can hold at once.
    fn room(&self) -> usize;

    /// Has these rows at hand for [`KernelRows::prepared`], computed in blocks where
    /// they are not. No more than [`KernelRows::room`] rows.
    fn prepare(&mut self, rows: &[usize]) -> Result<()>;

    /// A row of the last [`KernelRows::prepare`].
    fn prepared(&self, i: usize) -> Row<'_, T>;

    /// `sums_k += factor K(i, k)` over all rows k of the problem and all prepared rows
    /// `(i, factor)`, in parallel where that pays.
    fn add_prepared(&self, terms: &[(usize, f64)], sums: &mut [f64]) {
        let rows: Vec<_> = terms.iter().map(|&(i, _)| self.prepared(i)).collect();
        let visit = |piece: &Piece, sums: &mut [f64], _: &mut [f64; PIECE]| {
            for (row, &(_, factor)) in rows.iter().zip(terms) {
                simd::add_row(sums, factor, row.piece(piece));
            }
        };
        let work = Work {
            per_row: terms.len(),
            limit: self.threading().limit(),
        };
        walk(self.pieces(), sums, work, &visit, &|(), ()| ());
    }

    /// The pieces of the problem.
    fn pieces(&self) -> &[Piece];

    /// How the problem uses the threads.
    fn threading(&self) -> Threading;

    /// Kernel values computed so far.
    fn n_computed(&self) -> u64;
}

/// What a row of a sweep costs, and from how much on a sweep is split.
#[derive(Clone, Copy)]
struct Work {
    per_row: usize,
    limit: usize,
}

/// Visits pieces by halves, each half a task of its own while it has much work.
/// Besides its piece of the state, a visit gets scratch room.
fn walk<T: Lanes, R: Send>(
    pieces: &[Piece],
    state: &mut [T],
    work: Work,
    visit: &(impl Fn(&Piece, &mut [T], &mut [T; PIECE]) -> R + Sync),
    reduce: &(impl Fn(R, R) -> R + Sync),
) -> Option<R> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let n = last.local.end - first.local.start;
    if pieces.len() == 1 || n.saturating_mul(work.per_row) < work.limit {
        let mut rest = state;
        let mut scratch = [T::ZERO; PIECE];
        let answers = pieces.iter().map(|piece| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(piece.local.len());
            rest = others;
            visit(piece, own, &mut scratch)
        });
        return answers.reduce(reduce);
    }
    let (left, right) = pieces.split_at(pieces.len() / 2);
    let (left_state, right_state) = state.split_at_mut(right[0].local.start - first.local.start);
    let (a, b) = rayon::join(
        || walk(left, left_state, work, visit, reduce),
        || walk(right, right_state, work, visit, reduce),
    );
    match (a, b) {
        (Some(a), Some(b)) => Some(reduce(a, b)),
        (a, b) => a.or(b),
    }
}

/// Rows read from a Gram matrix that other problems share.
pub struct GramRows<'a, T: Lanes> {
    gram: &'a Gram<T>,
    threading: Threading,
    parts: Parts,
    pieces: Vec<Piece>,
}

impl<'a, T: Lanes> GramRows<'a, T> {
    /// The problem made of these parts of the matrix.
    pub fn new(gram: &'a Gram<T>, parts: Parts, threading: Threading) -> Self {
        let pieces = pieces(&parts);
        Self {
            gram,
            threading,
            parts,
            pieces,
        }
    }
}

impl<T: Lanes> KernelRows<T> for GramRows<'_, T> {
    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn row(&mut self, i: usize) -> Result<Row<'_, T>> {
        Ok(Row {
            base: self.gram.row(self.parts.global(i)),
            parts: &self.parts,
            is_local: false,
        })
    }

    fn sweep<R: Send>(
        &mut self,
        i: usize,
        state: &mut [T],
        visit: impl Fn(&Piece, &mut [T], &[T]) -> R + Sync,
        reduce: impl Fn(R, R) -> R + Sync,
    ) -> Result<Option<R>> {
        let row = self.gram.row(self.parts.global(i));
        let visit = |piece: &Piece, own: &mut [T], _: &mut [T; PIECE]| {
            visit(piece, own, &row[piece.global.clone()])
        };
        let work = Work {
            per_row: READ_WORK,
            limit: self.threading.limit(),
        };
        Ok(walk(&self.pieces, state, work, &visit, &reduce))
    }

    fn room(&self) -> usize {
        usize::MAX
    }

    fn prepare(&mut self, _rows: &[usize]) -> Result<()> {
        Ok(())
    }

    fn prepared(&self, i: usize) -> Row<'_, T> {
        Row {
            base: self.gram.row(self.parts.global(i)),
            parts: &self.parts,
            is_local: false,
        }
    }

    fn threading(&self) -> Threading {
        self.threading
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn n_computed(&self) -> u64 {
        0
    }
}

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
