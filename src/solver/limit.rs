//! Limits on iterations and time.

use super::Status;
use crate::Result;
use crate::monitor::Monitor;

/// Iterations between two checks of the time limit.
pub const CHECK_INTERVAL: usize = 32;

/// The maximum number of iterations of a binary problem.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    max_iter: usize,
}

impl Limit {
    /// The given limit, or the one of LIBSVM: ten million iterations, or 100 per sample if
    /// that is more.
    pub fn new(max_iter: Option<usize>, n_samples: usize) -> Self {
        Self {
            max_iter: max_iter.unwrap_or(n_samples.saturating_mul(100).max(10_000_000)),
        }
    }

    /// The number of iterations left.
    pub fn remaining(self, n_iter: usize) -> usize {
        self.max_iter.saturating_sub(n_iter)
    }

    /// Ticks the monitor; returns the limit that has been reached, if any.
    pub fn reached(self, n_iter: usize, monitor: &Monitor) -> Result<Option<Status>> {
        monitor.tick(1)?;
        Ok(if n_iter >= self.max_iter {
            Some(Status::IterationLimit)
        } else if n_iter.is_multiple_of(CHECK_INTERVAL) && monitor.time_is_up() {
            Some(Status::TimeLimit)
        } else {
            None
        })
    }
}
