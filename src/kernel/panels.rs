//! Dense samples in panels, the layout of [`simd::panel_products`].
//!
//! A panel holds [`panel_width`] samples, feature by feature; the last one is padded with zeros.

use crate::Result;
use crate::data::{Dense, Digest, Matrix, Real};
use crate::simd::{self, Lanes, Product, panel_width};
use std::borrow::Cow;
use std::ops::Range;

/// Queries per call for panels that are only partly inside a range.
const EDGE: usize = 6;

/// Dense samples in panels.
#[derive(Debug, Clone)]
pub struct Panels<T: Lanes> {
    values: Vec<T>,
    /// Number of samples without the padding.
    n_rows: usize,
    n_cols: usize,
}

impl<T: Lanes> Panels<T> {
    /// Packs the rows `order[0], order[1], …`.
    pub fn new(rows: &Dense<'_, T>, order: &[u32]) -> Result<Self> {
        Ok(Self {
            values: pack_panels(rows, order)?,
            n_rows: order.len(),
            n_cols: rows.n_cols(),
        })
    }

    /// Number of samples.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of features.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Packs the rows `rows[0], rows[1], …` of these panels.
    pub fn gather(&self, rows: &[usize]) -> Result<Self> {
        self.repack(rows.iter().copied(), "packed rows", |value| value)
    }

    /// The same samples in f64.
    pub fn widen(&self) -> Result<Panels<f64>> {
        self.repack(0..self.n_rows, "rows in f64", Real::to_f64)
    }

    /// Packs some rows of these panels in another type.
    fn repack<U: Lanes>(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
        what: &'static str,
        convert: impl Fn(T) -> U,
    ) -> Result<Panels<U>> {
        let (d, width, new_width) = (self.n_cols, panel_width::<T>(), panel_width::<U>());
        let n_rows = rows.len();
        let mut panels = simd::zero_pages(n_rows.next_multiple_of(new_width), d, what)?;
        for (k, i) in rows.enumerate() {
            let from = &self.values[i / width * width * d..];
            let to = &mut panels[k / new_width * new_width * d..];
            for f in 0..d {
                to[f * new_width + k % new_width] = convert(from[f * width + i % width]);
            }
        }
        Ok(Panels {
            values: panels,
            n_rows,
            n_cols: d,
        })
    }

    /// Copies sample `i` to `out`.
    pub fn copy_row(&self, i: usize, out: &mut [T]) {
        let width = panel_width::<T>();
        let panel = &self.values[i / width * width * self.n_cols..];
        for (f, out) in out.iter_mut().enumerate() {
            *out = panel[f * width + i % width];
        }
    }

    /// The samples in row-major order.
    pub fn unpack(&self) -> Result<Matrix<'static, T>> {
        let mut values = simd::zero_pages(self.n_rows, self.n_cols, "rows")?;
        for (i, out) in values.chunks_exact_mut(self.n_cols.max(1)).enumerate() {
            self.copy_row(i, out);
        }
        let dense = Dense::new(Cow::Owned(values), self.n_rows, self.n_cols)?;
        Ok(Matrix::Dense(dense))
    }

    /// Adds all values to a digest, in which sample `k` has index `order[k]`.
    pub fn add_to_digest(&self, digest: &mut Digest, order: &[u32]) {
        let width = panel_width::<T>();
        let panels = self.values.chunks_exact((width * self.n_cols).max(1));
        for (panel, rows) in panels.zip(order.chunks(width)) {
            for (feature, values) in panel.chunks_exact(width).enumerate() {
                for (&row, &value) in rows.iter().zip(values) {
                    digest.add(row as usize, feature, value);
                }
            }
        }
    }

    /// Computes the products of dense queries, one after the other, with a range of samples that
    /// may start and end inside of a panel. Writes product `(q, r)` to
    /// `out[q * stride + r - rows.start]`.
    pub fn products(
        &self,
        product: Product,
        queries: &[T],
        rows: Range<usize>,
        out: &mut [T],
        stride: usize,
    ) {
        let (panels, d) = (&self.values, self.n_cols);
        let width = panel_width::<T>();
        let panel = |p: usize| &panels[p * width * d..(p + 1) * width * d];
        let edge = |rows: Range<usize>, out: &mut [T]| {
            let mut buffer = [T::ZERO; EDGE * 64];
            for (group, queries) in queries.chunks(EDGE * d).enumerate() {
                let buffer = &mut buffer[..queries.len() / d * width];
                simd::panel_products(
                    product,
                    panel(rows.start / width),
                    d,
                    queries,
                    buffer,
                    width,
                );
                for (q, values) in buffer.chunks_exact(width).enumerate() {
                    let at = (group * EDGE + q) * stride;
                    let first = rows.start % width;
                    out[at..at + rows.len()].copy_from_slice(&values[first..first + rows.len()]);
                }
            }
        };
        let full = rows.start.div_ceil(width)..rows.end / width;
        if full.is_empty() {
            let cut = (full.start * width).clamp(rows.start, rows.end);
            if rows.start < cut {
                edge(rows.start..cut, out);
            }
            if cut < rows.end {
                edge(cut..rows.end, &mut out[cut - rows.start..]);
            }
            return;
        }
        let (first, last) = (full.start * width, full.end * width);
        if rows.start < first {
            edge(rows.start..first, out);
        }
        let middle = &panels[first * d..last * d];
        simd::panel_products(
            product,
            middle,
            d,
            queries,
            &mut out[first - rows.start..],
            stride,
        );
        if last < rows.end {
            edge(last..rows.end, &mut out[last - rows.start..]);
        }
    }
}

/// Packs the rows `order[0], order[1], …` into panels; pads the last one with zeros.
pub fn pack_panels<T: Lanes>(rows: &Dense<'_, T>, order: &[u32]) -> Result<Vec<T>> {
    let (d, width) = (rows.n_cols(), panel_width::<T>());
    let padded = order.len().next_multiple_of(width);
    let mut panels = simd::zero_pages(padded, d, "packed rows")?;
    for (k, &i) in order.iter().enumerate() {
        let panel = &mut panels[k / width * width * d..];
        for (f, &v) in rows.row(i as usize).iter().enumerate() {
            panel[f * width + k % width] = v;
        }
    }
    Ok(panels)
}
