//! Weights on the way of a training, for curves.

use std::time::{Duration, Instant};

/// The weights after some steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Steps taken until then.
    pub step: u64,
    /// Seconds of training until then, without the taking of snapshots.
    pub seconds: f64,
    /// The weights of the features; until the end of the training the constant one behind them.
    pub weights: Vec<f64>,
    /// The constant, known at the end of the training.
    pub bias: f64,
}

/// Keeps the weights every so many steps.
#[derive(Debug, Clone)]
pub struct Recorder {
    every: Option<u64>,
    next: u64,
    start: Instant,
    own: Duration,
    snapshots: Vec<Snapshot>,
}

impl Recorder {
    /// Starts the clock; `None` keeps nothing.
    pub fn new(every: Option<u64>) -> Self {
        Self {
            every,
            next: 0,
            start: Instant::now(),
            own: Duration::ZERO,
            snapshots: Vec::new(),
        }
    }

    /// Tells that some steps were taken; keeps the weights if it is time.
    #[inline]
    pub fn tell(&mut self, step: u64, weights: impl FnOnce() -> Vec<f64>) {
        if self.every.is_some() && step >= self.next {
            self.keep(step, weights);
        }
    }

    /// Keeps the weights, unless those of this step are kept.
    pub fn keep(&mut self, step: u64, weights: impl FnOnce() -> Vec<f64>) {
        let Some(every) = self.every else { return };
        if self.snapshots.last().is_some_and(|last| last.step == step) {
            return;
        }
        let now = Instant::now();
        let seconds = (now - self.start).saturating_sub(self.own).as_secs_f64();
        self.snapshots.push(Snapshot {
            step,
            seconds,
            weights: weights(),
            bias: 0.0,
        });
        self.next = step.saturating_add(every);
        self.own += now.elapsed();
    }

    /// What was kept.
    pub fn finish(self) -> Vec<Snapshot> {
        self.snapshots
    }
}
