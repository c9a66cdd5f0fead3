//! The exact solver of the L1 SVM in all of its formulations: decomposition with a working set (Joachims 1999; Nguyen and Ho 2005).
//!
//! ```text
//! until the largest KKT violation is below tol:
//!     B = working set: free samples of the previous one, and the worst violators
//!     improve the coefficients of B by pair steps on K_BB
//!     v -= K_B (change of beta_B), over all samples
//! ```
//!
//! The problem is stated in [`dual`], its settings for classification, regression and novelty
//! detection are in [`formulation`], and the loop is in [`run`]. Kernel rows of B are computed in
//! blocks; K_BB is gathered from them. The state is in f64, whatever the type of the rows. A
//! problem that fits into the working set is solved in one iteration.
//!
//! Shrinking ([`shrink`]): samples at a bound that are unlikely to leave it are removed, the
//! smaller problem is solved with shorter kernel rows, and the gradient of the removed samples
//! is reconstructed.
//!
//! The settings of a path are trained in ascending order of C, and along epsilon or nu for each C,
//! with warm starts: scaling a solution needs no kernel values.

mod dual;
mod feasible;
mod formulation;
mod free_steps;
mod gradient;
mod level;
mod local;
mod local_rows;
mod moves;
mod pair_steps;
mod refine;
mod run;
mod sample;
mod settings;
mod shrink;
mod side;
mod working_set;

pub use formulation::Formulation;
pub use settings::SvcSettings;

use self::dual::Dual;
use self::gradient::recompute_gradient;
use self::level::Level;
use self::refine::Refinement;
use self::run::Run;
use self::side::{PerSide, Side};
use super::path::in_order;
use super::{BinarySolver, Machine, Problem, Start, Status};
use crate::Result;
use crate::kernel::{Parts, ShrinkableRows};
use crate::monitor::Monitor;
use crate::simd::Lanes;

/// The exact solver with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Svc {
    settings: SvcSettings,
}

/// The amplification of the rounding errors of `v` above which it is recomputed.
const MAX_AMPLIFICATION: f64 = 1e6;

/// The tolerance below which most problems would have to be refined several times.
const LEAST_ROUNDED_TOL: f64 = 1e-5;

impl BinarySolver for Svc {
    fn path_len(&self) -> usize {
        self.settings.cs.len()
    }

    fn tolerates_rounding(&self) -> bool {
        self.settings.tol >= LEAST_ROUNDED_TOL
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl ShrinkableRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let (cs, formulation) = (&self.settings.cs, &self.settings.formulation);
        let mut run = Run::new(&self.settings, monitor);
        let mut path = Path {
            problem,
            parts: &parts,
            formulation,
            dual: Dual::default(),
            wanted: None,
            refinement: Refinement::new(problem, &parts, run.tol, monitor),
            amplification: 1.0,
        };
        let order = formulation.order(cs);
        in_order(&order, |setting| {
            let c = cs[setting];
            if setting == order[0] {
                path.start(setting, c, &mut run, rows)?;
            } else if run.late.is_none() {
                // After the time limit, the coefficients of the previous setting stay as they are.
                path.advance(setting, c, &mut run, rows)?;
            }
            let (status, level) = match run.late {
                Some(level) => (Status::TimeLimit, level),
                None => path.solve(&mut run, rows)?,
            };
            Ok(path.machine(&run, status, level))
        })
    }
}

/// The state along a path of settings.
struct Path<'a> {
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    formulation: &'a Formulation,
    dual: Dual,
    /// The sums of the current setting, which the dual has unless they have no effect.
    wanted: Option<PerSide<f64>>,
    refinement: Refinement<'a>,
    /// The factor by which scaling has amplified the rounding errors of `v`.
    amplification: f64,
}

