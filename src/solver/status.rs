//! How training ended.

use crate::monitor::Monitor;

/// How training ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The stopping criterion of the method holds.
    Converged,
    /// The limit on the number of iterations was reached first.
    IterationLimit,
    /// The time limit was reached first.
    TimeLimit,
    /// No step makes progress, although the stopping criterion does not hold: rounding.
    Stalled,
    /// A value overflowed the range of f64.
    NonFinite,
}

impl Status {
    /// All variants.
    pub const ALL: [Status; 5] = [
        Status::Converged,
        Status::IterationLimit,
        Status::TimeLimit,
        Status::Stalled,
        Status::NonFinite,
    ];

    /// The status after a step that could not be computed: the time limit was reached, or the
    /// equations are singular.
    pub fn of_failed_step(monitor: &Monitor) -> Self {
        if monitor.time_is_up() {
            Status::TimeLimit
        } else {
            Status::Stalled
        }
    }

    /// The name shown in Python.
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
