//! A problem as a few contiguous ranges of the packed rows, and its kernel rows cut
//! accordingly.
//!
//! Packed rows are sorted by class, so that a problem is a few ranges ("parts").
//! Its own, local indices run through the parts in turn. A sweep goes through
//! pieces of parts.

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

    /// The parts of the problem that is made of some of the rows, ascending, packed one after
    /// the other.
    pub fn narrow(&self, keep: &[usize]) -> Self {
        let end = |part: &Part| keep.partition_point(|&i| i < part.local.end);
        let mut start = 0;
        Self::new(self.0.iter().map(|part| {
            let range = start..end(part);
            start = range.end;
            range
        }))
    }

    /// The packed row of local row `i`.
    pub fn global(&self, i: usize) -> usize {
        let part = &self.0[self.part_of(i)];
        part.global.start + i - part.local.start
    }

    /// The local row of a packed row, if it is in the problem.
    pub fn local(&self, global: usize) -> Option<usize> {
        let part = self
            .0
            .get(self.0.partition_point(|part| part.global.end <= global))?;
        let offset = global.checked_sub(part.global.start)?;
        Some(part.local.start + offset)
    }

    /// The number of the part that holds local row `i`.
    pub fn part_of(&self, i: usize) -> usize {
        self.0.partition_point(|part| part.local.end <= i)
    }
}

/// A kernel row as one slice for each part.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a, T> {
    pub(super) base: &'a [T],
    pub(super) parts: &'a Parts,
    pub(super) is_local: bool,
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
    /// The values at some local rows, ascending.
    pub fn gather(&self, rows: &[usize], out: &mut [T]) {
        let (mut rest, mut out) = (rows, out);
        for part in self.parts.iter() {
            let (here, others) = rest.split_at(rest.partition_point(|&i| i < part.local.end));
            let from = if self.is_local {
                part.local.start
            } else {
                part.global.start
            };
            let values = &self.base[from..from + part.local.len()];
            let (own, others_out) = std::mem::take(&mut out).split_at_mut(here.len());
            if here.len() == values.len() {
                own.copy_from_slice(values);
            } else {
                for (&i, out) in here.iter().zip(own) {
                    *out = values[i - part.local.start];
                }
            }
            (rest, out) = (others, others_out);
        }
    }

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
pub(super) const PIECE: usize = 1024;
/// A piece of a row, as a sweep visits it.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The part that holds it.
    pub part: usize,
    /// Its rows in the problem.
    pub local: Range<usize>,
    pub(super) global: Range<usize>,
}

/// Pieces of all parts; they end at multiples of [`PIECE`] of the packed rows, so that no
/// panel is computed twice.
pub(super) fn pieces(parts: &Parts) -> Vec<Piece> {
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
