//! Kernel rows that are computed while the inner solver works.
//!
//! The inner solver needs the kernel values within the working set only. The whole rows of the
//! samples that it moves are needed afterwards, to update the gradient. One thread solves, the
//! others compute these rows as soon as the samples move for the first time.
//!
//! Rows are requested in batches of fixed size in the order of the first moves, so that the contents
//! of the cache do not depend on the threads.

use crate::Result;
use crate::kernel::{BlockRows, Threading};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows per request: a block of queries.
const BATCH: usize = 48;

/// Number of polls before a waiting thread yields to other processes.
const SPINS: u32 = 1000;

/// The samples that moved so far, in the order of their first moves.
#[derive(Debug, Default)]
pub struct Moves {
    samples: Mutex<Vec<usize>>,
    is_complete: AtomicBool,
}

impl Moves {
    /// Adds a sample that moved for the first time.
    pub fn push(&self, sample: usize) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(sample);
    }

    /// Calls `solve`, which adds samples, and makes the rows of these samples resident: at the same
    /// time if there are several threads.
    pub fn follow<T: Lanes, R: Send>(
        &self,
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
        solve: impl FnOnce() -> Result<R> + Send,
    ) -> Result<R> {
        let solve = || {
            let _end = CompleteWhenDropped(&self.is_complete);
            solve()
        };
        let is_parallel =
            rows.threading() == Threading::Parallel && rayon::current_num_threads() > 1;
        let (solved, fetched) = if is_parallel {
            rayon::join(solve, || self.fetch(rows, monitor))
        } else {
            let solved = solve();
            (solved, self.fetch(rows, monitor))
        };
        fetched?;
        solved
    }

    /// Makes the rows of all samples resident, batch by batch, until no more samples can follow.
    fn fetch<T: Lanes>(&self, rows: &mut impl BlockRows<T>, monitor: &Monitor) -> Result<()> {
        let (mut n_fetched, mut polls) = (0, 0);
        loop {
            let is_complete = self.is_complete.load(Ordering::Acquire);
            let batch = self.batch(n_fetched);
            if batch.len() == BATCH || (is_complete && !batch.is_empty()) {
                rows.prefetch(&batch, monitor)?;
                n_fetched += batch.len();
                polls = 0;
            } else if is_complete {
                return Ok(());
            } else if polls < SPINS {
                polls += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }

    /// The samples from number `start` on, at most [`BATCH`] of them.
    fn batch(&self, start: usize) -> Vec<usize> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let end = samples.len().min(start + BATCH);
        samples[start..end].to_vec()
    }
}

/// Ends the wait for more samples, even if the solver panics.
struct CompleteWhenDropped<'a>(&'a AtomicBool);

impl Drop for CompleteWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
