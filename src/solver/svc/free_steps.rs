//! Joint steps of all free coefficients: an active-set Newton method.
//!
//! With the bounded coefficients fixed, the optimum of the free ones F is the solution of a
//! system of linear equations:
//!
//! ```text
//! K_FF d + lambda = v_F,   sum d = 0
//! ```
//!
//! where `v` includes the cost epsilon of the side of a coefficient. If the sides have levels of
//! their own, each has its own lambda and its own sum.
//!
//! A step along `d` ends there, or at the first bound on the way. The coefficient that reaches
//! the bound is deleted from the factorization (O(f^2)), and the others continue. With a large C
//! and a small gamma this replaces tens of thousands of pair steps.

use super::local::Local;
use super::pair_steps::ROUNDING;
use super::side::{PerSide, Side};
use crate::Result;
use crate::memory::{allocation_error, checked_len};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::{factor, solve as ldlt_solve, update};
use faer::{Mat, Par};

/// The maximum number of free coefficients: the factor takes 8 bytes times its square.
const MAX_FREE: usize = 2048;

/// The purpose of the allocation, for error messages.
const FACTOR: &str = "the factor of the free samples";

/// The work of a joint step of `f` free coefficients, in the units of [`super::pair_steps::work`].
pub fn work(f: usize) -> f64 {
    if !(2..=MAX_FREE).contains(&f) {
        return f64::INFINITY;
    }
    let f = f as f64;
    3000.0 + 3.0 * f * f + 0.04 * f * f * f
}

/// The work of all steps after the first.
pub fn work_of_drops(n_steps: usize, f: usize) -> f64 {
    0.1 * n_steps.saturating_sub(1) as f64 * (f * f) as f64
}

/// Moves the free coefficients to their optimum, or to the bounds that they reach on the way.
/// Returns the number of steps; 0 if the objective did not improve and nothing changed.
pub fn solve<T: Lanes>(
    local: &mut Local<'_, T>,
    max_steps: usize,
    monitor: &Monitor,
) -> Result<usize> {
    local.sync();
    let free: Vec<usize> = (0..local.len())
        .filter(|&i| local.dual.is_free(i))
        .collect();
    for &i in &free {
        local.rows.ensure(i);
    }
    let sides: Vec<Side> = free.iter().map(|&i| group(local, i)).collect();
    let Some(factor) = Factor::new(local, &free, &sides)? else {
        return Ok(0);
    };
    let start = (local.dual.beta.clone(), local.dual.v.clone());
    let mut steps = FreeSteps {
        v: free.iter().map(|&i| local.dual.up_value(i)).collect(),
        free,
        sides,
        factor,
        n_steps: 0,
        is_complete: false,
    };
    while steps.free.len() >= 2 && steps.n_steps < max_steps && monitor.check().is_ok() {
        if !steps.step(local)? {
            break;
        }
    }
    if improved(local, &start) {
        steps.refine(local);
        return Ok(steps.n_steps);
    }
    // Rounding, or a matrix that is not positive definite.
    local.restore(&start.0, start.1);
    Ok(0)
}

/// Whether the objective is better than that of earlier coefficients, which belong to a `v`.
fn improved<T: Lanes>(local: &mut Local<'_, T>, (beta, v): &(Vec<f64>, Vec<f64>)) -> bool {
    local.sync();
    let dual = &local.dual;
    let gain = |i: usize| {
        let cost = 2.0 * dual.epsilon * (dual.beta[i].abs() - beta[i].abs());
        (dual.beta[i] - beta[i]) * (v[i] + dual.v[i]) - cost
    };
    (0..dual.len()).map(gain).sum::<f64>() > 0.0
}

/// The side whose sum and level a free coefficient shares; the same for all if there is only one.
fn group<T: Lanes>(local: &Local<'_, T>, i: usize) -> Side {
    match local.dual.is_apart() {
        true => local.dual.rising_side(i),
        false => Side::Positive,
    }
}

/// The curvature along a direction is at least this share of its slope.
const FLAT: f64 = 1e-9;

/// The largest correction of a complete step, relative to the largest coefficient.
const SMALL_CORRECTION: f64 = 1e-6;

/// The state between two joint steps.
struct FreeSteps {
    /// The set F, the groups of its coefficients and their `v`.
    free: Vec<usize>,
    sides: Vec<Side>,
    v: Vec<f64>,
    factor: Factor,
    n_steps: usize,
    /// Whether the last step ended at the optimum of F.
    is_complete: bool,
}

