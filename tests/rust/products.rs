//! Products with panels and with sparse rows equal plain sums, and their bits depend on the two
//! samples only, not on the block in which they are computed.

use softmargin::data::{Csr, Random};
use softmargin::simd::{self, Lanes, MOST_SPARSE_QUERIES, Product, panel_width, sparse_width};
use std::borrow::Cow;
use std::ops::Range;

/// Integers from -8 to 8, whose sums are exact in any order of additions.
fn whole<T: Lanes>(n: usize, random: &mut Random) -> Vec<T> {
    let mut number = || random.below(17) as f64 - 8.0;
    (0..n).map(|_| T::from_f64(number())).collect()
}

fn real<T: Lanes>(n: usize, random: &mut Random) -> Vec<T> {
    (0..n).map(|_| T::from_f64(random.unit() - 0.5)).collect()
}

fn exact_sum<T: Lanes>(product: Product, a: &[T], b: &[T]) -> f64 {
    let pairs = a.iter().zip(b).map(|(a, b)| (a.to_f64(), b.to_f64()));
    match product {
        Product::Dot => pairs.map(|(a, b)| a * b).sum(),
        Product::SquaredDistance => pairs.map(|(a, b)| (a - b).powi(2)).sum(),
    }
}

/// Panels of rows, 256 bytes per feature.
fn panels<T: Lanes>(rows: &[Vec<T>]) -> Vec<T> {
    let (width, d) = (panel_width::<T>(), rows[0].len());
    let panels = rows.chunks(width);
    let feature = |panel: &[Vec<T>], f: usize| panel.iter().map(|row| row[f]).collect::<Vec<_>>();
    panels
        .flat_map(|panel| (0..d).flat_map(|f| feature(panel, f)).collect::<Vec<_>>())
        .collect()
}

fn panel_products_equal_plain_sums<T: Lanes>() {
    let mut random = Random::new(4);
    let width = panel_width::<T>();
    for (m, d, n_panels) in [(1, 1, 1), (2, 3, 2), (5, 17, 1), (6, 4, 3), (48, 33, 2)] {
        let n = n_panels * width;
        let rows: Vec<Vec<T>> = (0..n).map(|_| whole(d, &mut random)).collect();
        let queries = whole::<T>(m * d, &mut random);
        let (stride, untouched) = (n + 3, T::from_f64(0.25));
        for product in [Product::Dot, Product::SquaredDistance] {
            let mut out = vec![untouched; m * stride];
            simd::panel_products(product, &panels(&rows), d, &queries, &mut out, stride);
            for (query, out) in queries.chunks(d).zip(out.chunks(stride)) {
                for (row, value) in rows.iter().zip(out) {
                    assert_eq!(value.to_f64(), exact_sum(product, query, row));
                }
                assert!(out[n..].iter().all(|v| *v == untouched));
            }
        }
    }
}

/// One query or 48, all panels or one: the bits of a product are the same.
fn bits_do_not_depend_on_the_block<T: Lanes>() {
    let mut random = Random::new(5);
    let (m, d, width) = (48, 37, panel_width::<T>());
    let rows: Vec<Vec<T>> = (0..3 * width).map(|_| real(d, &mut random)).collect();
    let (packed, queries) = (panels(&rows), real::<T>(m * d, &mut random));
    for product in [Product::Dot, Product::SquaredDistance] {
        let mut whole = vec![T::ZERO; m * 3 * width];
        simd::panel_products(product, &packed, d, &queries, &mut whole, 3 * width);
        for block in [1, 2, 3, 6, 7, 11] {
            for (q, queries) in queries.chunks(block * d).enumerate() {
                for (p, panel) in packed.chunks(width * d).enumerate() {
                    let mut out = vec![T::ZERO; queries.len() / d * width];
                    simd::panel_products(product, panel, d, queries, &mut out, width);
                    for (k, out) in out.chunks(width).enumerate() {
                        let at = (q * block + k) * 3 * width + p * width;
                        assert_eq!(out, &whole[at..at + width], "blocks of {block}");
                    }
                }
            }
        }
    }
}

/// Rows of `d` features, the first of them empty and the last ones full.
fn sparse_rows<T: Lanes>(n: usize, d: usize, random: &mut Random) -> Csr<'static, T> {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for row in 0..n {
        indices.extend((0..d as u32).filter(|_| random.below(n - 1) < row));
        offsets.push(indices.len());
    }
    let values: Vec<T> = real(indices.len(), random);
    Csr::new(offsets, Cow::Owned(indices), Cow::Owned(values), d).expect("canonical")
}

fn full_row<T: Lanes>(csr: &Csr<'_, T>, row: usize) -> Vec<f64> {
    let mut values = vec![0.0; csr.n_cols()];
    let (columns, stored) = csr.row(row);
    for (&c, v) in columns.iter().zip(stored) {
        values[c as usize] = v.to_f64();
    }
    values
}

