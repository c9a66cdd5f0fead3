//! Kernel rows of one binary problem, whatever they come from.
//!
//! A solver sees a row as one slice for each part of its problem, and never knows
//! whether it was read from a Gram matrix, kept by a cache, or computed just now.

use super::parts::pieces;
use super::{KernelMatrix, PackedRows, Parts, Piece, Row};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};

/// Multiply-adds of a sweep from which it is worth waking other threads.
const PARALLEL_WORK: usize = 1 << 20;
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
    pub(super) fn limit(self) -> usize {
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
pub(super) fn work_per_row<T: Lanes>(packed: &PackedRows<T>) -> usize {
    packed.cost_of_product() + 16
}

/// Multiply-adds, about, that reading and using a kernel value costs.
pub(super) const READ_WORK: usize = 4;

/// Rows of one problem.
pub trait KernelRows<T: Lanes>: Send + Sync + Sized {
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

    /// Whether all rows are there already, so that preparing one costs nothing.
    fn at_hand(&self) -> bool {
        false
    }

    /// How many rows [`KernelRows::prepare`] can hold at once.
    fn room(&self) -> usize;

    /// Has these rows at hand for [`KernelRows::prepared`], computed in blocks where
    /// they are not. No more than [`KernelRows::room`] rows.
    fn prepare(&mut self, rows: &[usize], monitor: &Monitor) -> Result<()>;

    /// A row of the last [`KernelRows::prepare`].
    fn prepared(&self, i: usize) -> Row<'_, T>;

    /// `sums_k += factor K(i, k)` over all rows k of the problem and all prepared rows
    /// `(i, factor)`, in parallel where that pays.
    fn add_prepared(&self, terms: &[(usize, f64)], sums: &mut [f64]) {
        let rows: Vec<_> = terms.iter().map(|&(i, _)| self.prepared(i)).collect();
        let visit = |piece: &Piece, sums: &mut [f64]| {
            let rows = rows.iter().map(|row| row.piece(piece));
            simd::add_rows(sums, terms.iter().map(|&(_, factor)| factor).zip(rows));
        };
        let work = Work {
            per_row: terms.len(),
            limit: self.threading().limit(),
        };
        walk(self.pieces(), sums, work, &visit, &|(), ()| ());
    }

    /// The problem made of the rows `keep`, ascending, whose rows are cheaper to come by; takes
    /// over what a cache holds of them. `None` where nothing would be gained.
    fn narrow(&mut self, keep: &[usize]) -> Result<Option<Self>>;

    /// Takes back what [`KernelRows::narrow`] gave: only the counts matter.
    fn rejoin(&mut self, narrow: Self);

    /// `sums_k += factor K(i, others_k)` over all rows `(i, factor)`, without keeping any
    /// value, in parallel where that pays.
    fn add_apart(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()>;

    /// The pieces of the problem.
    fn pieces(&self) -> &[Piece];

    /// How the problem uses the threads.
    fn threading(&self) -> Threading;

    /// Kernel values computed so far.
    fn n_computed(&self) -> u64;
}

/// What a row of a sweep costs, and from how much on a sweep is split.
#[derive(Clone, Copy)]
pub(super) struct Work {
    pub(super) per_row: usize,
    pub(super) limit: usize,
}

/// Visits pieces by halves, each half a task of its own while it has much work.
pub(super) fn walk<T: Lanes, R: Send>(
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
        || walk(left, left_state, work, visit, reduce),
        || walk(right, right_state, work, visit, reduce),
    );
    match (a, b) {
        (Some(a), Some(b)) => Some(reduce(a, b)),
        (a, b) => a.or(b),
    }
}

/// Rows read from a Gram matrix that other problems share.
pub struct GramRows<'a, G> {
    gram: &'a G,
    threading: Threading,
    parts: Parts,
    pieces: Vec<Piece>,
}

impl<'a, G> GramRows<'a, G> {
    /// The problem made of these parts of the matrix.
    pub fn new(gram: &'a G, parts: Parts, threading: Threading) -> Self {
        let pieces = pieces(&parts);
        Self {
            gram,
            threading,
            parts,
            pieces,
        }
    }
}

impl<T: Lanes, G: KernelMatrix<T>> KernelRows<T> for GramRows<'_, G> {
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
        let visit = |piece: &Piece, own: &mut [T]| visit(piece, own, &row[piece.global.clone()]);
        let work = Work {
            per_row: READ_WORK,
            limit: self.threading.limit(),
        };
        Ok(walk(&self.pieces, state, work, &visit, &reduce))
    }

    fn at_hand(&self) -> bool {
        true
    }

    fn room(&self) -> usize {
        usize::MAX
    }

    fn prepare(&mut self, _rows: &[usize], _monitor: &Monitor) -> Result<()> {
        Ok(())
    }

    fn narrow(&mut self, _keep: &[usize]) -> Result<Option<Self>> {
        Ok(None)
    }

    fn rejoin(&mut self, _narrow: Self) {}

    fn add_apart(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        for &(i, factor) in terms {
            monitor.check()?;
            let row = self.prepared(i);
            for (sum, &k) in sums.iter_mut().zip(others) {
                *sum += factor * row.at(k).to_f64();
            }
        }
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
