//! The exact L1 SVM: decomposition with a working set (002; Joachims 1999).
//!
//! ```text
//! until the largest KKT violation is below tol:
//!     B = working set: free rows of the last one, and the worst violators
//!     improve the coefficients of B by pair steps on K_BB
//!     v -= K_B (change of beta_B), over all rows
//! ```
//!
//! The problem is stated in [`dual`]. Kernel rows of B come in blocks; K_BB is cut out of
//! them. State is in f64 whatever the type of the rows. A problem that fits the working
//! set needs but one set.
//!
//! Shrinking: rows at a bound that no row of the other side contradicts are left aside,
//! the rest is solved as a problem of its own, whose kernel rows are shorter; then `v` of
//! the others is brought up to date and all rows are looked at again.
//!
//! The machines of a path over C are trained in ascending order of C, each from the
//! solution of the one before: no kernel value is needed to scale it.

mod dual;
mod free_steps;
mod local;
mod pair_steps;
mod working_set;

use self::dual::{Dual, Violation};
use self::local::{Limits, Local, LocalGram};
use self::working_set::select;
use super::{BinarySolver, Machine, Problem, Start, Status, rounding};
use crate::kernel::{KernelRows, Parts, Threading};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// Parameters as they come from the user.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcSettings {
    /// The prices of an error, one for each machine of the path: the upper bounds of alpha
    /// before weights.
    pub cs: Vec<f64>,
    /// The KKT violation that is small enough.
    pub tol: f64,
    /// Rows of the working set; `None` for a good default.
    pub working_set_size: Option<usize>,
    /// Whether rows that seem settled are left aside until the others are.
    pub shrinking: bool,
    /// The most steps of a machine; `None` for no limit.
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

/// Steps between two looks at interrupt and limits.
const STEPS_PER_LOOP: usize = 50_000;

/// Loops on the same rows before some are left aside, and again between two such attempts.
const LOOPS_TO_NARROW: usize = 8;

/// Rows below which nothing is gained by leaving some aside.
const SMALLEST_TO_NARROW: usize = 2000;

/// Rows from which a sample is solved first, and which rows it takes.
const SMALLEST_TO_SAMPLE: usize = 8000;
const SAMPLE_EVERY: usize = 4;

/// A sample has few support vectors if they are less than one in so many.
const FEW_VECTORS: usize = 20;

/// The violation that is small enough for a sample.
const SAMPLE_TOL: f64 = 0.03;

/// Factor of the rounding errors of `v` from which it is computed anew.
const MOST_AMPLIFIED: f64 = 1e6;

/// The most steps of a machine without a limit of its own, as in LIBSVM: this, or 100 a row.
const MOST_STEPS: usize = 10_000_000;

/// Loops without a gain after which nothing is to be expected any more.
const LOOPS_TO_STALL: usize = 30;

/// The largest price of an error that is told from a larger one.
const LARGEST_C: f64 = 1e300;

impl SvcSettings {
    /// The only way to a [`Svc`].
    pub fn check(self) -> Result<Svc> {
        if self.cs.is_empty() {
            return Err(Error::parameter("C", "[]", "there must be at least one"));
        }
        if let Some(c) = self.cs.iter().find(|c| c.is_nan() || **c <= 0.0) {
            return Err(Error::parameter("C", c, "it must be a positive number"));
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
        // No bound at all is a bound that no coefficient reaches.
        let cs = self.cs.iter().map(|c| c.min(LARGEST_C)).collect();
        Ok(Svc {
            settings: Self { cs, ..self },
        })
    }
}

/// Checked settings: the method, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc {
    settings: SvcSettings,
}

