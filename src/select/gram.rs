//! A kernel matrix whose rows are computed when they are first read.

use super::split::Products;
use crate::Result;
use crate::kernel::{Kernel, KernelMatrix};
use crate::memory::try_with_capacity;
use crate::simd::Lanes;
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

/// Kernel values of the training samples of a split with all of its samples.
///
/// Most rows of most problems are never read; those that are read are computed from the
/// products.
pub struct LazyGram<'a, T> {
    kernel: &'a Kernel,
    products: &'a Products<T>,
    diagonal: Vec<T>,
    rows: Vec<OnceLock<Vec<T>>>,
    buffers: &'a Pool<Vec<T>>,
}

impl<'a, T: Lanes> LazyGram<'a, T> {
    /// A matrix without computed rows; `buffers` has buffers for them.
    pub fn new(kernel: &'a Kernel, products: &'a Products<T>, buffers: &'a Pool<Vec<T>>) -> Self {
        let rows = (0..products.n_rows()).map(|_| OnceLock::new()).collect();
        let mut diagonal: Vec<T> = (0..products.n_rows()).map(|i| products.row(i)[i]).collect();
        kernel.finish(&mut diagonal);
        Self {
            kernel,
            products,
            diagonal,
            rows,
            buffers,
        }
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
}

impl<T: Lanes> KernelMatrix<T> for LazyGram<'_, T> {
    fn row(&self, i: usize) -> &[T] {
        self.rows[i].get_or_init(|| {
            let products = self.products.row(i);
            let mut row = self.buffers.take().unwrap_or_default();
            row.resize(products.len(), T::ZERO);
            self.kernel.finish_into(products, &mut row);
            row
        })
    }

    fn diagonal(&self, i: usize) -> T {
        self.diagonal[i]
    }
}

impl<T> Drop for LazyGram<'_, T> {
    /// Returns the rows to the pool.
    fn drop(&mut self) {
        for row in self.rows.drain(..).filter_map(OnceLock::into_inner) {
            self.buffers.put(row);
        }
    }
}
