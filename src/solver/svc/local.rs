//! The subproblem of a working set, with its dense kernel matrix: the problem of the inner
//! solver.

use super::dual::Dual;
use super::local_rows::LocalRows;
use super::side::{PerSide, Side};
use super::{free_steps, pair_steps};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};

/// When the inner solver stops.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The tolerance of the KKT conditions.
    pub tol: f64,
    /// The maximum number of steps.
    pub max_steps: usize,
    /// Whether to stop as soon as most samples can no longer move, so that a smaller working set
    /// is faster.
    pub may_shrink: bool,
    /// Signals an interrupt; the caller has to check for it again.
    pub monitor: &'a Monitor,
}

/// The least number of steps between two counts of the samples that can still move.
const LEAST_TO_COUNT: usize = 192;

/// The free coefficients are stable if no more than the remaining share of them became bounded
/// since the last time.
const STABLE_SHARE: f64 = 0.9;

/// The state of the inner solver.
///
/// Pair steps update a copy of `v` in the type of the kernel values, relative to the level of the
/// side of a coefficient (its `home`): what f32 rounds there is a tiny share of the violation.
/// `dual.v` belongs to the coefficients `synced`.
///
/// `rise` and `fall` are the penalties of [`simd::update_pair`]: 0 where a coefficient may move on
/// its home side, the difference of the levels where it may move on the other side, and infinite
/// where it may not move. If the sides have levels of their own, each side has its penalties.
/// Arrays are padded to whole lanes with coefficients that are fixed.
pub struct Local<'a, T: Send + 'static> {
    pub rows: LocalRows<'a, T>,
    pub dual: Dual,
    synced: Vec<f64>,
    pub v: Vec<T>,
    /// The penalties of both sides together, or of each side.
    pub penalties: Vec<Penalties<T>>,
    home: Vec<Side>,
    levels: PerSide<f64>,
    pub n_free: usize,
    first_moves: Option<FirstMoves<'a>>,
}

/// What is added to `v` before moves are compared.
pub struct Penalties<T> {
    pub rise: Vec<T>,
    pub fall: Vec<T>,
}

impl<T> Penalties<T> {
    /// Both arrays, as the loops take them.
    pub fn slices(&self) -> (&[T], &[T]) {
        (&self.rise, &self.fall)
    }
}

/// Tells which samples move for the first time.
struct FirstMoves<'a> {
    has_moved: Vec<bool>,
    note: &'a dyn Fn(usize),
}

impl<'a, T: Lanes> Local<'a, T> {
    /// The subproblem with the coefficients and gradient of `dual`.
    pub fn new(rows: LocalRows<'a, T>, dual: Dual) -> Self {
        let stride = rows.stride();
        let mut local = Self {
            rows,
            synced: dual.beta.clone(),
            v: vec![T::ZERO; stride],
            penalties: (0..1 + usize::from(dual.is_apart()))
                .map(|_| Penalties {
                    rise: vec![-T::INFINITY; stride],
                    fall: vec![T::INFINITY; stride],
                })
                .collect(),
            home: vec![Side::Positive; dual.len()],
            levels: PerSide::of(0.0),
            n_free: 0,
            first_moves: None,
            dual,
        };
        local.n_free = local.dual.n_free();
        local.center();
        local
    }

    /// Calls `note` with each sample that moves for the first time from now on.
    pub fn note_first_moves(&mut self, note: &'a dyn Fn(usize)) {
        let has_moved = vec![false; self.len()];
        self.first_moves = Some(FirstMoves { has_moved, note });
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.dual.len()
    }

    /// Sets coefficient `i`. Does not update `v`.
    pub fn set(&mut self, i: usize, beta: f64) {
        if let Some(moves) = &mut self.first_moves
            && !moves.has_moved[i]
            && beta != self.dual.beta[i]
        {
            moves.has_moved[i] = true;
            (moves.note)(i);
        }
        self.n_free -= usize::from(self.dual.is_free(i));
        self.dual.beta[i] = beta;
        self.n_free += usize::from(self.dual.is_free(i));
        self.update_penalties(i);
    }

    fn update_penalties(&mut self, i: usize) {
        let (dual, home) = (&self.dual, self.levels[self.home[i]]);
        let (up, low) = (dual.rising_side(i), dual.falling_side(i));
        let rise = match dual.may_rise(i) {
            true => T::from_f64(home - self.levels[up]),
            false => -T::INFINITY,
        };
        let fall = match dual.may_fall(i) {
            true => T::from_f64(home - self.levels[low]),
            false => T::INFINITY,
        };
        if let [one, other] = &mut self.penalties[..] {
            let of = |is_own: bool, own: T, none: T| if is_own { own } else { none };
            one.rise[i] = of(up == Side::Positive, rise, -T::INFINITY);
            other.rise[i] = of(up == Side::Negative, rise, -T::INFINITY);
            one.fall[i] = of(low == Side::Positive, fall, T::INFINITY);
            other.fall[i] = of(low == Side::Negative, fall, T::INFINITY);
        } else {
            (self.penalties[0].rise[i], self.penalties[0].fall[i]) = (rise, fall);
        }
    }

