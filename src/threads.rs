//! Our own pools of threads, each lent to one computation at a time.
//!
//! rayon's global pool hangs in a forked child, because its threads stayed in
//! the parent. A pool lent here was always made by the running process; the
//! pools that a child inherits are left alone, neither used nor joined. Two
//! computations at the same time get two pools, each with the threads it asked for.

use crate::error::{check_room, reserve};
use crate::{Error, Result};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Pools that nobody uses now, by process id and number of threads.
type Idle = HashMap<(u32, usize), Vec<ThreadPool>>;
static IDLE: LazyLock<Mutex<Idle>> = LazyLock::new(Mutex::default);

/// The idle pools, or `None` while another thread has them. Nobody waits here: a child
/// forked at that moment would wait for ever.
fn idle() -> Option<MutexGuard<'static, Idle>> {
    match IDLE.try_lock() {
        Ok(idle) => Some(idle),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Lends `work` a pool of `threads` threads of this process that nobody else uses.
pub fn with_pool<R>(threads: usize, work: impl FnOnce(&ThreadPool) -> R) -> Result<R> {
    if threads == 0 {
        return Err(Error::parameter("threads", 0, "it must be at least 1"));
    }
    let key = (std::process::id(), threads);
    let found = idle().and_then(|mut idle| idle.get_mut(&key)?.pop());
    let pool = match found {
        Some(pool) => pool,
        None => match start(threads) {
            Err(Error::Threads { .. }) => start_in_place_of_others(threads)?,
            started => started?,
        },
    };
    let result = work(&pool);
    if let Some(mut idle) = idle() {
        let is_own = |&(&(process, _), _): &(&(u32, usize), _)| process == key.0;
        let waiting = idle.iter().filter(is_own);
        let waiting: usize = waiting.map(|(&(_, size), pools)| size * pools.len()).sum();
        if waiting + threads > MOST_IDLE {
            give_up(&mut idle);
        }
        idle.entry(key).or_default().push(pool);
    }
    Ok(result)
}

/// Threads that may wait for work in all idle pools together, if there is more than one.
const MOST_IDLE: usize = 64;

/// Ends the threads of all idle pools of this process.
fn give_up(idle: &mut Idle) {
    let own = std::process::id();
    idle.retain(|&(process, _), _| process != own);
}

/// Where the system starts no more threads, those that wait for nothing make room.
fn start_in_place_of_others(threads: usize) -> Result<ThreadPool> {
    if let Some(mut idle) = idle() {
        give_up(&mut idle);
    }
    std::thread::sleep(TIME_TO_END);
    start(threads)
}

/// In which idle threads end.
const TIME_TO_END: Duration = Duration::from_millis(50);

/// Runs `work` inside a pool lent by [`with_pool`].
pub fn install<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    with_pool(threads, |pool| pool.install(work))
}

/// What `make` gives for each of some numbers, made side by side in the pool of the caller.
pub fn side_by_side<R: Send>(
    numbers: Range<usize>,
    what: &'static str,
    make: impl Fn(usize) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut found: Vec<Option<R>> = reserve(numbers.len(), 1, what)?;
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
    let mut all = reserve(found.len(), 1, what)?;
    all.extend(found.into_iter().flatten());
    Ok(all)
}

/// Runs `work` while all other threads of the pool stay awake.
///
/// rayon lets a thread without work fall asleep within microseconds, and waking
/// it takes longer than a step of a solver. Here the others look for work until
/// `work` is done. They take any work of the pool, so nothing waits for them.
pub fn keep_awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let done = AtomicBool::new(false);
    rayon::scope(|scope| {
        let (own, done) = (rayon::current_thread_index(), &done);
        scope.spawn_broadcast(move |_, context| {
            // The thread that does the work must not wait for itself.
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

/// Looks for work before a thread lets others of the machine run.
const SPINS: u32 = 10_000;

/// Sets the flag also when the work panics: the others must stop in any case.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts threads and lets each allocate once: allocators then set aside what they want to have
/// for a thread, tens of megabytes of addresses. What is left must be enough.
fn start(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("hinge-{i}"))
        .build()
        .map_err(|e| Error::Threads {
            threads,
            reason: e.to_string(),
        })?;
    pool.broadcast(|_| drop(std::hint::black_box(Vec::<u8>::with_capacity(1024))));
    check_room(threads)?;
    Ok(pool)
}
