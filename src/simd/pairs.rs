//! Loops of pair steps (SMO), with state of the type of the kernel values, and sums of kernel rows
//! in f64.
//!
//! They are written over arrays of lanes, which the compiler maps to registers, and compiled for
//! each level by `dispatch!`. Lengths are multiples of [`PAIR_LANES`]: the caller pads with samples
//! that are never selected.

use super::vector::{Lanes, Vector, WIDEST};

/// Number of elements that are processed together.
pub const PAIR_LANES: usize = 16;

/// The result of a pass over all samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairScan<T> {
    /// The largest value among samples whose coefficient may increase.
    pub max_up: T,
    /// The lowest index of `max_up`.
    pub up_index: usize,
    /// The smallest value among samples whose coefficient may decrease.
    pub min_low: T,
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
    let mut most = values[0];
    for &value in values {
        most = if value > most { value } else { most };
    }
    let mut lowest = i64::MAX;
    for l in 0..PAIR_LANES {
        let index = at[l].into() + l as i64;
        let wins = values[l] == most && index < lowest;
        lowest = if wins { index } else { lowest };
    }
    (most, lowest as usize)
}

/// The largest value of each lane, and the number of elements before the vector it came from.
///
/// The numbers are in the type of the values, so that both stay in registers: they are exact up to
/// 2^24 elements.
#[derive(Clone, Copy)]
struct LaneMax<V> {
    values: V,
    at: V,
}

impl<V> LaneMax<V> {
    /// # Safety
    /// Needs the instruction set of `V`.
    #[inline(always)]
    unsafe fn new<T: Lanes>(lowest: T) -> Self
    where
        V: Vector<T>,
    {
        // SAFETY: the contract of this function.
        unsafe {
            Self {
                values: V::splat(lowest),
                at: V::splat(T::ZERO),
            }
        }
    }

    /// Includes the vector `x` of the elements from `at`.
    ///
    /// # Safety
    /// Needs the instruction set of `V`.
    #[inline(always)]
    unsafe fn update<T: Lanes>(&mut self, x: V, at: V)
    where
        V: Vector<T>,
    {
        // SAFETY: the contract of this function.
        unsafe {
            self.at = at.where_greater(x, self.values, self.at);
            self.values = x.max(self.values);
        }
    }
}

/// The largest value of several [`LaneMax`] and its lowest index; the vectors are those of one chunk
/// of [`PAIR_LANES`] elements.
///
/// # Safety
/// Needs the instruction set of `V`.
#[inline(always)]
unsafe fn best_of<T: Lanes, V: Vector<T>>(lanes: &[LaneMax<V>]) -> (T, usize) {
    // SAFETY: the contract of this function, and the buffers are as long as the widest vector.
    unsafe {
        let mut most = lanes[0].values;
        for other in &lanes[1..] {
            most = other.values.max(most);
        }
        let mut values = [T::ZERO; WIDEST];
        most.store(values.as_mut_ptr());
        let best =
            values[1..V::LEN].iter().fold(
                values[0],
                |best, &value| {
                    if value > best { value } else { best }
                },
            );
        let all = V::splat(best);
        let mut lowest = usize::MAX;
        for (number, own) in lanes.iter().enumerate() {
            let mut is_best = own.values.equal(all);
            own.at.store(values.as_mut_ptr());
            while is_best != 0 {
                let lane = is_best.trailing_zeros() as usize;
                is_best &= is_best - 1;
                let start = values[lane].to_f64() as usize;
                lowest = lowest.min(start + number * V::LEN + lane);
            }
        }
        // No element is equal to the largest if all are NaN: then any is as good.
        (best, if lowest == usize::MAX { 0 } else { lowest })
    }
}

/// The most vectors per chunk: those of the baseline.
const MOST_VECTORS: usize = 8;