impl FreeSteps {
    /// Takes one step; returns whether there is another one.
    fn step<T: Lanes>(&mut self, local: &mut Local<'_, T>) -> Result<bool> {
        let Some((direction, levels)) = self.factor.direction(&self.v, &self.sides) else {
            return Ok(false);
        };
        self.n_steps += 1;
        let reached = self.search(local, direction, levels);
        self.is_complete = reached.is_empty();
        if !self.is_complete {
            self.remove(local, &reached)?;
        }
        Ok(!self.is_complete)
    }

    /// Moves the coefficients along the direction to the optimum, and returns the places of those
    /// that reach a bound on the way.
    ///
    /// These stay there, their share of the direction is divided among the others, so that it
    /// still sums to 0, and the search continues as long as the objective increases. Each such
    /// change takes O(f).
    fn search<T: Lanes>(
        &mut self,
        local: &mut Local<'_, T>,
        mut direction: Vec<f64>,
        levels: PerSide<f64>,
    ) -> Vec<usize> {
        let f = self.free.len();
        let jitter = self.factor.jitter;
        // By how much `v` decreases per unit of length, up to a constant: `K_FF direction`.
        let mut fall: Vec<f64> = (self.v.iter().zip(&direction).zip(&self.sides))
            .map(|((v, d), &side)| v - levels[side] - jitter * d)
            .collect();
        // `K_FF 1` of the coefficients of each side that still move, and their numbers.
        let mut sums = self.factor.sums.clone();
        let mut n_moving = PerSide::of(0);
        self.sides.iter().for_each(|&side| n_moving[side] += 1);
        let mut beta: Vec<f64> = self.free.iter().map(|&i| local.dual.beta[i]).collect();
        let mut is_reached = vec![false; f];
        let mut reached = Vec::new();
        while reached.len() + 2 <= f {
            let slope = dot(&self.v, &direction);
            if slope.is_nan() || slope <= 0.0 {
                break;
            }
            // Rounding errors hide the curvature of a direction in which the matrix is singular.
            let curvature = dot(&fall, &direction).max(FLAT * slope);
            let (length, blocked) = self.longest_step(local, &beta, &direction, slope / curvature);
            for place in 0..f {
                beta[place] += length * direction[place];
                self.v[place] -= length * fall[place];
            }
            let Some((place, bound)) = blocked else { break };
            beta[place] = bound;
            reached.push(place);
            is_reached[place] = true;
            let side = self.sides[place];
            n_moving[side] -= 1;
            if n_moving[side] == 0 {
                break;
            }
            let share = direction[place] / n_moving[side] as f64;
            let row = local.rows.row(self.free[place]);
            let sums = &mut sums[side];
            for (other, &i) in self.free.iter().enumerate() {
                let value = row[i].to_f64();
                sums[other] -= value;
                fall[other] += share * sums[other] - direction[place] * value;
            }
            for ((d, &is_reached), &own) in direction.iter_mut().zip(&is_reached).zip(&self.sides) {
                let share = if own == side { share } else { 0.0 };
                // The last one of a side cannot move: what rounding leaves of its direction would
                // change the sum.
                let is_fixed = is_reached || n_moving[own] == 1;
                *d = if is_fixed { 0.0 } else { *d + share };
            }
        }
        if local.dual.sums.is_some() {
            self.snap(local, &mut beta, &is_reached, &mut reached);
        }
        for (&i, &beta) in self.free.iter().zip(&beta) {
            local.set(i, beta);
        }
        reached.sort_unstable();
        reached
    }

    /// Moves coefficients that miss a bound by a rounding error there. Fixed sums are often multiples
    /// of the bounds; then the last two coefficients of a side reach theirs at once.
    fn snap<T: Lanes>(
        &self,
        local: &Local<'_, T>,
        beta: &mut [f64],
        is_reached: &[bool],
        reached: &mut Vec<usize>,
    ) {
        for (place, &i) in self
            .free
            .iter()
            .enumerate()
            .filter(|&(place, _)| !is_reached[place])
        {
            let (ceiling, floor) = (local.dual.ceiling(i), local.dual.floor(i));
            let near = ROUNDING * ceiling.abs().max(floor.abs());
            let is_near = |bound: &f64| (beta[place] - bound).abs() <= near;
            if let Some(bound) = [ceiling, floor].into_iter().find(is_near) {
                beta[place] = bound;
                reached.push(place);
            }
        }
    }

    /// The length of the step along a direction, at most `most`, and the place and bound that
    /// limit it.
    fn longest_step<T: Lanes>(
        &self,
        local: &Local<'_, T>,
        beta: &[f64],
        direction: &[f64],
        most: f64,
    ) -> (f64, Option<(usize, f64)>) {
        let dual = &local.dual;
        let (mut length, mut blocked) = (most, None);
        for (place, (&i, &d)) in self.free.iter().zip(direction).enumerate() {
            let bound = if d > 0.0 {
                dual.ceiling(i)
            } else {
                dual.floor(i)
            };
            let room = (bound - beta[place]) / d;
            if d != 0.0 && room < length {
                length = room;
                blocked = Some((place, bound));
            }
        }
        (length.max(0.0), blocked)
    }

