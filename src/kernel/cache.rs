//! A least-recently-used cache of kernel rows with a budget in bytes.
//!
//! Rows are stored in slabs of many rows. Slabs are allocated on demand, and the place of an
//! evicted row is reused: touching fresh memory costs more than computing most kernel rows.
//! Therefore a large cache grows only as far as this saves computations: it starts with a small
//! part of its budget, and grows whenever a row is requested again that was evicted.

use crate::memory::{SLAB_BYTES, byte_count, keep_slab, take_slab, try_with_capacity};
use crate::simd::{Lanes, offer_pages, prefer_huge_pages, zero_pages};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Statistics of a cache.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CacheCounts {
    /// Requested rows that were resident.
    pub hits: u64,
    /// Requested rows that were not resident.
    pub misses: u64,
    /// Rows that were replaced by others.
    pub evictions: u64,
}

/// Marks the absence of a row or slot.
const NONE: u32 = u32::MAX;

/// Marks a row that was resident and had to make room for another one.
const EVICTED: u32 = u32::MAX - 1;

/// Rows per small slab.
const FEW_ROWS: usize = 64;

/// Bytes per large slab, used if all rows together take many times that: allocators map blocks
/// of this size directly, and the system can back them with huge pages.
const LARGE: usize = SLAB_BYTES;

/// Bytes that a cache with large slabs uses before it evicts rows.
const FIRST_BYTES: usize = 2 * LARGE;

/// Bytes per row; at least 1.
fn row_bytes<T>(row_len: usize) -> usize {
    byte_count::<T>(row_len, 1).unwrap_or(usize::MAX).max(1)
}

/// A place for a row; the slots form a list ordered by time of last use.
#[derive(Debug, Clone, Copy)]
struct Slot {
    row: u32,
    newer: u32,
    older: u32,
}

/// A cache for rows `0..n_rows` of equal length.
#[derive(Debug, Clone)]
pub struct RowCache<T: Lanes> {
    row_len: usize,
    budget_bytes: usize,
    slabs: Vec<Vec<T>>,
    rows_per_slab: usize,
    /// The number of rows from which on rows are evicted.
    granted: usize,
    /// The number of rows by which `granted` grows when an evicted row is requested again.
    growth: f64,
    /// The part of a row by which it will grow.
    credit: f64,
    slots: Vec<Slot>,
    slot_of: Vec<u32>,
    newest: u32,
    oldest: u32,
    counts: CacheCounts,
}

impl<T: Lanes> RowCache<T> {
    /// An empty cache. The budget must be positive. At least one row is kept, even if it
    /// exceeds the budget.
    pub fn new(n_rows: usize, row_len: usize, budget_bytes: usize) -> Result<Self> {
        if budget_bytes == 0 {
            return Err(Error::parameter("cache_size", 0, "it must be positive"));
        }
        let mut slot_of = try_with_capacity(n_rows, 1, "the kernel cache")?;
        slot_of.resize(n_rows, NONE);
        let row_bytes = row_bytes::<T>(row_len);
        let is_large = row_bytes.saturating_mul(n_rows) > 4 * LARGE;
        let per_slab = if is_large { LARGE / row_bytes } else { 0 };
        let mut cache = Self {
            row_len,
            budget_bytes,
            slabs: Vec::new(),
            rows_per_slab: per_slab.max(FEW_ROWS),
            granted: usize::MAX,
            growth: 1.0,
            credit: 0.0,
            slots: Vec::new(),
            slot_of,
            newest: NONE,
            oldest: NONE,
            counts: CacheCounts::default(),
        };
        cache.rows_per_slab = cache.rows_per_slab.min(cache.capacity());
        if is_large {
            cache.granted = FIRST_BYTES / row_bytes;
        }
        Ok(cache)
    }

    /// With another growth: what computing a row costs, in terms of the first use of memory for one.
    ///
    /// The cache spends on fresh memory what it has spent on computing rows again, so that it does
    /// at most twice the necessary work, whatever rows are requested next.
    pub fn with_growth(mut self, growth: f64) -> Self {
        self.growth = growth;
        self
    }

    /// The number of rows that fit the budget.
    pub fn capacity(&self) -> usize {
        (self.budget_bytes / row_bytes::<T>(self.row_len)).clamp(1, self.slot_of.len().max(1))
    }

