//! MN-SVM: the L2 SVM as the point of smallest norm in a simplex.
//!
//! `min alpha' Q alpha, sum alpha = 1, alpha >= 0`. With `g = Q alpha` and
//! `w2 = alpha' g`, a row v violates when `g_v < w2 - eps sqrt(w2 tau)`, where tau is the
//! smallest `Q_ii` of the rows looked at (they are all equal with the RBF). Its partner u has
//! the largest g where alpha is positive, and
//!
//! ```text
//! s = min(alpha_u, (g_u - g_v) / (Q_uu + Q_vv - 2 Q_uv));   alpha_v += s;   alpha_u -= s
//! ```
//!
//! eps goes 0.5, 0.25, … down to its final value; each phase ends when no row violates. The
//! problem is stated in [`super::l2`]; the result is scaled by `1 / w2`, which makes it the
//! solution of `Q alpha = 1` where alpha is positive: that of NN-ISDA.
//!
//! The original draws rows at random, first the class and then the row, and takes the worst
//! of them. Here a draw without a violator is followed by a look at all rows, so that both
//! ways end at the same optimum.

use super::l2::{Extremes, L2};
use super::{BinarySolver, Limit, Machine, Problem, Start, Status, positive};
use crate::data::Random;
use crate::kernel::KernelRows;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct MnSvmSettings {
    /// One machine for each.
    pub cs: Vec<f64>,
    /// The relative violation that is small enough at the end.
    pub eps: f64,
    /// How violators are found.
    pub selection: Selection,
    /// Of the draws.
    pub seed: u64,
    /// The most steps of a machine; `None` for no limit.
    pub max_iter: Option<usize>,
}

/// How violators are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The worst of all rows.
    Worst,
    /// The worst of some rows drawn at random.
    Random,
}

impl Selection {
    /// From its name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "worst" => Ok(Selection::Worst),
            "random" => Ok(Selection::Random),
            _ => {
                let rule = "it must be 'worst' or 'random'";
                Err(Error::parameter("selection", name, rule))
            }
        }
    }
}

/// Rows drawn at a time.
const DRAWS: usize = 600;

/// The first eps.
const FIRST_EPS: f64 = 0.5;

/// What `w2` may be off before it is summed anew.
const ROUNDING: f64 = 1e-9;

/// Steps after which `w2` is summed anew.
const STEPS_TO_SUM: usize = 1000;

