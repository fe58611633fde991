//! Which blocks of an open book have been compared with their checksums. Each is compared when it is first touched.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::layout::SUM_BLOCK;
use super::verify::{check_checksum, sum_differs};
use super::view::View;
use super::{BookError, GoOn, always};
use crate::sums::{nth, sum_of};

/// What is known to be as written; shared by threads.
#[derive(Debug)]
pub(super) struct Touched {
    blocks: Vec<AtomicU64>,
    is_whole: AtomicBool,
}

impl Touched {
    /// Begins with nothing known.
    pub(super) fn new(book: View) -> Touched {
        let blocks = book.sections.recipe.end.div_ceil(SUM_BLOCK).div_ceil(64);
        Touched { blocks: (0..blocks).map(|_| AtomicU64::new(0)).collect(), is_whole: AtomicBool::new(false) }
    }

    /// Returns whether all of a range of bytes is known to be as written: what each probe asks.
    #[inline]
    pub(super) fn knows(&self, range: &Range<usize>) -> bool {
        let is_known = |block: usize| {
            let word = self.blocks.get(block / 64).map_or(0, |word| word.load(Ordering::Relaxed));
            word >> (block % 64) & 1 == 1
        };
        self.is_whole.load(Ordering::Relaxed)
            || (range.start / SUM_BLOCK..range.end.div_ceil(SUM_BLOCK)).all(is_known)
    }

    /// Checks the blocks of a range of bytes that have not been checked yet. A book without checksums of blocks (version 1)
    /// is checked whole at the first call.
    ///
    /// # Errors
    /// [`BookError::Refused`]: bytes are not as written.
    #[cold]
    pub(super) fn check(&self, book: View, range: Range<usize>) -> Result<(), BookError> {
        if range.is_empty() {
            return Ok(());
        }
        if book.sums().is_none() {
            return self.check_whole(book, &always);
        }
        for block in range.start / SUM_BLOCK..range.end.div_ceil(SUM_BLOCK) {
            if !self.knows(&(block * SUM_BLOCK..block * SUM_BLOCK + 1)) {
                self.check_block(book, block)?;
            }
        }
        Ok(())
    }

    /// Checks the whole file by its checksum, once.
    ///
    /// # Errors
    /// [`BookError::Refused`]: bytes are not as written; [`BookError::Interrupted`].
    pub(super) fn check_whole(&self, book: View, go_on: GoOn) -> Result<(), BookError> {
        if !self.is_whole.load(Ordering::Relaxed) {
            check_checksum(book, go_on)?;
            self.is_whole.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn check_block(&self, book: View, block: usize) -> Result<(), BookError> {
        let start = block * SUM_BLOCK;
        let found = &book.bytes[start..book.sections.recipe.end.min(start + SUM_BLOCK)];
        if book.sums().and_then(|sums| nth(sums, block)) != Some(&sum_of(found)) {
            return Err(sum_differs(book, block, found.len()));
        }
        if let Some(word) = self.blocks.get(block / 64) {
            word.fetch_or(1 << (block % 64), Ordering::Relaxed);
        }
        Ok(())
    }
}
