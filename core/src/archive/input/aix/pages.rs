//! The pages of a Parquet file. What the header of a page promises is checked before the library makes room for it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::header::Promise;
use crate::archive::input::streams::Watch;
use crate::disk::read_exact_at;

/// Largest page. DuckDB closes pages at 100 MB.
const MAX_PAGE_BYTES: u64 = 128 << 20;

/// Most values of a page: those of 122,880 games of 136 plies, which is what DuckDB puts into one.
const MAX_PAGE_VALUES: u64 = 16 << 20;

/// What a value takes in memory beside its bytes: of a dictionary, and of a page of data with its levels.
const DICTIONARY_VALUE: u64 = 32;
const PAGE_VALUE: u64 = 8;

/// Bytes read for the header of a page.
const HEADER_BYTES: usize = 4 << 10;

/// A file of pages; may be read by many threads at once.
#[derive(Clone)]
pub(super) struct Pages(Arc<Shared>);

struct Shared {
    file: File,
    size: u64,
    /// What its content may still become.
    left: AtomicU64,
    is_overdrawn: AtomicBool,
    /// What was read since the last report.
    read: Mutex<Vec<(u64, Bytes)>>,
}

impl Pages {
    /// Takes a file of a size whose content may become `left` bytes.
    pub(super) fn new(file: File, size: u64, left: u64) -> Pages {
        Pages(Arc::new(Shared {
            file,
            size,
            left: AtomicU64::new(left),
            is_overdrawn: AtomicBool::new(false),
            read: Mutex::default(),
        }))
    }

    /// Takes bytes from what the content may become.
    ///
    /// # Errors
    /// It would become more.
    pub(super) fn draw(&self, bytes: u64) -> io::Result<()> {
        let draw = |left: u64| left.checked_sub(bytes);
        let drawn = self.0.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, draw);
        drawn.map(|_| ()).map_err(|_| {
            self.0.is_overdrawn.store(true, Ordering::Relaxed);
            io::Error::other("more content than allowed")
        })
    }

    /// Returns whether more was asked for than was left.
    pub(super) fn is_overdrawn(&self) -> bool {
        self.0.is_overdrawn.load(Ordering::Relaxed)
    }

    /// Tells `watch` what was read.
    pub(super) fn report(&self, watch: &dyn Watch) {
        let read = std::mem::take(&mut *self.0.read.lock().unwrap_or_else(PoisonError::into_inner));
        read.iter().for_each(|(place, bytes)| watch.passed(*place, bytes));
    }

    fn read_at(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let is_inside = start.checked_add(length as u64).is_some_and(|stop| stop <= self.0.size);
        if !is_inside {
            return Err(io::Error::new(ErrorKind::InvalidData, "it points behind its end"));
        }
        let mut bytes = vec![0; length];
        read_exact_at(&self.0.file, &mut bytes, start)?;
        Ok(bytes.into())
    }

    /// Checks what the header of a page promises, and draws it.
    fn check_header(&self, header: &[u8]) -> io::Result<()> {
        let wrong = |what: String| io::Error::new(ErrorKind::InvalidData, what);
        let Some(Promise { bytes, values, is_dictionary }) = Promise::of(header) else {
            return Err(wrong("a page has no header".to_owned()));
        };
        if bytes > MAX_PAGE_BYTES || values > MAX_PAGE_VALUES {
            let limits = format!("expected at most {MAX_PAGE_BYTES} and {MAX_PAGE_VALUES}");
            return Err(wrong(format!("a page of {bytes} bytes and {values} values; {limits}")));
        }
        let room = if is_dictionary { DICTIONARY_VALUE } else { PAGE_VALUE };
        self.draw(bytes + values * room)
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.0.size
    }
}

impl ChunkReader for Pages {
    type T = BufReader<Header>;

    /// Begins to read at the header of a page.
    fn get_read(&self, start: u64) -> ParquetResult<BufReader<Header>> {
        let header = Header { pages: self.clone(), offset: start, is_checked: false };
        Ok(BufReader::with_capacity(HEADER_BYTES, header))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.read_at(start, length).map_err(|error| ParquetError::External(Box::new(error)))?;
        self.0.read.lock().unwrap_or_else(PoisonError::into_inner).push((start, bytes.clone()));
        Ok(bytes)
    }
}

/// The header of a page, which is checked when its first bytes are read.
pub(super) struct Header {
    pages: Pages,
    offset: u64,
    is_checked: bool,
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.pages.0.size.saturating_sub(self.offset);
        if left == 0 && !buffer.is_empty() {
            // The library skips fields of any size behind the end, and a list of them takes hours.
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let count = left.min(buffer.len() as u64) as usize;
        let bytes = self.pages.read_at(self.offset, count)?;
        if !self.is_checked {
            self.pages.check_header(&bytes)?;
            self.is_checked = true;
        }
        buffer[..count].copy_from_slice(&bytes);
        self.offset += count as u64;
        Ok(count)
    }
}
