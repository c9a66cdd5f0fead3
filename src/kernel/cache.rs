//! A cache of kernel rows with a budget in bytes; the row not used for longest goes first.
//!
//! A row may be there in part: its first `len` values. A solver that shrinks its
//! problem asks for less and pays for less; what is missing later is added.

use crate::{Error, Result};
use std::ops::Range;

/// What the cache has seen.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CacheCounts {
    /// Asked for and there in full.
    pub hits: u64,
    /// Asked for and there in part.
    pub partial_hits: u64,
    /// Asked for and not there.
    pub misses: u64,
    /// Thrown out to make room.
    pub evictions: u64,
    /// Kernel values computed.
    pub computed: u64,
}

/// No row: the end of the list.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Entry<T> {
    values: Vec<T>,
    newer: u32,
    older: u32,
}

/// Rows `0..n_rows`, each of up to any length.
#[derive(Debug, Clone)]
pub struct RowCache<T> {
    entries: Vec<Entry<T>>,
    newest: u32,
    oldest: u32,
    budget_bytes: usize,
    bytes: usize,
    counts: CacheCounts,
}

impl<T: Copy + Default> RowCache<T> {
    /// An empty cache. The budget must be positive; the row asked for last is
    /// always kept, even where it alone exceeds the budget.
    pub fn new(n_rows: usize, budget_bytes: usize) -> Result<Self> {
        if budget_bytes == 0 {
            return Err(Error::parameter("cache bytes", 0, "it must be positive"));
        }
        let mut entries = crate::error::reserve(n_rows, 1, "the kernel cache")?;
        entries.resize_with(n_rows, || Entry {
            values: Vec::new(),
            newer: NONE,
            older: NONE,
        });
        Ok(Self {
            entries,
            newest: NONE,
            oldest: NONE,
            budget_bytes,
            bytes: 0,
            counts: CacheCounts::default(),
        })
    }

    /// The first `len` values of row `i`; `fill(range, out)` computes those that are missing.
    pub fn row(
        &mut self,
        i: usize,
        len: usize,
        fill: impl FnOnce(Range<usize>, &mut [T]) -> Result<()>,
    ) -> Result<&[T]> {
        if len == 0 {
            return Ok(&[]);
        }
        let have = self.entries[i].values.len();
        match have {
            0 => self.counts.misses += 1,
            _ if have < len => self.counts.partial_hits += 1,
            _ => self.counts.hits += 1,
        }
        if have > 0 {
            self.unlink(i);
        }
        if have < len {
            // Off the list and off the account until it is whole: no error leaves half a row.
            let mut values = std::mem::take(&mut self.entries[i].values);
            self.bytes -= have * size_of::<T>();
            self.make_room(len.saturating_mul(size_of::<T>()));
            extend(&mut values, len)?;
            fill(have..len, &mut values[have..])?;
            self.entries[i].values = values;
            self.bytes += len * size_of::<T>();
            self.counts.computed += (len - have) as u64;
        }
        self.link_newest(i);
        Ok(&self.entries[i].values[..len])
    }

    /// Marks row `i` as just used; whether its first `len` values are there.
    pub fn touch(&mut self, i: usize, len: usize) -> bool {
        let is_there = self.entries[i].values.len() >= len;
        if is_there {
            self.counts.hits += 1;
            self.unlink(i);
            self.link_newest(i);
        }
        is_there
    }

    /// Row `i` as far as it is there, without a trace in the order of use.
    pub fn peek(&self, i: usize) -> &[T] {
        &self.entries[i].values
    }

    /// What the cache has seen so far.
    pub fn counts(&self) -> CacheCounts {
        self.counts
    }

    /// The most bytes that rows may take.
    pub fn budget_bytes(&self) -> usize {
        self.budget_bytes
    }

    /// Bytes of the rows held now.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Throws out the oldest rows until `more` bytes fit.
    fn make_room(&mut self, more: usize) {
        while self.bytes.saturating_add(more) > self.budget_bytes && self.oldest != NONE {
            let oldest = self.oldest as usize;
            self.unlink(oldest);
            self.bytes -= self.entries[oldest].values.len() * size_of::<T>();
            self.entries[oldest].values = Vec::new();
            self.counts.evictions += 1;
        }
    }

    fn link_newest(&mut self, i: usize) {
        self.entries[i].older = self.newest;
        self.entries[i].newer = NONE;
        match self.newest {
            NONE => self.oldest = i as u32,
            newest => self.entries[newest as usize].newer = i as u32,
        }
        self.newest = i as u32;
    }

    fn unlink(&mut self, i: usize) {
        let (newer, older) = (self.entries[i].newer, self.entries[i].older);
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
    }
}

/// Lengthens a row, or says that there is no memory for it.
fn extend<T: Copy + Default>(values: &mut Vec<T>, len: usize) -> Result<()> {
    values
        .try_reserve_exact(len - values.len())
        .map_err(|_| Error::Memory {
            bytes: crate::error::ByteCount(len.checked_mul(size_of::<T>())),
            what: "a cached kernel row",
        })?;
    values.resize(len, T::default());
    Ok(())
}
