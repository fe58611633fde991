//! Where a command takes its memory from.

use pyo3::prelude::*;

/// Address space that the heap takes at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAP: usize = 256 << 20;

/// Has the process take its memory from one heap that keeps what is freed, for a program that does one job and ends.
///
/// glibc gives each thread a heap of its own, so that the selection could not use what the thread of the count freed; the
/// threads of a count ask the heap once in sixteen games, and do not wait for each other. It also returns large blocks to
/// the system, which clears each page of 4 KiB that it hands out again. The first 256 MiB of the heap are made at once, so
/// that the system can give pages of 2 MiB there.
#[pyfunction]
pub fn use_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code)]
    // SAFETY: the allocator takes its numbers under its lock. The block is freed once and not used before, and the advice
    // about the pages from there to the end of the heap changes nothing that they hold.
    unsafe {
        const LARGE_PAGE: usize = 2 << 20;
        const LARGEST_BLOCK: i32 = 32 << 20; // that the allocator lets come from a heap
        let usual = 128 << 10;
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_BLOCK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        libc::mallopt(libc::M_TOP_PAD, HEAP as i32);
        let block = libc::malloc(LARGEST_BLOCK as usize / 2);
        libc::mallopt(libc::M_TOP_PAD, usual);
        let (start, end) = ((block as usize).next_multiple_of(LARGE_PAGE), libc::sbrk(0) as usize);
        // Without room for the heap the block lies elsewhere, or nowhere.
        if !block.is_null() && start < end {
            libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
        }
        libc::free(block);
    }
}
