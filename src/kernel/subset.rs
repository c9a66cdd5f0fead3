//! Kernel values among a few samples of a problem.

use super::sparse_subset::SparseSubset;
use super::{Kernel, PackedRows, Queries};
use crate::Result;
use crate::simd::Lanes;
use std::cell::{Cell, RefCell};

/// Some samples of a problem, whose kernel values are computed row by row.
pub struct Subset<T: Lanes> {
    samples: Samples<T>,
    kernel: Kernel,
    n_computed: Cell<u64>,
}

enum Samples<T: Lanes> {
    /// Dense samples, and a buffer for one of them.
    Dense(PackedRows<T>, RefCell<Queries<T>>),
    Sparse(SparseSubset<T>),
}

impl<T: Lanes> Subset<T> {
    /// The samples with these global indices; `None` if computing kernel rows of `row_len` values
    /// is faster.
    pub(super) fn new(
        packed: &PackedRows<T>,
        kernel: Kernel,
        samples: &[usize],
        row_len: usize,
    ) -> Result<Option<Self>> {
        let samples = match packed {
            PackedRows::Sparse(rows) => match SparseSubset::new(rows, samples, row_len)? {
                Some(subset) => Samples::Sparse(subset),
                None => return Ok(None),
            },
            packed => {
                let packed = packed.gather(samples)?;
                let mut queries = Queries::new();
                if packed.n_rows() > 0 {
                    // Later calls reuse this memory, so that they do not fail.
                    packed.load_own(0..1, &mut queries)?;
                }
                Samples::Dense(packed, RefCell::new(queries))
            }
        };
        Ok(Some(Self {
            samples,
            kernel,
            n_computed: Cell::new(0),
        }))
    }

    /// Computes the kernel values of sample `k` of the subset with all of them; NaN, which ends the
    /// training, if there is no memory.
    pub fn row(&self, k: usize, out: &mut [T]) {
        self.n_computed
            .set(self.n_computed.get() + out.len() as u64);
        match &self.samples {
            Samples::Dense(packed, queries) => {
                let queries = &mut *queries.borrow_mut();
                match packed.load_own(k..k + 1, queries) {
                    Ok(()) => {
                        let n = out.len();
                        packed.kernel_block(&self.kernel, queries, 0..n, out, n);
                    }
                    Err(_) => out.fill(T::from_f64(f64::NAN)),
                }
            }
            Samples::Sparse(subset) => {
                subset.products(self.kernel.product(), k, out);
                self.kernel.finish(out);
            }
        }
    }

    /// Number of kernel values computed so far.
    pub fn n_computed(&self) -> u64 {
        self.n_computed.get()
    }

    /// `K(k, k)` of all samples of the subset.
    pub fn diagonal(&self) -> Vec<T> {
        match &self.samples {
            Samples::Dense(packed, queries) => {
                let queries = &mut *queries.borrow_mut();
                let value = |k: usize| {
                    let mut value = [T::from_f64(f64::NAN)];
                    if packed.load_own(k..k + 1, queries).is_ok() {
                        packed.kernel_block(&self.kernel, queries, k..k + 1, &mut value, 1);
                    }
                    value[0]
                };
                (0..packed.n_rows()).map(value).collect()
            }
            Samples::Sparse(subset) => {
                let mut values = subset.own_products(self.kernel.product());
                self.kernel.finish(&mut values);
                values
            }
        }
    }
}