    /// Sets `v` and the penalties from `dual`.
    fn center(&mut self) {
        let dual = &self.dual;
        let middle = PerSide(dual.violation().0.map(|extremes| extremes.middle()));
        let offset = if dual.is_apart() { 0.0 } else { dual.epsilon };
        self.levels = PerSide(Side::BOTH.map(|side| middle[side] + side.sign() * offset));
        let center = 0.5 * (self.levels[Side::Positive] + self.levels[Side::Negative]);
        for i in 0..self.len() {
            let (beta, exact) = (self.dual.beta[i], self.dual.v[i]);
            let home = Side::negative_if(beta < 0.0 || (beta == 0.0 && exact < center));
            self.home[i] = home;
            self.v[i] = T::from_f64(exact - self.levels[home]);
            self.update_penalties(i);
        }
    }

    /// Updates `dual.v` to the coefficients, in f64, and `v` with it. Returns what has changed.
    pub fn sync(&mut self) -> Vec<(usize, f64)> {
        let moved = |i: &usize| self.dual.beta[*i] != self.synced[*i];
        let changes: Vec<(usize, f64)> = (0..self.len())
            .filter(moved)
            .map(|i| (i, self.dual.beta[i] - self.synced[i]))
            .collect();
        let m = self.len();
        for &(i, _) in &changes {
            self.rows.ensure(i);
        }
        let row = |i: usize| &self.rows.row(i)[..m];
        let terms = changes.iter().map(|&(i, change)| (-change, row(i)));
        simd::add_rows(&mut self.dual.v, terms);
        self.synced.copy_from_slice(&self.dual.beta);
        self.center();
        changes
    }

    /// Sets all coefficients.
    pub fn set_all(&mut self, beta: &[f64]) {
        for (i, &beta) in beta.iter().enumerate() {
            self.set(i, beta);
        }
    }

    /// Returns to earlier coefficients and their `dual.v`.
    pub fn restore(&mut self, beta: &[f64], v: Vec<f64>) {
        self.set_all(beta);
        self.synced.copy_from_slice(beta);
        self.dual.v = v;
        self.center();
    }

    /// Takes steps until the KKT conditions hold up to the tolerance, no step makes progress, or
    /// a limit is reached. Returns the number of steps.
    ///
    /// Pair steps identify the free coefficients, but converge slowly if many of them are
    /// correlated. A joint step of all free coefficients then costs as much as many pair steps
    /// and solves for them at once. It is tried whenever the work spent on pair steps equals its
    /// own cost, so that it at most doubles the total, unless pair steps still fix many
    /// coefficients at their bounds, which they do at a lower cost.
    pub fn solve(&mut self, limits: Limits<'_>) -> Result<usize> {
        let m = self.len();
        let mut pairs = pair_steps::Pairs::default();
        let (mut steps, mut work, mut patience) = (0, 0.0, 1.0);
        let mut last_free = self.n_free;
        let mut next_count = m.max(LEAST_TO_COUNT);
        while steps < limits.max_steps && pairs.step(self, limits.tol) {
            steps += 1;
            work += pair_steps::work(m);
            if work > patience * free_steps::work(self.n_free) {
                let n_free = self.n_free;
                let is_stable = n_free as f64 > STABLE_SHARE * last_free as f64;
                (work, last_free) = (0.0, n_free);
                if is_stable {
                    let left = limits.max_steps - steps;
                    let taken = free_steps::solve(self, left, limits.monitor)?;
                    pairs = pair_steps::Pairs::default();
                    patience = if taken == 0 { 2.0 * patience } else { 1.0 };
                    steps += taken;
                    // Joint steps that ended at a bound count as work done in advance.
                    work = -free_steps::work_of_drops(taken, n_free);
                }
            }
            if limits.may_shrink && steps >= next_count {
                if pairs.n_violators(self) < m / 2 {
                    break;
                }
                next_count = steps + m;
            }
        }
        Ok(steps)
    }

    /// The subproblem with its new coefficients.
    pub fn finish(self) -> Dual {
        self.dual
    }

    /// The subproblem with its new coefficients and gradient.
    pub fn finish_with_gradient(mut self) -> Dual {
        self.sync();
        self.dual
    }
}