    /// Corrects the errors of a complete step with the same factor (iterative refinement), so that
    /// the solution hardly depends on the order of steps.
    fn refine<T: Lanes>(&mut self, local: &mut Local<'_, T>) {
        let exact = if size_of::<T>() == 4 { 1e-7 } else { 1e-12 };
        let mut most = SMALL_CORRECTION;
        while self.is_complete && most > exact {
            let Some(size) = self.correct(local, most) else {
                return;
            };
            // A correction that is not much smaller than the one before it is a rounding error.
            most = size.min(0.1 * most);
        }
    }

    /// Corrects a complete step once, by at most a share of the largest coefficient. Returns by
    /// which share; `None` if the coefficients did not change.
    fn correct<T: Lanes>(&mut self, local: &mut Local<'_, T>, most: f64) -> Option<f64> {
        for (v, &i) in self.v.iter_mut().zip(&self.free) {
            *v = local.dual.up_value(i);
        }
        let (direction, _) = self.factor.direction(&self.v, &self.sides)?;
        let terms = self.free.iter().zip(&direction);
        let size =
            |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |a: f64, b| a.max(b.abs()));
        let largest = size(&mut self.free.iter().map(|&i| local.dual.beta[i]));
        let share = size(&mut direction.iter().copied()) / largest;
        // Larger corrections are rounding errors of a matrix that is nearly singular.
        if share.is_nan()
            || share > most
            || terms.clone().any(|(&i, &d)| excess(local, i, d) != 0.0)
        {
            return None;
        }
        terms.for_each(|(&i, d)| local.set(i, local.dual.beta[i] + d));
        local.sync();
        Some(share)
    }

    /// Removes some coefficients from F.
    fn remove<T: Lanes>(&mut self, local: &Local<'_, T>, places: &[usize]) -> Result<()> {
        let mut removed = Vec::with_capacity(places.len());
        let gone: Vec<Side> = places
            .iter()
            .rev()
            .map(|&place| self.sides[place])
            .collect();
        for &place in places.iter().rev() {
            removed.push(self.free.remove(place));
            self.v.remove(place);
            self.sides.remove(place);
        }
        if places.len() * REFACTOR_SHARE <= self.free.len() {
            let row = |&i: &usize| local.rows.row(i);
            let rows = removed.iter().map(row);
            self.factor.remove(places, &self.free, rows, &gone);
        } else if let Some(factor) = Factor::new(local, &self.free, &self.sides)? {
            self.factor = factor;
        } else {
            self.free.clear();
        }
        Ok(())
    }
}

/// If more than one in this many coefficients leave F, factorizing again is faster.
const REFACTOR_SHARE: usize = 6;

