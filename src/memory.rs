//! Memory: fallible allocation, sizes in bytes, and headroom below the limits of the process.
//!
//! Every buffer whose size grows with the user's data is allocated here (or by
//! [`simd::zero_pages`](crate::simd::zero_pages), which follows the same rules), so that a size
//! that overflows and an allocation that fails are an [`Error::Memory`] instead of an abort.
//!
//! Small allocations inside of libraries cannot be checked like that. Where the process has a
//! memory limit (`ulimit -v`, `ulimit -d`), large allocations therefore have to leave some
//! headroom below it.

use crate::error::ByteCount;
use crate::{Error, Result};
use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Headroom in bytes for small allocations that abort the process when they fail. Slightly more
/// than the arena that glibc maps for a thread.
const HEADROOM: usize = 65 << 20;

/// Additional headroom in bytes for each thread, for the workspaces that libraries allocate
/// (matrix products, for example).
const HEADROOM_PER_THREAD: usize = 8 << 20;

/// Bytes that may be allocated between two checks of the headroom.
const CHECK_INTERVAL: usize = 1 << 20;

/// The least number of bytes that a small buffer is accounted for. When the system has no large
/// blocks left, the allocator may map a page for each small one.
const SMALL: usize = 512;

/// The size of `rows * cols` values in bytes; `None` if it overflows.
pub fn byte_count<T>(rows: usize, cols: usize) -> Option<usize> {
    rows.checked_mul(cols)?.checked_mul(size_of::<T>().max(1))
}

/// The length `rows * cols` of a buffer, or [`Error::Memory`] if its size overflows or if the
/// headroom is due for a check and the buffer does not fit beside it.
pub fn checked_len<T>(rows: usize, cols: usize, what: &'static str) -> Result<usize> {
    let fits = |bytes| has_headroom(bytes, current_threads());
    match byte_count::<T>(rows, cols) {
        Some(bytes)
            if !is_check_due(bytes) || fits(bytes) || (release_slabs() > 0 && fits(bytes)) =>
        {
            Ok(rows * cols)
        }
        _ => Err(allocation_error::<T>(rows, cols, what)),
    }
}

/// The error for a buffer of `rows * cols` values that cannot be allocated.
pub fn allocation_error<T>(rows: usize, cols: usize, what: &'static str) -> Error {
    let bytes = ByteCount(byte_count::<T>(rows, cols));
    Error::Memory { bytes, what }
}

/// An empty vector with capacity for `rows * cols` values.
pub fn try_with_capacity<T>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    let len = checked_len::<T>(rows, cols, what)?;
    let mut buffer = Vec::new();
    let error = |_| allocation_error::<T>(rows, cols, what);
    if buffer.try_reserve_exact(len).is_err() {
        release_slabs();
        buffer.try_reserve_exact(len).map_err(error)?;
    }
    Ok(buffer)
}

/// `rows * cols` default values. Allocates once, and writes all values in the calling thread.
pub fn try_filled<T: Clone + Default>(
    rows: usize,
    cols: usize,
    what: &'static str,
) -> Result<Vec<T>> {
    let mut buffer = try_with_capacity(rows, cols, what)?;
    buffer.resize(rows * cols, T::default());
    Ok(buffer)
}

/// `rows * cols` zeros on pages that the system zeroes when they are first touched.
///
/// Allocates twice: fallibly to see whether the memory is available, and then again as zeroed
/// pages. Threads that allocate large buffers at the same time should call
/// [`simd::zero_pages`](crate::simd::zero_pages), which allocates once.
pub fn try_zeros<T: Clone + Default>(
    rows: usize,
    cols: usize,
    what: &'static str,
) -> Result<Vec<T>> {
    drop(std::hint::black_box(try_with_capacity::<T>(
        rows, cols, what,
    )?));
    Ok(vec![T::default(); rows * cols])
}

/// Collects values of known number into a vector.
pub fn try_collect<T>(
    values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    what: &'static str,
) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut buffer = try_with_capacity(values.len(), 1, what)?;
    buffer.extend(values);
    Ok(buffer)
}

/// Appends values to a buffer that grows as needed. Does not check the headroom.
pub fn try_extend<T: Copy>(buffer: &mut Vec<T>, values: &[T], what: &'static str) -> Result<()> {
    buffer
        .try_reserve(values.len())
        .map_err(|_| allocation_error::<T>(buffer.len() + values.len(), 1, what))?;
    buffer.extend_from_slice(values);
    Ok(())
}

/// Resets a reused buffer to `rows * cols` zeros; allocates only if its capacity is too small.
pub fn reset_to_zeros<T: Clone + Default>(
    buffer: &mut Vec<T>,
    rows: usize,
    cols: usize,
) -> Result<()> {
    let len = rows.checked_mul(cols);
    buffer.clear();
    if len.is_none_or(|len| len > buffer.capacity()) {
        *buffer = try_with_capacity(rows, cols, "a block of rows")?;
    }
    buffer.resize(rows * cols, T::default());
    Ok(())
}

/// Accounts for a small buffer, one of very many, that is about to be allocated infallibly:
/// fails if all of them together would use up the headroom.
pub fn account_small(bytes: usize, what: &'static str) -> Result<()> {
    match checked_len::<u8>(bytes.max(SMALL), 1, what) {
        Ok(_) => Ok(()),
        // What is missing is the headroom, not this one buffer.
        Err(_) => Err(allocation_error::<u8>(headroom(current_threads()), 1, what)),
    }
}

