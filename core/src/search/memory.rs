//! Hints to the processor and the operating system about the memory of the table.
//!
//! A probe reads a random place of a large table. Its cache line is prefetched when the key is known, some hundred
//! instructions before it is read. With pages of 2 MiB instead of 4 KiB the address is translated faster.

use std::mem::MaybeUninit;

/// Prefetches the cache line of a value.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has the instruction, and it changes nothing but the cache.
    #[allow(unsafe_code)]
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
}

/// Other processors get no hint.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch<T>(_value: &T) {}

/// Asks the system to use large pages for memory that is not in use yet. A refusal does no harm.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let before_first = start.align_offset(HUGE_PAGE);
    let whole = bytes.saturating_sub(before_first) / HUGE_PAGE * HUGE_PAGE;
    if whole == 0 {
        return;
    }
    // SAFETY: the range lies inside memory that is borrowed for writing; the advice changes how it is backed, not what it
    // holds.
    #[allow(unsafe_code)]
    unsafe {
        libc::madvise(start.add(before_first).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

/// Other systems get no hint.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}
