//! A kernel matrix whose rows are computed when they are first read.

use super::split::Products;
use crate::Result;
use crate::kernel::{Kernel, KernelMatrix, PackedRows, Queries};
use crate::memory::{try_with_capacity, try_zeros};
use crate::simd::Lanes;
use std::slice;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A pool of reusable buffers.
pub struct Pool<X>(Mutex<Vec<X>>);

impl<X> Pool<X> {
    /// An empty pool.
    pub fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Takes a buffer from the pool, if there is one.
    pub fn take(&self) -> Option<X> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Returns a buffer to the pool.
    pub fn put(&self, buffer: X) {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffers.push(buffer);
    }
}

/// Buffers for `n_rows` kernel rows of length `n_cols`; their pages are not touched yet.
pub fn row_buffers<T>(n_rows: usize, n_cols: usize) -> Result<Pool<Vec<T>>> {
    let row = |_| try_with_capacity(n_cols, 1, "a kernel row");
    let rows = (0..n_rows).map(row).collect::<Result<_>>()?;
    Ok(Pool(Mutex::new(rows)))
}

/// What kernel rows are computed from.
#[derive(Clone, Copy)]
pub enum Origin<'a, T: Lanes> {
    /// The products of all training samples, which several kernels share.
    Products(&'a Products<T>),
    /// The samples themselves, training samples first, with the number of these: faster if a
    /// single kernel uses a part of the rows.
    Samples(&'a PackedRows<T>, usize),
}

/// Kernel values of the training samples of a split with all of its samples.
///
/// Most rows of most problems are never read; those that are read are computed when they are first
/// read.
pub struct LazyGram<'a, T: Lanes> {
    kernel: &'a Kernel,
    origin: Origin<'a, T>,
    diagonal: Vec<T>,
    rows: Vec<OnceLock<Vec<T>>>,
    buffers: &'a Pool<Vec<T>>,
    /// Memory for a sample of which a row is computed.
    queries: Pool<Queries<T>>,
}

impl<'a, T: Lanes> LazyGram<'a, T> {
    /// A matrix without computed rows; `buffers` has buffers for them.
    pub fn new(
        kernel: &'a Kernel,
        origin: Origin<'a, T>,
        buffers: &'a Pool<Vec<T>>,
    ) -> Result<Self> {
        let queries = Pool::new();
        let (n_train, mut diagonal) = match origin {
            Origin::Products(products) => {
                let n_train = products.n_rows();
                let diagonal: Vec<T> = (0..n_train).map(|i| products.row(i)[i]).collect();
                (n_train, diagonal)
            }
            Origin::Samples(packed, n_train) => {
                // Later calls reuse this memory, so that they do not fail.
                for _ in 0..rayon::current_num_threads() {
                    let mut own = Queries::new();
                    packed.load_own(0..1, &mut own)?;
                    queries.put(own);
                }
                let mut own = Queries::new();
                let mut diagonal = try_zeros(n_train, 1, "the diagonal of a kernel matrix")?;
                for (i, out) in diagonal.iter_mut().enumerate() {
                    packed.load_own(i..i + 1, &mut own)?;
                    packed.products(kernel.product(), &own, i..i + 1, slice::from_mut(out), 1);
                }
                (n_train, diagonal)
            }
        };
        kernel.finish(&mut diagonal);
        Ok(Self {
            kernel,
            origin,
            diagonal,
            rows: (0..n_train).map(|_| OnceLock::new()).collect(),
            buffers,
            queries,
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    /// Number of kernel values computed so far.
    pub fn n_computed(&self) -> u64 {
        let rows = self.rows.iter().filter_map(OnceLock::get);
        rows.map(|row| row.len() as u64).sum()
    }

    /// Computes a row from the samples. If there is no memory for a sample, the values are NaN,
    /// which ends the training.
    fn compute(&self, packed: &PackedRows<T>, i: usize, row: &mut [T]) {
        let mut queries = self.queries.take().unwrap_or_default();
        match packed.load_own(i..i + 1, &mut queries) {
            Ok(()) => {
                let n = row.len();
                packed.kernel_block(self.kernel, &queries, 0..n, row, n);
            }
            Err(_) => row.fill(T::from_f64(f64::NAN)),
        }
        self.queries.put(queries);
    }
}

impl<T: Lanes> KernelMatrix<T> for LazyGram<'_, T> {
    fn row(&self, i: usize) -> &[T] {
        self.rows[i].get_or_init(|| {
            let mut row = self.buffers.take().unwrap_or_default();
            match self.origin {
                Origin::Products(products) => {
                    let products = products.row(i);
                    row.resize(products.len(), T::ZERO);
                    self.kernel.finish_into(products, &mut row);
                }
                Origin::Samples(packed, _) => {
                    row.resize(packed.n_rows(), T::ZERO);
                    self.compute(packed, i, &mut row);
                }
            }
            row
        })
    }

    fn diagonal(&self, i: usize) -> T {
        self.diagonal[i]
    }
}

impl<T: Lanes> Drop for LazyGram<'_, T> {
    /// Returns the rows to the pool.
    fn drop(&mut self) {
        for row in self.rows.drain(..).filter_map(OnceLock::into_inner) {
            self.buffers.put(row);
        }
    }
}