/// Fails if the headroom for the work of `threads` threads is not available.
pub fn check_headroom(threads: usize) -> Result<()> {
    if has_headroom(0, threads) || (release_slabs() > 0 && has_headroom(0, threads)) {
        return Ok(());
    }
    let what = "small buffers";
    Err(allocation_error::<u8>(headroom(threads), 1, what))
}

/// Whether [`CHECK_INTERVAL`] bytes have been requested since the last check of the headroom.
fn is_check_due(bytes: usize) -> bool {
    static REQUESTED: AtomicUsize = AtomicUsize::new(0);
    let counted = bytes.min(CHECK_INTERVAL);
    let is_due = REQUESTED.fetch_add(counted, Ordering::Relaxed) + counted >= CHECK_INTERVAL;
    if is_due {
        REQUESTED.store(0, Ordering::Relaxed);
    }
    is_due
}

/// Whether `bytes` more fit below the memory limits of this process and leave the headroom of
/// `threads` threads; true on systems that report no limits. Reads the limits instead of trying
/// to allocate, because other threads may need the memory at the same moment.
fn has_headroom(bytes: usize, threads: usize) -> bool {
    let Ok(limits) = std::fs::read_to_string("/proc/self/limits") else {
        return true;
    };
    let needed = bytes.saturating_add(headroom(threads));
    // `ulimit -v` and `ulimit -d`, each with the line of /proc/self/status that counts toward it.
    [
        ("Max address space", "VmSize:"),
        ("Max data size", "VmData:"),
    ]
    .into_iter()
    .filter_map(|(name, used)| Some((first_number(&limits, name)?, used)))
    .all(|(limit, used)| used_bytes(used).is_none_or(|u| u.saturating_add(needed) <= limit))
}

fn headroom(threads: usize) -> usize {
    HEADROOM.saturating_add(threads.saturating_mul(HEADROOM_PER_THREAD))
}

/// Number of threads of the current pool; 1 outside of a pool.
fn current_threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// A line of /proc/self/status, which is in KiB, in bytes.
fn used_bytes(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    first_number(&status, name)?.checked_mul(1024)
}

/// The number that follows a name; `None` if there is none, as for "unlimited".
fn first_number(lines: &str, name: &str) -> Option<usize> {
    let line = lines.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Buffers that one training leaves for the next: touching fresh memory costs as much as computing
/// the values.
static BUFFERS: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// The most buffers that are kept.
const MOST_BUFFERS: usize = 64;

/// A buffer that [`keep_buffer`] was given, with its values, or an empty one.
pub fn take_buffer<T: Send + 'static>() -> Vec<T> {
    let mut kept = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().rposition(|buffer| buffer.is::<Vec<T>>());
    let buffer = found.and_then(|place| kept.swap_remove(place).downcast().ok());
    buffer.map_or_else(Vec::new, |buffer| *buffer)
}

/// Keeps a buffer for [`take_buffer`] until [`drop_buffers`].
pub fn keep_buffer<T: Send + 'static>(buffer: Vec<T>) {
    let mut kept = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() < MOST_BUFFERS && buffer.capacity() > 0 {
        kept.push(Box::new(buffer));
    }
}

/// Frees all buffers that are kept.
pub fn drop_buffers() {
    let mut kept = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    *kept = Vec::new();
}

/// Slabs of kernel caches that one training leaves for the next.
static SLABS: Mutex<Vec<Box<dyn Any + Send>>> = Mutex::new(Vec::new());

/// The size of a slab in bytes.
pub const SLAB_BYTES: usize = 1 << 26;

/// The most slabs that are kept.
const MOST_SLABS: usize = 8;

/// The kept slabs, or `None` while another thread holds the lock: a child forked at that moment
/// would wait for it forever.
fn slabs() -> Option<MutexGuard<'static, Vec<Box<dyn Any + Send>>>> {
    match SLABS.try_lock() {
        Ok(slabs) => Some(slabs),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A slab that [`keep_slab`] was given, with any values, if there is one.
pub fn take_slab<T: Send + 'static>() -> Option<Vec<T>> {
    let mut kept = slabs()?;
    let place = kept.iter().rposition(|slab| slab.is::<Vec<T>>())?;
    kept.swap_remove(place).downcast().ok().map(|slab| *slab)
}

/// Keeps a slab for [`take_slab`], until [`release_slabs`] or until memory runs out; frees other
/// buffers, and slabs beyond a few.
pub fn keep_slab<T: Send + 'static>(slab: Vec<T>) {
    if slab.capacity() * size_of::<T>() != SLAB_BYTES || slab.len() != slab.capacity() {
        return;
    }
    let Some(mut kept) = slabs() else { return };
    if kept.len() < MOST_SLABS {
        kept.push(Box::new(slab));
    }
}

/// Frees all kept slabs, and returns their size in bytes.
pub fn release_slabs() -> usize {
    let released = slabs().map(|mut kept| std::mem::take(&mut *kept));
    released.map_or(0, |slabs| slabs.len() * SLAB_BYTES)
}
