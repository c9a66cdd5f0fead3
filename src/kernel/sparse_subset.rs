//! A few sparse samples, to compute the products among them row by row.
//!
//! The products of one sparse query with sparse rows would take a gather per stored value. The
//! samples are therefore stored a second time, in panels of the features that at least one of them
//! has: a row of products then takes one vector operation per stored value of the query and vector
//! of samples. The products have the same bits as those of [`SparseRows`].

use super::sparse::SparseRows;
use crate::Result;
use crate::memory::try_filled;
use crate::simd::{self, Lanes, Product, panel_width};
use std::cell::RefCell;

/// Bytes of the largest panels.
const MOST_BYTES: usize = 1 << 26;

/// Panels are filled in less time than kernel rows if these have more values than this share of the
/// number of features.
const MOST_FEATURES: f64 = 0.5;

/// Marks a feature that no sample has.
const ABSENT: u32 = u32::MAX;

/// A few samples, sparse and in panels.
pub struct SparseSubset<T: Lanes> {
    panels: Vec<T>,
    n_features: usize,
    /// The samples as sparse queries, with numbers of features that no other sample set has.
    offsets: Vec<usize>,
    features: Vec<u32>,
    values: Vec<T>,
    /// Squared norms, as many as the panels have rows.
    squares: Vec<f64>,
    /// As many products.
    buffer: RefCell<Vec<T>>,
}

impl<T: Lanes> SparseSubset<T> {
    /// The samples with these indices; `None` if filling the panels takes longer than kernel rows of
    /// `row_len` values.
    pub fn new(rows: &SparseRows<T>, samples: &[usize], row_len: usize) -> Result<Option<Self>> {
        let order: Vec<u32> = samples.iter().map(|&i| i as u32).collect();
        let csr = rows.csr().gather(&order)?;
        let d = csr.n_cols();
        let most_features = (MOST_FEATURES * row_len as f64) as usize;
        // Numbering the features takes time in proportion to `d`, even if few of them occur.
        if d > panel_width::<T>() * most_features {
            return Ok(None);
        }
        let mut number_of = try_filled::<u32>(d, 1, PURPOSE)?;
        number_of.fill(ABSENT);
        for &column in csr.indices() {
            number_of[column as usize] = 0;
        }
        let present = number_of.iter_mut().filter(|number| **number != ABSENT);
        // An empty panel has one feature, too.
        let mut n_features = 1;
        for (number, slot) in present.enumerate() {
            *slot = number as u32;
            n_features = number + 1;
        }
        let width = panel_width::<T>();
        let n = samples.len().next_multiple_of(width);
        let n_values = n.saturating_mul(n_features);
        if n_features > most_features || n_values > MOST_BYTES / size_of::<T>() {
            return Ok(None);
        }
        let mut panels = simd::zero_pages(n, n_features, PURPOSE)?;
        let number = |&column: &u32| number_of[column as usize];
        let features: Vec<u32> = csr.indices().iter().map(number).collect();
        let mut squares = try_filled::<f64>(n, 1, PURPOSE)?;
        for (k, &sample) in samples.iter().enumerate() {
            squares[k] = rows.square(sample);
            let panel = &mut panels[k / width * width * n_features..];
            let span = csr.offsets()[k]..csr.offsets()[k + 1];
            for (&feature, &value) in features[span.clone()].iter().zip(&csr.values()[span]) {
                panel[feature as usize * width + k % width] = value;
            }
        }
        Ok(Some(Self {
            panels,
            n_features,
            offsets: csr.offsets().to_vec(),
            features,
            values: csr.into_values(),
            squares,
            buffer: RefCell::new(try_filled(n, 1, PURPOSE)?),
        }))
    }

    /// Writes the products of sample `k` with all samples.
    pub fn products(&self, product: Product, k: usize, out: &mut [T]) {
        let span = self.offsets[k]..self.offsets[k + 1];
        let query = (&self.features[span.clone()], &self.values[span]);
        let squares = match product {
            Product::Dot => None,
            Product::SquaredDistance => Some((self.squares[k], &self.squares[..])),
        };
        let buffer = &mut *self.buffer.borrow_mut();
        simd::sparse_query_products(&self.panels, self.n_features, query, squares, buffer);
        out.copy_from_slice(&buffer[..out.len()]);
    }

    /// The products of each sample with itself.
    pub fn own_products(&self, product: Product) -> Vec<T> {
        let squares = &self.squares[..self.offsets.len() - 1];
        match product {
            Product::Dot => squares.iter().map(|&square| T::from_f64(square)).collect(),
            Product::SquaredDistance => vec![T::ZERO; squares.len()],
        }
    }
}

/// The purpose of the allocations, for error messages.
const PURPOSE: &str = "the samples of the working set";
