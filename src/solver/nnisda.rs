//! NN-ISDA: non-negative iterative single data algorithm for the L2 SVM.
//!
//! Non-negative Gauss-Seidel on `Q alpha = 1`, the worst violator first:
//!
//! ```text
//! E_i = 1 - (Q alpha)_i;   alpha_i <- max(0, alpha_i + E_i / Q_ii)
//! ```
//!
//! until the largest violation (`|E_i|` where alpha is positive, `E_i` where it is 0) is
//! below tol. The problem is stated in [`super::l2`]. The machines of a path are trained one
//! by one: to start from the one before saves no steps. Cost: a kernel row and a pass over all
//! rows for each step.

use super::l2::{Extremes, L2};
use super::{BinarySolver, Limit, Machine, Problem, Start, Status, positive};
use crate::kernel::KernelRows;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct NnIsdaSettings {
    /// One machine for each.
    pub cs: Vec<f64>,
    /// The violation that is small enough.
    pub tol: f64,
    /// The most steps of a machine; `None` for no limit.
    pub max_iter: Option<usize>,
}

impl NnIsdaSettings {
    /// The only way to a [`NnIsda`].
    pub fn check(mut self) -> Result<NnIsda> {
        positive("C", &mut self.cs)?;
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            let rule = "it must be a finite positive number";
            return Err(Error::parameter("tol", self.tol, rule));
        }
        Limit::check(self.max_iter)?;
        Ok(NnIsda { settings: self })
    }
}

/// The share of tol by which rounding may have moved g before it is summed anew.
const SMALL: f64 = 0.01;

/// Checked settings: the method, ready to run.
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
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let limit = Limit::new(self.settings.max_iter, parts.n_rows());
        let mut train = |&c: &f64| {
            let mut state = L2::new(problem, &parts, c)?;
            if let Start::Terms(terms) = problem.start {
                // A far start would leave its rounding errors in g.
                state.start_from_shares(terms, rows, monitor)?;
                state.rescale();
            }
            let status = self.run(&mut state, problem, rows, limit, monitor)?;
            Ok(state.machine(1.0, status))
        };
        self.settings.cs.iter().map(&mut train).collect()
    }
}

impl NnIsda {
    fn run<T: Lanes>(
        &self,
        state: &mut L2,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        limit: Limit,
        monitor: &Monitor,
    ) -> Result<Status> {
        let mut found = state.extremes();
        let mut is_fresh = false;
        loop {
            let (violation, i) = worst(found);
            if violation == f64::NEG_INFINITY {
                return Ok(Status::NonFinite); // no number is left
            }
            if violation < self.settings.tol {
                if !is_fresh && state.drift() > SMALL * self.settings.tol {
                    found = state.refresh(rows, monitor)?;
                    is_fresh = true;
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
                return Ok(Status::Stalled); // lost in rounding
            }
            is_fresh = false;
            found = state.change([(i, alpha)], rows, monitor)?;
        }
    }
}

/// The largest violation, and its row.
fn worst(found: Extremes) -> (f64, usize) {
    let (rise, fall) = (1.0 - found.low.0, found.high.0 - 1.0);
    if rise >= fall {
        (rise, found.low.1)
    } else {
        (fall, found.high.1)
    }
}
