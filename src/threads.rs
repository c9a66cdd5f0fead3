//! Our own pools of threads, each lent to one computation at a time.
//!
//! rayon's global pool hangs in a forked child, because its threads stayed in
//! the parent. A pool lent here was always made by the running process; the
//! pools that a child inherits are left alone, neither used nor joined. Two
//! computations at the same time get two pools, each with the threads it asked for.

use crate::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Pools that nobody uses now, by process id and number of threads.
type Idle = HashMap<(u32, usize), Vec<ThreadPool>>;
static IDLE: LazyLock<Mutex<Idle>> = LazyLock::new(Mutex::default);

fn idle() -> MutexGuard<'static, Idle> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lends `work` a pool of `threads` threads of this process that nobody else uses.
pub fn with_pool<R>(threads: usize, work: impl FnOnce(&ThreadPool) -> R) -> Result<R> {
    if threads == 0 {
        return Err(Error::parameter("threads", 0, "it must be at least 1"));
    }
    let key = (std::process::id(), threads);
    let found = idle().get_mut(&key).and_then(Vec::pop);
    let pool = match found {
        Some(pool) => pool,
        None => start(threads)?,
    };
    let result = work(&pool);
    idle().entry(key).or_default().push(pool);
    Ok(result)
}

/// Runs `work` inside a pool lent by [`with_pool`].
pub fn install<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    with_pool(threads, |pool| pool.install(work))
}

/// Runs `work` while all other threads of the pool stay awake.
///
/// rayon lets a thread without work fall asleep within microseconds, and waking
/// it takes longer than a step of a solver. Here the others look for work until
/// `work` is done. They take any work of the pool, so nothing waits for them.
pub fn keep_awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        for _ in 1..rayon::current_num_threads() {
            let done = &done;
            scope.spawn(move |_| {
                // The thread that does the work must not wait for itself.
                while rayon::current_thread_index() != own && !done.load(Ordering::Relaxed) {
                    if rayon::yield_now() != Some(Yield::Executed) {
                        std::hint::spin_loop();
                    }
                }
            });
        }
        let done = SetWhenDropped(&done);
        let result = work();
        drop(done);
        result
    })
}

/// Sets the flag also when the work panics: the others must stop in any case.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn start(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("hinge-{i}"))
        .build()
        .map_err(|e| Error::Threads {
            threads,
            reason: e.to_string(),
        })
}