// With iterators instead of an index, the arrays of vectors would stay in memory.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub unsafe fn update_pair<T: Lanes, V: Vector<T>>(
    v: &mut [T],
    (rise, fall): (&[T], &[T]),
    (row_i, row_j): (&[T], &[T]),
    step: T,
) -> PairScan<T> {
    let (n, n_vectors) = (v.len(), PAIR_LANES / V::LEN);
    let (rise, fall, row_i, row_j) = (&rise[..n], &fall[..n], &row_i[..n], &row_j[..n]);
    // SAFETY: all slices have `n` elements, a multiple of `PAIR_LANES`; the caller provides the
    // instruction set.
    unsafe {
        let step = V::splat(T::ZERO - step);
        let mut max = [LaneMax::<V>::new(-T::INFINITY); MOST_VECTORS];
        let mut min = [V::splat(T::INFINITY); MOST_VECTORS];
        let mut place = V::splat(T::ZERO);
        let chunk = V::splat(T::from_f64(PAIR_LANES as f64));
        for start in (0..n).step_by(PAIR_LANES) {
            for part in 0..n_vectors {
                let at = start + part * V::LEN;
                let difference =
                    V::load(row_i.as_ptr().add(at)).sub(V::load(row_j.as_ptr().add(at)));
                let own = step.mul_add(difference, V::load(v.as_ptr().add(at)));
                own.store(v.as_mut_ptr().add(at));
                max[part].update(own.add(V::load(rise.as_ptr().add(at))), place);
                min[part] = own.add(V::load(fall.as_ptr().add(at))).min(min[part]);
            }
            place = place.add(chunk);
        }
        let (max_up, up_index) = best_of(&max[..n_vectors]);
        let mut least = min[0];
        for other in &min[1..n_vectors] {
            least = other.min(least);
        }
        let mut low = [T::INFINITY; WIDEST];
        least.store(low.as_mut_ptr());
        let min_low = low[1..].iter().fold(
            low[0],
            |least, &value| {
                if value < least { value } else { least }
            },
        );
        PairScan {
            max_up,
            up_index,
            min_low,
        }
    }
}

/// The least curvature of a pair step, so that no gain is infinite.
const LEAST_CURVATURE: f64 = 1e-6;

// With iterators instead of an index, the arrays of vectors would stay in memory.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
pub unsafe fn second_order<T: Lanes, V: Vector<T>>(
    (v, fall): (&[T], &[T]),
    row: &[T],
    diagonal: &[T],
    v_i: T,
    k_ii: T,
) -> Option<usize> {
    let (n, n_vectors) = (v.len(), PAIR_LANES / V::LEN);
    let (fall, row, diagonal) = (&fall[..n], &row[..n], &diagonal[..n]);
    // SAFETY: as in `update_pair`.
    unsafe {
        let (v_i, k_ii) = (V::splat(v_i), V::splat(k_ii));
        let (zero, minus_two) = (V::splat(T::ZERO), V::splat(T::from_f64(-2.0)));
        let least = V::splat(T::from_f64(LEAST_CURVATURE));
        let mut max = [LaneMax::<V>::new(T::ZERO); MOST_VECTORS];
        let mut place = V::splat(T::ZERO);
        let chunk = V::splat(T::from_f64(PAIR_LANES as f64));
        for start in (0..n).step_by(PAIR_LANES) {
            for part in 0..n_vectors {
                let at = start + part * V::LEN;
                let low = V::load(v.as_ptr().add(at)).add(V::load(fall.as_ptr().add(at)));
                let b = v_i.sub(low).max(zero);
                let ends = k_ii.add(V::load(diagonal.as_ptr().add(at)));
                let a = minus_two.mul_add(V::load(row.as_ptr().add(at)), ends);
                max[part].update(b.mul(b).div(a.max(least)), place);
            }
            place = place.add(chunk);
        }
        let (gain, index) = best_of(&max[..n_vectors]);
        (gain > T::ZERO).then_some(index)
    }
}

/// Number of samples that form a violating pair with another one.
#[inline(always)]
pub unsafe fn count_violators<T: Lanes, V: Vector<T>>(
    v: &[T],
    (rise, fall): (&[T], &[T]),
    (max_up, min_low): (T, T),
) -> usize {
    let mut counts = [0u32; PAIR_LANES];
    for at in (0..v.len()).step_by(PAIR_LANES) {
        let (v, rise, fall) = (lanes(v, at), lanes(rise, at), lanes(fall, at));
        for l in 0..PAIR_LANES {
            let violates = (v[l] + rise[l] > min_low) | (v[l] + fall[l] < max_up);
            counts[l] += u32::from(violates);
        }
    }
    counts.iter().map(|&count| count as usize).sum()
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
