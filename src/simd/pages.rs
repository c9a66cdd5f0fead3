//! Fresh pages for large buffers, large ones where the system has them.

use super::Lanes;
use crate::Result;
use crate::error::{checked_len, refusal};
use std::alloc::{Layout, alloc_zeroed};

/// Buffers below this are not worth a system call.
const SMALL: usize = 1 << 22;

/// Asks the system to back an untouched buffer with large pages, where it can.
///
/// The first touch of a Gram matrix costs more than its kernel values: with
/// pages of 4 KiB about 0.35 ns a byte, with large ones 0.05 (measured as the
/// time of a first fill less that of a second).
pub fn prefer_huge_pages<T>(buffer: &mut [T]) {
    let bytes = size_of_val(buffer);
    if bytes < SMALL {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (buffer.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = buffer.as_mut_ptr() as usize + bytes;
        // SAFETY: the range lies inside the buffer; the advice changes how its pages are
        // backed and never what they hold. Whether it was taken does not matter.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
}

/// `rows * cols` zeros on fresh pages, or [`crate::Error::Memory`]: touched first by the
/// threads that fill them, and asked for once, whatever other threads take.
pub fn zero_pages<T: Lanes>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    let len = checked_len::<T>(rows, cols, what)?;
    let refused = || refusal::<T>(rows, cols, what);
    let layout = Layout::array::<T>(len).map_err(|_| refused())?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout has a size.
    let start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    if start.is_null() {
        return Err(refused());
    }
    // SAFETY: the block has the layout of so many values, from the allocator of all vectors,
    // and bytes of zero are the 0.0 of f32 and f64, the only types with lanes.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Bytes that a processor fetches together.
const LINE: usize = 64;

/// The most of a slice that is asked for, a page: the machine itself goes on from there.
const MOST_LINES: usize = 64;

/// Asks for the start of a slice that will be read soon; changes nothing.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bytes = size_of_val(slice).min(MOST_LINES * LINE);
        let start = slice.as_ptr().cast::<i8>();
        for at in (0..bytes).step_by(LINE) {
            // SAFETY: SSE is part of every x86-64, and the place is inside the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