/// By how much a coefficient leaves its bounds if it changes by `d`; 0 if it does not.
fn excess<T: Lanes>(local: &Local<'_, T>, i: usize, d: f64) -> f64 {
    let dual = &local.dual;
    let beta = dual.beta[i] + d;
    beta - beta.clamp(dual.floor(i), dual.ceiling(i))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `K_FF + jitter = L D L'`.
struct Factor {
    matrix: Mat<f64>,
    len: usize,
    jitter: f64,
    /// `K_FF 1` of the coefficients of each side.
    sums: PerSide<Vec<f64>>,
    memory: MemBuffer,
}

impl Factor {
    /// `None` if the matrix is not positive definite.
    fn new<T: Lanes>(local: &Local<'_, T>, free: &[usize], sides: &[Side]) -> Result<Option<Self>> {
        let f = free.len();
        checked_len::<f64>(f, f, FACTOR)?;
        let largest = free
            .iter()
            .map(|&i| local.rows.diagonal()[i].to_f64())
            .fold(0.0, f64::max);
        // Rounded kernel values may lower an eigenvalue by this much.
        let jitter = largest * if size_of::<T>() == 4 { 1e-6 } else { 1e-12 };
        let mut matrix = Mat::zeros(f, f);
        let mut sums = PerSide([vec![0.0; f], vec![0.0; f]]);
        for (c, &j) in free.iter().enumerate() {
            let row = local.rows.row(j);
            let column = matrix.col_as_slice_mut(c);
            let mut own = PerSide::of(0.0);
            let totals = &mut sums[sides[c]][c..];
            for (k, (out, &i)) in column[c..].iter_mut().zip(&free[c..]).enumerate() {
                let value = row[i].to_f64();
                *out = value;
                totals[k] += value;
                own[sides[c + k]] += value;
            }
            // The diagonal is part of the sum, too.
            own[sides[c]] -= column[c];
            Side::BOTH
                .iter()
                .for_each(|&side| sums[side][c] += own[side]);
            column[c] += jitter;
        }
        let needed = factor::cholesky_in_place_scratch::<f64>(f, Par::Seq, Default::default());
        let needed = needed.or(update::delete_rows_and_cols_clobber_scratch::<f64>(f, 1));
        let needed = needed.or(ldlt_solve::solve_in_place_scratch::<f64>(f, 3, Par::Seq));
        let refused = |_| allocation_error::<f64>(f, f, FACTOR);
        let mut memory = MemBuffer::try_new(needed).map_err(refused)?;
        let factored = factor::cholesky_in_place(
            matrix.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        let is_definite = factored.is_ok() && (0..f).all(|i| matrix[(i, i)] > 0.5 * jitter);
        Ok(is_definite.then_some(Self {
            matrix,
            len: f,
            jitter,
            sums,
            memory,
        }))
    }

    /// The direction to the optimum, and the common value of `v` of each side there.
    fn direction(&mut self, v: &[f64], sides: &[Side]) -> Option<(Vec<f64>, PerSide<f64>)> {
        let f = self.len;
        let used = || {
            let has_members = |side: &Side| sides.contains(side);
            Side::BOTH.into_iter().filter(has_members)
        };
        let n_used = used().count();
        let first = used().next()?;
        // The right sides: v, and the indicators of the members of each side.
        let mut solved = Mat::from_fn(f, 1 + n_used, |i, column| match column {
            0 => v[i],
            1 => f64::from(sides[i] == first),
            _ => f64::from(sides[i] != first),
        });
        let factor = self.matrix.as_ref().submatrix(0, 0, f, f);
        ldlt_solve::solve_in_place(
            factor,
            factor.diagonal(),
            solved.as_mut(),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        let column = |number: usize| solved.col_as_slice(number);
        let sum = |column: &[f64], side: Side| -> f64 {
            let own = column.iter().zip(sides).filter(|(_, own)| **own == side);
            own.map(|(value, _)| value).sum()
        };
        let mut levels = PerSide::of(0.0);
        if n_used == 1 {
            levels[first] = column(0).iter().sum::<f64>() / column(1).iter().sum::<f64>();
        } else {
            // The sums of the direction over both sides are 0: two equations for the levels.
            let [one, other] = Side::BOTH;
            let (a, b) = (sum(column(1), one), sum(column(2), one));
            let (c, d) = (sum(column(1), other), sum(column(2), other));
            let (p, q) = (sum(column(0), one), sum(column(0), other));
            let determinant = a * d - b * c;
            levels = PerSide([(p * d - b * q) / determinant, (a * q - p * c) / determinant]);
        }
        let mut direction: Vec<f64> = column(0).to_vec();
        for (number, side) in used().enumerate() {
            for (d, of_ones) in direction.iter_mut().zip(column(1 + number)) {
                *d -= levels[side] * of_ones;
            }
        }
        // If the matrix is nearly singular, rounding leaves sums that are not 0.
        for side in used() {
            let mut own: Vec<&mut f64> = (direction.iter_mut().zip(sides))
                .filter_map(|(d, own)| (*own == side).then_some(d))
                .collect();
            let sum: f64 = own.iter().map(|d| **d).sum();
            let size: f64 = own.iter().map(|d| d.abs()).sum();
            if size > 0.0 {
                own.iter_mut().for_each(|d| **d -= sum / size * d.abs());
            }
        }
        let is_finite = levels.0.iter().chain(&direction).all(|d| d.is_finite());
        is_finite.then_some((direction, levels))
    }

    /// Deletes rows and columns with these kernel rows and sides; `free` contains the remaining
    /// samples.
    fn remove<'a, T: Lanes>(
        &mut self,
        places: &[usize],
        free: &[usize],
        rows: impl Iterator<Item = &'a [T]>,
        sides: &[Side],
    ) {
        for &place in places.iter().rev() {
            Side::BOTH.iter().for_each(|&side| {
                self.sums[side].remove(place);
            });
        }
        for (row, &side) in rows.zip(sides) {
            for (sum, &i) in self.sums[side].iter_mut().zip(free) {
                *sum -= row[i].to_f64();
            }
        }
        let f = self.len;
        self.len -= places.len();
        let needed = update::delete_rows_and_cols_clobber_scratch::<f64>(f, places.len());
        let mut memory = MemBuffer::new(needed);
        update::delete_rows_and_cols_clobber(
            self.matrix.as_mut().submatrix_mut(0, 0, f, f),
            &mut places.to_vec(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}
