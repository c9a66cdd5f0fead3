//! The loops, written once over a vector type.
//!
//! Each of them is `#[inline(always)]` and instantiated by `dispatch!` inside of a function that
//! enables the instructions of its vectors. That is the contract of every `unsafe fn` here; the
//! callers in `mod.rs` assert the lengths.

use super::vector::{Lanes, Vector, WIDEST};
use super::{Smallest, panel_width};

/// One step of a sum over features: `sum + a b`, or `sum + (a - b)^2`.
trait Step {
    unsafe fn step<T, V: Vector<T>>(a: V, b: V, sum: V) -> V;
}

struct Dot;
struct SquaredDistance;

impl Step for Dot {
    #[inline(always)]
    unsafe fn step<T, V: Vector<T>>(a: V, b: V, sum: V) -> V {
        // SAFETY: the contract of this file.
        unsafe { a.mul_add(b, sum) }
    }
}

impl Step for SquaredDistance {
    #[inline(always)]
    unsafe fn step<T, V: Vector<T>>(a: V, b: V, sum: V) -> V {
        // SAFETY: the contract of this file.
        unsafe {
            let difference = a.sub(b);
            difference.mul_add(difference, sum)
        }
    }
}

/// Loads a slice of at most `V::LEN` elements, padded with `pad`.
#[inline(always)]
unsafe fn load_end<T: Lanes, V: Vector<T>>(from: &[T], pad: T) -> V {
    // SAFETY: the pointer is valid for the length of the slice.
    unsafe { V::load_part(from.as_ptr(), from.len(), pad) }
}

#[inline(always)]
unsafe fn store_end<T: Lanes, V: Vector<T>>(v: V, to: &mut [T]) {
    // SAFETY: the pointer is valid for the length of the slice.
    unsafe { v.store_part(to.as_mut_ptr(), to.len()) }
}

