//! NN-ISDA: non-negative iterative single data algorithm for the L2 SVM (Kecman and Zigic 2014).
//!
//! Non-negative Gauss-Seidel on `Q alpha = 1`, the worst violator first:
//!
//! ```text
//! E_i = 1 - (Q alpha)_i;   alpha_i <- max(0, alpha_i + E_i / Q_ii)
//! ```
//!
//! until the largest violation (`|E_i|` where alpha is positive, `E_i` where it is 0) is
//! below tol. The problem is stated in [`super::l2`]. The classifiers of a path are trained from
//! scratch: warm starts save no iterations. Cost of an iteration: one kernel row and one pass
//! over all samples.

use super::hyperparameters::{check_cs, check_max_iter, check_positive};
use super::l2::{Extremes, L2};
use super::limit::Limit;
use super::path::{PathStart, along_path};
use super::{BinarySolver, Machine, Problem, Start, Status};
use crate::Result;
use crate::kernel::{BlockRows, SingleRows};
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NnIsdaSettings {
    /// The values of the regularization parameter C, one for each classifier of the path.
    pub cs: Vec<f64>,
    /// The tolerance of the KKT conditions.
    pub tol: f64,
    /// The maximum number of iterations of a binary problem; `None` for no limit.
    pub max_iter: Option<usize>,
}

impl NnIsdaSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(mut self) -> Result<NnIsda> {
        check_cs(&mut self.cs)?;
        check_positive("tol", self.tol)?;
        check_max_iter(self.max_iter)?;
        Ok(NnIsda { settings: self })
    }
}

/// The share of tol by which rounding may shift g before it is recomputed.
const MAX_DRIFT: f64 = 0.01;

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NnIsda {
    settings: NnIsdaSettings,
}

impl BinarySolver for NnIsda {
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
            if let Start::Terms(terms) = problem.start {
                // A starting point far from the solution would leave its rounding errors in g.
                state.start_from_normalized(terms, rows, monitor)?;
                state.rescale();
            }
            let status = self.run(&mut state, problem, rows, limit, monitor)?;
            Ok(state.machine(1.0, status))
        })
    }
}

impl NnIsda {
    fn run<T: Lanes>(
        &self,
        state: &mut L2,
        problem: &Problem<'_>,
        rows: &mut (impl SingleRows<T> + BlockRows<T>),
        limit: Limit,
        monitor: &Monitor,
    ) -> Result<Status> {
        let mut extremes = state.extremes();
        let mut is_recomputed = false;
        loop {
            let (violation, i) = worst_violator(extremes);
            if violation == f64::NEG_INFINITY {
                return Ok(Status::NonFinite); // all values are NaN
            }
            if violation < self.settings.tol {
                if !is_recomputed && state.drift() > MAX_DRIFT * self.settings.tol {
                    extremes = state.recompute_gradient(rows, monitor)?;
                    is_recomputed = true;
                    continue;
                }
                let tol = self.settings.tol;
                let is_exact = state.rounding(problem, tol, monitor)? <= tol;
                return Ok(if is_exact {
                    Status::Converged
                } else {
                    Status::Stalled
                });
            }
            if let Some(status) = limit.reached(state.n_iter(), monitor)? {
                return Ok(status);
            }
            let k_ii = rows.row(i)?.at(i).to_f64();
            let step = (1.0 - state.g[i]) / state.diagonal(i, k_ii);
            let alpha = (state.alpha[i] + step).max(0.0);
            if alpha.is_nan() || alpha.is_infinite() {
                return Ok(Status::NonFinite);
            }
            if alpha == state.alpha[i] {
                return Ok(Status::Stalled); // the step is below rounding
            }
            is_recomputed = false;
            extremes = state.update([(i, alpha)], rows, monitor)?;
        }
    }
}

/// The worst violator: its violation and its index.
fn worst_violator(extremes: Extremes) -> (f64, usize) {
    let (rise, fall) = (1.0 - extremes.low.0, extremes.high.0 - 1.0);
    if rise >= fall {
        (rise, extremes.low.1)
    } else {
        (fall, extremes.high.1)
    }
}
