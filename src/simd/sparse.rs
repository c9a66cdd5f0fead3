//! Products of sparse rows with dense queries, and of dense rows in panels with a sparse query.
//!
//! In the former, the queries are interleaved by feature, so that a stored value is multiplied by the values of
//! many queries with vector instructions: no gathers, and one pass over the rows for all queries.
//! Products of as many rows as a vector has lanes are collected, transposed, and written query by
//! query. The latter computes the values of a few samples one row at a time: a value of the query is
//! multiplied by those of many rows.
//!
//! Sums are in f64, feature by feature. In f32 the products are exact there, so that fused
//! multiply-adds change no bit; in f64 multiplications are rounded as those of the squared norms,
//! so that a sample has the distance 0 to itself.
//!
//! The contract of every `unsafe fn` is that of `bodies`.

use super::vector::{Lanes, Vector, WIDEST};
use super::{MOST_SPARSE_QUERIES, SPARSE_WIDTH, panel_width};

/// Sparse rows in CSR format.
#[derive(Clone, Copy)]
pub struct SparseSlices<'a, T> {
    pub offsets: &'a [usize],
    pub indices: &'a [u32],
    pub values: &'a [T],
}

/// The products of the rows with one query.
#[inline(always)]
pub unsafe fn one<T: Lanes, V: Vector<T>>(
    rows: SparseSlices<'_, T>,
    query: &[f64],
    squares: Option<(&[f64], &[f64])>,
    out: &mut [T],
) {
    let dot = |r: usize| {
        let span = rows.offsets[r]..rows.offsets[r + 1];
        let mut sum = 0.0;
        for (&column, value) in rows.indices[span.clone()].iter().zip(&rows.values[span]) {
            // SAFETY: all columns of a `Csr` are less than `n_cols`, and `mod.rs` asserts that the
            // query has as many values.
            sum += value.to_f64() * unsafe { query.get_unchecked(column as usize) };
        }
        sum
    };
    let out = out[..rows.offsets.len() - 1].iter_mut().enumerate();
    match squares {
        None => out.for_each(|(r, out)| *out = T::from_f64(dot(r))),
        Some((of_query, of_row)) => {
            for ((r, out), own) in out.zip(of_row) {
                let distance = of_query[0] + own - 2.0 * dot(r);
                *out = T::from_f64(if distance > 0.0 { distance } else { 0.0 });
            }
        }
    }
}

/// The products of some rows with the queries from `first` on, in `N` vectors of sums. Writes
/// product `(q, r)` to `tile[r * WIDTH + q]`.
#[inline(always)]
unsafe fn sums<T: Lanes, V: Vector<T>, const N: usize>(
    rows: SparseSlices<'_, T>,
    span: std::ops::Range<usize>,
    (queries, width, first): (&[f64], usize, usize),
    squares: Option<(&[f64], &[f64])>,
    tile: &mut [T],
) {
    let lanes = V::Wide::LEN;
    // SAFETY: all columns of a `Csr` are less than `n_cols`, and `mod.rs` asserts that `queries`
    // has `width` values per column, of which those from `first` on fill `N` vectors.
    unsafe {
        let zero = V::Wide::splat(0.0);
        let minus_two = V::Wide::splat(-2.0);
        let queries = queries.as_ptr().add(first);
        for (r, out) in span.zip(tile.chunks_exact_mut(MOST_SPARSE_QUERIES)) {
            let (start, end) = (
                *rows.offsets.get_unchecked(r),
                *rows.offsets.get_unchecked(r + 1),
            );
            let mut sums = [zero; N];
            for k in start..end {
                let column = *rows.indices.get_unchecked(k) as usize;
                let value = V::Wide::splat(rows.values.get_unchecked(k).to_f64());
                let query = queries.add(column * width);
                for (n, sum) in sums.iter_mut().enumerate() {
                    let query = V::Wide::load(query.add(n * lanes));
                    *sum = match size_of::<T>() {
                        4 => value.mul_add(query, *sum),
                        _ => sum.add(value.mul(query)),
                    };
                }
            }
            if let Some((of_query, of_row)) = squares {
                let of_row = V::Wide::splat(*of_row.get_unchecked(r));
                for (n, sum) in sums.iter_mut().enumerate() {
                    let of_query = V::Wide::load(of_query.as_ptr().add(first + n * lanes));
                    *sum = minus_two.mul_add(*sum, of_query.add(of_row)).max(zero);
                }
            }
            for (n, &sum) in sums.iter().enumerate() {
                V::store_narrow(sum, out.as_mut_ptr().add(first + n * lanes));
            }
        }
    }
}

/// Transposes a block of `LEN` rows and queries of a tile, and writes its first `n_rows` columns
/// for the first `n_queries` queries.
#[inline(always)]
unsafe fn transpose<T: Lanes, V: Vector<T>>(
    tile: *const T,
    (n_queries, n_rows): (usize, usize),
    out: *mut T,
    stride: usize,
) {
    // SAFETY: the caller's tile has `LEN` rows, and `out` has room for the products.
    unsafe {
        let mut block = [V::splat(T::ZERO); WIDEST];
        for (r, vector) in block[..V::LEN].iter_mut().enumerate() {
            *vector = V::load(tile.add(r * MOST_SPARSE_QUERIES));
        }
        let mut stages = V::LEN;
        while stages > 1 {
            let old = block;
            for pair in 0..V::LEN / 2 {
                (block[2 * pair], block[2 * pair + 1]) =
                    old[pair].interleave(old[pair + V::LEN / 2]);
            }
            stages /= 2;
        }
        for (q, &vector) in block[..n_queries.min(V::LEN)].iter().enumerate() {
            let out = out.add(q * stride);
            if n_rows == V::LEN {
                vector.store(out);
            } else {
                vector.store_part(out, n_rows);
            }
        }
    }
}

