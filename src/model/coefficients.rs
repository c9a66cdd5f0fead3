//! Coefficients in a layout for fast sums over support vectors.

use crate::Result;
use crate::data::Dense;
use crate::kernel::pack_panels;
use crate::memory::try_collect;
use crate::simd::{self, Lanes, Product, panel_width};
use std::borrow::Cow;
use std::ops::Range;

/// The number of coefficient rows from which panels are faster than one dot product per row.
const MIN_PANEL_ROWS: usize = 8;

/// Coefficients in the type of the samples, divided by a power of two that makes the largest about
/// 1, so that C may exceed the range of f32.
#[derive(Debug, Clone)]
pub struct Coefficients<T: Lanes> {
    layout: Layout<T>,
    unit: f64,
}

/// A few rows as they are, or many rows in panels. In panels, a support vector is a "feature", and
/// the sums of a block are products like those of kernel values.
#[derive(Debug, Clone)]
enum Layout<T: Lanes> {
    /// Row by row, `n_sv` values each.
    Few { values: Vec<T>, n_sv: usize },
    /// Panels of rows; the stride is the number of rows, rounded up to whole panels.
    Many {
        panels: Vec<T>,
        stride: usize,
        n_sv: usize,
    },
}

impl<T: Lanes> Coefficients<T> {
    /// From `n_rows` rows of `n_sv` values.
    pub fn new(dual_coef: &[f64], n_rows: usize, n_sv: usize) -> Result<Self> {
        let largest = dual_coef.iter().fold(0.0, |most: f64, v| v.abs().max(most));
        let unit = if largest > 0.0 {
            largest.log2().floor().exp2()
        } else {
            1.0
        };
        let scaled = dual_coef.iter().map(|&v| T::from_f64(v / unit));
        let values = try_collect(scaled, "coefficients")?;
        if n_rows < MIN_PANEL_ROWS || n_sv == 0 {
            let layout = Layout::Few { values, n_sv };
            return Ok(Self { layout, unit });
        }
        let rows = Dense::new(Cow::Owned(values), n_rows, n_sv)?;
        let order: Vec<u32> = (0..n_rows as u32).collect();
        let layout = Layout::Many {
            panels: pack_panels(&rows, &order)?,
            stride: n_rows.next_multiple_of(panel_width::<T>()),
            n_sv,
        };
        Ok(Self { layout, unit })
    }

    /// The factor by which the sums must be multiplied.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Distance between the sums of two queries in the output of [`Coefficients::sums`].
    pub fn stride(&self) -> usize {
        match &self.layout {
            Layout::Few { values, n_sv } => values.len() / (*n_sv).max(1),
            Layout::Many { stride, .. } => *stride,
        }
    }

    /// Computes the sum over `vectors` for each query (row of `kernel`) and each coefficient row
    /// of `rows`. The sum of row `r` is written to `out[query * stride + r]`; it must be multiplied
    /// by [`Coefficients::unit`].
    pub fn sums(&self, rows: &Range<usize>, vectors: Range<usize>, kernel: &[T], out: &mut [T]) {
        let stride = self.stride();
        match &self.layout {
            Layout::Few { values, n_sv } => {
                let queries = kernel.chunks_exact(vectors.len());
                for (query, out) in queries.zip(out.chunks_exact_mut(stride)) {
                    let each = values.chunks_exact(*n_sv).zip(out).skip(rows.start);
                    for (row, out) in each.take(rows.len()) {
                        *out = simd::dot(query, &row[vectors.clone()]);
                    }
                }
            }
            Layout::Many { panels, n_sv, .. } => {
                let width = panel_width::<T>();
                for p in rows.start / width..rows.end.div_ceil(width) {
                    let panel = &panels[p * width * n_sv..(p + 1) * width * n_sv];
                    let panel = &panel[vectors.start * width..vectors.end * width];
                    let out = &mut out[p * width..];
                    simd::panel_products(Product::Dot, panel, vectors.len(), kernel, out, stride);
                }
            }
        }
    }
}
