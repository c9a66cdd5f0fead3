//! How a long computation hears of an interrupt or a deadline, and tells how far it is.
//!
//! The core never calls back: it ticks a shared counter, and whoever waits for
//! it (the Python door, a test) reads the counter and raises the flag.

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

    /// A monitor whose [`Monitor::time_is_up`] turns true after `limit`.
    pub fn with_time_limit(limit: Option<Duration>) -> Self {
        Self {
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            ..Self::default()
        }
    }

    /// Counts `steps` and fails if the caller wants to stop. Cheap: one relaxed load and one add.
    pub fn tick(&self, steps: u64) -> Result<()> {
        self.steps.fetch_add(steps, Ordering::Relaxed);
        self.check()
    }

    /// Fails if the caller wants to stop.
    pub fn check(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        Ok(())
    }

    /// Asks the computation to stop at its next tick.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Steps counted so far, over all threads.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Whether the time limit, if there is one, has passed.
    pub fn time_is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}
