//! Products with panels and with sparse rows equal plain sums, and their bits depend on the two
//! samples only, not on the block in which they are computed.

use softmargin::data::{Csr, Random};
use softmargin::simd::{self, Lanes, Product, SPARSE_QUERIES, panel_width};
use std::borrow::Cow;

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

fn sparse_products_equal_plain_sums<T: Lanes>() {
    let mut random = Random::new(6);
    let (n, d) = (50, 23);
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for row in 0..n {
        // Row 0 is empty, the last ones are full.
        indices.extend((0..d as u32).filter(|_| random.below(n - 1) < row));
        offsets.push(indices.len());
    }
    let values: Vec<T> = real(indices.len(), &mut random);
    let csr = Csr::new(offsets, Cow::Owned(indices), Cow::Owned(values), d).expect("canonical");
    let queries: Vec<f64> = real(d * SPARSE_QUERIES, &mut random);
    let query = |q: usize| -> Vec<f64> {
        let values = queries.iter().copied().skip(q);
        values.step_by(SPARSE_QUERIES).collect()
    };
    let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let of_queries: Vec<f64> = (0..SPARSE_QUERIES).map(|q| square(&query(q))).collect();
    let full = |row: usize| -> Vec<f64> {
        let mut values = vec![0.0; d];
        let (columns, stored) = csr.row(row);
        for (&c, v) in columns.iter().zip(stored) {
            values[c as usize] = v.to_f64();
        }
        values
    };
    let of_rows: Vec<f64> = (0..n).map(|row| square(&full(row))).collect();
    for distances in [false, true] {
        let squares = distances.then_some((&of_queries[..], &of_rows[..]));
        let mut eight = vec![T::INFINITY; n * SPARSE_QUERIES];
        simd::sparse_products(&csr, 0..n, &queries, squares, SPARSE_QUERIES, &mut eight, n);
        for q in 0..SPARSE_QUERIES {
            let query = query(q);
            let squares = distances.then_some((&of_queries[q..=q], &of_rows[..]));
            for rows in [0..n, 0..1, 7..8, 13..n, 20..20] {
                let mut one = vec![T::INFINITY; rows.len()];
                simd::sparse_products(&csr, rows.clone(), &query, squares, 1, &mut one, n);
                for (row, one) in rows.zip(one) {
                    let pairs = full(row).into_iter().zip(query.clone());
                    let plain: f64 = match distances {
                        false => pairs.map(|(x, z)| x * z).sum(),
                        true => pairs.map(|(x, z)| (x - z).powi(2)).sum(),
                    };
                    assert!((one.to_f64() - plain).abs() <= 1e-5 * (1.0 + plain.abs()));
                    assert_eq!(one, eight[q * n + row], "one query equals eight");
                }
            }
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
    sparse_products_equal_plain_sums
);
