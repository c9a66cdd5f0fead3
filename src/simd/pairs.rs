//! The loops of pair-wise (SMO) steps, and sums of kernel rows, with state in f64.
//!
//! Written over arrays of lanes for the compiler to lay into registers; each is
//! compiled for every level by `dispatch!`. Lengths are multiples of [`PAIR_LANES`]:
//! the caller pads with rows that can never be selected.

use super::vector::{Lanes, Vector};

/// Elements handled together.
pub const PAIR_LANES: usize = 16;

/// What a pass over all rows found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScan {
    /// The largest value among rows that may go up, and its lowest index.
    pub max_up: f64,
    /// The row of `max_up`.
    pub up_index: usize,
    /// The smallest value among rows that may go down.
    pub min_low: f64,
}

/// A chunk of lanes.
#[inline(always)]
fn lanes<T>(slice: &[T], at: usize) -> &[T; PAIR_LANES] {
    // The lengths are multiples of the chunk, so that this never fails.
    match slice[at..].first_chunk() {
        Some(chunk) => chunk,
        None => unreachable!("lengths are multiples of PAIR_LANES"),
    }
}

#[inline(always)]
fn lanes_mut<T>(slice: &mut [T], at: usize) -> &mut [T; PAIR_LANES] {
    match slice[at..].first_chunk_mut() {
        Some(chunk) => chunk,
        None => unreachable!("lengths are multiples of PAIR_LANES"),
    }
}

/// The first index where `values` reaches `wanted`.
#[inline(always)]
fn first(values: &[f64], wanted: f64) -> usize {
    let mut at = 0;
    while at + PAIR_LANES <= values.len() {
        let chunk = lanes(values, at);
        if chunk.iter().fold(false, |any, &v| any | (v == wanted)) {
            return at + chunk.iter().position(|&v| v == wanted).unwrap_or(0);
        }
        at += PAIR_LANES;
    }
    0
}

#[inline(always)]
pub unsafe fn update_pair<T: Lanes, V: Vector<T>>(
    up: &mut [f64],
    low: &mut [f64],
    row_i: &[T],
    row_j: &[T],
    step: f64,
) -> PairScan {
    let mut max = [f64::NEG_INFINITY; PAIR_LANES];
    let mut min = [f64::INFINITY; PAIR_LANES];
    for at in (0..up.len()).step_by(PAIR_LANES) {
        let (k_i, k_j) = (lanes(row_i, at), lanes(row_j, at));
        let (up, low) = (lanes_mut(up, at), lanes_mut(low, at));
        for l in 0..PAIR_LANES {
            let change = step * (k_i[l].to_f64() - k_j[l].to_f64());
            up[l] -= change;
            low[l] -= change;
            max[l] = if up[l] > max[l] { up[l] } else { max[l] };
            min[l] = if low[l] < min[l] { low[l] } else { min[l] };
        }
    }
    let max_up = max
        .iter()
        .fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    let min_low = min
        .iter()
        .fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
    PairScan {
        max_up,
        up_index: first(up, max_up),
        min_low,
    }
}

/// The gain `b^2 / a` of a step with each row, in f32: it only ranks.
#[inline(always)]
fn gains<T: Lanes>(
    low: &[f64; PAIR_LANES],
    row: &[T; PAIR_LANES],
    diagonal: &[T; PAIR_LANES],
    v_i: f64,
    k_ii: f32,
) -> [f32; PAIR_LANES] {
    std::array::from_fn(|l| {
        let b = (v_i - low[l]) as f32;
        let a = k_ii + diagonal[l].to_f64() as f32 - 2.0 * row[l].to_f64() as f32;
        let a = if a > 1e-6 { a } else { 1e-6 };
        if b > 0.0 { b * b / a } else { 0.0 }
    })
}

#[inline(always)]
pub unsafe fn second_order<T: Lanes, V: Vector<T>>(
    low: &[f64],
    row: &[T],
    diagonal: &[T],
    v_i: f64,
    k_ii: f32,
) -> Option<usize> {
    let mut best = [0.0f32; PAIR_LANES];
    for at in (0..low.len()).step_by(PAIR_LANES) {
        let gains = gains(
            lanes(low, at),
            lanes(row, at),
            lanes(diagonal, at),
            v_i,
            k_ii,
        );
        for l in 0..PAIR_LANES {
            best[l] = if gains[l] > best[l] {
                gains[l]
            } else {
                best[l]
            };
        }
    }
    let best = best
        .iter()
        .fold(0.0, |a: f32, &b| if b > a { b } else { a });
    if best <= 0.0 {
        return None;
    }
    (0..low.len()).step_by(PAIR_LANES).find_map(|at| {
        let gains = gains(
            lanes(low, at),
            lanes(row, at),
            lanes(diagonal, at),
            v_i,
            k_ii,
        );
        gains.iter().position(|&gain| gain == best).map(|l| at + l)
    })
}

/// `sums += factor * row`, for a row of any length.
#[inline(always)]
pub unsafe fn add_row<T: Lanes, V: Vector<T>>(sums: &mut [f64], factor: f64, row: &[T]) {
    let mut chunks = sums.chunks_exact_mut(PAIR_LANES);
    let mut rows = row.chunks_exact(PAIR_LANES);
    for (sums, row) in (&mut chunks).zip(&mut rows) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += factor * value.to_f64();
        }
    }
    for (sum, value) in chunks.into_remainder().iter_mut().zip(rows.remainder()) {
        *sum += factor * value.to_f64();
    }
}
