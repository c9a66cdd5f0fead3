//! Vectorized loops over slices, with instruction sets chosen at run time.
//!
//! Each loop is written once, in `bodies`, over a [`vector::Vector`]. It is compiled for each level
//! below, and dispatched once per call, that is, per row or block.
//! `SOFTMARGIN_SIMD=baseline|avx2|avx512` forces a lower level (levels that the CPU does not
//! support are ignored).
//!
//! Results of one level do not depend on how the work is split: each product is summed feature by
//! feature, independent of the block it is computed in. Levels differ in rounding only.

#![allow(unsafe_code)] // vector instructions; every block states its reason

mod bodies;
mod pages;
mod pairs;
mod sparse;
mod vector;
mod weights;

use crate::data::{Csr, Real};
pub use pages::{offer_pages, prefer_huge_pages, prefetch, zero_pages};
use pairs::ROWS_AT_ONCE;
pub use pairs::{PAIR_LANES, PairScan, Spread};
use sparse::SparseSlices;
use std::ops::Range;
use std::sync::OnceLock;
pub use vector::Lanes;
pub use weights::{RmsStep, squared_hinge_change};

/// The instruction sets that the loops are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The baseline of the architecture: SSE2 on x86-64, NEON on AArch64.
    Baseline,
    /// AVX2 and FMA: 256 bits.
    Avx2,
    /// AVX-512 F and DQ: 512 bits.
    Avx512,
}

impl Level {
    /// The name in `SOFTMARGIN_SIMD`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// The highest level that this CPU supports.
    fn detected() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return Level::Avx512;
            }
            return Level::Avx2;
        }
        Level::Baseline
    }
}

/// The level in use: that of the CPU, or a lower one set by `SOFTMARGIN_SIMD`.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let wanted = std::env::var("SOFTMARGIN_SIMD").unwrap_or_default();
        [Level::Baseline, Level::Avx2, Level::Avx512]
            .into_iter()
            .find(|level| level.name() == wanted)
            .unwrap_or(Level::Avx512)
            .min(Level::detected())
    })
}

/// Compiles `$body::<T, V>` for each level and calls the one in use.
macro_rules! dispatch {
    ($module:ident::$body:ident, $T:ident, ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
            fn avx512<$T: Lanes>($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: this function runs only where AVX-512 F and DQ were detected.
                unsafe { $module::$body::<$T, $T::V512>($($arg),*) }
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$T: Lanes>($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: this function runs only where AVX2 and FMA were detected.
                unsafe { $module::$body::<$T, $T::V256>($($arg),*) }
            }
            match level() {
                // SAFETY: `level` never exceeds what was detected on this machine.
                Level::Avx512 => return unsafe { avx512::<$T>($($arg),*) },
                // SAFETY: as above.
                Level::Avx2 => return unsafe { avx2::<$T>($($arg),*) },
                Level::Baseline => {}
            }
        }
        // SAFETY: the baseline vectors are plain arrays and need no instruction set.
        unsafe { $module::$body::<$T, $T::Base>($($arg),*) }
    }};
}

/// `sum a_i b_i`.
pub fn dot<T: Lanes>(a: &[T], b: &[T]) -> T {
    assert_eq!(a.len(), b.len());
    dispatch!(bodies::dot, T, (a: &[T], b: &[T]) -> T)
}

/// `sum (a_i - b_i)^2`.
pub fn squared_distance<T: Lanes>(a: &[T], b: &[T]) -> T {
    assert_eq!(a.len(), b.len());
    dispatch!(bodies::squared_distance, T, (a: &[T], b: &[T]) -> T)
}

/// `x <- exp(scale x)` with an error of about one unit in the last place. Results below the
/// smallest normal number are 0; large ones are clamped to a finite value.
pub fn exp_scaled<T: Lanes>(x: &mut [T], scale: T) {
    dispatch!(bodies::exp_scaled, T, (x: &mut [T], scale: T))
}

/// `out <- exp(scale x)`, bit by bit equal to [`exp_scaled`].
pub fn exp_scaled_into<T: Lanes>(x: &[T], scale: T, out: &mut [T]) {
    assert_eq!(x.len(), out.len());
    dispatch!(bodies::exp_scaled_into, T, (x: &[T], scale: T, out: &mut [T]))
}

/// The smallest element of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smallest<T> {
    /// Its value; infinity for an empty slice.
    pub value: T,
    /// Its lowest index.
    pub index: usize,
}

