//! The main loop of the decomposition method.

use super::SvcSettings;
use super::dual::{Dual, Violation};
use super::gradient::{recompute_gradient, update_gradient};
use super::level::Level;
use super::local::{Limits, Local};
use super::local_rows::{LocalGram, LocalRows, Values, padded_len};
use super::moves::Moves;
use super::refine::{Refinement, Verdict};
use super::working_set::{Kept, default_size, select};
use crate::Result;
use crate::kernel::{ShrinkableRows, Subset};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::limit::Limit;

/// The maximum number of steps of the inner solver between two checks of interrupt and limits.
const STEPS_PER_LOOP: usize = 50_000;

/// The number of samples up to which a problem with resident rows is solved as a whole. A larger
/// one is reduced to the samples that can still move.
const WHOLE_SET: usize = 512;

/// The number of samples up to which the kernel values of those that can move are copied from
/// resident rows.
const MOST_GATHERED: usize = 2048;

/// Outer iterations between two attempts to shrink.
const SHRINK_INTERVAL: usize = 8;

/// Outer iterations without a better objective after which the solver gives up.
const LOOPS_TO_STALL: usize = 30;

/// The state of one binary problem besides its [`Dual`].
pub struct Run<'a, T: Send + 'static> {
    pub settings: &'a SvcSettings,
    pub monitor: &'a Monitor,
    pub tol: f64,
    pub n_iter: usize,
    pub n_loops: usize,
    /// The number of outer iterations on subsamples.
    pub first_loop: usize,
    /// The kernel matrix of the last working set, and that set.
    pub gram: LocalGram<T>,
    pub gram_set: Vec<usize>,
    /// Seeds of the first working set, the most important one first.
    pub seeds: Vec<usize>,
    /// The level, if the time limit was reached while `v` was known for some samples only.
    pub late: Option<Level>,
}

/// The progress of the main loop.
struct Progress {
    /// The increase of the objective since it was largest; relative to the objective itself, it may
    /// be less than a rounding error.
    gain_since_best: f64,
    loops_since_best: usize,
    loops_to_shrink: usize,
    /// Whether the gradient was recomputed since the last step.
    is_recomputed: bool,
}

impl<'a, T: Lanes> Run<'a, T> {
    /// The state before the first iteration.
    pub fn new(settings: &'a SvcSettings, monitor: &'a Monitor) -> Self {
        Self {
            settings,
            monitor,
            tol: settings.tol,
            n_iter: 0,
            n_loops: 0,
            first_loop: 0,
            gram: LocalGram::default(),
            gram_set: Vec::new(),
            seeds: Vec::new(),
            late: None,
        }
    }

    /// Resets the counters for the next C of a path.
    pub fn restart(&mut self) {
        (self.n_iter, self.n_loops, self.first_loop) = (0, 0, 0);
    }

    /// Solves the dual problem of a setting, up to the rounding of kernel values.
    pub fn solve_with(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
        refinement: &mut Refinement<'_>,
    ) -> Result<Status> {
        let seeds = Kept::Seeds(std::mem::take(&mut self.seeds));
        self.solve(dual, rows, seeds, Some(refinement))
    }

    /// Solves the dual problem. The first working set contains the samples `kept`.
    pub fn solve(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
        mut kept: Kept,
        mut refinement: Option<&mut Refinement<'_>>,
    ) -> Result<Status> {
        let mut progress = Progress::new();
        loop {
            self.monitor.tick(1)?;
            let violation = &dual.violation();
            if self.is_optimal(violation) {
                let refinement = refinement.as_deref_mut();
                match self.confirm_optimum(dual, rows, violation, refinement, &mut progress)? {
                    Some(status) => return Ok(status),
                    None => continue,
                }
            }
            let reason = self.reason_to_stop(dual, violation, refinement.as_deref(), &mut progress);
            if let Some(status) = reason? {
                return Ok(status);
            }
            if progress.is_time_to_shrink() {
                match self.shrink(dual, rows, violation, kept.samples())? {
                    // What stalled on the active samples may make progress on all of them.
                    Some(Status::Converged | Status::Stalled) => continue,
                    Some(status) => return Ok(status),
                    None => progress.loops_to_shrink -= 1,
                }
            }
            let working_set = self.select_working_set(dual, rows, violation, &kept);
            let solved = self.solve_subproblem(dual, rows, &working_set, violation)?;
            match update_gradient(dual, rows, &working_set, &solved, self.monitor)? {
                Some(gain) => progress.gain_since_best += gain,
                None => return Ok(Status::Stalled),
            }
            let is_free = |i: &usize| dual.is_free(*i);
            kept = Kept::Previous(working_set.into_iter().filter(is_free).collect());
        }
    }

