//! Where a command takes its memory from.

use pyo3::prelude::*;

/// Has the process take its memory from one heap that keeps what is freed, for a program that does one job and ends.
///
/// glibc gives each thread a heap of its own, so that the selection could not use what the thread of the count freed; the
/// threads of a count ask the heap once in sixteen games, and do not wait for each other. It also returns large blocks to
/// the system, which clears each page that it hands out again.
#[pyfunction]
pub fn use_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // The second is the largest block that the allocator lets come from a heap.
        let numbers =
            [(libc::M_ARENA_MAX, 1), (libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TRIM_THRESHOLD, i32::MAX)];
        for (name, number) in numbers {
            // SAFETY: the allocator takes its numbers under its lock, and refuses those that it cannot use.
            #[allow(unsafe_code)]
            unsafe {
                libc::mallopt(name, number);
            }
        }
    }
}
