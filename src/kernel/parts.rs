//! A binary problem as a few contiguous ranges of the packed rows.
//!
//! Packed rows are sorted by class, so that the samples of a problem are a few ranges
//! ("parts"). Local indices number the samples of a problem part by part; global indices are
//! those of the packed rows. A sweep visits the parts in pieces of limited length.

use std::ops::Range;

/// One contiguous range of samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Global indices.
    pub global: Range<usize>,
    /// Local indices.
    pub local: Range<usize>,
}

/// The parts of a problem in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts(Vec<Part>);

impl Parts {
    /// From ascending global ranges that do not overlap.
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

    /// Number of samples of the problem.
    pub fn n_rows(&self) -> usize {
        self.0.last().map_or(0, |part| part.local.end)
    }

    /// The first global index, if the samples of all parts are adjacent.
    pub fn adjacent_start(&self) -> Option<usize> {
        let is_adjacent = |pair: &[Part]| pair[0].global.end == pair[1].global.start;
        let first = self.0.first()?.global.start;
        self.0.windows(2).all(is_adjacent).then_some(first)
    }

    /// Iterates over the parts.
    pub fn iter(&self) -> std::slice::Iter<'_, Part> {
        self.0.iter()
    }

    /// The parts of the problem shrunk to the samples `keep` (local, ascending), which are
    /// packed one after the other.
    pub fn shrink(&self, keep: &[usize]) -> Self {
        let end = |part: &Part| keep.partition_point(|&i| i < part.local.end);
        let mut start = 0;
        Self::new(self.0.iter().map(|part| {
            let range = start..end(part);
            start = range.end;
            range
        }))
    }

    /// Repeats the value of each part for each of its samples.
    pub fn repeat<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let parts = self.0.iter().zip(values);
        parts.flat_map(|(part, &value)| std::iter::repeat_n(value, part.local.len()))
    }

    /// The global index of sample `i`.
    pub fn global(&self, i: usize) -> usize {
        let part = &self.0[self.part_of(i)];
        part.global.start + i - part.local.start
    }

    /// The local index of a packed row; `None` if it is not part of the problem.
    pub fn local(&self, global: usize) -> Option<usize> {
        let part = self
            .0
            .get(self.0.partition_point(|part| part.global.end <= global))?;
        let offset = global.checked_sub(part.global.start)?;
        Some(part.local.start + offset)
    }

    /// The number of the part that contains sample `i`.
    pub fn part_of(&self, i: usize) -> usize {
        self.0.partition_point(|part| part.local.end <= i)
    }
}

/// A kernel row as one slice per part.
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
    /// Copies the values at samples `rows` (ascending) to `out`.
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

    /// The value at sample `i`.
    pub fn at(&self, i: usize) -> T {
        self.base[if self.is_local {
            i
        } else {
            self.parts.global(i)
        }]
    }
}

/// The most samples per piece of a sweep: a piece fits the first-level cache.
pub(super) const PIECE: usize = 1024;

/// A contiguous range of samples that a sweep visits at once.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The number of its part.
    pub part: usize,
    /// Local indices.
    pub local: Range<usize>,
    pub(super) global: Range<usize>,
}

/// The pieces of all parts. They end at global multiples of [`PIECE`], so that no panel is
/// computed twice.
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