/// Reduces all lanes to one number, by halves.
#[inline(always)]
unsafe fn fold<T: Lanes, V: Vector<T>>(v: V, f: impl Fn(T, T) -> T) -> T {
    let mut lanes = [T::ZERO; WIDEST];
    // SAFETY: the buffer is as long as the widest vector.
    unsafe { v.store(lanes.as_mut_ptr()) };
    let mut half = V::LEN / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = f(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

#[inline(always)]
unsafe fn sum_of_steps<T: Lanes, V: Vector<T>, S: Step>(a: &[T], b: &[T]) -> T {
    // SAFETY: loads stay inside of the chunks; otherwise the contract of this file.
    unsafe {
        let mut sums = [V::splat(T::ZERO); 4];
        let long = a.len() - a.len() % (4 * V::LEN);
        for at in (0..long).step_by(4 * V::LEN) {
            for (k, sum) in sums.iter_mut().enumerate() {
                let x = V::load(a.as_ptr().add(at + k * V::LEN));
                let z = V::load(b.as_ptr().add(at + k * V::LEN));
                *sum = S::step(x, z, *sum);
            }
        }
        for (x, z) in a[long..].chunks(V::LEN).zip(b[long..].chunks(V::LEN)) {
            sums[0] = S::step(load_end(x, T::ZERO), load_end(z, T::ZERO), sums[0]);
        }
        let sum: V = sums[0].add(sums[1]).add(sums[2].add(sums[3]));
        fold::<T, V>(sum, |a, b| a + b)
    }
}

#[inline(always)]
pub unsafe fn dot<T: Lanes, V: Vector<T>>(a: &[T], b: &[T]) -> T {
    // SAFETY: the contract of this file.
    unsafe { sum_of_steps::<T, V, Dot>(a, b) }
}

#[inline(always)]
pub unsafe fn squared_distance<T: Lanes, V: Vector<T>>(a: &[T], b: &[T]) -> T {
    // SAFETY: the contract of this file.
    unsafe { sum_of_steps::<T, V, SquaredDistance>(a, b) }
}

#[inline(always)]
unsafe fn exp<T: Lanes, V: Vector<T>>(x: V) -> V {
    let c = T::EXP;
    // SAFETY: the contract of this file. Results below the smallest normal number are set to 0,
    // and do not occur in intermediate sums, because subnormal numbers are very slow.
    unsafe {
        let low = V::splat(c.low);
        let clamped = x.max(low).min(V::splat(c.high));
        let round = V::splat(c.round);
        let n = clamped.mul_add(V::splat(c.log2_e), round).sub(round);
        let r = n.mul_add(V::splat(-c.ln_2.0), clamped);
        let r = n.mul_add(V::splat(-c.ln_2.1), r);
        let mut sum = V::splat(c.taylor[0]);
        for &coefficient in &c.taylor[1..] {
            sum = sum.mul_add(r, V::splat(coefficient));
        }
        sum.mul(n.pow2()).zero_below(x, low)
    }
}

#[inline(always)]
pub unsafe fn exp_scaled<T: Lanes, V: Vector<T>>(x: &mut [T], scale: T) {
    // SAFETY: loads and stores stay inside of the chunks; otherwise the contract of this file.
    unsafe {
        let factor = V::splat(scale);
        let mut chunks = x.chunks_exact_mut(V::LEN);
        for chunk in &mut chunks {
            let at = chunk.as_mut_ptr();
            exp::<T, V>(V::load(at).mul(factor)).store(at);
        }
        let end = chunks.into_remainder();
        let v: V = load_end(end, T::ZERO);
        store_end(exp::<T, V>(v.mul(factor)), end);
    }
}

#[inline(always)]
pub unsafe fn exp_scaled_into<T: Lanes, V: Vector<T>>(x: &[T], scale: T, out: &mut [T]) {
    // SAFETY: loads and stores stay inside of the chunks; otherwise the contract of this file.
    unsafe {
        let factor = V::splat(scale);
        let whole = x.len() - x.len() % V::LEN;
        for at in (0..whole).step_by(V::LEN) {
            let v = V::load(x.as_ptr().add(at)).mul(factor);
            exp::<T, V>(v).store(out.as_mut_ptr().add(at));
        }
        let v: V = load_end(&x[whole..], T::ZERO);
        store_end(exp::<T, V>(v.mul(factor)), &mut out[whole..]);
    }
}

/// Number of elements between two comparisons with the smallest value so far.
const LOOK: usize = 512;

#[inline(always)]
pub unsafe fn axpy_argmin<T: Lanes, V: Vector<T>>(v: &mut [T], a: T, k: &[T]) -> Smallest<T> {
    let mut best = Smallest {
        value: T::INFINITY,
        index: 0,
    };
    let mut best_look = None;
    for (look, (v, k)) in v.chunks_mut(LOOK).zip(k.chunks(LOOK)).enumerate() {
        // SAFETY: the contract of this file.
        let least = unsafe { axpy_min::<T, V>(v, a, k) };
        if least < best.value {
            best.value = least;
            best_look = Some(look);
        }
    }
    if let Some(look) = best_look {
        // SAFETY: the contract of this file.
        let place = unsafe { first_place::<T, V>(&v[look * LOOK..], best.value) };
        best.index = look * LOOK + place;
    }
    best
}

/// The first index of `value`, which must occur and be finite.
#[inline(always)]
unsafe fn first_place<T: Lanes, V: Vector<T>>(v: &[T], value: T) -> usize {
    // SAFETY: the contract of this file.
    unsafe {
        let wanted = V::splat(value);
        let whole = v.len() - v.len() % V::LEN;
        for at in (0..whole).step_by(V::LEN) {
            let equal = V::load(v.as_ptr().add(at)).equal(wanted);
            if equal != 0 {
                return at + equal.trailing_zeros() as usize;
            }
        }
        let end: V = load_end(&v[whole..], T::INFINITY);
        whole + end.equal(wanted).trailing_zeros() as usize
    }
}

/// `v <- v + a k`; the smallest element.
#[inline(always)]
unsafe fn axpy_min<T: Lanes, V: Vector<T>>(v: &mut [T], a: T, k: &[T]) -> T {
    // SAFETY: loads and stores stay inside of the chunks; otherwise the contract of this file.
    unsafe {
        let factor = V::splat(a);
        let update = |v: V, k: V| k.mul_add(factor, v);
        let mut least = [V::splat(T::INFINITY); 4];
        let long = v.len() - v.len() % (4 * V::LEN);
        for at in (0..long).step_by(4 * V::LEN) {
            for (j, least) in least.iter_mut().enumerate() {
                let to = v.as_mut_ptr().add(at + j * V::LEN);
                let new = update(V::load(to), V::load(k.as_ptr().add(at + j * V::LEN)));
                new.store(to);
                *least = least.min(new);
            }
        }
        for (end, k) in v[long..].chunks_mut(V::LEN).zip(k[long..].chunks(V::LEN)) {
            let new = update(load_end(end, T::INFINITY), load_end(k, T::ZERO));
            store_end(new, end);
            least[0] = least[0].min(new);
        }
        let least = least[0].min(least[1]).min(least[2].min(least[3]));
        fold::<T, V>(least, |a, b| if b < a { b } else { a })
    }
}

/// A tile of `M` queries by `N` vectors of one panel, kept in registers over all features.
#[inline(always)]
unsafe fn tile<T: Lanes, V: Vector<T>, S: Step, const M: usize, const N: usize>(
    panel: *const T,
    d: usize,
    queries: *const T,
    out: *mut T,
    stride: usize,
) {
    // SAFETY: `panel` has `d` features of a panel width each, `queries` has `M` rows of `d`
    // values, and `out` has `M` rows, `stride` apart, of at least `N` vectors.
    unsafe {
        let mut sums = [[V::splat(T::ZERO); N]; M];
        for f in 0..d {
            let lanes = panel.add(f * panel_width::<T>());
            let rows: [V; N] = std::array::from_fn(|c| V::load(lanes.add(c * V::LEN)));
            for (q, sums) in sums.iter_mut().enumerate() {
                let x = V::splat(*queries.add(q * d + f));
                for c in 0..N {
                    sums[c] = S::step(x, rows[c], sums[c]);
                }
            }
        }
        for (q, sums) in sums.into_iter().enumerate() {
            for (c, sum) in sums.into_iter().enumerate() {
                sum.store(out.add(q * stride + c * V::LEN));
            }
        }
    }
}

/// Computes all tiles of all panels, with `N` vectors per tile.
#[inline(always)]
unsafe fn tiles<T: Lanes, V: Vector<T>, S: Step, const N: usize>(
    panels: &[T],
    d: usize,
    queries: &[T],
    out: &mut [T],
    stride: usize,
) {
    let width = panel_width::<T>();
    let m = queries.len() / d;
    for (p, panel) in panels.chunks_exact(width * d).enumerate() {
        for c in (0..width).step_by(N * V::LEN) {
            let mut q = 0;
            while q < m {
                // SAFETY: `mod.rs` asserts that `out` includes the last query of the last panel.
                unsafe {
                    let panel = panel.as_ptr().add(c);
                    let query = queries.as_ptr().add(q * d);
                    let out = out.as_mut_ptr().add(q * stride + p * width + c);
                    match m - q {
                        6.. => tile::<T, V, S, 6, N>(panel, d, query, out, stride),
                        3.. => tile::<T, V, S, 3, N>(panel, d, query, out, stride),
                        _ => tile::<T, V, S, 1, N>(panel, d, query, out, stride),
                    }
                }
                q += match m - q {
                    6.. => 6,
                    3.. => 3,
                    _ => 1,
                };
            }
        }
    }
}

#[inline(always)]
unsafe fn products<T: Lanes, V: Vector<T>, S: Step>(
    panels: &[T],
    d: usize,
    queries: &[T],
    out: &mut [T],
    stride: usize,
) {
    // SAFETY: the contract of this file.
    unsafe {
        match V::TILE {
            4 => tiles::<T, V, S, 4>(panels, d, queries, out, stride),
            _ => tiles::<T, V, S, 2>(panels, d, queries, out, stride),
        }
    }
}

#[inline(always)]
pub unsafe fn panel_dots<T: Lanes, V: Vector<T>>(
    panels: &[T],
    d: usize,
    queries: &[T],
    out: &mut [T],
    stride: usize,
) {
    // SAFETY: the contract of this file.
    unsafe { products::<T, V, Dot>(panels, d, queries, out, stride) }
}

#[inline(always)]
pub unsafe fn panel_distances<T: Lanes, V: Vector<T>>(
    panels: &[T],
    d: usize,
    queries: &[T],
    out: &mut [T],
    stride: usize,
) {
    // SAFETY: the contract of this file.
    unsafe { products::<T, V, SquaredDistance>(panels, d, queries, out, stride) }
}