impl BinarySolver for Svc {
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
        let cs = &self.settings.cs;
        let mut ascending: Vec<usize> = (0..cs.len()).collect();
        ascending.sort_by(|&a, &b| cs[a].total_cmp(&cs[b]));
        let mut dual = Dual::new(
            labels(problem, &parts),
            bounds(problem, &parts, cs[ascending[0]]),
        );
        let mut seeds = start(problem.start, &parts, &mut dual, rows, monitor)?;
        let mut machines: Vec<Option<Machine>> = vec![None; cs.len()];
        // By how much scaling has multiplied the rounding errors of `v`.
        let mut amplified = 1.0;
        let mut run = Run {
            settings: &self.settings,
            monitor,
            tol: self.settings.tol,
            n_iter: 0,
            n_loops: 0,
            first_loop: 0,
            gram: LocalGram::default(),
            gram_set: Vec::new(),
            needs_f64: false,
        };
        for (number, &place) in ascending.iter().enumerate() {
            if number > 0 {
                dual.set_bounds(bounds(problem, &parts, cs[place]));
                amplified *= dual.rescale();
                if amplified > MOST_AMPLIFIED {
                    refresh(&mut dual, rows, monitor)?;
                    amplified = 1.0;
                }
                (run.n_iter, run.n_loops, run.first_loop) = (0, 0, 0);
            }
            if number == 0 && !matches!(problem.start, Start::Terms(_)) {
                run.start_from_sample(&mut dual, rows)?;
            }
            let referee = Some(Referee::new(problem, &parts));
            let status = run.solve(&mut dual, rows, std::mem::take(&mut seeds), referee)?;
            machines[place] = Some(machine(&dual, &parts, &run, status));
        }
        Ok(machines.into_iter().flatten().collect())
    }
}

/// The values of each part, one for each of its rows.
fn spread<'a>(parts: &'a Parts, values: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    let parts = parts.iter().zip(values);
    parts.flat_map(|(part, &value)| std::iter::repeat_n(value, part.local.len()))
}

fn labels<'a>(problem: &Problem<'a>, parts: &'a Parts) -> impl Iterator<Item = f64> + 'a {
    spread(parts, problem.signs)
}

/// The upper bound of alpha of each row.
fn bounds<'a>(
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    c: f64,
) -> impl Iterator<Item = f64> + 'a {
    let weights = spread(parts, problem.weights).enumerate();
    weights.map(move |(i, weight)| weight * c * problem.row_weight(parts.global(i)))
}

/// Puts the coefficients of a start into `dual`, and returns the rows to begin with.
fn start<T: Lanes>(
    start: &Start,
    parts: &Parts,
    dual: &mut Dual,
    rows: &mut impl KernelRows<T>,
    monitor: &Monitor,
) -> Result<Vec<usize>> {
    let terms = match start {
        Start::Zero => return Ok(Vec::new()),
        Start::Rows(rows) => {
            return Ok(rows
                .iter()
                .filter_map(|&row| parts.local(row as usize))
                .collect());
        }
        Start::Terms(terms) => terms,
    };
    for &(row, beta) in terms {
        if let Some(i) = parts.local(row as usize) {
            dual.beta[i] = beta;
        }
    }
    dual.project();
    refresh(dual, rows, monitor)?;
    if dual.rescale() > MOST_AMPLIFIED {
        refresh(dual, rows, monitor)?;
    }
    Ok(Vec::new())
}

/// Computes `v` from the coefficients.
fn refresh<T: Lanes>(
    dual: &mut Dual,
    rows: &mut impl KernelRows<T>,
    monitor: &Monitor,
) -> Result<()> {
    dual.v.copy_from_slice(&dual.y);
    let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (i, -dual.beta[i])).collect();
    if terms.len() <= rows.room() / 2 {
        let set: Vec<usize> = terms.iter().map(|&(i, _)| i).collect();
        rows.prepare(&set, monitor)?;
        rows.add_prepared(&terms, &mut dual.v);
    } else {
        let all: Vec<usize> = (0..dual.len()).collect();
        rows.add_apart(&terms, &all, &mut dual.v, monitor)?;
    }
    Ok(())
}

/// One machine in the making.
struct Run<'a, T> {
    settings: &'a SvcSettings,
    monitor: &'a Monitor,
    tol: f64,
    n_iter: usize,
    n_loops: usize,
    /// Loops that samples took.
    first_loop: usize,
    /// The kernel matrix of the last working set, and that set.
    gram: LocalGram<T>,
    gram_set: Vec<usize>,
    /// Whether kernel values of `T` are too coarse for the outputs of this machine, or were for
    /// one before it on the path.
    needs_f64: bool,
}

