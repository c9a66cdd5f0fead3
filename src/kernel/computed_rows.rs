//! Kernel rows that are computed on demand.

use super::parts::{PIECE, pieces};
use super::queries::{SpareQueries, UsedQueries};
use super::rows::{Work, visit_pieces, work_per_row};
use super::{
    BlockRows, Kernel, KernelRows, PackedRows, Parts, Piece, Queries, Row, ShrinkableRows,
    SingleRows, Subset, Threading,
};
use crate::Result;
use crate::memory::reset_to_zeros;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Sums that one task of [`ShrinkableRows::accumulate_at`] computes.
const SUM_BLOCK: usize = 512;

/// Multiply-adds per product of dense samples up to which kernel values of a working set are computed
/// separately from its rows, by one thread.
const MOST_COST: usize = 96;

/// The same for sparse samples, in the units of their cost: with more nonzeros, whole rows of all
/// samples, computed by all threads in blocks, take less time.
const MOST_SPARSE_COST: usize = 256;

/// The number of samples from which computing rows of samples that do not move takes longer.
const LEAST_ROW: usize = 4000;

/// Rows that are computed on demand; only those of the last prefetch are kept.
pub struct ComputedRows<'a, T: Lanes> {
    packed: Cow<'a, PackedRows<T>>,
    kernel: &'a Kernel,
    threading: Threading,
    parts: Parts,
    pieces: Vec<Piece>,
    queries: Queries<T>,
    spare: SpareQueries<T>,
    buffer: Vec<T>,
    /// The rows of the last prefetch, and the place of each of them.
    block: Vec<T>,
    places: HashMap<usize, usize>,
    n_computed: u64,
}

impl<'a, T: Lanes> ComputedRows<'a, T> {
    /// The problem of these parts of the packed rows.
    pub fn new(
        packed: &'a PackedRows<T>,
        kernel: &'a Kernel,
        parts: Parts,
        threading: Threading,
    ) -> Self {
        Self::of(Cow::Borrowed(packed), kernel, parts, threading)
    }

    fn of(
        packed: Cow<'a, PackedRows<T>>,
        kernel: &'a Kernel,
        parts: Parts,
        threading: Threading,
    ) -> Self {
        Self {
            packed,
            kernel,
            threading,
            pieces: pieces(&parts),
            parts,
            queries: Queries::new(),
            spare: SpareQueries::default(),
            buffer: Vec::new(),
            block: Vec::new(),
            places: HashMap::new(),
            n_computed: 0,
        }
    }

    /// The rows of the problem shrunk to the samples `keep`, packed anew.
    pub(super) fn shrunk(&self, keep: &[usize]) -> Result<Self> {
        let global: Vec<usize> = keep.iter().map(|&i| self.parts.global(i)).collect();
        let packed = Cow::Owned(self.packed.gather(&global)?);
        Ok(Self::of(
            packed,
            self.kernel,
            self.parts.shrink(keep),
            self.threading,
        ))
    }

    /// Whether rows are long, and computing a few values of them is cheap.
    pub(super) fn has_cheap_subsets(&self) -> bool {
        let is_cheap = match &*self.packed {
            packed @ PackedRows::Sparse(_) => packed.cost_of_product() <= MOST_SPARSE_COST,
            packed => packed.cost_of_product() <= MOST_COST,
        };
        is_cheap && self.parts.n_rows() >= LEAST_ROW
    }

    /// Approximate multiply-adds per kernel value.
    pub(super) fn cost_of_product(&self) -> usize {
        self.packed.cost_of_product()
    }

    /// Some samples, to compute the kernel values among them; `None` if rows are not longer than
    /// that is worth.
    pub(super) fn subset_of(&self, samples: &[usize]) -> Result<Option<Subset<T>>> {
        let global: Vec<usize> = samples.iter().map(|&i| self.parts.global(i)).collect();
        Subset::new(&self.packed, *self.kernel, &global, self.parts.n_rows())
    }

    /// Counts kernel values that were computed on behalf of these rows.
    pub(super) fn add_computed(&mut self, n_values: u64) {
        self.n_computed += n_values;
    }

