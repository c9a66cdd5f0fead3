//! The time that an evaluation spends in each phase.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The phases of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Gathering, scaling and packing the samples of a split.
    Rows,
    /// Computing their products.
    Products,
    /// Training, including the kernel values that it reads first.
    Training,
    /// Predicting and scoring the test samples.
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

/// Nanoseconds per phase, summed over all threads.
#[derive(Debug, Default)]
pub struct Clock([AtomicU64; Phase::ALL.len()]);

impl Clock {
    /// Measures the time until the result is dropped.
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

/// A running measurement.
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