/// Tells whether the rounding of kernel values hides a violation.
///
/// The solver sees `v` as the rounded values give it, and is content when the violation is
/// small there. Where rounding may have moved `v` by more than `tol`, the referee replaces it
/// by what values in f64 give, and the solver goes on from there, as in iterative refinement: its
/// steps get smaller each time, and so does what rounding does to them.
struct Referee<'a> {
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    /// The violation in f64 when `v` was last replaced.
    last: f64,
}

/// The least by which the violation must shrink from one replacement of `v` to the next.
const REFINED: f64 = 0.5;

/// The multiple of tol by which rounding may move `v` before refining it is no use.
const COARSE: f64 = 30.0;

/// Loops between two measurements of that, and sooner in the beginning.
const LOOPS_TO_MEASURE: usize = 8;

impl<'a> Referee<'a> {
    fn new(problem: &'a Problem<'a>, parts: &'a Parts) -> Self {
        Self {
            problem,
            parts,
            last: f64::INFINITY,
        }
    }

    /// How far apart rounding has moved two values of `v`.
    fn rounding(&self, dual: &Dual, enough: f64, monitor: &Monitor) -> Result<f64> {
        let sum = |i: usize| dual.y[i] - dual.v[i];
        rounding(self.problem, self.parts, &dual.beta, sum, enough, monitor)
    }

    /// Computes `v` in f64.
    fn refresh(&self, dual: &mut Dual, threading: Threading, monitor: &Monitor) -> Result<()> {
        let Some(exact) = self.problem.exact else {
            return Ok(());
        };
        let global = |i: usize| self.parts.global(i);
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (global(i), -dual.beta[i])).collect();
        let rows: Vec<usize> = (0..dual.len()).map(global).collect();
        dual.v.copy_from_slice(&dual.y);
        exact.add(&terms, &rows, &mut dual.v, threading, monitor)
    }
}

