//! Products with sparse rows. Only the queries are converted to dense rows.

use crate::Result;
use crate::data::{Csr, Real};
use crate::memory::{checked_len, reset_to_zeros};
use crate::simd::{self, Lanes, Product, sparse_width};
use std::ops::Range;

/// Sparse rows with their squared norms. Sums are in f64, so that `|x|^2 + |z|^2 - 2 x.z` loses
/// no digits of f32 values.
#[derive(Debug, Clone)]
pub struct SparseRows<T: Real> {
    csr: Csr<'static, T>,
    squares: Vec<f64>,
}

/// Values per cache line.
const LINE: usize = 8;

/// Up to [`MOST_SPARSE_QUERIES`](simd::MOST_SPARSE_QUERIES) dense queries, interleaved by feature.
#[derive(Debug, Default, Clone)]
pub struct Interleaved {
    /// `used` of them are in use, from `start` on, where a cache line begins; the others are 0.
    values: Vec<f64>,
    start: usize,
    used: usize,
    /// The places of nonzero values.
    touched: Vec<usize>,
    /// The squared norms, padded to the width.
    squares: Vec<f64>,
    len: usize,
    width: usize,
}

impl Interleaved {
    /// Resets to `m` queries of `d` zeros. Takes time in proportion to the nonzero values before,
    /// unless more memory is needed.
    pub fn clear(&mut self, m: usize, d: usize) -> Result<()> {
        for &at in &self.touched {
            self.values[at] = 0.0;
        }
        self.touched.clear();
        self.width = sparse_width(m);
        self.used = checked_len::<f64>(d, self.width, "queries")?;
        if self.values.len() < self.start + self.used {
            reset_to_zeros(&mut self.values, self.used.saturating_add(LINE), 1)?;
            let line = self.values.as_ptr().align_offset(LINE * size_of::<f64>());
            self.start = line.min(LINE);
        }
        self.squares.clear();
        self.squares.resize(self.width, 0.0);
        self.len = m;
        Ok(())
    }

    fn values(&self) -> &[f64] {
        &self.values[self.start..self.start + self.used]
    }

    /// Sets one feature of query `q`.
    pub fn set<T: Real>(&mut self, q: usize, feature: usize, value: T) {
        let value = value.to_f64();
        let at = self.start + feature * self.width + q;
        self.values[at] = value;
        self.touched.push(at);
        self.squares[q] += value * value;
    }
}

impl<T: Lanes> SparseRows<T> {
    /// From canonical rows.
    pub fn new(csr: Csr<'static, T>) -> Self {
        let square = |i| -> f64 { csr.row(i).1.iter().map(|v| v.to_f64().powi(2)).sum() };
        let squares = (0..csr.n_rows()).map(square).collect();
        Self { csr, squares }
    }

    /// The rows themselves.
    pub fn csr(&self) -> &Csr<'static, T> {
        &self.csr
    }

    /// The squared norm of row `i`.
    pub fn square(&self, i: usize) -> f64 {
        self.squares[i]
    }

    /// Writes product `(q, r)` to `out[q * stride + r - rows.start]`.
    pub fn products(
        &self,
        product: Product,
        queries: &Interleaved,
        rows: Range<usize>,
        out: &mut [T],
        stride: usize,
    ) {
        let m = queries.len;
        let squares = match product {
            Product::Dot => None,
            Product::SquaredDistance => Some((&queries.squares[..], &self.squares[..])),
        };
        simd::sparse_products(&self.csr, rows, queries.values(), squares, m, out, stride);
    }
}
