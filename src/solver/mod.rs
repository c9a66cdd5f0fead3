//! Solvers of one binary problem, one file for each method.

mod cholesky;
mod l2;
pub mod linear;
mod method;
mod mnsvm;
mod newton;
mod nlsgd;
mod nnisda;
mod ollawv;
mod svc;

pub use method::Method;
pub use mnsvm::{MnSvm, MnSvmSettings, Selection};
pub use newton::{Bias, Newton, NewtonSettings};
pub use nlsgd::{NlSgd, NlSgdSettings, Order, Step};
pub use nnisda::{NnIsda, NnIsdaSettings};
pub use ollawv::{Ollawv, OllawvSettings};
pub use svc::{Svc, SvcSettings};

use crate::data::Matrix;
use crate::kernel::{ExactSums, KernelRows, Parts, Threading};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};

/// How a training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The method's own stopping rule held.
    Converged,
    /// A limit on the number of steps came first.
    IterationLimit,
    /// The time limit came first.
    TimeLimit,
    /// No step helps any more, though the stopping rule does not hold: rounding.
    Stalled,
    /// Numbers left the range of f64.
    NonFinite,
}

impl Status {
    /// Every one.
    pub const ALL: [Status; 5] = [
        Status::Converged,
        Status::IterationLimit,
        Status::TimeLimit,
        Status::Stalled,
        Status::NonFinite,
    ];

    /// The name that Python shows.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration limit",
            Status::TimeLimit => "time limit",
            Status::Stalled => "stalled",
            Status::NonFinite => "not finite",
        }
    }
}

/// Where the training of a machine starts, for methods that can make use of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Start {
    /// From nothing.
    #[default]
    Zero,
    /// With these packed rows first: support vectors of a machine trained before.
    Rows(Vec<u32>),
    /// From these coefficients of packed rows, as far as the bounds allow.
    Terms(Vec<(u32, f64)>),
}

/// The labels and weights of a binary problem; its rows are a [`KernelRows`].
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The label, +1 or -1, of all rows of each part.
    pub signs: &'a [f64],
    /// The weight of all rows of each part.
    pub weights: &'a [f64],
    /// The weight of each packed row, if they differ.
    pub row_weights: Option<&'a [f64]>,
    /// The caller's index of each packed row: the lower one wins a tie.
    pub order: &'a [u32],
    /// Where to start.
    pub start: &'a Start,
    /// Sums of kernel values in f64; `None` where those of the rows are exact already.
    pub exact: Option<&'a dyn ExactSums>,
}

impl Problem<'_> {
    /// The weight of a packed row, that of its part aside.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.row_weights.map_or(1.0, |weights| weights[row])
    }

    /// The label of each row of a problem.
    fn signs_of(&self, parts: &Parts) -> Vec<f64> {
        let of_part = parts.iter().zip(self.signs);
        let signs = of_part.flat_map(|(part, &sign)| part.local.clone().map(move |_| sign));
        signs.collect()
    }

    /// The weight of each row of a problem, that of its part included.
    fn weights_of(&self, parts: &Parts) -> Vec<f64> {
        let of_part = parts.iter().zip(self.weights);
        let weights = of_part.flat_map(|(part, &weight)| {
            let rows = part.global.clone();
            rows.map(move |row| weight * self.row_weight(row))
        });
        weights.collect()
    }
}

/// The largest number that is told from a larger one, and the inverse of the smallest that is
/// not 0: sums and inverses of both are finite.
const LARGEST: f64 = 1e300;

/// Refuses numbers that are not positive; larger ones than [`LARGEST`] are taken for it.
fn positive(name: &'static str, values: &mut [f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::parameter(name, "[]", "there must be at least one"));
    }
    for value in values {
        if value.is_nan() || *value < 1.0 / LARGEST {
            let rule = "it must be a positive number, at least 1e-300";
            return Err(Error::parameter(name, value, rule));
        }
        *value = value.min(LARGEST);
    }
    Ok(())
}

/// Rows on which rounding is measured: so many of all, and of those with a coefficient.
const PROBES: usize = 16;