    /// Whether the KKT conditions hold up to `tol`.
    fn is_optimal(&self, violation: &Violation) -> bool {
        violation.size() < self.tol
    }

    /// Checks an optimum without the rounding errors of steps and kernel values. Returns how
    /// training ended; `None` if the gradient was corrected and training continues.
    fn confirm_optimum(
        &self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
        violation: &Violation,
        refinement: Option<&mut Refinement<'_>>,
        progress: &mut Progress,
    ) -> Result<Option<Status>> {
        if !progress.is_recomputed && self.may_have_drifted(dual) {
            recompute_gradient(dual, rows, self.monitor)?;
            progress.is_recomputed = true;
            return Ok(None);
        }
        let Some(refinement) = refinement else {
            return Ok(Some(Status::Converged));
        };
        match refinement.judge(dual, violation.size(), rows.threading())? {
            Verdict::Optimal => Ok(Some(Status::Converged)),
            Verdict::Hopeless => Ok(Some(Status::Stalled)),
            Verdict::Refined => {
                (progress.gain_since_best, progress.loops_since_best) = (0.0, 0);
                Ok(None)
            }
        }
    }

    /// Whether the rounding errors of all steps may have shifted `v` by a noticeable share of
    /// `tol`.
    fn may_have_drifted(&self, dual: &Dual) -> bool {
        let largest = dual
            .beta
            .iter()
            .fold(0.0, |most: f64, beta| most.max(beta.abs()));
        f64::EPSILON * largest * self.n_iter as f64 > 0.01 * self.tol
    }

    /// The reason to stop before the optimum, if there is one.
    fn reason_to_stop(
        &self,
        dual: &Dual,
        violation: &Violation,
        refinement: Option<&Refinement<'_>>,
        progress: &mut Progress,
    ) -> Result<Option<Status>> {
        if violation.size().is_nan() || violation.size() == f64::INFINITY {
            return Ok(Some(Status::NonFinite));
        }
        progress.is_recomputed = false;
        if let Some(refinement) = refinement
            && refinement.is_hopeless(dual, self.n_loops)?
        {
            return Ok(Some(Status::Stalled));
        }
        if progress.has_stalled() {
            return Ok(Some(Status::Stalled));
        }
        if self.remaining_steps(dual.len()) == 0 {
            return Ok(Some(Status::IterationLimit));
        }
        Ok(self.monitor.time_is_up().then_some(Status::TimeLimit))
    }

    /// The next working set. If kernel rows are resident, it is the whole problem if that is small
    /// or most of its samples can move, and otherwise all samples that can move.
    fn select_working_set(
        &self,
        dual: &Dual,
        rows: &impl ShrinkableRows<T>,
        violation: &Violation,
        kept: &Kept,
    ) -> Vec<usize> {
        let n_loops = self.n_loops - self.first_loop;
        let size = match self.settings.working_set_size {
            Some(size) => size,
            None if rows.is_resident() && dual.len() <= WHOLE_SET => dual.len(),
            None if rows.is_resident() => {
                let may_move = |i: &usize| !dual.may_be_shrunk(*i, violation);
                let movable: Vec<usize> = (0..dual.len()).filter(may_move).collect();
                let are_most = 2 * movable.len() > dual.len() || movable.len() > MOST_GATHERED;
                if are_most && is_readable_in_place(dual, rows) {
                    return (0..dual.len()).collect();
                }
                if movable.len() <= MOST_GATHERED {
                    return movable;
                }
                default_size::<T>(dual, n_loops)
            }
            None => default_size::<T>(dual, n_loops),
        };
        select(dual, violation, kept, size.min(rows.max_resident()).max(2))
    }

    /// Improves the coefficients of the working set with all others fixed. Returns the
    /// subproblem with its new coefficients, and with its gradient if it is the whole problem.
    fn solve_subproblem(
        &mut self,
        dual: &Dual,
        rows: &mut impl ShrinkableRows<T>,
        working_set: &[usize],
        violation: &Violation,
    ) -> Result<Dual> {
        let is_whole = working_set.len() == dual.len();
        let subset = match is_whole || rows.is_resident() {
            true => None,
            false => rows.subset(working_set)?,
        };
        let share = if is_whole {
            0.9 * self.tol
        } else {
            0.1 * violation.size()
        };
        let limits = Limits {
            tol: share.max(0.5 * self.tol),
            max_steps: self.remaining_steps(dual.len()).min(STEPS_PER_LOOP),
            may_shrink: rows.is_resident() && dual.len() > WHOLE_SET,
            monitor: self.monitor,
        };
        let (solved, n_steps) = match subset {
            Some(subset) => self.solve_on_subset(dual, rows, working_set, subset, limits)?,
            None => self.solve_on_rows(dual, rows, working_set, limits)?,
        };
        self.n_iter += n_steps;
        self.n_loops += 1;
        Ok(solved)
    }