impl MnSvmSettings {
    /// The only way to a [`MnSvm`].
    pub fn check(mut self) -> Result<MnSvm> {
        positive("C", &mut self.cs)?;
        if !(self.eps > 0.0 && self.eps < 1.0) {
            return Err(Error::parameter(
                "eps",
                self.eps,
                "it must be between 0 and 1",
            ));
        }
        Limit::check(self.max_iter)?;
        Ok(MnSvm { settings: self })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct MnSvm {
    settings: MnSvmSettings,
}

impl BinarySolver for MnSvm {
    fn path_len(&self) -> usize {
        self.settings.cs.len()
    }

    fn uses_rows_once(&self) -> bool {
        false
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let limit = Limit::new(self.settings.max_iter, parts.n_rows());
        let mut train = |&c: &f64| {
            let mut state = L2::new(problem, &parts, c)?;
            start(&mut state, problem, rows, monitor)?;
            let mut random = Random::new(self.settings.seed);
            let status = self.run(&mut state, problem, rows, limit, &mut random, monitor)?;
            let square = state.square();
            let factor = if square > 0.0 { 1.0 / square } else { 0.0 };
            Ok(state.machine(factor, status))
        };
        self.settings.cs.iter().map(&mut train).collect()
    }
}

/// Puts all weight on the first row, or spreads it as the start says.
fn start<T: Lanes>(
    state: &mut L2,
    problem: &Problem<'_>,
    rows: &mut impl KernelRows<T>,
    monitor: &Monitor,
) -> Result<()> {
    if let Start::Terms(terms) = problem.start
        && state.start_from_shares(terms, rows, monitor)?
    {
        return Ok(());
    }
    if let Some(first) = state.first_row(problem.order) {
        let row = state.parts.global(first) as u32;
        state.start_from(&[(row, state.sign(first))], rows, monitor)?;
    }
    Ok(())
}

impl MnSvm {
    fn run<T: Lanes>(
        &self,
        state: &mut L2,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        limit: Limit,
        random: &mut Random,
        monitor: &Monitor,
    ) -> Result<Status> {
        let mut eps = FIRST_EPS.max(self.settings.eps);
        let mut found = state.extremes();
        let mut square = state.square();
        // The smallest Q_ii seen: one bound for all rows, so that the smallest g decides.
        let mut tau = f64::INFINITY;
        loop {
            if square.is_nan() || square <= 0.0 {
                square = state.square(); // what was summed step by step may be all rounding
                if square.is_nan() || square <= 0.0 {
                    return Ok(Status::Stalled); // the kernel is not positive definite
                }
            }
            let v = self.violator(state, rows, found, (square, eps), &mut tau, random)?;
            let Some((v, k_vv)) = v else {
                let exact = state.square();
                if (exact - square).abs() > ROUNDING * exact.abs() {
                    square = exact;
                    continue;
                }
                if eps <= self.settings.eps {
                    let tol = eps * square.sqrt() * tau.sqrt();
                    let is_exact = state.rounding(problem, tol, monitor)? <= tol;
                    return Ok(if is_exact {
                        Status::Converged
                    } else {
                        Status::Stalled
                    });
                }
                eps = (0.5 * eps).max(self.settings.eps);
                continue;
            };
            if let Some(status) = limit.reached(state.n_iter(), monitor)? {
                return Ok(status);
            }
            let (g_u, u) = found.high;
            let g_v = state.g[v];
            rows.prepare(&[u, v], monitor)?;
            let (row_u, q_vv) = (rows.prepared(u), state.diagonal(v, k_vv));
            let q_uu = state.diagonal(u, row_u.at(u).to_f64());
            tau = tau.min(q_uu);
            let q_uv = state.sign(u) * state.sign(v) * (row_u.at(v).to_f64() + 1.0);
            let curvature = q_uu + q_vv - 2.0 * q_uv;
            let step = ((g_u - g_v) / curvature).min(state.alpha[u]);
            if !square.is_finite() || step.is_nan() {
                return Ok(Status::NonFinite);
            }
            let (alpha_u, alpha_v) = (state.alpha[u] - step, state.alpha[v] + step);
            if step <= 0.0 || alpha_v == state.alpha[v] {
                return Ok(Status::Stalled); // lost in rounding
            }
            found = state.change([(u, alpha_u), (v, alpha_v)], rows, monitor)?;
            square += step * (2.0 * (g_v - g_u) + step * curvature);
            if state.n_iter().is_multiple_of(STEPS_TO_SUM) {
                square = state.square();
            }
        }
    }

    /// A row that violates, and its kernel value with itself.
    fn violator<T: Lanes>(
        &self,
        state: &L2,
        rows: &mut impl KernelRows<T>,
        found: Extremes,
        (square, eps): (f64, f64),
        tau: &mut f64,
        random: &mut Random,
    ) -> Result<Option<(usize, f64)>> {
        let mut violates = |v: usize| -> Result<Option<(usize, f64)>> {
            if state.g[v] >= square {
                return Ok(None);
            }
            let k_vv = rows.row(v)?.at(v).to_f64();
            *tau = tau.min(state.diagonal(v, k_vv));
            let most = square - eps * square.sqrt() * tau.sqrt();
            Ok((state.g[v] < most).then_some((v, k_vv)))
        };
        if self.settings.selection == Selection::Random
            && let Some(drawn) = draw(state, random)
            && let Some(found) = violates(drawn)?
        {
            return Ok(Some(found));
        }
        violates(found.low.1)
    }
}

/// The row with the smallest g among some, drawn class by class.
fn draw(state: &L2, random: &mut Random) -> Option<usize> {
    let classes: Vec<_> = [1.0, -1.0]
        .map(|sign| {
            let of_class = state.parts.iter().map(|part| part.local.clone());
            let of_class = of_class.filter(|local| !local.is_empty());
            of_class
                .filter(|local| state.sign(local.start) == sign)
                .collect::<Vec<_>>()
        })
        .to_vec();
    let sizes: Vec<usize> = classes
        .iter()
        .map(|ranges| ranges.iter().map(ExactSizeIterator::len).sum())
        .collect();
    let row = |class: usize, number: usize| {
        let mut left = number;
        for range in &classes[class] {
            if left < range.len() {
                return range.start + left;
            }
            left -= range.len();
        }
        0
    };
    let mut best: Option<usize> = None;
    for _ in 0..DRAWS {
        let class = random.below(2);
        if sizes[class] == 0 {
            continue;
        }
        let i = row(class, random.below(sizes[class]));
        if best.is_none_or(|b| state.g[i] < state.g[b]) {
            best = Some(i);
        }
    }
    best
}