/// How far the rounding of kernel values has moved the sums `K beta` of rows against each other.
///
/// A bound from the coefficients is enough where they are small. Otherwise the sums of
/// some rows are computed in f64: `sums(i)` is what the solver holds for row `i`.
fn rounding(
    problem: &Problem<'_>,
    parts: &Parts,
    beta: &[f64],
    sums: impl Fn(usize) -> f64,
    enough: f64,
    monitor: &Monitor,
) -> Result<f64> {
    let Some(exact) = problem.exact else {
        return Ok(0.0);
    };
    let bound = 2.0 * exact.precision() * beta.iter().map(|beta| beta.abs()).sum::<f64>();
    if bound <= enough {
        return Ok(bound);
    }
    let used: Vec<usize> = (0..beta.len()).filter(|&i| beta[i] != 0.0).collect();
    let terms: Vec<(usize, f64)> = used.iter().map(|&i| (parts.global(i), beta[i])).collect();
    let stride = |n: usize| n.div_ceil(PROBES).max(1);
    let of_all = (0..beta.len()).step_by(stride(beta.len()));
    let of_used = used.iter().copied().step_by(stride(used.len()));
    let probes: Vec<usize> = of_all.chain(of_used).collect();
    let rows: Vec<usize> = probes.iter().map(|&i| parts.global(i)).collect();
    let mut found = vec![0.0; rows.len()];
    exact.add(&terms, &rows, &mut found, Threading::SideBySide, monitor)?;
    let errors = probes.iter().zip(&found).map(|(&i, sum)| sums(i) - sum);
    let (low, high) = errors.fold((0.0, 0.0), |(low, high): (f64, f64), error| {
        (low.min(error), high.max(error))
    });
    Ok(exact.spread() * (high - low))
}

/// The numbers of the values, smallest value first.
fn ascending(values: &[f64]) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..values.len()).collect();
    numbers.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    numbers
}

/// The most steps of a machine.
#[derive(Debug, Clone, Copy)]
struct Limit {
    most: usize,
}

impl Limit {
    /// Refuses a limit of no steps.
    fn check(max_iter: Option<usize>) -> Result<()> {
        if max_iter == Some(0) {
            let rule = "it must be positive, or -1 for no limit";
            return Err(Error::parameter("max_iter", 0, rule));
        }
        Ok(())
    }

    /// The limit given, or that of LIBSVM: ten million steps, or a hundred a row.
    fn new(max_iter: Option<usize>, n_rows: usize) -> Self {
        Self {
            most: max_iter.unwrap_or(n_rows.saturating_mul(100).max(10_000_000)),
        }
    }

    /// Counts a step; the reason to stop before it, if there is one.
    fn reached(self, n_iter: usize, monitor: &Monitor) -> Result<Option<Status>> {
        monitor.tick(1)?;
        Ok(if n_iter >= self.most {
            Some(Status::IterationLimit)
        } else if n_iter.is_multiple_of(STEPS_TO_LOOK) && monitor.time_is_up() {
            Some(Status::TimeLimit)
        } else {
            None
        })
    }
}

/// Steps between two looks at the clock.
const STEPS_TO_LOOK: usize = 32;

/// A trained binary machine: `f(x) = sum alpha_k K(x_k, x) + bias`, labels included in alpha.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Packed row and coefficient of each support vector, in the order of the method.
    pub terms: Vec<(u32, f64)>,
    /// The constant.
    pub bias: f64,
    /// Steps taken.
    pub n_iter: usize,
    /// Outer loops; 1 for methods without an inner solver.
    pub n_loops: usize,
    /// How the training ended.
    pub status: Status,
    /// Whether outputs need kernel values in f64: those of the rows' own type would move them by
    /// more than the tolerance.
    pub needs_f64: bool,
}

impl Machine {
    /// That of a training that had no time for a step: 0 everywhere.
    pub fn untrained() -> Self {
        Self {
            needs_f64: false,
            terms: Vec::new(),
            bias: 0.0,
            n_iter: 0,
            n_loops: 0,
            status: Status::TimeLimit,
        }
    }

    /// Without terms, and with a status that says so, if a number is not finite, or was not on
    /// the way: then the others are near the end of their range.
    fn or_nothing(self) -> Self {
        let is_finite = self.terms.iter().all(|term| term.1.is_finite());
        if is_finite && self.bias.is_finite() && self.status != Status::NonFinite {
            return self;
        }
        Self {
            terms: Vec::new(),
            bias: 0.0,
            status: Status::NonFinite,
            ..self
        }
    }
}

/// A method that trains one binary machine for each setting of its path.
pub trait BinarySolver: Sync {
    /// How many settings the path has; 1 for a method without a path.
    fn path_len(&self) -> usize;

    /// Whether a kernel row is never asked for twice, so that none need be kept.
    fn uses_rows_once(&self) -> bool;

    /// As [`BinarySolver::solve`], for a linear kernel and from the packed rows themselves;
    /// `None` for a method that has no such way.
    fn solve_rows<T: Lanes>(
        &self,
        _problem: &Problem<'_>,
        _parts: &Parts,
        _rows: &Matrix<'_, T>,
        _monitor: &Monitor,
    ) -> Result<Option<Vec<Machine>>> {
        Ok(None)
    }

    /// Whether there is [`BinarySolver::solve_rows`].
    fn has_linear_form(&self) -> bool {
        false
    }

    /// One machine for each setting, in the order of the settings.
    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>>;
}