    /// Solves the subproblem with kernel values computed for it, while the rows of the samples that
    /// move are computed.
    fn solve_on_subset(
        &mut self,
        dual: &Dual,
        rows: &mut impl ShrinkableRows<T>,
        working_set: &[usize],
        subset: Subset<T>,
        limits: Limits<'_>,
    ) -> Result<(Dual, usize)> {
        if self.gram_set != working_set {
            self.gram.reset(subset.diagonal())?;
            self.gram_set = working_set.to_vec();
        }
        let (gram, moves) = (&mut self.gram, &Moves::default());
        let (solved, n_steps, n_values) = moves.follow(rows, self.monitor, move || {
            let gather = |i: usize, out: &mut [T]| subset.row(i, out);
            let note = |i: usize| moves.push(working_set[i]);
            let values = LocalRows::new(gram, Values::Gathered(&gather));
            let mut local = Local::new(values, dual.gather(working_set));
            local.note_first_moves(&note);
            let n_steps = local.solve(limits)?;
            Ok((local.finish(), n_steps, subset.n_computed()))
        })?;
        rows.count_computed(n_values);
        Ok((solved, n_steps))
    }

    /// Solves the subproblem with values of whole rows.
    fn solve_on_rows(
        &mut self,
        dual: &Dual,
        rows: &mut impl ShrinkableRows<T>,
        working_set: &[usize],
        limits: Limits<'_>,
    ) -> Result<(Dual, usize)> {
        rows.prefetch(working_set, self.monitor)?;
        let rows = &*rows;
        let gather =
            |i: usize, out: &mut [T]| rows.resident_row(working_set[i]).gather(working_set, out);
        let stride = padded_len(dual.len());
        let in_place = |i: usize| rows.adjacent_row(i, stride).unwrap_or_default();
        let diagonal = || working_set.iter().map(|&i| rows.diagonal(i)).collect();
        let is_whole = working_set.len() == dual.len();
        let values = if is_whole && is_readable_in_place(dual, rows) {
            self.gram.reset_diagonal(diagonal());
            self.gram_set.clear();
            Values::InPlace(&in_place)
        } else {
            if self.gram_set != working_set {
                self.gram.reset(diagonal())?;
                self.gram_set = working_set.to_vec();
            }
            Values::Gathered(&gather)
        };
        let values = LocalRows::new(&mut self.gram, values);
        let mut local = Local::new(values, dual.gather(working_set));
        let n_steps = local.solve(limits)?;
        let solved = match is_whole {
            true => local.finish_with_gradient(),
            false => local.finish(),
        };
        Ok((solved, n_steps))
    }

    fn remaining_steps(&self, n_samples: usize) -> usize {
        Limit::new(self.settings.max_iter, n_samples).remaining(self.n_iter)
    }
}

/// Whether the rows of all samples can be used where they are.
fn is_readable_in_place<T: Lanes>(dual: &Dual, rows: &impl ShrinkableRows<T>) -> bool {
    rows.is_resident()
        && dual.len() > WHOLE_SET
        && rows.adjacent_row(0, padded_len(dual.len())).is_some()
}

impl Progress {
    fn new() -> Self {
        Self {
            gain_since_best: 0.0,
            loops_since_best: 0,
            loops_to_shrink: SHRINK_INTERVAL,
            is_recomputed: false,
        }
    }

    /// Returns whether the objective has not improved for a long time.
    fn has_stalled(&mut self) -> bool {
        if self.gain_since_best > 0.0 {
            (self.gain_since_best, self.loops_since_best) = (0.0, 0);
        } else {
            self.loops_since_best += 1;
        }
        self.loops_since_best > LOOPS_TO_STALL
    }

    /// Counts an outer iteration; returns whether shrinking is due.
    fn is_time_to_shrink(&mut self) -> bool {
        let is_due = self.loops_to_shrink == 0;
        if is_due {
            self.loops_to_shrink = SHRINK_INTERVAL;
        } else {
            self.loops_to_shrink -= 1;
        }
        is_due
    }
}
