//! Solvers of one binary problem, one file for each method.

mod ollawv;
mod svc;

pub use ollawv::{Ollawv, OllawvSettings};
pub use svc::{Svc, SvcSettings};

use crate::Result;
use crate::kernel::KernelRows;
use crate::monitor::Monitor;
use crate::simd::Lanes;

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
    /// The name that Python shows.
    pub fn name(self) -> &'static str {
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
#[derive(Debug, Clone, Copy)]
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
}

impl Problem<'_> {
    /// The weight of a packed row, that of its part aside.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.row_weights.map_or(1.0, |weights| weights[row])
    }
}

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
}

/// A method that trains one binary machine for each setting of its path.
pub trait BinarySolver: Sync {
    /// How many settings the path has; 1 for a method without a path.
    fn path_len(&self) -> usize;

    /// Whether a kernel row is never asked for twice, so that none need be kept.
    fn uses_rows_once(&self) -> bool;

    /// One machine for each setting, in the order of the settings.
    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl KernelRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>>;
}
