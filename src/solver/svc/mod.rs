//! The exact L1 SVM: decomposition with a working set (Joachims 1999; Nguyen and Ho 2005).
//!
//! ```text
//! until the largest KKT violation is below tol:
//!     B = working set: free samples of the previous one, and the worst violators
//!     improve the coefficients of B by pair steps on K_BB
//!     v -= K_B (change of beta_B), over all samples
//! ```
//!
//! The problem is stated in [`dual`], the loop is in [`run`]. Kernel rows of B are computed in
//! blocks; K_BB is gathered from them. The state is in f64, whatever the type of the rows. A
//! problem that fits into the working set is solved in one iteration.
//!
//! Shrinking ([`shrink`]): samples at a bound that are unlikely to leave it are removed, the
//! smaller problem is solved with shorter kernel rows, and the gradient of the removed samples
//! is reconstructed.
//!
//! The classifiers of a path over C are trained in ascending order of C with warm starts:
//! scaling a solution needs no kernel values.

mod dual;
mod free_steps;
mod gradient;
mod local;
mod local_rows;
mod moves;
mod pair_steps;
mod refine;
mod run;
mod sample;
mod settings;
mod shrink;
mod working_set;

pub use settings::SvcSettings;

use self::dual::Dual;
use self::gradient::recompute_gradient;
use self::refine::Refinement;
use self::run::Run;
use super::path::{PathStart, along_path};
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
        let (parts, cs) = (rows.parts().clone(), &self.settings.cs);
        let smallest = cs.iter().copied().fold(f64::INFINITY, f64::min);
        let bounds = |c: f64| bounds(problem, &parts, c);
        let mut dual = Dual::new(parts.repeat(problem.signs), bounds(smallest));
        let mut seeds = Some(start(problem.start, &parts, &mut dual, rows, monitor)?);
        let mut run = Run::new(&self.settings, monitor);
        let mut refinement = Refinement::new(problem, &parts, run.tol, monitor);
        // The factor by which scaling has amplified the rounding errors of `v`.
        let mut amplification = 1.0;
        along_path(cs, PathStart::Warm, |c| {
            let is_first = seeds.is_some();
            // After the time limit, the coefficients for a smaller C stay as they are.
            let is_late = run.late_bias.is_some();
            if !is_first && !is_late {
                dual.set_bounds(bounds(c));
                amplification *= dual.rescale();
                if amplification > MAX_AMPLIFICATION {
                    recompute_gradient(&mut dual, rows, monitor)?;
                    amplification = 1.0;
                }
                run.restart();
                refinement.restart();
            } else if is_first && !matches!(problem.start, Start::Terms(_)) {
                run.start_from_sample(&mut dual, rows)?;
            }
            let seeds = seeds.take().unwrap_or_default();
            let status = match run.late_bias {
                Some(_) => Status::TimeLimit,
                None => run.solve(&mut dual, rows, seeds, Some(&mut refinement))?,
            };
            Ok(Machine {
                terms: dual.terms(&parts),
                bias: run.late_bias.unwrap_or_else(|| dual.bias(run.tol)),
                n_iter: run.n_iter,
                n_loops: run.n_loops,
                status,
                needs_f64: refinement.needs_f64,
            })
        })
    }
}

/// The upper bound of alpha of each sample.
fn bounds<'a>(
    problem: &'a Problem<'a>,
    parts: &'a Parts,
    c: f64,
) -> impl Iterator<Item = f64> + 'a {
    let weights = parts.repeat(problem.weights).enumerate();
    weights.map(move |(i, weight)| weight * c * problem.row_weight(parts.global(i)))
}

/// Sets the coefficients of a starting point, and returns the samples of the first working set.
fn start<T: Lanes>(
    start: &Start,
    parts: &Parts,
    dual: &mut Dual,
    rows: &mut impl ShrinkableRows<T>,
    monitor: &Monitor,
) -> Result<Vec<usize>> {
    let terms = match start {
        Start::Zero => return Ok(Vec::new()),
        Start::Rows(rows) => {
            let local = |&row: &u32| parts.local(row as usize);
            return Ok(rows.iter().filter_map(local).collect());
        }
        Start::Terms(terms) => terms,
    };
    for &(row, beta) in terms {
        if let Some(i) = parts.local(row as usize) {
            dual.beta[i] = beta;
        }
    }
    dual.project();
    recompute_gradient(dual, rows, monitor)?;
    if dual.rescale() > MAX_AMPLIFICATION {
        recompute_gradient(dual, rows, monitor)?;
    }
    Ok(Vec::new())
}
