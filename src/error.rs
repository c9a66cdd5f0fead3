//! What can go wrong, as data. Python maps each variant to one exception class.

use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The result of every fallible function of the core.
pub type Result<T> = std::result::Result<T, Error>;

/// Each message is one sentence that names the argument, the value or its place, and the rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter outside its domain.
    #[error("{name} = {value} is not valid: {rule}")]
    Parameter {
        /// The parameter as the user spells it.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What it must be.
        rule: &'static str,
    },
    /// Arrays whose shapes do not fit together.
    #[error("{0}")]
    Shape(String),
    /// A value in the data that cannot be used.
    #[error("{0}")]
    Data(String),
    /// A line of a text file that cannot be read.
    #[error("line {line}: {message}")]
    Text {
        /// Line number, counted from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// More memory than the machine, or the budget, has.
    #[error("cannot allocate {bytes} bytes for {what}")]
    Memory {
        /// The size asked for; `None` where it does not even fit a machine word.
        bytes: ByteCount,
        /// What it was for.
        what: &'static str,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The pool of threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A defect of this library, caught before it reached the caller.
    #[error("internal error (please report it): {0}")]
    Internal(String),
}

/// A number of bytes that may be too large to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteCount(pub Option<usize>);

impl Display for ByteCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(bytes) => write!(f, "{bytes}"),
            None => f.write_str("more than 2^64"),
        }
    }
}

/// Characters from which on a number is written with an exponent.
const LONG: usize = 24;

impl Error {
    /// A [`Error::Parameter`] from anything that prints.
    pub fn parameter(name: &'static str, value: impl Display, rule: &'static str) -> Self {
        let mut value = value.to_string();
        if value.len() > LONG
            && let Ok(number) = value.parse::<f64>()
        {
            value = format!("{number:e}");
        }
        Error::Parameter { name, value, rule }
    }
}

/// An empty vector with room for `rows * cols` values, or [`Error::Memory`].
///
/// Every buffer whose size grows with the user's data is made here, so that an
/// overflowing product or a refused allocation is an error and not an abort.
pub fn reserve<T>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    let len = checked_len::<T>(rows, cols, what)?;
    let mut buffer = Vec::new();
    let refused = |_| refusal::<T>(rows, cols, what);
    buffer.try_reserve_exact(len).map_err(refused)?;
    Ok(buffer)
}

/// `rows * cols` defaults, or [`Error::Memory`]: asked for once, whatever other threads take.
pub fn filled<T: Clone + Default>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    let mut buffer = reserve(rows, cols, what)?;
    buffer.resize(rows * cols, T::default());
    Ok(buffer)
}

/// Some values as a vector, or [`Error::Memory`].
pub fn collected<T>(
    values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    what: &'static str,
) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut buffer = reserve(values.len(), 1, what)?;
    buffer.extend(values);
    Ok(buffer)
}

/// Counts a small buffer that is one of very many, before it is made without asking: together
/// they must leave the room that others need, or it is an [`Error::Memory`].
pub fn count_small(bytes: usize, what: &'static str) -> Result<()> {
    match checked_len::<u8>(bytes.max(SMALL), 1, what) {
        Ok(_) => Ok(()),
        // All of them need that room, whichever comes last.
        Err(_) => Err(refusal::<u8>(room(threads_here()), 1, what)),
    }
}

/// What a small buffer counts for at the least. Where the system gives no more large pieces of
/// memory, an allocator takes a page for each of them.
const SMALL: usize = 512;

/// The length of a buffer whose bytes can be counted, with room for it if we look again.
pub fn checked_len<T>(rows: usize, cols: usize, what: &'static str) -> Result<usize> {
    match count_bytes::<T>(rows, cols) {
        Some(bytes) if !is_time_to_look(bytes) || has_room_beside(bytes, threads_here()) => {
            Ok(rows * cols)
        }
        _ => Err(refusal::<T>(rows, cols, what)),
    }
}

/// Whether much was asked for since the last look.
fn is_time_to_look(bytes: usize) -> bool {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let counted = bytes.min(LOOK);
    let is_time = ASKED.fetch_add(counted, Ordering::Relaxed) + counted >= LOOK;
    if is_time {
        ASKED.store(0, Ordering::Relaxed);
    }
    is_time
}

/// The error for a buffer that cannot be had.
pub fn refusal<T>(rows: usize, cols: usize, what: &'static str) -> Error {
    let bytes = ByteCount(count_bytes::<T>(rows, cols));
    Error::Memory { bytes, what }
}

fn count_bytes<T>(rows: usize, cols: usize) -> Option<usize> {
    rows.checked_mul(cols)?.checked_mul(size_of::<T>().max(1))
}

/// Bytes that stay free for the many small buffers whose makers do not ask: where one of those
/// fails, the process ends. A little more than glibc sets aside for those of one thread.
const ROOM: usize = 65 << 20;

/// Bytes that libraries take in each thread without asking, as the products of matrices do.
const ROOM_OF_A_THREAD: usize = 8 << 20;

/// Bytes that may be asked for before we look whether the room is still there.
const LOOK: usize = 1 << 20;

/// Whether the limits of this process, if the system tells any, leave `bytes` and the room
/// beside them. Nothing is taken to find out: other threads may need it at this moment.
fn has_room_beside(bytes: usize, threads: usize) -> bool {
    let Ok(limits) = std::fs::read_to_string("/proc/self/limits") else {
        return true;
    };
    let needed = bytes.saturating_add(room(threads));
    // `ulimit -v` and `ulimit -d`, and what is used of them.
    [
        ("Max address space", "VmSize:"),
        ("Max data size", "VmData:"),
    ]
    .into_iter()
    .filter_map(|(name, used)| Some((first_number(&limits, name)?, used)))
    .all(|(limit, used)| used_bytes(used).is_none_or(|u| u.saturating_add(needed) <= limit))
}

fn room(threads: usize) -> usize {
    ROOM.saturating_add(threads.saturating_mul(ROOM_OF_A_THREAD))
}

/// Threads of the pool that we are in, if we are in one.
fn threads_here() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// Bytes that this process uses of something.
fn used_bytes(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    first_number(&status, name)?.checked_mul(1024)
}

/// The number that follows a name; `None` if there is none, as for "unlimited".
fn first_number(lines: &str, name: &str) -> Option<usize> {
    let line = lines.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Refuses to start work of some threads for whose small buffers there may be no memory.
pub fn check_room(threads: usize) -> Result<()> {
    if has_room_beside(0, threads) {
        return Ok(());
    }
    Err(Error::Memory {
        bytes: ByteCount(Some(room(threads))),
        what: "small buffers",
    })
}

/// `rows * cols` zeros, or [`Error::Memory`].
///
/// The room is asked for once with an answer, given back, and taken again as
/// zero pages of the system: those are touched first by the threads that fill
/// them, not here. Threads that make large buffers at the same time take
/// `simd::zero_pages`, which asks once.
pub fn zeros<T: Clone + Default>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    drop(std::hint::black_box(reserve::<T>(rows, cols, what)?));
    Ok(vec![T::default(); rows * cols])
}

/// Makes a buffer that is used again `rows * cols` zeros long, or [`Error::Memory`].
pub fn clear_to_zeros<T: Clone + Default>(
    buffer: &mut Vec<T>,
    rows: usize,
    cols: usize,
) -> Result<()> {
    let len = rows.checked_mul(cols);
    buffer.clear();
    if len.is_none_or(|len| len > buffer.capacity()) {
        *buffer = reserve(rows, cols, "a block of rows")?;
    }
    buffer.resize(rows * cols, T::default());
    Ok(())
}
