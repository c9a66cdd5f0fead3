//! Thread pools, each used by one computation at a time.
//!
//! rayon's global pool hangs in a forked child process, because its threads exist only in the
//! parent. The pools here belong to the process that started them; a child neither uses nor joins
//! the pools that it inherits. Concurrent computations get separate pools of the size they
//! request.

use crate::memory::{check_headroom, try_with_capacity};
use crate::{Error, Result};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Unused pools by process id and number of threads.
type Idle = HashMap<(u32, usize), Vec<ThreadPool>>;
static IDLE: LazyLock<Mutex<Idle>> = LazyLock::new(Mutex::default);

/// The idle pools, or `None` while another thread holds the lock. Never waits for the lock: a
/// child forked while it is held would wait forever.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    match IDLE.try_lock() {
        Ok(idle) => Some(idle),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Calls `work` with a pool of `threads` threads that is not used by another computation.
pub fn with_pool<R>(threads: usize, work: impl FnOnce(&ThreadPool) -> R) -> Result<R> {
    if threads == 0 {
        return Err(Error::parameter("threads", 0, "it must be at least 1"));
    }
    let key = (std::process::id(), threads);
    let found = idle().and_then(|mut idle| idle.get_mut(&key)?.pop());
    let pool = match found {
        Some(pool) => pool,
        None => match start(threads) {
            Err(Error::Threads { .. }) => start_after_release(threads)?,
            started => started?,
        },
    };
    let result = work(&pool);
    if let Some(mut idle) = idle() {
        let is_own = |&(&(process, _), _): &(&(u32, usize), _)| process == key.0;
        let waiting = idle.iter().filter(is_own);
        let waiting: usize = waiting.map(|(&(_, size), pools)| size * pools.len()).sum();
        if waiting + threads > MOST_IDLE {
            release(&mut idle);
        }
        idle.entry(key).or_default().push(pool);
    }
    Ok(result)
}

/// The most threads in idle pools, if there is more than one pool.
const MOST_IDLE: usize = 64;

/// Ends the threads of all idle pools of this process.
fn release(idle: &mut Idle) {
    let own = std::process::id();
    idle.retain(|&(process, _), _| process != own);
}

/// Ends idle threads and tries again, for systems that refuse to start more threads.
fn start_after_release(threads: usize) -> Result<ThreadPool> {
    if let Some(mut idle) = idle() {
        release(&mut idle);
    }
    std::thread::sleep(TIME_TO_END);
    start(threads)
}

/// The time that idle threads need to end.
const TIME_TO_END: Duration = Duration::from_millis(50);

/// Runs `work` inside of a pool of [`with_pool`].
pub fn install<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    with_pool(threads, |pool| pool.install(work))
}

/// Collects `make(number)` for a range of numbers, in parallel in the current thread pool.
pub fn try_par_map<R: Send>(
    numbers: Range<usize>,
    what: &'static str,
    make: impl Fn(usize) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut found: Vec<Option<R>> = try_with_capacity(numbers.len(), 1, what)?;
    if numbers.len() == 1 {
        found.push(Some(make(numbers.start)?));
    } else {
        found.resize_with(numbers.len(), || None);
        let places = found.par_iter_mut().zip(numbers).with_max_len(1);
        places.try_for_each(|(place, number)| {
            *place = Some(make(number)?);
            Ok::<(), Error>(())
        })?;
    }
    let mut all = try_with_capacity(found.len(), 1, what)?;
    all.extend(found.into_iter().flatten());
    Ok(all)
}

/// Runs `work` while all other threads of the pool stay awake.
///
/// rayon puts a thread without work to sleep within microseconds, and waking it takes longer than
/// a step of a solver. Here the other threads poll for work until `work` returns. They accept any
/// task of the pool, so that no task is delayed.
pub fn keep_awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let (own, done) = (rayon::current_thread_index(), &done);
        scope.spawn_broadcast(move |_, context| {
            // The thread that runs `work` must not wait for itself.
            let mut idle = 0u32;
            while Some(context.index()) != own && !done.load(Ordering::Relaxed) {
                if rayon::yield_now() == Some(Yield::Executed) {
                    idle = 0;
                } else if idle < SPINS {
                    idle += 1;
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        });
        let guard = SetWhenDropped(done);
        let result = work();
        drop(guard);
        result
    })
}

/// Number of polls before a thread yields to other processes.
const SPINS: u32 = 10_000;

/// Sets the flag even if `work` panics, so that the other threads stop.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a pool and allocates once in each thread, because allocators then reserve an arena of
/// tens of megabytes of address space per thread. The headroom is checked afterwards.
fn start(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("softmargin-{i}"))
        .build()
        .map_err(|e| Error::Threads {
            threads,
            reason: e.to_string(),
        })?;
    pool.broadcast(|_| drop(std::hint::black_box(Vec::<u8>::with_capacity(1024))));
    check_headroom(threads)?;
    Ok(pool)
}
