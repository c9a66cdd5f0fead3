//! Snapshots of the weights during training, for learning curves.

use std::time::{Duration, Instant};

/// The weights after a number of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Number of steps.
    pub step: u64,
    /// Seconds of training, without the time to record snapshots.
    pub seconds: f64,
    /// The weights of the features; during training, followed by that of the constant feature.
    pub weights: Vec<f64>,
    /// The bias, which is computed at the end of training.
    pub bias: f64,
}

/// Records the weights at regular intervals.
#[derive(Debug, Clone)]
pub struct Recorder {
    every: Option<u64>,
    next: u64,
    start: Instant,
    /// The time spent on recording.
    overhead: Duration,
    snapshots: Vec<Snapshot>,
}

impl Recorder {
    /// Starts the clock. Records every `every` steps; `None` records nothing.
    pub fn new(every: Option<u64>) -> Self {
        Self {
            every,
            next: 0,
            start: Instant::now(),
            overhead: Duration::ZERO,
            snapshots: Vec::new(),
        }
    }

    /// Records the weights after `step` steps if a snapshot is due.
    #[inline]
    pub fn record_if_due(&mut self, step: u64, weights: impl FnOnce() -> Vec<f64>) {
        if self.every.is_some() && step >= self.next {
            self.record(step, weights);
        }
    }

    /// Records the weights after `step` steps, unless they are recorded already.
    pub fn record(&mut self, step: u64, weights: impl FnOnce() -> Vec<f64>) {
        let Some(every) = self.every else { return };
        if self.snapshots.last().is_some_and(|last| last.step == step) {
            return;
        }
        let now = Instant::now();
        let seconds = (now - self.start)
            .saturating_sub(self.overhead)
            .as_secs_f64();
        self.snapshots.push(Snapshot {
            step,
            seconds,
            weights: weights(),
            bias: 0.0,
        });
        self.next = step.saturating_add(every);
        self.overhead += now.elapsed();
    }

    /// The recorded snapshots.
    pub fn finish(self) -> Vec<Snapshot> {
        self.snapshots
    }
}