    /// Row `i`; on a cache miss, `fill` computes it.
    pub fn row(&mut self, i: usize, fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<&[T]> {
        self.rows(&[i], |_, mut places| match places.pop() {
            Some(place) => fill(place),
            None => Ok(()),
        })?;
        Ok(self.peek(i))
    }

    /// Makes rows resident for [`RowCache::peek`], at most [`RowCache::capacity`] of them:
    /// `fill(missing rows, their places)` computes the cache misses.
    pub fn rows(
        &mut self,
        rows: &[usize],
        fill: impl FnOnce(&[usize], Vec<&mut [T]>) -> Result<()>,
    ) -> Result<()> {
        // Mark the resident ones as used first, so that the missing ones do not evict them.
        let is_missing = |&i: &usize| !self.touch(i);
        let mut missing: Vec<usize> = rows.iter().copied().filter(is_missing).collect();
        let mut seen = HashSet::new();
        missing.retain(|&i| seen.insert(i));
        if missing.is_empty() {
            return Ok(());
        }
        self.granted = self.granted.max(rows.len());
        let filled = missing
            .iter()
            .try_for_each(|&i| self.place(i))
            .and_then(|()| fill(&missing, self.places(&missing)));
        if filled.is_err() {
            missing.iter().for_each(|&i| self.discard(i));
        }
        filled
    }

    /// Row `i` without marking it as used; empty if it is not resident.
    pub fn peek(&self, i: usize) -> &[T] {
        match self.slot_of[i] {
            NONE | EVICTED => &[],
            slot => {
                let (slab, at) = self.position(slot as usize);
                &self.slabs[slab][at..at + self.row_len]
            }
        }
    }

    /// Hits, misses and evictions so far.
    pub fn counts(&self) -> CacheCounts {
        self.counts
    }

    /// Continues counting from `counts`.
    pub fn set_counts(&mut self, counts: CacheCounts) {
        self.counts = counts;
    }

    /// The budget for rows in bytes.
    pub fn budget_bytes(&self) -> usize {
        self.budget_bytes
    }

    /// Bytes used for rows so far.
    pub fn bytes(&self) -> usize {
        self.slots.len() * self.row_len * size_of::<T>()
    }

    /// Moves the rows `keep` (ascending), restricted to the columns `keep`, to a new cache, in
    /// which row `keep[k]` has number `k`. This cache is empty afterwards.
    pub fn shrink(&mut self, keep: &[usize]) -> Result<Self> {
        let mut shrunk = Self::new(keep.len(), keep.len(), self.budget_bytes)?;
        shrunk.growth = self.growth;
        if self.granted < self.capacity() {
            // Shorter rows, the same number of bytes.
            let granted = self.granted.saturating_mul(self.row_len) / keep.len().max(1);
            shrunk.granted = shrunk.granted.max(granted);
        }
        let mut new_number = try_with_capacity(self.slot_of.len(), 1, "the kernel cache")?;
        new_number.resize(self.slot_of.len(), NONE);
        for (new, &old) in keep.iter().enumerate() {
            new_number[old] = new as u32;
        }
        let slabs = std::mem::take(&mut self.slabs);
        let slots = std::mem::take(&mut self.slots);
        self.slot_of.fill(NONE);
        (self.newest, self.oldest) = (NONE, NONE);
        for (slab, slots) in slabs.into_iter().zip(slots.chunks(self.rows_per_slab)) {
            let mut rows = slots.iter().zip(slab.chunks_exact(self.row_len.max(1)));
            let mut kept = HashMap::new();
            while shrunk.slots.len() + kept.len() < shrunk.capacity() {
                let Some((slot, row)) = rows.next() else {
                    break;
                };
                let number = new_number.get(slot.row as usize).copied().unwrap_or(NONE);
                if number != NONE {
                    kept.insert(number as usize, row);
                }
            }
            let mut numbers: Vec<usize> = kept.keys().copied().collect();
            numbers.sort_unstable();
            shrunk.granted = shrunk.granted.max(shrunk.slots.len() + numbers.len());
            shrunk.rows(&numbers, |numbers, places| {
                let filled = numbers.par_iter().zip(places);
                filled.for_each(|(number, place)| {
                    let row = kept[number];
                    for (out, &column) in place.iter_mut().zip(keep) {
                        *out = row[column];
                    }
                });
                Ok(())
            })?;
            leave(slab);
        }
        shrunk.counts = self.counts;
        Ok(shrunk)
    }

    /// Marks row `i` as just used. Returns whether it is resident.
    fn touch(&mut self, i: usize) -> bool {
        let slot = self.slot_of[i];
        if slot == NONE || slot == EVICTED {
            self.counts.misses += 1;
            return false;
        }
        self.counts.hits += 1;
        self.unlink(slot);
        self.link_newest(slot);
        true
    }

    /// Assigns a slot to row `i`: a new one within the budget, or that of the row that was not
    /// used for the longest time.
    fn place(&mut self, i: usize) -> Result<()> {
        if self.slot_of[i] == EVICTED {
            self.credit += self.growth;
            self.granted = self.granted.saturating_add(self.credit as usize);
            self.credit = self.credit.fract();
        }
        let slot = if self.slots.len() < self.capacity().min(self.granted.max(1)) {
            if self.slots.len() == self.slabs.len() * self.rows_per_slab {
                self.add_slab()?;
            }
            self.slots.push(Slot {
                row: NONE,
                newer: NONE,
                older: NONE,
            });
            (self.slots.len() - 1) as u32
        } else {
            let oldest = self.oldest;
            self.unlink(oldest);
            if self.slots[oldest as usize].row != NONE {
                self.slot_of[self.slots[oldest as usize].row as usize] = EVICTED;
                self.counts.evictions += 1;
            }
            oldest
        };
        self.slots[slot as usize].row = i as u32;
        self.slot_of[i] = slot;
        self.link_newest(slot);
        Ok(())
    }

    fn add_slab(&mut self) -> Result<()> {
        let rows = self.rows_per_slab.min(self.capacity() - self.slots.len());
        let what = "cached kernel rows";
        let values = rows * self.row_len;
        let whole = LARGE / size_of::<T>();
        // Large slabs have one size, so that other caches can use them again.
        let is_whole = values <= whole && values > whole - self.row_len;
        let mut slab = match is_whole {
            true => match take_slab() {
                Some(slab) => slab,
                None => zero_pages(whole, 1, what)?,
            },
            false => zero_pages(rows, self.row_len, what)?,
        };
        prefer_huge_pages(&mut slab);
        self.slabs.push(slab);
        Ok(())
    }

    /// The places of distinct rows that have a slot.
    fn places(&mut self, rows: &[usize]) -> Vec<&mut [T]> {
        let (len, per_slab) = (self.row_len, self.rows_per_slab);
        let mut wanted: Vec<(usize, usize)> = rows
            .iter()
            .enumerate()
            .map(|(order, &i)| (self.slot_of[i] as usize, order))
            .collect();
        wanted.sort_unstable();
        let mut found: Vec<(usize, &mut [T])> = Vec::with_capacity(rows.len());
        let mut wanted = wanted.into_iter().peekable();
        for (number, slab) in self.slabs.iter_mut().enumerate() {
            let (mut rest, mut at) = (&mut slab[..], number * per_slab);
            while let Some((slot, order)) = wanted.next_if(|(slot, _)| slot / per_slab == number) {
                let (_, from) = std::mem::take(&mut rest).split_at_mut((slot - at) * len);
                let (place, others) = from.split_at_mut(len);
                found.push((order, place));
                (rest, at) = (others, slot + 1);
            }
        }
        found.sort_unstable_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// Discards row `i`, whose values are not valid.
    fn discard(&mut self, i: usize) {
        let slot = std::mem::replace(&mut self.slot_of[i], NONE);
        if slot != NONE && slot != EVICTED {
            self.slots[slot as usize].row = NONE;
        }
    }

    fn position(&self, slot: usize) -> (usize, usize) {
        let (slab, place) = (slot / self.rows_per_slab, slot % self.rows_per_slab);
        (slab, place * self.row_len)
    }

    fn link_newest(&mut self, slot: u32) {
        self.slots[slot as usize].older = self.newest;
        self.slots[slot as usize].newer = NONE;
        match self.newest {
            NONE => self.oldest = slot,
            newest => self.slots[newest as usize].newer = slot,
        }
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { newer, older, .. } = self.slots[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
    }
}

impl<T: Lanes> Drop for RowCache<T> {
    /// Leaves large slabs for the next cache.
    fn drop(&mut self) {
        self.slabs.drain(..).for_each(leave);
    }
}

/// Leaves a slab for the next cache. Meanwhile the system may take its pages.
fn leave<T: Lanes>(mut slab: Vec<T>) {
    offer_pages(&mut slab);
    keep_slab(slab);
}
