//! Streams that report, check or measure the bytes that are read through them.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::archive::error::LayerError;

/// Observes what is read from disk.
pub trait Watch {
    /// Takes bytes that were read at a place of a file.
    fn passed(&self, place: u64, bytes: &[u8]);
}

/// Counts the bytes.
impl Watch for AtomicU64 {
    fn passed(&self, _place: u64, bytes: &[u8]) {
        self.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
}

/// A file whose reading is observed.
pub(in crate::archive) struct Watched<'a> {
    file: File,
    place: u64,
    watch: &'a dyn Watch,
}

impl<'a> Watched<'a> {
    pub(in crate::archive) fn new(file: File, watch: &'a dyn Watch) -> Watched<'a> {
        Watched { file, place: 0, watch }
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.watch.passed(self.place, &buffer[..count]);
        self.place += count as u64;
        Ok(count)
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.place = self.file.seek(to)?;
        Ok(self.place)
    }
}

/// A stream that must hold a given number of bytes: the tar library ends a short member without an error.
pub(in crate::archive) struct Exactly<R> {
    pub(in crate::archive) layer: &'static str,
    pub(in crate::archive) left: u64,
    pub(in crate::archive) inner: R,
}

impl<R: Read> Read for Exactly<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(count as u64);
        if count == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(LayerError::truncated(self.layer));
        }
        Ok(count)
    }
}

/// What the compressed data of one file may become, all layers and members taken together.
pub(in crate::archive) struct Budget {
    limit: u64,
    left: Cell<u64>,
    is_overdrawn: Cell<bool>,
    renewals: Cell<u8>,
}

impl Budget {
    /// What every file may become, however small it is.
    const FREE_BYTES: u64 = 1 << 30;

    /// What a larger file may become, times its size. PGN shrinks to a quarter or, with clocks and evaluations, to an
    /// eighth (measured on the four shared collections, zstd), bombs to a thousandth (deflate) and less.
    const RATIO: u64 = 100;

    /// Returns the budget of a file of a size, by a limit or else by its size.
    pub(in crate::archive) fn new(limit: Option<u64>, file_bytes: u64) -> Budget {
        let limit = limit.unwrap_or(file_bytes.saturating_mul(Budget::RATIO).max(Budget::FREE_BYTES));
        Budget { limit, left: Cell::new(limit), is_overdrawn: Cell::new(false), renewals: Cell::new(3) }
    }

    /// Renews the budget for the members behind a bomb, and returns whether that was done: a few bombs do not cost
    /// their neighbours, but many do not hold the machine.
    pub(in crate::archive) fn renew(&self) -> bool {
        let is_renewed = self.renewals.get() > 0;
        if is_renewed {
            self.renewals.set(self.renewals.get() - 1);
            self.left.set(self.limit);
            self.is_overdrawn.set(false);
        }
        is_renewed
    }

    /// Returns the limit, if more was asked for.
    pub(in crate::archive) fn overdrawn(&self) -> Option<u64> {
        self.is_overdrawn.get().then_some(self.limit)
    }
}

/// A decompressed stream, whose bytes are drawn from a budget and whose errors bear its layer's name.
pub(in crate::archive) struct Inflated<R> {
    pub(in crate::archive) layer: &'static str,
    pub(in crate::archive) budget: Rc<Budget>,
    pub(in crate::archive) inner: R,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Budget { left, is_overdrawn, .. } = &*self.budget;
        let most = usize::try_from(left.get()).unwrap_or(usize::MAX).min(buffer.len());
        let mut probe = [0];
        // With nothing left, one more byte shows whether the stream ends here.
        let target = if left.get() == 0 && !buffer.is_empty() { &mut probe[..] } else { &mut buffer[..most] };
        let count = self.inner.read(target).map_err(|error| LayerError::wrap(self.layer, error))?;
        if count as u64 > left.get() {
            is_overdrawn.set(true);
            return Err(LayerError::overdrawn(self.layer));
        }
        left.set(left.get() - count as u64);
        Ok(count)
    }
}
