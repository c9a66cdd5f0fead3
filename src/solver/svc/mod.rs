//! The exact L1 SVM: decomposition with a working set (002; Joachims 1999).
//!
//! ```text
//! until the largest KKT violation is below tol:
//!     B = working set: free rows of the last one, and the worst violators
//!     improve the coefficients of B by pair steps on K_BB
//!     v -= K_B (change of beta_B), over all rows
//! ```
//!
//! The problem is stated in [`super::dual`]. Kernel rows of B come in blocks; K_BB
//! is cut out of them. State is in f64 whatever the type of the rows. A problem
//! that fits the working set needs but one set.

mod dual;
mod free_steps;
mod local;
mod pair_steps;
mod working_set;

use self::dual::Dual;
use self::local::{Limits, Local, LocalGram};
use self::working_set::select;
use super::{BinarySolver, Machine, Problem, Status};
use crate::kernel::{KernelRows, Parts};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcSettings {
    /// The price of an error; the upper bound of alpha before weights.
    pub c: f64,
    /// The KKT violation that is small enough.
    pub tol: f64,
    /// Rows of the working set; `None` for a good default.
    pub working_set_size: Option<usize>,
    /// The most pair steps of a machine; `None` for no limit.
    pub max_iter: Option<usize>,
}

/// A good working set for `n` rows, `n_free` of them free, after so many loops. A small set
/// leaves few kernel values to compute and serves easy problems; hard ones need many loops,
/// each of which looks at all rows, and do better with a larger set. Free rows depend on each
/// other, and want to be in the set together.
fn good_size(n: usize, n_free: usize, n_loops: usize) -> usize {
    let largest = (2.5 * (n as f64).sqrt()) as usize;
    let grown = SMALLEST_SET << (n_loops / LOOPS_TO_DOUBLE).min(3);
    let size = grown.min(largest.max(SMALLEST_SET));
    size.max((2 * n_free).min(LARGEST_SET))
}

/// The first working set.
const SMALLEST_SET: usize = 128;

/// What free rows may let it grow to: its kernel matrix takes the square of this.
const LARGEST_SET: usize = 2048;

/// Loops after which it is doubled.
const LOOPS_TO_DOUBLE: usize = 8;

/// Pair steps between two looks at interrupt and limits.
const STEPS_PER_LOOP: usize = 50_000;

impl SvcSettings {
    /// The only way to a [`Svc`].
    pub fn check(self) -> Result<Svc> {
        if !(self.c > 0.0 && self.c <= 1e300) {
            let rule = "it must be a positive number, at most 1e300";
            return Err(Error::parameter("C", self.c, rule));
        }
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            return Err(Error::parameter(
                "tol",
                self.tol,
                "it must be a finite positive number",
            ));
        }
        if let Some(size) = self.working_set_size.filter(|&size| size < 2) {
            return Err(Error::parameter(
                "working_set_size",
                size,
                "it must be at least 2",
            ));
        }
        if self.max_iter == Some(0) {
            let rule = "it must be positive, or -1 for no limit";
            return Err(Error::parameter("max_iter", 0, rule));
        }
        Ok(Svc { settings: self })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc {
    settings: SvcSettings,
}

impl BinarySolver for Svc {
    fn path_len(&self) -> usize {
        1
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
        let mut dual = self.dual(problem, &parts);
        let mut run = Run::default();
        let status = loop {
            monitor.tick(1)?;
            let violation = dual.violation();
            if violation.size() < self.settings.tol {
                break Status::Converged;
            }
            if !violation.size().is_finite() {
                break Status::NonFinite;
            }
            if self
                .settings
                .max_iter
                .is_some_and(|most| run.n_iter >= most)
            {
                break Status::IterationLimit;
            }
            if monitor.time_is_up() {
                break Status::TimeLimit;
            }
            let size = self.settings.working_set_size;
            let size = size.unwrap_or_else(|| good_size(dual.len(), dual.n_free(), run.n_loops));
            let size = size.min(rows.room()).max(2);
            run.working_set = select(&dual, violation, &run.working_set, size);
            let is_whole = run.working_set.len() == dual.len();
            let share = if is_whole {
                0.9 * self.settings.tol
            } else {
                0.1 * violation.size()
            };
            let limits = Limits {
                tol: share.max(0.5 * self.settings.tol),
                max_steps: self.steps_left(run.n_iter).min(STEPS_PER_LOOP),
            };
            if run.improve(&mut dual, rows, limits)? == 0 {
                break Status::Stalled;
            }
        };
        Ok(vec![machine(&dual, &parts, &run, status)])
    }
}

impl Svc {
    fn dual(&self, problem: &Problem<'_>, parts: &Parts) -> Dual {
        let per_row = |values: &'_ [f64]| -> Vec<f64> {
            let spread = parts.iter().zip(values);
            spread
                .flat_map(|(part, &v)| std::iter::repeat_n(v, part.local.len()))
                .collect()
        };
        let labels = per_row(problem.signs);
        let mut bounds = per_row(problem.weights);
        for (i, bound) in bounds.iter_mut().enumerate() {
            *bound *= self.settings.c * problem.row_weight(parts.global(i));
        }
        Dual::new(labels.into_iter(), bounds.into_iter())
    }

    fn steps_left(&self, taken: usize) -> usize {
        self.settings
            .max_iter
            .map_or(usize::MAX, |most| most - taken)
    }
}

/// What one run has done so far.
#[derive(Debug, Default)]
struct Run {
    working_set: Vec<usize>,
    n_iter: usize,
    n_loops: usize,
}

impl Run {
    /// One loop: pair steps on the working set, then `v` of all rows. Returns the steps.
    fn improve<T: Lanes>(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl KernelRows<T>,
        limits: Limits,
    ) -> Result<usize> {
        let set = &self.working_set;
        rows.prepare(set)?;
        let gram = LocalGram::new(set.len(), |i, out| {
            let row = rows.prepared(set[i]);
            for (out, &j) in out.iter_mut().zip(set) {
                *out = row.at(j);
            }
        });
        let mut local = Local::new(&gram, dual.gather(set));
        let steps = local.solve(limits);
        let changes: Vec<(usize, f64)> = set
            .iter()
            .zip(&local.dual.beta)
            .filter(|&(&i, &beta)| beta != dual.beta[i])
            .map(|(&i, &beta)| (i, dual.beta[i] - beta))
            .collect();
        rows.add_prepared(&changes, &mut dual.v);
        for (&i, &beta) in set.iter().zip(&local.dual.beta) {
            dual.beta[i] = beta;
        }
        self.n_iter += steps;
        self.n_loops += 1;
        Ok(steps)
    }
}

fn machine(dual: &Dual, parts: &Parts, run: &Run, status: Status) -> Machine {
    let nonzero = (0..dual.len()).filter(|&i| dual.beta[i] != 0.0);
    Machine {
        terms: nonzero
            .map(|i| (parts.global(i) as u32, dual.beta[i]))
            .collect(),
        bias: dual.bias(),
        n_iter: run.n_iter,
        n_loops: run.n_loops,
        status,
    }
}
