//! Loops of pair steps (SMO) and sums of kernel rows, with f64 state.
//!
//! They are written over arrays of lanes, which the compiler maps to registers, and compiled for
//! each level by `dispatch!`. Lengths are multiples of [`PAIR_LANES`]: the caller pads with samples
//! that are never selected.

use super::vector::{Lanes, Vector};

/// Number of elements that are processed together.
pub const PAIR_LANES: usize = 16;

/// The result of a pass over all samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScan {
    /// The largest value among samples whose coefficient may increase.
    pub max_up: f64,
    /// The lowest index of `max_up`.
    pub up_index: usize,
    /// The smallest value among samples whose coefficient may decrease.
    pub min_low: f64,
}

/// A chunk of lanes.
#[inline(always)]
fn lanes<T>(slice: &[T], at: usize) -> &[T; PAIR_LANES] {
    // Never fails, because lengths are multiples of the chunk.
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

/// The largest value of all lanes and its lowest index: lane `l` contains the value of sample
/// `at[l] + l`.
#[inline(always)]
fn best<F: PartialOrd + Copy, I: Into<i64> + Copy>(
    values: &[F; PAIR_LANES],
    at: &[I; PAIR_LANES],
) -> (F, usize) {
    let index = |l: usize| at[l].into() + l as i64;
    let mut found = 0;
    for l in 1..PAIR_LANES {
        let wins = values[l] > values[found];
        if wins || (values[l] == values[found] && index(l) < index(found)) {
            found = l;
        }
    }
    (values[found], index(found) as usize)
}

#[inline(always)]
pub unsafe fn update_pair<T: Lanes, V: Vector<T>>(
    v: &mut [f64],
    (rise, fall): (&[f64], &[f64]),
    (row_i, row_j): (&[T], &[T]),
    step: f64,
) -> PairScan {
    let mut max = [f64::NEG_INFINITY; PAIR_LANES];
    let mut max_at = [0i64; PAIR_LANES];
    let mut min = [f64::INFINITY; PAIR_LANES];
    for at in (0..v.len()).step_by(PAIR_LANES) {
        let (k_i, k_j) = (lanes(row_i, at), lanes(row_j, at));
        let (rise, fall) = (lanes(rise, at), lanes(fall, at));
        let v = lanes_mut(v, at);
        for l in 0..PAIR_LANES {
            v[l] -= step * (k_i[l].to_f64() - k_j[l].to_f64());
            let (up, low) = (v[l] + rise[l], v[l] + fall[l]);
            max_at[l] = if up > max[l] { at as i64 } else { max_at[l] };
            max[l] = if up > max[l] { up } else { max[l] };
            min[l] = if low < min[l] { low } else { min[l] };
        }
    }
    let (max_up, up_index) = best(&max, &max_at);
    let min_low = min
        .iter()
        .fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
    PairScan {
        max_up,
        up_index,
        min_low,
    }
}

#[inline(always)]
pub unsafe fn second_order<T: Lanes, V: Vector<T>>(
    (v, fall): (&[f64], &[f64]),
    row: &[T],
    diagonal: &[T],
    v_i: f64,
    k_ii: f32,
) -> Option<usize> {
    // The gain b^2 / a in f32, which is sufficient for a ranking.
    let mut max = [0.0f32; PAIR_LANES];
    let mut max_at = [0i32; PAIR_LANES];
    for at in (0..v.len()).step_by(PAIR_LANES) {
        let (v, fall) = (lanes(v, at), lanes(fall, at));
        let (row, diagonal) = (lanes(row, at), lanes(diagonal, at));
        for l in 0..PAIR_LANES {
            let b = (v_i - (v[l] + fall[l])) as f32;
            let a = k_ii + diagonal[l].to_f64() as f32 - 2.0 * row[l].to_f64() as f32;
            let a = if a > 1e-6 { a } else { 1e-6 };
            let b = if b > 0.0 { b } else { 0.0 };
            let gain = b * b / a;
            max_at[l] = if gain > max[l] { at as i32 } else { max_at[l] };
            max[l] = if gain > max[l] { gain } else { max[l] };
        }
    }
    let (gain, index) = best(&max, &max_at);
    (gain > 0.0).then_some(index)
}

/// The smallest and the largest element of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest element; infinity if there is none.
    pub min: f64,
    /// Its lowest index.
    pub min_at: usize,
    /// The largest element without penalty; minus infinity if there is none.
    pub max: f64,
    /// Its lowest index.
    pub max_at: usize,
}