    /// Computes whole rows into their places, in blocks of queries, in parallel.
    pub(super) fn compute(
        &mut self,
        rows: &[usize],
        mut places: Vec<&mut [T]>,
        monitor: &Monitor,
    ) -> Result<()> {
        let (packed, kernel, parts) = (&*self.packed, self.kernel, &self.parts);
        // A large block makes better use of the samples that it reads. If there are fewer blocks
        // than threads, each thread computes some columns of a block.
        let block = packed.query_block();
        let n_blocks = rows.len().div_ceil(block).max(1);
        let n_spans = self.n_threads().div_ceil(n_blocks);
        let span = (parts.n_rows().div_ceil(n_spans)).next_multiple_of(PIECE);
        let mut tasks = Vec::new();
        for (rows, places) in rows.chunks(block).zip(places.chunks_mut(block)) {
            let mut rest: Vec<&mut [T]> = places.iter_mut().map(|place| &mut **place).collect();
            for start in (0..parts.n_rows()).step_by(span.max(PIECE)) {
                let columns = start..(start + span).min(parts.n_rows());
                let halves = rest
                    .into_iter()
                    .map(|place| place.split_at_mut(columns.len()));
                let (own, others) = halves.unzip();
                rest = others;
                tasks.push((rows, columns, own));
            }
        }
        let task = |used: &mut UsedQueries<'_, T>,
                    task: (&[usize], Range<usize>, Vec<&mut [T]>)| {
            let (rows, columns, mut places) = task;
            let queries = &mut used.queries;
            monitor.check()?;
            let global: Vec<usize> = rows.iter().map(|&i| parts.global(i)).collect();
            packed.load_rows(&global, queries)?;
            for part in parts.iter() {
                let local = columns.start.max(part.local.start)..columns.end.min(part.local.end);
                if local.is_empty() {
                    continue;
                }
                let shift = part.global.start - part.local.start;
                let global = local.start + shift..local.end + shift;
                packed.kernel_chunks(kernel, queries, global, |chunk, values| {
                    let start = chunk.start - shift - columns.start;
                    let values = values.chunks_exact(chunk.len());
                    for (place, values) in places.iter_mut().zip(values) {
                        place[start..start + chunk.len()].copy_from_slice(values);
                    }
                });
            }
            Ok(())
        };
        tasks
            .into_par_iter()
            .try_for_each_init(|| self.spare.take(), task)?;
        self.n_computed += (rows.len() * self.parts.n_rows()) as u64;
        Ok(())
    }

    /// Number of threads that this problem may use.
    fn n_threads(&self) -> usize {
        match self.threading {
            Threading::Parallel => rayon::current_num_threads(),
            Threading::Sequential => 1,
        }
    }
}

impl<T: Lanes> KernelRows for ComputedRows<'_, T> {
    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn threading(&self) -> Threading {
        self.threading
    }

    fn n_computed(&self) -> u64 {
        self.n_computed
    }
}

impl<T: Lanes> SingleRows<T> for ComputedRows<'_, T> {
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
        Ok(visit_pieces(&self.pieces, state, work, &visit, &reduce))
    }
}

impl<T: Lanes> BlockRows<T> for ComputedRows<'_, T> {
    fn is_resident(&self) -> bool {
        false
    }

    fn max_resident(&self) -> usize {
        usize::MAX
    }

    fn prefetch(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()> {
        let n = self.parts.n_rows();
        let mut block = std::mem::take(&mut self.block);
        reset_to_zeros(&mut block, rows.len(), n)?;
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

    fn resident_row(&self, i: usize) -> Row<'_, T> {
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
}

impl<T: Lanes> ShrinkableRows<T> for ComputedRows<'_, T> {
    fn shrink<R>(
        &mut self,
        keep: &[usize],
        solve: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<Option<R>> {
        let mut shrunk = self.shrunk(keep)?;
        let result = solve(&mut shrunk)?;
        self.add_computed(shrunk.n_computed);
        Ok(Some(result))
    }

    fn accumulate_at(
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
        self.add_computed(n_computed);
        Ok(())
    }
}

/// `sums_k += factor K(i, others_k)` for all packed rows `(i, factor)`.
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
        let rows = number * SUM_BLOCK..number * SUM_BLOCK + sums.len();
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
        Threading::Parallel => sums
            .par_chunks_mut(SUM_BLOCK)
            .enumerate()
            .try_for_each_init(Queries::new, task),
        Threading::Sequential => {
            let mut queries = Queries::new();
            let mut tasks = sums.chunks_mut(SUM_BLOCK).enumerate();
            tasks.try_for_each(|part| task(&mut queries, part))
        }
    }
}
