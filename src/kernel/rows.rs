//! Kernel rows of one binary problem, independent of where their values come from.
//!
//! A solver reads a kernel row as one slice per part of its problem. The row may be part of a
//! Gram matrix, kept in a cache, or computed on demand. Solvers ask for the traits they use:
//!
//! - [`SingleRows`]: one row at a time;
//! - [`BlockRows`]: several rows that are resident together;
//! - [`ShrinkableRows`]: blocks of rows of a problem that can be shrunk to some of its samples.

use super::{PackedRows, Parts, Piece, Row, Subset};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};

/// Multiply-adds of a sweep from which waking other threads pays off.
const PARALLEL_WORK: usize = 1 << 20;

/// How a problem uses the threads of its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threading {
    /// Large sweeps are split among all threads.
    Parallel,
    /// Everything runs in the calling thread: other problems keep the other threads busy.
    Sequential,
}

impl Threading {
    /// Multiply-adds from which a sweep is split.
    pub(super) fn limit(self) -> usize {
        match self {
            Threading::Parallel => PARALLEL_WORK,
            Threading::Sequential => usize::MAX,
        }
    }
}

/// Whether sweeps over `n_rows` computed values are large enough to be split among threads.
pub fn sweep_pays<T: Lanes>(packed: &PackedRows<T>, n_rows: usize) -> bool {
    n_rows.saturating_mul(work_per_row(packed)) >= PARALLEL_WORK
}

/// Approximate multiply-adds per computed kernel value.
pub(super) fn work_per_row<T: Lanes>(packed: &PackedRows<T>) -> usize {
    packed.cost_of_product() + 16
}

/// Approximate multiply-adds that reading and using a stored kernel value costs.
pub(super) const READ_WORK: usize = 4;

/// The kernel matrix of one problem: what all ways to read its rows have in common.
pub trait KernelRows: Send + Sync + Sized {
    /// The ranges of samples that make up the problem.
    fn parts(&self) -> &Parts;

    /// The pieces that sweeps visit.
    fn pieces(&self) -> &[Piece];

    /// How the problem uses the threads.
    fn threading(&self) -> Threading;

    /// Number of kernel values computed so far.
    fn n_computed(&self) -> u64;
}

/// Access to one kernel row at a time.
pub trait SingleRows<T: Lanes>: KernelRows {
    /// The kernel row of sample `i`.
    fn row(&mut self, i: usize) -> Result<Row<'_, T>>;

    /// Calls `visit(piece, state of the piece, kernel values of the piece)` for all pieces of
    /// row `i`, in parallel if the row is long, and reduces the results.
    ///
    /// `reduce` must be associative; then the result does not depend on the number of threads.
    fn sweep<R: Send>(
        &mut self,
        i: usize,
        state: &mut [T],
        visit: impl Fn(&Piece, &mut [T], &[T]) -> R + Sync,
        reduce: impl Fn(R, R) -> R + Sync,
    ) -> Result<Option<R>>;
}

/// Access to several kernel rows that are resident together.
pub trait BlockRows<T: Lanes>: KernelRows {
    /// Whether the whole kernel matrix is resident, so that [`BlockRows::prefetch`] is free.
    fn is_resident(&self) -> bool;

    /// The most rows that can be resident together; `usize::MAX` if there is no limit.
    fn max_resident(&self) -> usize;

    /// Makes rows resident until the next call: computes those that are missing, in blocks.
    /// Takes at most [`BlockRows::max_resident`] rows.
    fn prefetch(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()>;

    /// A row of the last [`BlockRows::prefetch`].
    fn resident_row(&self, i: usize) -> Row<'_, T>;

    /// The first `len` values from the first sample of the problem on in a resident row, where
    /// they are adjacent in memory; those after the last sample have no meaning.
    fn adjacent_row(&self, _i: usize, _len: usize) -> Option<&[T]> {
        None
    }

    /// Some samples, to compute the kernel values among them; `None` if these are not computed
    /// separately from the rows ([`BlockRows::computes_subsets`]).
    fn subset(&self, _samples: &[usize]) -> Result<Option<Subset<T>>> {
        Ok(None)
    }

    /// Adds kernel values that a subset has computed to those of the rows.
    fn count_computed(&mut self, _n_values: u64) {}

    /// Whether [`BlockRows::subset`] is faster than making the rows of a few samples resident.
    fn computes_subsets(&self) -> bool {
        false
    }

    /// `K(i, i)` of a row of the last [`BlockRows::prefetch`].
    fn diagonal(&self, i: usize) -> T {
        self.resident_row(i).at(i)
    }

    /// `sums_k += factor K(i, k)` for all samples k of the problem and all resident rows
    /// `(i, factor)`, in parallel if that is much work.
    fn accumulate(&self, terms: &[(usize, f64)], sums: &mut [f64]) {
        let rows: Vec<_> = terms.iter().map(|&(i, _)| self.resident_row(i)).collect();
        let visit = |piece: &Piece, sums: &mut [f64]| {
            let rows = rows.iter().map(|row| row.piece(piece));
            simd::add_rows(sums, terms.iter().map(|&(_, factor)| factor).zip(rows));
        };
        let work = Work {
            per_row: terms.len(),
            limit: self.threading().limit(),
        };
        visit_pieces(self.pieces(), sums, work, &visit, &|(), ()| ());
    }
}

/// Blocks of kernel rows of a problem that can be shrunk to some of its samples.
pub trait ShrinkableRows<T: Lanes>: BlockRows<T> {
    /// Shrinks the problem to the samples `keep` (ascending), calls `solve` with the rows of
    /// the shrunk problem, and unshrinks: returns to the whole problem and adds the counts of
    /// the shrunk one. A cache moves its rows to the shrunk problem and comes back empty.
    ///
    /// Returns `None` without calling `solve` if shorter rows would not be cheaper, because the
    /// kernel matrix is resident.
    fn shrink<R>(
        &mut self,
        keep: &[usize],
        solve: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<Option<R>>;

    /// `sums_k += factor K(i, others_k)` for all rows `(i, factor)`, without making any row
    /// resident, in parallel if that is much work.
    fn accumulate_at(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()>;
}

/// Multiply-adds per row of a sweep, and the total from which the sweep is split.
#[derive(Clone, Copy)]
pub(super) struct Work {
    pub(super) per_row: usize,
    pub(super) limit: usize,
}

/// Calls `visit` for all pieces and reduces the results. Splits the pieces in halves, one task
/// each, as long as a half is enough work.
pub(super) fn visit_pieces<T: Lanes, R: Send>(
    pieces: &[Piece],
    state: &mut [T],
    work: Work,
    visit: &(impl Fn(&Piece, &mut [T]) -> R + Sync),
    reduce: &(impl Fn(R, R) -> R + Sync),
) -> Option<R> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let n = last.local.end - first.local.start;
    if pieces.len() == 1 || n.saturating_mul(work.per_row) < work.limit {
        let mut rest = state;
        let answers = pieces.iter().map(|piece| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(piece.local.len());
            rest = others;
            visit(piece, own)
        });
        return answers.reduce(reduce);
    }
    let (left, right) = pieces.split_at(pieces.len() / 2);
    let (left_state, right_state) = state.split_at_mut(right[0].local.start - first.local.start);
    let (a, b) = rayon::join(
        || visit_pieces(left, left_state, work, visit, reduce),
        || visit_pieces(right, right_state, work, visit, reduce),
    );
    match (a, b) {
        (Some(a), Some(b)) => Some(reduce(a, b)),
        (a, b) => a.or(b),
    }
}