/// `v <- v + a k`, and the smallest element of the new `v`.
///
/// Elements that must not be found are infinite, and stay so.
pub fn axpy_argmin<T: Lanes>(v: &mut [T], a: T, k: &[T]) -> Smallest<T> {
    assert_eq!(v.len(), k.len());
    dispatch!(bodies::axpy_argmin, T, (v: &mut [T], a: T, k: &[T]) -> Smallest<T>)
}

/// The products of two samples: sums over their features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `x . z`.
    Dot,
    /// `|x - z|^2`, computed from differences, so that there is no cancellation.
    SquaredDistance,
}

impl Product {
    /// All products.
    pub const ALL: [Product; 2] = [Product::SquaredDistance, Product::Dot];
}

/// Number of rows per panel. A panel stores 256 bytes of one feature, then of the next.
pub const fn panel_width<T: Real>() -> usize {
    256 / size_of::<T>()
}

/// Products of dense queries with whole panels.
///
/// `panels` holds panels of [`panel_width`] rows, each `d` features long;
/// `queries` are rows of `d` values. Product `(q, r)` is written to `out[q * stride + r]`.
pub fn panel_products<T: Lanes>(
    product: Product,
    panels: &[T],
    d: usize,
    queries: &[T],
    out: &mut [T],
    stride: usize,
) {
    assert!(d > 0);
    let width = panel_width::<T>();
    let n_panels = panels.len() / (width * d);
    let m = queries.len() / d;
    if m == 0 || n_panels == 0 {
        return;
    }
    assert_eq!(panels.len(), n_panels * width * d);
    assert_eq!(queries.len(), m * d);
    assert!(n_panels * width <= stride && out.len() >= (m - 1) * stride + n_panels * width);
    match product {
        Product::Dot => dispatch!(
            bodies::panel_dots,
            T,
            (panels: &[T], d: usize, queries: &[T], out: &mut [T], stride: usize)
        ),
        Product::SquaredDistance => dispatch!(
            bodies::panel_distances,
            T,
            (panels: &[T], d: usize, queries: &[T], out: &mut [T], stride: usize)
        ),
    }
}

/// The width of interleaved queries of [`sparse_products`] is a multiple of this number, if there is
/// more than one query.
pub const SPARSE_WIDTH: usize = 16;

/// The most queries of [`sparse_products`].
pub const MOST_SPARSE_QUERIES: usize = 48;

/// The width with which `m` queries of [`sparse_products`] are interleaved.
pub fn sparse_width(m: usize) -> usize {
    if m == 1 {
        1
    } else {
        m.next_multiple_of(SPARSE_WIDTH)
    }
}

/// Products of a range of sparse rows with dense queries, summed in f64.
///
/// The `m` queries are interleaved with a width of [`sparse_width`]: `queries[f * width + q]` is
/// feature `f` of query `q`. Given the squared norms of the queries, `width` values, and of all
/// rows, the products are squared distances; otherwise dot products. Product `(q, r)` is written to
/// `out[q * stride + r - rows.start]`.
pub fn sparse_products<T: Lanes>(
    csr: &Csr<'_, T>,
    rows: Range<usize>,
    queries: &[f64],
    squares: Option<(&[f64], &[f64])>,
    m: usize,
    out: &mut [T],
    stride: usize,
) {
    if rows.is_empty() || m == 0 {
        return;
    }
    let width = sparse_width(m);
    assert!(m <= MOST_SPARSE_QUERIES && queries.len() == csr.n_cols() * width);
    assert!(rows.len() <= stride && out.len() >= (m - 1) * stride + rows.len());
    let squares = squares.map(|(of_queries, of_rows)| (of_queries, &of_rows[rows.clone()]));
    assert!(squares.is_none_or(|(of_queries, _)| of_queries.len() == width));
    let rows = SparseSlices {
        offsets: &csr.offsets()[rows.start..rows.end + 1],
        indices: csr.indices(),
        values: csr.values(),
    };
    if m == 1 {
        dispatch!(
            sparse::one,
            T,
            (rows: SparseSlices<'_, T>, queries: &[f64], squares: Option<(&[f64], &[f64])>,
             out: &mut [T])
        )
    } else {
        let queries = (queries, width);
        dispatch!(
            sparse::many,
            T,
            (rows: SparseSlices<'_, T>, queries: (&[f64], usize),
             squares: Option<(&[f64], &[f64])>, m: usize, out: &mut [T], stride: usize)
        )
    }
}

