//! Large pages for large buffers.

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
