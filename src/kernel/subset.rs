//! Kernel values among a few samples of a problem.

use super::{Kernel, PackedRows, Queries};
use crate::Result;
use crate::simd::Lanes;
use std::cell::{Cell, RefCell};

/// Some samples of a problem, whose kernel values are computed row by row.
pub struct Subset<T: Lanes> {
    packed: PackedRows<T>,
    kernel: Kernel,
    queries: RefCell<Queries<T>>,
    n_computed: Cell<u64>,
}

impl<T: Lanes> Subset<T> {
    /// The samples with these global indices.
    pub(super) fn new(packed: &PackedRows<T>, kernel: Kernel, samples: &[usize]) -> Result<Self> {
        let packed = packed.gather(samples)?;
        let mut queries = Queries::new();
        if packed.n_rows() > 0 {
            // Later calls reuse this memory, so that they do not fail.
            packed.load_own(0..1, &mut queries)?;
        }
        Ok(Self {
            packed,
            kernel,
            queries: RefCell::new(queries),
            n_computed: Cell::new(0),
        })
    }

    /// Computes the kernel values of sample `k` of the subset with all of them; NaN, which ends the
    /// training, if there is no memory.
    pub fn row(&self, k: usize, out: &mut [T]) {
        let queries = &mut *self.queries.borrow_mut();
        self.n_computed
            .set(self.n_computed.get() + out.len() as u64);
        match self.packed.load_own(k..k + 1, queries) {
            Ok(()) => {
                let n = out.len();
                self.packed
                    .kernel_block(&self.kernel, queries, 0..n, out, n);
            }
            Err(_) => out.fill(T::from_f64(f64::NAN)),
        }
    }

    /// Number of kernel values computed so far.
    pub fn n_computed(&self) -> u64 {
        self.n_computed.get()
    }

    /// `K(k, k)` of all samples of the subset.
    pub fn diagonal(&self) -> Vec<T> {
        let queries = &mut *self.queries.borrow_mut();
        let value = |k: usize| {
            let mut value = [T::from_f64(f64::NAN)];
            if self.packed.load_own(k..k + 1, queries).is_ok() {
                self.packed
                    .kernel_block(&self.kernel, queries, k..k + 1, &mut value, 1);
            }
            value[0]
        };
        (0..self.packed.n_rows()).map(value).collect()
    }
}
