//! Streams that watch what is read through them: a stream in, the same bytes out, counted, named or measured.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::LayerError;

/// A file that counts the bytes read from it.
pub(super) struct Metered<'a> {
    pub(super) file: File,
    pub(super) progress: &'a AtomicU64,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Metered<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A stream that puts its container's name on its errors.
pub(super) struct Layer<R> {
    pub(super) layer: &'static str,
    pub(super) inner: R,
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| LayerError::wrap(self.layer, error))
    }
}

/// A stream that must hold a given number of bytes: the tar library ends a short member without an error.
pub(super) struct Exactly<R> {
    pub(super) layer: &'static str,
    pub(super) left: u64,
    pub(super) inner: R,
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
