//! The kernel matrix of a split, of which only the rows that somebody asks for are computed.

use super::split::Products;
use crate::Result;
use crate::error::reserve;
use crate::kernel::{Kernel, KernelMatrix};
use crate::simd::Lanes;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Things that are used again.
pub struct Pool<X>(Mutex<Vec<X>>);

impl<X> Pool<X> {
    /// Nothing in it.
    pub fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// One that is not in use.
    pub fn take(&self) -> Option<X> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Gives it back.
    pub fn give(&self, thing: X) {
        let mut things = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        things.push(thing);
    }
}

/// Room for `n_rows` kernel rows of length `n_cols`, which is touched when it is used.
pub fn spare_rows<T>(n_rows: usize, n_cols: usize) -> Result<Pool<Vec<T>>> {
    let row = |_| reserve(n_cols, 1, "a kernel row");
    let rows = (0..n_rows).map(row).collect::<Result<_>>()?;
    Ok(Pool(Mutex::new(rows)))
}

/// Kernel values of training rows with all rows, row by row when it is first asked for.
///
/// Most rows of most machines are never asked for; those that are come out of the products
/// while they are in cache.
pub struct LazyGram<'a, T> {
    kernel: &'a Kernel,
    products: &'a Products<T>,
    rows: Vec<OnceLock<Vec<T>>>,
    spare: &'a Pool<Vec<T>>,
}

impl<'a, T: Lanes> LazyGram<'a, T> {
    /// A matrix of which nothing is computed; `spare` has room for its rows.
    pub fn new(kernel: &'a Kernel, products: &'a Products<T>, spare: &'a Pool<Vec<T>>) -> Self {
        let rows = (0..products.n_rows()).map(|_| OnceLock::new()).collect();
        Self {
            kernel,
            products,
            rows,
            spare,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    /// Kernel values that were computed.
    pub fn n_computed(&self) -> u64 {
        let rows = self.rows.iter().filter_map(OnceLock::get);
        rows.map(|row| row.len() as u64).sum()
    }
}

impl<T: Lanes> KernelMatrix<T> for LazyGram<'_, T> {
    fn row(&self, i: usize) -> &[T] {
        self.rows[i].get_or_init(|| {
            let products = self.products.row(i);
            let mut row = self.spare.take().unwrap_or_default();
            row.resize(products.len(), T::ZERO);
            self.kernel.finish_into(products, &mut row);
            row
        })
    }
}

impl<T> Drop for LazyGram<'_, T> {
    /// Gives the rows back.
    fn drop(&mut self) {
        for row in self.rows.drain(..).filter_map(OnceLock::into_inner) {
            self.spare.give(row);
        }
    }
}
