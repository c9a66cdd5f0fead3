//! Coefficients laid out for sums over support vectors.

use crate::Result;
use crate::data::Dense;
use crate::kernel::pack_panels;
use crate::memory::try_collect;
use crate::simd::{self, Lanes, Product, panel_width};
use std::borrow::Cow;
use std::ops::Range;

/// Coefficient rows from which panels beat one dot product a row.
const MANY: usize = 8;

/// Coefficients in the type of the rows, divided by a power of two that makes the
/// largest about 1: a C outside the range of f32 is no matter.
#[derive(Debug, Clone)]
pub struct Coefficients<T: Lanes> {
    layout: Layout<T>,
    unit: f64,
}

/// A few rows as they are, or many rows in panels: then a support vector is a
/// "feature", and the sums of a block are a product like that of kernel values.
#[derive(Debug, Clone)]
enum Layout<T: Lanes> {
    /// Row after row, `n_sv` values each.
    Few { values: Vec<T>, n_sv: usize },
    /// Panels of rows, with the number of rows rounded up to whole panels.
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
        if n_rows < MANY || n_sv == 0 {
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

    /// What the sums must be multiplied by.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Sums that one query takes in the output of [`Coefficients::sums`].
    pub fn stride(&self) -> usize {
        match &self.layout {
            Layout::Few { values, n_sv } => values.len() / (*n_sv).max(1),
            Layout::Many { stride, .. } => *stride,
        }
    }

    /// For each query (row of `kernel`) and each of some coefficient rows, in the place of its
    /// number, the sum over `vectors`, to be multiplied by [`Coefficients::unit`].
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