/// The products of the rows with `m` queries, interleaved with a width of `width`. Writes product
/// `(q, r)` to `out[q * stride + r]`. Given the squared norms of queries, padded, and rows, squared
/// distances; otherwise dot products.
#[inline(always)]
pub unsafe fn many<T: Lanes, V: Vector<T>>(
    rows: SparseSlices<'_, T>,
    (queries, width): (&[f64], usize),
    squares: Option<(&[f64], &[f64])>,
    m: usize,
    out: &mut [T],
    stride: usize,
) {
    let n = rows.offsets.len() - 1;
    let mut tile = [T::ZERO; WIDEST * MOST_SPARSE_QUERIES];
    // As many queries at once as there are registers for.
    let at_once = if V::Wide::LEN < 4 {
        SPARSE_WIDTH
    } else {
        width
    };
    for start in (0..n).step_by(V::LEN) {
        let span = start..(start + V::LEN).min(n);
        let n_rows = span.len();
        for first in (0..width).step_by(at_once) {
            let part = (queries, width, first);
            // SAFETY: the contract of this file.
            unsafe {
                match at_once / V::Wide::LEN {
                    2 => sums::<T, V, 2>(rows, span.clone(), part, squares, &mut tile),
                    4 => sums::<T, V, 4>(rows, span.clone(), part, squares, &mut tile),
                    6 => sums::<T, V, 6>(rows, span.clone(), part, squares, &mut tile),
                    8 => sums::<T, V, 8>(rows, span.clone(), part, squares, &mut tile),
                    _ => sums::<T, V, 12>(rows, span.clone(), part, squares, &mut tile),
                }
            }
        }
        for q in (0..m).step_by(V::LEN) {
            // SAFETY: `mod.rs` asserts that `out` includes the last product.
            unsafe {
                let out = out.as_mut_ptr().add(q * stride + start);
                transpose::<T, V>(tile.as_ptr().add(q), (m - q, n_rows), out, stride);
            }
        }
    }
}

/// The products of some rows of a panel with a sparse query, in `N` vectors of sums.
#[inline(always)]
unsafe fn sums_of_panel<T: Lanes, V: Vector<T>, const N: usize>(
    panel: *const T,
    query: (&[u32], &[T]),
    squares: Option<(f64, *const f64)>,
    out: *mut T,
) {
    let lanes = V::Wide::LEN;
    // SAFETY: the caller's pointers are valid for `N` vectors, per feature of the panel.
    unsafe {
        let zero = V::Wide::splat(0.0);
        let mut sums = [zero; N];
        for (&feature, value) in query.0.iter().zip(query.1) {
            let value = V::Wide::splat(value.to_f64());
            let feature = panel.add(feature as usize * panel_width::<T>());
            for (n, sum) in sums.iter_mut().enumerate() {
                let stored = V::load_wide(feature.add(n * lanes));
                *sum = match size_of::<T>() {
                    4 => value.mul_add(stored, *sum),
                    _ => sum.add(value.mul(stored)),
                };
            }
        }
        for (n, sum) in sums.iter_mut().enumerate() {
            if let Some((of_query, of_rows)) = squares {
                let of_rows = V::Wide::load(of_rows.add(n * lanes));
                let of_both = V::Wide::splat(of_query).add(of_rows);
                *sum = V::Wide::splat(-2.0).mul_add(*sum, of_both).max(zero);
            }
            V::store_narrow(*sum, out.add(n * lanes));
        }
    }
}

/// The products of a sparse query with panels of `d` features. `out` and the squared norms of the
/// rows are as long as the panels.
#[inline(always)]
pub unsafe fn panels<T: Lanes, V: Vector<T>>(
    panels: &[T],
    d: usize,
    query: (&[u32], &[T]),
    squares: Option<(f64, &[f64])>,
    out: &mut [T],
) {
    let width = panel_width::<T>();
    let at_once = width.min(8 * V::Wide::LEN);
    for (p, panel) in panels.chunks_exact(width * d).enumerate() {
        for first in (0..width).step_by(at_once) {
            // SAFETY: `mod.rs` asserts that the features of the query are less than `d`, and that
            // `out` and the norms have `width` values per panel, which `at_once` divides.
            unsafe {
                let at = p * width + first;
                let squares =
                    squares.map(|(of_query, of_rows)| (of_query, of_rows.as_ptr().add(at)));
                let (panel, out) = (panel.as_ptr().add(first), out.as_mut_ptr().add(at));
                match at_once / V::Wide::LEN {
                    4 => sums_of_panel::<T, V, 4>(panel, query, squares, out),
                    _ => sums_of_panel::<T, V, 8>(panel, query, squares, out),
                }
            }
        }
    }
}
