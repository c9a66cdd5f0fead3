//! The samples on the left side of a block of products.

use super::packed::{PackedRows, QUERY_BLOCK};
use super::sparse::Interleaved;
use crate::Result;
use crate::data::{Csr, Real};
use crate::memory::reset_to_zeros;
use crate::simd::{Lanes, MOST_SPARSE_QUERIES};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The samples on the left side of a block of products, in buffers that are reused.
#[derive(Debug, Clone, Default)]
pub struct Queries<T> {
    len: usize,
    /// The queries one after the other, for dense rows.
    pub(super) dense: Vec<T>,
    /// Groups of queries, for sparse rows.
    interleaved: Vec<Interleaved>,
    /// A buffer for kernel values.
    pub(super) scratch: Vec<T>,
}

impl<T> Queries<T> {
    const fn empty() -> Self {
        Self {
            len: 0,
            dense: Vec::new(),
            interleaved: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl<T: Real + Lanes> Queries<T> {
    /// No queries; load some with [`PackedRows::load`] or [`PackedRows::load_own`].
    pub fn new() -> Self {
        Self::empty()
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Resets to `len` queries of zeros.
    pub(super) fn clear(&mut self, rows: &PackedRows<T>, len: usize) -> Result<()> {
        debug_assert!(len <= QUERY_BLOCK);
        self.len = len;
        let d = rows.n_cols();
        if let PackedRows::Sparse(_) = rows {
            let groups = len.div_ceil(MOST_SPARSE_QUERIES);
            if self.interleaved.len() < groups {
                self.interleaved.resize_with(groups, Interleaved::default);
            }
            for group in 0..groups {
                let m = (len - group * MOST_SPARSE_QUERIES).min(MOST_SPARSE_QUERIES);
                self.interleaved[group].clear(m, d)?;
            }
        } else {
            reset_to_zeros(&mut self.dense, len, d)?;
        }
        Ok(())
    }

    pub(super) fn interleaved(&self) -> impl Iterator<Item = &Interleaved> {
        self.interleaved[..self.len.div_ceil(MOST_SPARSE_QUERIES)].iter()
    }

    /// Sets one feature of query `q`, for sparse rows.
    pub(super) fn set(&mut self, q: usize, feature: usize, value: T) {
        self.interleaved[q / MOST_SPARSE_QUERIES].set(q % MOST_SPARSE_QUERIES, feature, value);
    }

    /// Sets query `q` to a sparse sample, for sparse rows.
    pub(super) fn set_sparse(&mut self, q: usize, csr: &Csr<'_, T>, row: usize) {
        let (columns, values) = csr.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            self.set(q, column as usize, value);
        }
    }
}

/// Buffers for queries that no thread uses. Queries of sparse samples with many features take
/// megabytes, and zeroing these would take longer than some kernel rows.
#[derive(Debug, Default)]
pub(super) struct SpareQueries<T>(Mutex<Vec<Queries<T>>>);

impl<T> SpareQueries<T> {
    fn buffers(&self) -> MutexGuard<'_, Vec<Queries<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Lanes> SpareQueries<T> {
    /// Buffers that are given back when they are dropped.
    pub(super) fn take(&self) -> UsedQueries<'_, T> {
        let queries = self.buffers().pop().unwrap_or_default();
        UsedQueries {
            spare: self,
            queries,
        }
    }
}

/// Buffers of [`SpareQueries`] that a thread uses.
pub(super) struct UsedQueries<'a, T> {
    spare: &'a SpareQueries<T>,
    pub(super) queries: Queries<T>,
}

impl<T> Drop for UsedQueries<'_, T> {
    fn drop(&mut self) {
        let queries = std::mem::replace(&mut self.queries, Queries::empty());
        self.spare.buffers().push(queries);
    }
}
