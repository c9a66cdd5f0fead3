//! Interrupts, time limits and progress of long computations.
//!
//! The core never calls back. It increments a shared counter; the caller (the Python bindings or
//! a test) reads the counter and sets the interrupt flag.

use crate::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Shared by the caller and all threads of one computation.
#[derive(Debug, Default)]
pub struct Monitor {
    interrupted: AtomicBool,
    deadline: Option<Instant>,
    steps: AtomicU64,
}

impl Monitor {
    /// A monitor without a time limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// A monitor whose [`Monitor::time_is_up`] returns true after `limit`.
    pub fn with_time_limit(limit: Option<Duration>) -> Self {
        Self {
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            ..Self::default()
        }
    }

    /// Adds `steps` to the counter and fails if the computation was interrupted. Cheap: one relaxed
    /// load and one relaxed add.
    pub fn tick(&self, steps: u64) -> Result<()> {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.check()
    }

    /// Fails if the computation was interrupted.
    pub fn check(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        Ok(())
    }

    /// Interrupts the computation at its next tick.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Number of steps of all threads so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Whether the time limit, if any, has passed.
    pub fn time_is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
