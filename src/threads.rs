//! Our own pools of threads: one for each process id and size.
//!
//! rayon's global pool hangs in a forked child, because its threads stayed in
//! the parent. A pool found here was always made by the running process; the
//! pools that a child inherits are left alone, neither used nor joined.

use crate::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;
static POOLS: LazyLock<Mutex<Pools>> = LazyLock::new(Mutex::default);

/// The pool of this process with `threads` threads, made at the first call.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    if threads == 0 {
        return Err(Error::parameter("threads", 0, "it must be at least 1"));
    }
    let key = (std::process::id(), threads);
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&key) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("hinge-{i}"))
        .build()
        .map_err(|e| Error::Threads {
            threads,
            reason: e.to_string(),
        })?;
    let pool = Arc::new(pool);
    pools.insert(key, Arc::clone(&pool));
    Ok(pool)
}