/// Products of a sparse query with all rows of panels (see [`panel_products`]) of `d` features, summed
/// in f64 as in [`sparse_products`], with the same bits.
///
/// The query has these features, all less than `d`, and values. Given its squared norm and those of
/// all rows, the products are squared distances; otherwise dot products. All lengths include the
/// rows that fill the last panel.
pub fn sparse_query_products<T: Lanes>(
    panels: &[T],
    d: usize,
    query: (&[u32], &[T]),
    squares: Option<(f64, &[f64])>,
    out: &mut [T],
) {
    assert_eq!(query.0.len(), query.1.len());
    assert!(query.0.iter().all(|&feature| (feature as usize) < d));
    assert!(d > 0 && out.len().is_multiple_of(panel_width::<T>()) && panels.len() == out.len() * d);
    assert!(squares.is_none_or(|(_, of_rows)| of_rows.len() == out.len()));
    dispatch!(
        sparse::panels,
        T,
        (panels: &[T], d: usize, query: (&[u32], &[T]), squares: Option<(f64, &[f64])>,
         out: &mut [T])
    )
}

/// A pair step: `v <- v - step (K_i - K_j)`, and the extremes of the new `v`.
///
/// Penalties encode the bounds: `rise` is 0 if a coefficient may increase and minus infinity
/// otherwise; `fall` is 0 if it may decrease and infinity otherwise. All lengths are equal, and a
/// multiple of [`PAIR_LANES`].
pub fn update_pair<T: Lanes>(
    v: &mut [T],
    penalties: (&[T], &[T]),
    rows: (&[T], &[T]),
    step: T,
) -> PairScan<T> {
    let n = v.len();
    // Comparing arrays of lengths would go through memory.
    assert!(penalties.0.len() == n && penalties.1.len() == n);
    assert!(rows.0.len() == n && rows.1.len() == n);
    assert!(n.is_multiple_of(PAIR_LANES) && n < 1 << 24);
    dispatch!(
        pairs::update_pair,
        T,
        (v: &mut [T], penalties: (&[T], &[T]), rows: (&[T], &[T]), step: T) -> PairScan<T>
    )
}

/// Second-order selection of the partner of sample i: the sample j whose coefficient may decrease
/// with the largest `(v_i - v_j)^2 / (K_ii + K_jj - 2 K_ij)`; `None` if no step improves the
/// objective.
pub fn second_order<T: Lanes>(
    v_fall: (&[T], &[T]),
    row: &[T],
    diagonal: &[T],
    v_i: T,
    k_ii: T,
) -> Option<usize> {
    let n = v_fall.0.len();
    assert!(v_fall.1.len() == n && row.len() == n && diagonal.len() == n);
    assert!(n.is_multiple_of(PAIR_LANES) && n < 1 << 24);
    dispatch!(
        pairs::second_order,
        T,
        (v_fall: (&[T], &[T]), row: &[T], diagonal: &[T], v_i: T, k_ii: T) -> Option<usize>
    )
}

/// The number of samples that may increase with a `v` above the smallest one that may decrease, or
/// the other way round: those that form a violating pair with another one. The arguments are those
/// of [`update_pair`] and the extremes that it found.
pub fn count_violators<T: Lanes>(
    v: &[T],
    penalties: (&[T], &[T]),
    (max_up, min_low): (T, T),
) -> usize {
    assert_eq!([penalties.0.len(), penalties.1.len()], [v.len(); 2]);
    assert!(v.len().is_multiple_of(PAIR_LANES));
    let extremes = (max_up, min_low);
    dispatch!(
        pairs::count_violators,
        T,
        (v: &[T], penalties: (&[T], &[T]), extremes: (T, T)) -> usize
    )
}

/// `sums <- sums + factor row` for each term in turn, in f64.
pub fn add_rows<'a, T: Lanes>(sums: &mut [f64], terms: impl IntoIterator<Item = (f64, &'a [T])>) {
    fn few<T: Lanes>(sums: &mut [f64], factors: &[f64; ROWS_AT_ONCE], rows: &[&[T]; ROWS_AT_ONCE]) {
        dispatch!(
            pairs::add_rows,
            T,
            (sums: &mut [f64], factors: &[f64; ROWS_AT_ONCE], rows: &[&[T]; ROWS_AT_ONCE])
        )
    }
    let mut terms = terms.into_iter();
    while let Some((factor, row)) = terms.next() {
        // Pad with a factor of 0.
        let (mut factors, mut rows) = ([0.0; ROWS_AT_ONCE], [row; ROWS_AT_ONCE]);
        factors[0] = factor;
        for place in 1..ROWS_AT_ONCE {
            if let Some((factor, row)) = terms.next() {
                (factors[place], rows[place]) = (factor, row);
            }
        }
        assert!(rows.iter().all(|row| row.len() == sums.len()));
        few(sums, &factors, &rows);
    }
}

