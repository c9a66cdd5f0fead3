//! Where the time of an evaluation goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What a thread is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Gathers, scales and packs the rows of a split.
    Rows,
    /// Computes their products.
    Products,
    /// Trains, which includes the kernel values that are asked for first.
    Training,
    /// Computes outputs of the test rows, and counts.
    Testing,
}

impl Phase {
    const ALL: [Phase; 4] = [
        Phase::Rows,
        Phase::Products,
        Phase::Training,
        Phase::Testing,
    ];

    /// The name that Python shows.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Rows => "rows",
            Phase::Products => "products",
            Phase::Training => "training",
            Phase::Testing => "testing",
        }
    }
}

/// Nanoseconds of all threads, by phase.
#[derive(Debug, Default)]
pub struct Clock([AtomicU64; Phase::ALL.len()]);

impl Clock {
    /// Counts the time until the result is dropped.
    pub fn start(&self, phase: Phase) -> Running<'_> {
        Running {
            total: &self.0[phase as usize],
            start: Instant::now(),
        }
    }

    /// Seconds in each phase.
    pub fn seconds(&self) -> [(Phase, f64); Phase::ALL.len()] {
        Phase::ALL.map(|phase| {
            let nanoseconds = self.0[phase as usize].load(Ordering::Relaxed);
            (phase, nanoseconds as f64 * 1e-9)
        })
    }
}

/// A phase that goes on.
pub struct Running<'a> {
    total: &'a AtomicU64,
    start: Instant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let nanoseconds = self.start.elapsed().as_nanos() as u64;
        self.total.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}