#[inline(always)]
pub unsafe fn add_and_scan<T: Lanes, V: Vector<T>>(
    g: &mut [f64],
    (factors, rows): ([f64; 2], [&[T]; 2]),
    penalties: &[f64],
) -> Spread {
    let constant = factors[0] + factors[1];
    let mut high = [f64::NEG_INFINITY; PAIR_LANES];
    let mut low = [f64::NEG_INFINITY; PAIR_LANES];
    let (mut high_at, mut low_at) = ([0i64; PAIR_LANES], [0i64; PAIR_LANES]);
    let mut visit = |at: usize,
                     g: &mut [f64; PAIR_LANES],
                     k: [&[T; PAIR_LANES]; 2],
                     penalties: &[f64; PAIR_LANES]| {
        for l in 0..PAIR_LANES {
            let sum = factors[0] * k[0][l].to_f64() + factors[1] * k[1][l].to_f64();
            g[l] += sum + constant;
            let (up, down) = (g[l] + penalties[l], -g[l]);
            high_at[l] = if up > high[l] { at as i64 } else { high_at[l] };
            high[l] = if up > high[l] { up } else { high[l] };
            low_at[l] = if down > low[l] { at as i64 } else { low_at[l] };
            low[l] = if down > low[l] { down } else { low[l] };
        }
    };
    let whole = g.len() / PAIR_LANES * PAIR_LANES;
    for at in (0..whole).step_by(PAIR_LANES) {
        let k = rows.map(|row| lanes(row, at));
        visit(at, lanes_mut(g, at), k, lanes(penalties, at));
    }
    let left = g.len() - whole;
    if left > 0 {
        // The remainder, padded with values that are never selected.
        let mut end = [f64::INFINITY; PAIR_LANES];
        let mut of_end = [f64::NEG_INFINITY; PAIR_LANES];
        let mut k = [[T::ZERO; PAIR_LANES]; 2];
        end[..left].copy_from_slice(&g[whole..]);
        of_end[..left].copy_from_slice(&penalties[whole..]);
        for (k, row) in k.iter_mut().zip(rows) {
            k[..left].copy_from_slice(&row[whole..]);
        }
        // Adding infinity and minus infinity would give NaN.
        end[left..].fill(f64::MAX);
        visit(whole, &mut end, [&k[0], &k[1]], &of_end);
        g[whole..].copy_from_slice(&end[..left]);
    }
    let ((max, max_at), (min, min_at)) = (best(&high, &high_at), best(&low, &low_at));
    // If no element is selected, the index is that of padding.
    let last = g.len().saturating_sub(1);
    let (max_at, min_at) = (max_at.min(last), min_at.min(last));
    Spread {
        min: -min,
        min_at,
        max,
        max_at,
    }
}

#[inline(always)]
pub unsafe fn axpy<T: Lanes, V: Vector<T>>(sums: &mut [f64], factor: f64, row: &[T]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += factor * value.to_f64();
    }
}

/// Number of rows that are added in one pass.
pub const ROWS_AT_ONCE: usize = 4;

/// `sums += factor * row` for each of a few rows in turn. All rows have the length of `sums`.
#[inline(always)]
pub unsafe fn add_rows<T: Lanes, V: Vector<T>>(
    sums: &mut [f64],
    factors: &[f64; ROWS_AT_ONCE],
    rows: &[&[T]; ROWS_AT_ONCE],
) {
    let whole = sums.len() / PAIR_LANES * PAIR_LANES;
    for at in (0..whole).step_by(PAIR_LANES) {
        let sums = lanes_mut(sums, at);
        let [a, b, c, d] = rows.map(|row| lanes(row, at));
        for l in 0..PAIR_LANES {
            let mut sum = sums[l];
            sum += factors[0] * a[l].to_f64();
            sum += factors[1] * b[l].to_f64();
            sum += factors[2] * c[l].to_f64();
            sum += factors[3] * d[l].to_f64();
            sums[l] = sum;
        }
    }
    for (at, sum) in sums.iter_mut().enumerate().skip(whole) {
        for (factor, row) in factors.iter().zip(rows) {
            *sum += factor * row[at].to_f64();
        }
    }
}
