//! Rows of a Gram matrix as the kernel rows of a problem.

use super::parts::pieces;
use super::rows::{READ_WORK, Work, visit_pieces};
use super::{
    BlockRows, KernelMatrix, KernelRows, Parts, Piece, Row, ShrinkableRows, SingleRows, Threading,
};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// Rows of a Gram matrix that several problems may share. All of them are resident.
pub struct GramRows<'a, G> {
    gram: &'a G,
    threading: Threading,
    parts: Parts,
    pieces: Vec<Piece>,
}

impl<'a, G> GramRows<'a, G> {
    /// The problem of these parts of the matrix.
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

impl<G: Sync> KernelRows for GramRows<'_, G> {
    fn parts(&self) -> &Parts {
        &self.parts
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn threading(&self) -> Threading {
        self.threading
    }

    /// The matrix itself counts what it computes.
    fn n_computed(&self) -> u64 {
        0
    }
}

impl<T: Lanes, G: KernelMatrix<T>> SingleRows<T> for GramRows<'_, G> {
    fn row(&mut self, i: usize) -> Result<Row<'_, T>> {
        Ok(self.resident_row(i))
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
        Ok(visit_pieces(&self.pieces, state, work, &visit, &reduce))
    }
}

impl<T: Lanes, G: KernelMatrix<T>> BlockRows<T> for GramRows<'_, G> {
    fn is_resident(&self) -> bool {
        true
    }

    fn max_resident(&self) -> usize {
        usize::MAX
    }

    /// All rows are resident already.
    fn prefetch(&mut self, _rows: &[usize], _monitor: &Monitor) -> Result<()> {
        Ok(())
    }

    fn resident_row(&self, i: usize) -> Row<'_, T> {
        Row {
            base: self.gram.row(self.parts.global(i)),
            parts: &self.parts,
            is_local: false,
        }
    }

    fn adjacent_row(&self, i: usize, len: usize) -> Option<&[T]> {
        let start = self.parts.adjacent_start()?;
        self.gram.row(self.parts.global(i)).get(start..start + len)
    }

    /// Does not compute the row of a lazy matrix.
    fn diagonal(&self, i: usize) -> T {
        self.gram.diagonal(self.parts.global(i))
    }
}

impl<T: Lanes, G: KernelMatrix<T>> ShrinkableRows<T> for GramRows<'_, G> {
    fn shrink<R>(
        &mut self,
        _keep: &[usize],
        _solve: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<Option<R>> {
        Ok(None)
    }

    fn accumulate_at(
        &mut self,
        terms: &[(usize, f64)],
        others: &[usize],
        sums: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        for &(i, factor) in terms {
            monitor.check()?;
            let row = self.resident_row(i);
            for (sum, &k) in sums.iter_mut().zip(others) {
                *sum += factor * row.at(k).to_f64();
            }
        }
        Ok(())
    }
}
