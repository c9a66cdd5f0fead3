//! Large buffers on zeroed and huge pages, and prefetching.

use super::Lanes;
use crate::Result;
use crate::memory::{allocation_error, checked_len, release_slabs};
use std::alloc::{Layout, alloc_zeroed};

/// The smallest buffer in bytes that is worth a system call.
const SMALL: usize = 1 << 22;

/// Advises the system to back an untouched buffer with huge pages.
///
/// Touching the pages of a Gram matrix costs more than computing its values: about 0.35 ns per byte
/// with pages of 4 KiB, 0.05 ns with huge pages (measured as the difference between a first and a
/// second fill).
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
        // SAFETY: the range is inside of the buffer. The advice changes how its pages are
        // backed, never their content, and may be ignored by the system.
        unsafe {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
    }
}

/// Lets the system take the pages of a buffer whose values are no longer needed, when it runs out
/// of memory. Until then, using the buffer again costs nothing. Afterwards, values are either the
/// old ones or zeros.
pub fn offer_pages<T: Lanes>(buffer: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (buffer.as_mut_ptr() as usize).next_multiple_of(PAGE);
        let end = (buffer.as_mut_ptr() as usize + size_of_val(buffer)) / PAGE * PAGE;
        if start < end {
            // SAFETY: the pages are inside of the buffer, and all bytes zero is a valid value: the
            // caller keeps numbers only.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_FREE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = buffer;
}

/// `rows * cols` zeros on zeroed pages, or [`crate::Error::Memory`]. The pages are touched first
/// by the threads that fill them. Allocates once, so that it is safe while other threads allocate.
pub fn zero_pages<T: Lanes>(rows: usize, cols: usize, what: &'static str) -> Result<Vec<T>> {
    let len = checked_len::<T>(rows, cols, what)?;
    let error = || allocation_error::<T>(rows, cols, what);
    let layout = Layout::array::<T>(len).map_err(|_| error())?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the size of the layout is not zero.
    let mut start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    if start.is_null() && release_slabs() > 0 {
        // SAFETY: as above.
        start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    }
    if start.is_null() {
        return Err(error());
    }
    // SAFETY: the block was allocated by the global allocator with the layout of `len` values, and
    // zero bytes are 0.0 in f32 and f64, the only types that implement `Lanes`.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Bytes per cache line.
const LINE: usize = 64;

/// The most cache lines that are prefetched: one page. The hardware prefetcher does the rest.
const MOST_LINES: usize = 64;

/// Prefetches the start of a slice that will be read soon.
#[inline(always)]
pub fn prefetch<T>(slice: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bytes = size_of_val(slice).min(MOST_LINES * LINE);
        let start = slice.as_ptr().cast::<i8>();
        for at in (0..bytes).step_by(LINE) {
            // SAFETY: SSE is part of x86-64, and the address is inside of the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