impl<T: Lanes> Run<'_, T> {
    /// Improves `dual` until a reason to stop. The first working set has the rows `worthy`.
    fn solve(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl KernelRows<T>,
        mut worthy: Vec<usize>,
        mut referee: Option<Referee<'_>>,
    ) -> Result<Status> {
        let mut loops_to_narrow = LOOPS_TO_NARROW;
        let (mut best, mut loops_since_best, mut is_fresh) = (f64::NEG_INFINITY, 0, false);
        loop {
            self.monitor.tick(1)?;
            let violation = dual.violation();
            if violation.size().is_nan() || violation.size() == f64::INFINITY {
                return Ok(Status::NonFinite);
            }
            if violation.size() < self.tol {
                if !is_fresh && self.may_have_drifted(dual) {
                    refresh(dual, rows, self.monitor)?;
                    is_fresh = true;
                    continue;
                }
                match &mut referee {
                    Some(referee) if self.is_rounded(dual, violation, referee)? => {
                        referee.refresh(dual, rows.threading(), self.monitor)?;
                        let exact = dual.violation().size();
                        if exact < self.tol {
                            return Ok(Status::Converged);
                        }
                        let most = (COARSE * self.tol).min(REFINED * referee.last);
                        if exact.is_nan() || exact > most {
                            return Ok(Status::Stalled); // f64 gets there sooner
                        }
                        referee.last = exact;
                        best = f64::NEG_INFINITY;
                        continue;
                    }
                    _ => return Ok(Status::Converged),
                }
            }
            is_fresh = false;
            if let Some(referee) = &referee
                && (self.n_loops % LOOPS_TO_MEASURE == 0 || self.n_loops.is_power_of_two())
                && self.n_loops > 0
                && referee.rounding(dual, COARSE * self.tol, self.monitor)? > COARSE * self.tol
            {
                return Ok(Status::Stalled);
            }
            let objective = dual.objective();
            loops_since_best = if objective > best {
                0
            } else {
                loops_since_best + 1
            };
            best = best.max(objective);
            if loops_since_best > LOOPS_TO_STALL {
                return Ok(Status::Stalled);
            }
            if self.steps_left(dual.len()) == 0 {
                return Ok(Status::IterationLimit);
            }
            if self.monitor.time_is_up() {
                return Ok(Status::TimeLimit);
            }
            if loops_to_narrow == 0 {
                loops_to_narrow = LOOPS_TO_NARROW;
                if let Some(status) = self.narrow(dual, rows, violation, &worthy)? {
                    // What stalled without the other rows may go on with them.
                    if !matches!(status, Status::Converged | Status::Stalled) {
                        return Ok(status);
                    }
                    continue;
                }
            }
            loops_to_narrow -= 1;
            let n_loops = self.n_loops - self.first_loop;
            let size = match self.settings.working_set_size {
                Some(size) => size,
                None if rows.at_hand() && dual.len() <= LARGEST_SET => dual.len(),
                None => good_size(dual.len(), dual.n_free(), n_loops),
            };
            let set = select(dual, violation, &worthy, size.min(rows.room()).max(2));
            if self.improve(dual, rows, &set, violation)? == 0 {
                return Ok(Status::Stalled);
            }
            worthy = set.into_iter().filter(|&i| dual.is_free(i)).collect();
        }
    }

    /// Starts a large problem near its solution, which that of a sample of its rows tells.
    ///
    /// Few support vectors: they are near enough themselves. Many, most of them at their
    /// bounds: the sample tells which of all rows are likely to end there. (Most steps of a
    /// large problem do no more than bring one row after the other to its bound; a guess that
    /// is right for most of them saves those.) Many free ones: nothing is known of the other
    /// rows, and the start is left as it is.
    fn start_from_sample(&mut self, dual: &mut Dual, rows: &mut impl KernelRows<T>) -> Result<()> {
        if dual.len() < SMALLEST_TO_SAMPLE {
            return Ok(());
        }
        let sample: Vec<usize> = (0..dual.len()).step_by(SAMPLE_EVERY).collect();
        let Some(mut sample_rows) = rows.narrow(&sample)? else {
            return Ok(());
        };
        let mut solved = dual.gather(&sample);
        self.start_from_sample(&mut solved, &mut sample_rows)?;
        let tol = self.tol;
        self.tol = tol.max(SAMPLE_TOL);
        self.solve(&mut solved, &mut sample_rows, Vec::new(), None)?;
        self.tol = tol;
        self.first_loop = self.n_loops;
        rows.rejoin(sample_rows);
        self.gram_set.clear();
        let n_vectors = solved.nonzero().count();
        let has_few = n_vectors * FEW_VECTORS < sample.len();
        if !has_few && solved.n_free() * 2 > n_vectors {
            return Ok(());
        }
        for (&i, &beta) in sample.iter().zip(&solved.beta) {
            dual.beta[i] = beta;
        }
        let all: Vec<usize> = (0..dual.len()).collect();
        let terms: Vec<(usize, f64)> = dual.nonzero().map(|i| (i, -dual.beta[i])).collect();
        rows.add_apart(&terms, &all, &mut dual.v, self.monitor)?;
        if !has_few {
            let guess = dual.guess(solved.bias(SAMPLE_TOL));
            let changes: Vec<(usize, f64)> = all
                .iter()
                .map(|&i| (i, dual.beta[i] - guess[i]))
                .filter(|&(_, change)| change != 0.0)
                .collect();
            rows.add_apart(&changes, &all, &mut dual.v, self.monitor)?;
            dual.beta = guess;
        }
        Ok(())
    }

    /// Solves the problem without the rows that are settled, then looks at those again.
    /// `None` if it is not worth it.
    fn narrow(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl KernelRows<T>,
        violation: Violation,
        worthy: &[usize],
    ) -> Result<Option<Status>> {
        if !self.settings.shrinking || dual.len() < SMALLEST_TO_NARROW {
            return Ok(None);
        }
        let (keep, others): (Vec<usize>, Vec<usize>) =
            (0..dual.len()).partition(|&i| dual.is_unsettled(i, violation));
        if keep.len() > dual.len() / 2 {
            return Ok(None);
        }
        let Some(mut narrow_rows) = rows.narrow(&keep)? else {
            return Ok(None);
        };
        let mut narrow = dual.gather(&keep);
        self.gram_set.clear();
        let worthy = worthy.iter().filter_map(|i| keep.binary_search(i).ok());
        let status = self.solve(&mut narrow, &mut narrow_rows, worthy.collect(), None)?;
        rows.rejoin(narrow_rows);
        self.gram_set.clear();
        let changes: Vec<(usize, f64)> = keep
            .iter()
            .zip(&narrow.beta)
            .map(|(&i, beta)| (i, dual.beta[i] - beta))
            .filter(|&(_, change)| change != 0.0)
            .collect();
        let mut v: Vec<f64> = others.iter().map(|&i| dual.v[i]).collect();
        rows.add_apart(&changes, &others, &mut v, self.monitor)?;
        for (&i, v) in others.iter().zip(v) {
            dual.v[i] = v;
        }
        for (k, &i) in keep.iter().enumerate() {
            (dual.beta[i], dual.v[i]) = (narrow.beta[k], narrow.v[k]);
        }
        Ok(Some(status))
    }

    /// One loop: steps on the working set, then `v` of all rows. Returns the steps.
    fn improve(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl KernelRows<T>,
        set: &[usize],
        violation: Violation,
    ) -> Result<usize> {
        rows.prepare(set, self.monitor)?;
        if self.gram_set != set {
            self.gram.fill(set.len(), rows.threading(), |i, out| {
                rows.prepared(set[i]).gather(set, out);
            });
            self.gram_set = set.to_vec();
        }
        let mut local = Local::new(&self.gram, dual.gather(set));
        let is_whole = set.len() == dual.len();
        let share = if is_whole {
            0.9 * self.tol
        } else {
            0.1 * violation.size()
        };
        let steps = local.solve(Limits {
            tol: share.max(0.5 * self.tol),
            max_steps: self.steps_left(dual.len()).min(STEPS_PER_LOOP),
            monitor: self.monitor,
        })?;
        let changes: Vec<(usize, f64)> = set
            .iter()
            .zip(&local.dual.beta)
            .map(|(&i, beta)| (i, dual.beta[i] - beta))
            .filter(|&(_, change)| change != 0.0)
            .collect();
        if is_whole {
            dual.v.copy_from_slice(&local.v[..set.len()]);
        } else {
            rows.add_prepared(&changes, &mut dual.v);
        }
        for (&i, &beta) in set.iter().zip(&local.dual.beta) {
            dual.beta[i] = beta;
        }
        self.n_iter += steps;
        self.n_loops += 1;
        Ok(if changes.is_empty() { 0 } else { steps })
    }

    fn steps_left(&self, n_rows: usize) -> usize {
        let most = self.settings.max_iter;
        let most = most.unwrap_or(MOST_STEPS.max(n_rows.saturating_mul(100)));
        most.saturating_sub(self.n_iter)
    }

    /// Whether a violation that seems small enough may be more than twice that in f64.
    fn is_rounded(
        &mut self,
        dual: &Dual,
        violation: Violation,
        referee: &Referee<'_>,
    ) -> Result<bool> {
        let moved = referee.rounding(dual, self.tol, self.monitor)?;
        // Coefficients grow along the path: what was too coarse for a smaller C still is, though
        // `v` is exact now.
        self.needs_f64 |= moved > self.tol;
        Ok(violation.size().max(0.0) + moved > 2.0 * self.tol)
    }

    /// Whether the rounding of all steps may have moved `v` by more than a trace of `tol`.
    fn may_have_drifted(&self, dual: &Dual) -> bool {
        let largest = dual
            .beta
            .iter()
            .fold(0.0, |most: f64, beta| most.max(beta.abs()));
        f64::EPSILON * largest * self.n_iter as f64 > 0.01 * self.tol
    }
}

fn machine<T>(dual: &Dual, parts: &Parts, run: &Run<'_, T>, status: Status) -> Machine {
    Machine {
        terms: dual
            .nonzero()
            .map(|i| (parts.global(i) as u32, dual.beta[i]))
            .collect(),
        bias: dual.bias(run.tol),
        n_iter: run.n_iter,
        n_loops: run.n_loops,
        status,
        needs_f64: run.needs_f64,
    }
}
