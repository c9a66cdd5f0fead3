//! Iterative refinement: removes the effect of rounded kernel values.
//!
//! The solver computes `v` from rounded kernel values and stops when the violation of this `v` is
//! small. If rounding may have shifted `v` by more than `tol`, it is recomputed from kernel
//! values in f64, and the solver continues from there with rounded values. Its steps become
//! smaller each time, and so do their rounding errors.

use super::dual::Dual;
use crate::Result;
use crate::kernel::{ExactSums, Parts, Threading};
use crate::monitor::Monitor;
use crate::solver::Problem;
use crate::solver::rounding::rounding;

/// The factor by which the violation must decrease from one refinement to the next.
const REFINED: f64 = 0.5;

/// The shift of `v` by rounding, in multiples of `tol`, above which refinement is given up.
const COARSE: f64 = 30.0;

/// Outer iterations between two measurements of the shift; more frequent in the beginning.
const LOOPS_TO_MEASURE: usize = 8;

/// The result of checking a violation below `tol`.
pub enum Verdict {
    /// The violation is also small in f64.
    Optimal,
    /// It was not; `v` has been recomputed in f64.
    Refined,
    /// Refinement would take longer than training in f64.
    Hopeless,
}

/// Measures and removes the effect of rounding along a path.
pub struct Refinement<'a> {
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    monitor: &'a Monitor,
    tol: f64,
    /// The violation in f64 at the last refinement.
    last: f64,
    /// Whether rounded kernel values are too coarse for the decision values of this classifier
    /// or an earlier one: coefficients grow along the path, while `v` is exact after a
    /// refinement.
    pub needs_f64: bool,
}

impl<'a> Refinement<'a> {
    /// The refinement of the first problem of a path.
    pub fn new(problem: &'a Problem<'a>, parts: &'a Parts, tol: f64, monitor: &'a Monitor) -> Self {
        Self {
            problem,
            parts,
            monitor,
            tol,
            last: f64::INFINITY,
            needs_f64: false,
        }
    }

    /// Prepares for the next problem of the path.
    pub fn restart(&mut self) {
        self.last = f64::INFINITY;
    }

    /// Checks a violation below `tol` computed from rounded values: in f64 it is within the slack
    /// of [`ExactSums`], or `v` is recomputed.
    pub fn judge(
        &mut self,
        dual: &mut Dual,
        violation: f64,
        threading: Threading,
    ) -> Result<Verdict> {
        let slack = self.problem.exact.map_or(1.0, ExactSums::slack);
        let room = slack * self.tol - violation.max(0.0);
        let shift = self.shift(dual, room.min(self.tol))?;
        self.needs_f64 |= shift > self.tol;
        if shift <= room {
            return Ok(Verdict::Optimal);
        }
        self.recompute(dual, threading)?;
        let exact = dual.violation().size();
        let most = (COARSE * self.tol).min(REFINED * self.last);
        self.last = exact;
        Ok(if exact < self.tol {
            Verdict::Optimal
        } else if exact <= most {
            Verdict::Refined
        } else {
            Verdict::Hopeless
        })
    }

    /// Whether rounding has shifted `v` by too much to continue; measured only after some of the
    /// outer iterations.
    pub fn is_hopeless(&self, dual: &Dual, n_loops: usize) -> Result<bool> {
        let is_due = n_loops.is_power_of_two() || n_loops.is_multiple_of(LOOPS_TO_MEASURE);
        let most = COARSE * self.tol;
        Ok(n_loops > 0 && is_due && self.shift(dual, most)? > most)
    }

    /// The relative shift of two values of `v` by rounding; an upper bound if that is at most
    /// `enough`.
    fn shift(&self, dual: &Dual, enough: f64) -> Result<f64> {
        let sum = |i: usize| dual.linear[i] - dual.v[i];
        let (problem, parts) = (self.problem, self.parts);
        rounding(problem, parts, &dual.beta, sum, enough, self.monitor)
    }

    /// Computes `v` in f64.
    fn recompute(&self, dual: &mut Dual, threading: Threading) -> Result<()> {
        let Some(exact) = self.problem.exact else {
            return Ok(());
        };
        let global = |i: usize| self.parts.global(i);
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (global(i), -dual.beta[i])).collect();
        let rows: Vec<usize> = (0..dual.len()).map(global).collect();
        dual.v.copy_from_slice(&dual.linear);
        exact.add(&terms, &rows, &mut dual.v, threading, self.monitor)
    }
}