impl Path<'_> {
    /// Prepares the first setting.
    fn start<T: Lanes>(
        &mut self,
        setting: usize,
        c: f64,
        run: &mut Run<'_, T>,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<()> {
        self.dual = self.formulation.dual(setting, self.problem, self.parts, c);
        self.wanted = self.dual.sums;
        let dual = &mut self.dual;
        if let Start::Terms(terms) = self.problem.start {
            for &(row, beta) in terms {
                if let Some(i) = self.parts.local(row as usize) {
                    dual.beta[i] = beta;
                }
            }
            if !dual.project() {
                self.relax(setting)?;
            }
            recompute_gradient(&mut self.dual, rows, run.monitor)?;
            if self.dual.rescale() > MAX_AMPLIFICATION {
                recompute_gradient(&mut self.dual, rows, run.monitor)?;
            }
            return Ok(());
        }
        if let Some(sums) = dual.sums
            && dual.fill(sums).is_none()
        {
            self.relax(setting)?;
        }
        if let Start::Rows(seeds) = self.problem.start {
            let local = |&row: &u32| self.parts.local(row as usize);
            run.seeds = seeds.iter().filter_map(local).collect();
        }
        if run.seeds.is_empty() {
            run.start_from_sample(&mut self.dual, rows)
        } else {
            run.fill(&mut self.dual, rows)
        }
    }

    /// Prepares the next setting, starting from the solution of the previous one.
    fn advance<T: Lanes>(
        &mut self,
        setting: usize,
        c: f64,
        run: &mut Run<'_, T>,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<()> {
        let next = self.formulation.dual(setting, self.problem, self.parts, c);
        let dual = &mut self.dual;
        (dual.lower, dual.upper) = (next.lower, next.upper);
        (dual.epsilon, dual.sums) = (next.epsilon, next.sums);
        self.wanted = next.sums;
        if dual.sums.is_some() {
            if !dual.project() {
                self.relax(setting)?;
            }
            recompute_gradient(&mut self.dual, rows, run.monitor)?;
        } else {
            self.amplification *= dual.rescale();
            if self.amplification > MAX_AMPLIFICATION {
                recompute_gradient(dual, rows, run.monitor)?;
                self.amplification = 1.0;
            }
        }
        run.restart();
        self.refinement.restart();
        Ok(())
    }

    /// Replaces fixed sums that are too large for the bounds by upper bounds that have no effect,
    /// as nu-SVR does. Fails for classification, where nu is infeasible.
    fn relax(&mut self, setting: usize) -> Result<()> {
        if !self.formulation.has_targets() {
            return Err(self.formulation.infeasible(setting, &self.dual));
        }
        self.dual.sums = None;
        self.dual.project();
        Ok(())
    }

    /// Solves the current setting.
    fn solve<T: Lanes>(
        &mut self,
        run: &mut Run<'_, T>,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<(Status, Level)> {
        run.tol = run.settings.tol;
        let found = self.solve_dual(run, rows)?;
        if let Formulation::NuClassification { .. } = self.formulation {
            return self.resolve_margin(found, run, rows);
        }
        let Some(sums) = self.wanted.filter(|_| self.formulation.has_targets()) else {
            return Ok(found);
        };
        let is_final = |(status, level): &(Status, Level)| {
            *status != Status::Converged || level.half_gap >= 0.0
        };
        // Nu of nu-SVR has no effect, unless the solution for epsilon = 0 has larger sums.
        let found = match self.dual.sums {
            Some(_) if is_final(&found) => return Ok(found),
            Some(_) => {
                self.dual.sums = None;
                self.solve_dual(run, rows)?
            }
            None => found,
        };
        let most = (1.0 + SUM_ROUNDING) * sums[Side::Positive];
        if found.0 != Status::Converged || self.dual.sum_of(Side::Positive) <= most {
            return Ok(found);
        }
        self.dual.sums = Some(sums);
        self.dual.project();
        recompute_gradient(&mut self.dual, rows, run.monitor)?;
        let (status, level) = self.solve_dual(run, rows)?;
        match status == Status::Converged && level.half_gap < -run.tol {
            true => Ok((Status::Stalled, level)),
            false => Ok((status, level)),
        }
    }

    /// Solves nu-SVC with a smaller tolerance while the margin, which scales the coefficients, is
    /// not larger than it. Kernel values in f32 are not precise enough for that.
    fn resolve_margin<T: Lanes>(
        &mut self,
        mut found: (Status, Level),
        run: &mut Run<'_, T>,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<(Status, Level)> {
        let mut least = run.tol;
        while found.0 == Status::Converged
            && -found.1.half_gap <= least
            && size_of::<T>() == size_of::<f64>()
            && run.tol > LEAST_TOL
        {
            run.tol *= 0.1;
            least = 10.0 * run.tol;
            found = self.solve_dual(run, rows)?;
        }
        Ok(found)
    }

    /// Solves the dual as it is.
    fn solve_dual<T: Lanes>(
        &mut self,
        run: &mut Run<'_, T>,
        rows: &mut impl ShrinkableRows<T>,
    ) -> Result<(Status, Level)> {
        let status = run.solve_with(&mut self.dual, rows, &mut self.refinement)?;
        let level = run.late.unwrap_or_else(|| self.dual.level(run.tol));
        Ok((status, level))
    }

    /// The decision function of the current setting.
    fn machine<T: Lanes>(&self, run: &Run<'_, T>, status: Status, level: Level) -> Machine {
        let machine = Machine {
            terms: self.dual.terms(self.parts),
            bias: level.bias,
            n_iter: run.n_iter,
            n_loops: run.n_loops,
            status,
            needs_f64: self.refinement.needs_f64,
            implied: None,
        };
        match self.formulation {
            Formulation::NuRegression { .. } => Machine {
                implied: Some(level.half_gap.max(0.0)),
                ..machine
            },
            Formulation::NuClassification { .. } => {
                let margin = -level.half_gap;
                if margin.is_nan() || margin <= run.tol {
                    // The margin, and with it the scale of the coefficients, is not known.
                    let is_done = status == Status::Converged;
                    let status = if is_done { Status::Stalled } else { status };
                    return Machine { status, ..machine }.or_non_finite();
                }
                let c = 1.0 / margin;
                let terms = machine.terms.iter().map(|&(row, beta)| (row, c * beta));
                let scaled = Machine {
                    terms: terms.collect(),
                    bias: c * machine.bias,
                    implied: Some(c),
                    ..machine
                };
                scaled.or_non_finite()
            }
            _ => machine,
        }
    }
}

/// The tolerance at which a margin is taken for 0.
const LEAST_TOL: f64 = 1e-9;

/// Sums of coefficients that differ by no more than this share are equal.
const SUM_ROUNDING: f64 = 1e-9;
