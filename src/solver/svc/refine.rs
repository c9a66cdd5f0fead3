//! Iterative refinement: what the rounding of kernel values hides, and how it is removed.
//!
//! The solver sees `v` as rounded kernel values give it, and is content when the violation is
//! small there. Where rounding may have moved `v` by more than `tol`, it is replaced by what
//! kernel values in f64 give, and the solver continues from there with its rounded values: its
//! steps get smaller each time, and so does what rounding does to them.

use super::dual::Dual;
use crate::Result;
use crate::kernel::{Parts, Threading};
use crate::monitor::Monitor;
use crate::solver::{Problem, rounding};

/// The least by which the violation must shrink from one replacement of `v` to the next.
const REFINED: f64 = 0.5;

/// The multiple of `tol` by which rounding may move `v` before refining it is no use.
const COARSE: f64 = 30.0;

/// Loops between two measurements of that, and sooner in the beginning.
const LOOPS_TO_MEASURE: usize = 8;

/// What is to be done about a violation that seems small enough.
pub enum Verdict {
    /// It is small in f64, too.
    Optimal,
    /// It was not; `v` is that of f64 now.
    Refined,
    /// Refining takes longer than training in f64 does.
    Hopeless,
}

/// Measures and removes rounding for the machines of a path.
pub struct Refinement<'a> {
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    monitor: &'a Monitor,
    tol: f64,
    /// The violation in f64 when `v` was last replaced.
    last: f64,
    /// Whether rounded kernel values are too coarse for the outputs of this machine, or were for
    /// one before it: coefficients grow along the path, while `v` is exact once it was replaced.
    pub needs_f64: bool,
}

impl<'a> Refinement<'a> {
    /// Of the first machine.
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

    /// Begins with the next machine of the path.
    pub fn restart(&mut self) {
        self.last = f64::INFINITY;
    }

    /// Judges a violation below `tol`, as rounded values show it: in f64 it is at most twice `tol`, or
    /// `v` is replaced.
    pub fn judge(
        &mut self,
        dual: &mut Dual,
        violation: f64,
        threading: Threading,
    ) -> Result<Verdict> {
        let moved = self.moved(dual, self.tol)?;
        self.needs_f64 |= moved > self.tol;
        if violation.max(0.0) + moved <= 2.0 * self.tol {
            return Ok(Verdict::Optimal);
        }
        self.replace(dual, threading)?;
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

    /// Whether rounding has moved `v` so far that there is no use in going on. Measured after
    /// some of the loops.
    pub fn is_hopeless(&self, dual: &Dual, n_loops: usize) -> Result<bool> {
        let is_due = n_loops.is_power_of_two() || n_loops.is_multiple_of(LOOPS_TO_MEASURE);
        let most = COARSE * self.tol;
        Ok(n_loops > 0 && is_due && self.moved(dual, most)? > most)
    }

    /// How far apart rounding has moved two values of `v`; a bound if that is no more than `enough`.
    fn moved(&self, dual: &Dual, enough: f64) -> Result<f64> {
        let sum = |i: usize| dual.y[i] - dual.v[i];
        let (problem, parts) = (self.problem, self.parts);
        rounding(problem, parts, &dual.beta, sum, enough, self.monitor)
    }

    /// Computes `v` in f64.
    fn replace(&self, dual: &mut Dual, threading: Threading) -> Result<()> {
        let Some(exact) = self.problem.exact else {
            return Ok(());
        };
        let global = |i: usize| self.parts.global(i);
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (global(i), -dual.beta[i])).collect();
        let rows: Vec<usize> = (0..dual.len()).map(global).collect();
        dual.v.copy_from_slice(&dual.y);
        exact.add(&terms, &rows, &mut dual.v, threading, self.monitor)
    }
}