/// Queries as [`simd::sparse_products`] takes them: values by feature, and squared norms.
fn interleave(queries: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let (d, width) = (queries[0].len(), sparse_width(queries.len()));
    let (mut values, mut squares) = (vec![0.0; d * width], vec![0.0; width]);
    for (q, query) in queries.iter().enumerate() {
        squares[q] = query.iter().map(|v| v * v).sum();
        for (f, &value) in query.iter().enumerate() {
            values[f * width + q] = value;
        }
    }
    (values, squares)
}

/// The products with one query are plain sums; those with several have the same bits, and nothing
/// else is written.
fn sparse_products_equal_plain_sums<T: Lanes>() {
    let mut random = Random::new(6);
    let (n, d, gap) = (50, 23, 3);
    let csr = sparse_rows::<T>(n, d, &mut random);
    let full: Vec<Vec<f64>> = (0..n).map(|row| full_row(&csr, row)).collect();
    let of_rows = interleave(&full).1;
    let some = || {
        real::<T>(d, &mut random)
            .iter()
            .map(|v| v.to_f64())
            .collect()
    };
    let queries: Vec<Vec<f64>> = std::iter::repeat_with(some)
        .take(MOST_SPARSE_QUERIES)
        .collect();
    for distances in [false, true] {
        let run = |queries: &[Vec<f64>], rows: Range<usize>, out: &mut [T], stride: usize| {
            let (values, squares) = interleave(queries);
            let squares = distances.then_some((&squares[..], &of_rows[..]));
            simd::sparse_products(&csr, rows, &values, squares, queries.len(), out, stride);
        };
        let mut single = vec![T::INFINITY; n * queries.len()];
        for (query, out) in queries.iter().zip(single.chunks_exact_mut(n)) {
            run(std::slice::from_ref(query), 0..n, out, n);
            for (row, value) in full.iter().zip(out) {
                let pairs = row.iter().zip(query);
                let plain: f64 = match distances {
                    false => pairs.map(|(x, z)| x * z).sum(),
                    true => pairs.map(|(x, z)| (x - z).powi(2)).sum(),
                };
                assert!((value.to_f64() - plain).abs() <= 1e-5 * (1.0 + plain.abs()));
            }
        }
        for m in [1, 2, 15, 16, 17, 32, 47, 48] {
            for rows in [0..n, 0..1, 7..8, 13..n, 20..20, 3..19] {
                let stride = rows.len() + gap;
                let mut out = vec![T::INFINITY; m * stride];
                run(&queries[..m], rows.clone(), &mut out, stride);
                for (q, out) in out.chunks_exact(stride).enumerate() {
                    let expected = &single[q * n + rows.start..q * n + rows.end];
                    assert_eq!(
                        &out[..rows.len()],
                        expected,
                        "query {q} of {m}, rows {rows:?}"
                    );
                    assert_eq!(&out[rows.len()..], [T::INFINITY; 3]);
                }
            }
        }
    }
}

/// The products of a sparse query with panels have the bits of those of a dense query with sparse
/// rows.
fn products_of_a_sparse_query_have_the_bits_of_sparse_products<T: Lanes>() {
    let mut random = Random::new(7);
    let (n, d, width) = (3 * panel_width::<T>(), 19, panel_width::<T>());
    let csr = sparse_rows::<T>(n, d, &mut random);
    let full: Vec<Vec<f64>> = (0..n).map(|row| full_row(&csr, row)).collect();
    let of_rows = full.iter().map(|row| row.iter().map(|v| v * v).sum());
    let of_rows: Vec<f64> = of_rows.collect();
    let narrow = |row: &Vec<f64>| row.iter().map(|&v| T::from_f64(v)).collect();
    let rows: Vec<Vec<T>> = full.iter().map(narrow).collect();
    let panels = panels(&rows);
    for distances in [false, true] {
        for q in 0..n {
            let squares = distances.then_some((&of_rows[q..=q], &of_rows[..]));
            let mut expected = vec![T::INFINITY; n];
            simd::sparse_products(&csr, 0..n, &full[q], squares, 1, &mut expected, n);
            for n_panels in 0..=3 {
                let len = n_panels * width;
                let squares = distances.then_some((of_rows[q], &of_rows[..len]));
                let mut out = vec![T::INFINITY; len];
                let panels = &panels[..len * d];
                simd::sparse_query_products(panels, d, csr.row(q), squares, &mut out);
                assert_eq!(out, expected[..len], "query {q}");
            }
            assert!(
                !distances || expected[q] == T::ZERO,
                "the distance to itself"
            );
        }
    }
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() { super::$claim::<f32>(); })* }
        mod f64 { $(#[test] fn $claim() { super::$claim::<f64>(); })* }
    };
}

in_both_types!(
    panel_products_equal_plain_sums,
    bits_do_not_depend_on_the_block,
    sparse_products_equal_plain_sums,
    products_of_a_sparse_query_have_the_bits_of_sparse_products
);
