//! MN-SVM: the L2 SVM as the minimal norm problem over a simplex (Strack, Kecman et al. 2013).
//!
//! `min alpha' Q alpha, sum alpha = 1, alpha >= 0`. With `g = Q alpha` and
//! `w2 = alpha' g`, a sample v violates the optimality conditions if
//! `g_v < w2 - eps sqrt(w2 tau)`, where tau is the smallest `Q_ii` of the samples examined so
//! far (with the RBF kernel all are equal). Its partner u has the largest g where alpha is
//! positive, and
//!
//! ```text
//! s = min(alpha_u, (g_u - g_v) / (Q_uu + Q_vv - 2 Q_uv));   alpha_v += s;   alpha_u -= s
//! ```
//!
//! eps decreases from 0.5 by halves to its final value; each phase ends when no sample violates.
//! The problem is stated in [`super::l2`]. The result is scaled by `1 / w2`, which makes it the
//! solution of `Q alpha = 1` where alpha is positive: the solution of NN-ISDA.
//!
//! The original algorithm draws samples at random, first the class and then the sample, and
//! takes the worst of them. Here a draw without a violator is followed by a pass over all
//! samples, so that both kinds of selection reach the same optimum.

use super::hyperparameters::{check_cs, check_max_iter};
use super::l2::{Extremes, L2};
use super::limit::Limit;
use super::path::{PathStart, along_path};
use super::{BinarySolver, Machine, Problem, Start, Status};
use crate::data::Random;
use crate::kernel::{BlockRows, SingleRows};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct MnSvmSettings {
    /// The values of the regularization parameter C, one for each classifier of the path.
    pub cs: Vec<f64>,
    /// The relative tolerance of the optimality conditions.
    pub eps: f64,
    /// How violators are selected.
    pub selection: Selection,
    /// The seed of the random draws.
    pub seed: u64,
    /// The maximum number of iterations of a binary problem; `None` for no limit.
    pub max_iter: Option<usize>,
}

/// How violators are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The worst of all samples.
    Worst,
    /// The worst of some samples drawn at random.
    Random,
}

impl Selection {
    /// Parses the name used in Python.
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

/// The number of samples in a random draw.
const N_DRAWS: usize = 600;

/// The first eps.
const FIRST_EPS: f64 = 0.5;

/// The relative error of `w2` above which it is recomputed.
const ROUNDING: f64 = 1e-9;

/// Iterations between two recomputations of `w2`.
const RECOMPUTE_INTERVAL: usize = 1000;

impl MnSvmSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(mut self) -> Result<MnSvm> {
        check_cs(&mut self.cs)?;
        if !(self.eps > 0.0 && self.eps < 1.0) {
            return Err(Error::parameter(
                "eps",
                self.eps,
                "it must be between 0 and 1",
            ));
        }
        check_max_iter(self.max_iter)?;
        Ok(MnSvm { settings: self })
    }
}

/// The method with checked hyperparameters.
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
        rows: &mut (impl SingleRows<T> + BlockRows<T>),
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let limit = Limit::new(self.settings.max_iter, parts.n_rows());
        along_path(&self.settings.cs, PathStart::Cold, |c| {
            let mut state = L2::new(problem, &parts, c)?;
            start(&mut state, problem, rows, monitor)?;
            let mut random = Random::new(self.settings.seed);
            let status = self.run(&mut state, problem, rows, limit, &mut random, monitor)?;
            let square = state.square();
            let factor = if square > 0.0 { 1.0 / square } else { 0.0 };
            Ok(state.machine(factor, status))
        })
    }
}

/// Puts all weight on the first sample, or distributes it like the starting point.
fn start<T: Lanes>(
    state: &mut L2,
    problem: &Problem<'_>,
    rows: &mut (impl SingleRows<T> + BlockRows<T>),
    monitor: &Monitor,
) -> Result<()> {
    if let Start::Terms(terms) = problem.start
        && state.start_from_normalized(terms, rows, monitor)?
    {
        return Ok(());
    }
    if let Some(first) = state.first_sample(problem.order) {
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
        rows: &mut (impl SingleRows<T> + BlockRows<T>),
        limit: Limit,
        random: &mut Random,
        monitor: &Monitor,
    ) -> Result<Status> {
        let mut eps = FIRST_EPS.max(self.settings.eps);
        let mut extremes = state.extremes();
        let mut square = state.square();
        // The smallest Q_ii so far: the bound is the same for all samples, so that the smallest g
        // is the worst violator.
        let mut tau = f64::INFINITY;
        loop {
            if square.is_nan() || square <= 0.0 {
                square = state.square(); // it may consist of rounding errors only
                if square.is_nan() || square <= 0.0 {
                    return Ok(Status::Stalled); // the kernel is not positive definite
                }
            }
            let v = self.select_violator(state, rows, extremes, (square, eps), &mut tau, random)?;
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
            let (g_u, u) = extremes.high;
            let g_v = state.g[v];
            rows.prefetch(&[u, v], monitor)?;
            let (row_u, q_vv) = (rows.resident_row(u), state.diagonal(v, k_vv));
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
                return Ok(Status::Stalled); // the step is below rounding
            }
            extremes = state.update([(u, alpha_u), (v, alpha_v)], rows, monitor)?;
            square += step * (2.0 * (g_v - g_u) + step * curvature);
            if state.n_iter().is_multiple_of(RECOMPUTE_INTERVAL) {
                square = state.square();
            }
        }
    }

    /// Selects a violator; returns it with its kernel value `K_vv`.
    fn select_violator<T: Lanes>(
        &self,
        state: &L2,
        rows: &mut (impl SingleRows<T> + BlockRows<T>),
        extremes: Extremes,
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
            && let Some(violator) = violates(drawn)?
        {
            return Ok(Some(violator));
        }
        violates(extremes.low.1)
    }
}

/// The sample with the smallest g among random draws, each of a random class.
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
    let sample = |class: usize, number: usize| {
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
    for _ in 0..N_DRAWS {
        let class = random.below(2);
        if sizes[class] == 0 {
            continue;
        }
        let i = sample(class, random.below(sizes[class]));
        if best.is_none_or(|b| state.g[i] < state.g[b]) {
            best = Some(i);
        }
    }
    best
}