/// `sums <- sums + factor row`, in f64.
pub fn axpy<T: Lanes>(sums: &mut [f64], factor: f64, row: &[T]) {
    assert_eq!(sums.len(), row.len());
    dispatch!(pairs::axpy, T, (sums: &mut [f64], factor: f64, row: &[T]))
}

/// `g <- g + factor (row + 1)` for at most two terms; then the smallest element of g, and the
/// largest element of g plus penalties, which are 0 or minus infinity.
pub fn add_and_scan<'a, T: Lanes>(
    g: &mut [f64],
    terms: impl IntoIterator<Item = (f64, &'a [T])>,
    penalties: &[f64],
) -> Spread {
    let mut terms = terms.into_iter();
    let first = terms.next();
    let second = terms.next();
    assert!(terms.next().is_none());
    assert_eq!(g.len(), penalties.len());
    let Some((factor, row)) = first else {
        // Nothing to add: use rows of zeros with factors of 0.
        let zeros = vec![T::ZERO; g.len()];
        return add_and_scan_two(g, ([0.0; 2], [&zeros; 2]), penalties);
    };
    let (other, other_row) = second.unwrap_or((0.0, row));
    add_and_scan_two(g, ([factor, other], [row, other_row]), penalties)
}

fn add_and_scan_two<T: Lanes>(
    g: &mut [f64],
    terms: ([f64; 2], [&[T]; 2]),
    penalties: &[f64],
) -> Spread {
    assert!(terms.1.iter().all(|row| row.len() == g.len()));
    dispatch!(
        pairs::add_and_scan,
        T,
        (g: &mut [f64], terms: ([f64; 2], [&[T]; 2]), penalties: &[f64]) -> Spread
    )
}

/// `sum weights_i row_i`, in f64.
pub fn dot_wide<T: Lanes>(weights: &[f64], row: &[T]) -> f64 {
    assert_eq!(weights.len(), row.len());
    dispatch!(weights::dot, T, (weights: &[f64], row: &[T]) -> f64)
}

/// `sum b_i x_i` and `sum x_i^2` over the elements with a slack `b_i > 0`.
pub fn hinge_sums(slacks: &[f64], column: &[f64]) -> (f64, f64) {
    fn run<T: Lanes>(slacks: &[f64], column: &[f64]) -> (f64, f64) {
        dispatch!(weights::hinge_sums, T, (slacks: &[f64], column: &[f64]) -> (f64, f64))
    }
    assert_eq!(slacks.len(), column.len());
    run::<f64>(slacks, column)
}

/// The change of `sum max(0, b_i)^2` if the slacks `b` decrease by `step x`.
pub fn hinge_change(slacks: &[f64], column: &[f64], step: f64) -> f64 {
    fn run<T: Lanes>(slacks: &[f64], column: &[f64], step: f64) -> f64 {
        dispatch!(weights::hinge_change, T, (slacks: &[f64], column: &[f64], step: f64) -> f64)
    }
    assert_eq!(slacks.len(), column.len());
    run::<f64>(slacks, column, step)
}

/// Applies the linear map `[a, b, c, d]` to each pair of elements: `w' = a w + b v`,
/// `v' = c w + d v`.
pub fn map_pairs(w: &mut [f64], v: &mut [f64], map: [f64; 4]) {
    fn run<T: Lanes>(w: &mut [f64], v: &mut [f64], map: [f64; 4]) {
        dispatch!(weights::map_pairs, T, (w: &mut [f64], v: &mut [f64], map: [f64; 4]))
    }
    assert_eq!(w.len(), v.len());
    run::<f64>(w, v, map);
}

/// One step of RMSprop with the gradient `lambda w - u`: `e <- decay e + (1 - decay) g^2`,
/// `w <- w - eta g / sqrt(e + epsilon)`.
pub fn rmsprop(w: &mut [f64], e: &mut [f64], u: &[f64], step: RmsStep) {
    fn run<T: Lanes>(w: &mut [f64], e: &mut [f64], u: &[f64], step: RmsStep) {
        dispatch!(weights::rmsprop, T, (w: &mut [f64], e: &mut [f64], u: &[f64], step: RmsStep))
    }
    assert!(w.len() == e.len() && w.len() == u.len());
    run::<f64>(w, e, u, step);
}
