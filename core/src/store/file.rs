//! A part as a file that is read at given offsets; what is read is compared with its checksums, where it has them.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use super::sums::{BLOCK, FOOT_BYTES, is_end_whole, lacks_mark, read_mark};
use crate::disk::read_exact_at;
use crate::sums::{SUM_BYTES, nth, sum_of};
use crate::tally::StorageError;

/// A part; may be read by many threads at once.
#[derive(Clone)]
pub struct PartFile {
    file: Arc<File>,
    size: u64,
    sums: Option<Arc<Sums>>,
}

/// The checksums of the pages.
struct Sums {
    /// Where the pages end.
    end: u64,
    /// What follows them: first their checksums, then page index and footer.
    rest: Bytes,
    /// Bytes of the checksums.
    bytes: usize,
}

impl PartFile {
    /// Opens a part, and compares its page index and footer with their checksum.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or they are not as written.
    pub fn open(path: &Path) -> Result<PartFile, StorageError> {
        let failed = |error| StorageError::io(path, error);
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let foot_bytes = size.min(FOOT_BYTES as u64);
        let mut foot = vec![0; foot_bytes as usize];
        read_exact_at(&file, &mut foot, size - foot_bytes).map_err(failed)?;
        let damaged = || StorageError::damaged(path, "its page index or footer does not fit its checksum");
        let Some((start, sum)) = read_mark(&foot) else {
            if lacks_mark(&foot) {
                return Err(damaged());
            }
            return Ok(PartFile { file: Arc::new(file), size, sums: None });
        };
        let length = size.checked_sub(start).ok_or_else(damaged)?;
        let mut end = vec![0; length as usize];
        read_exact_at(&file, &mut end, start).map_err(failed)?;
        let bytes = start.div_ceil(BLOCK as u64) as usize * SUM_BYTES;
        if !is_end_whole(&mut end, sum) || end.len() < bytes {
            return Err(damaged());
        }
        let sums = Some(Arc::new(Sums { end: start, rest: end.into(), bytes }));
        Ok(PartFile { file: Arc::new(file), size, sums })
    }

    /// Reads bytes, with the whole blocks that they are in.
    fn read_checked(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let stop = start.checked_add(length as u64).filter(|&stop| stop <= self.size);
        let stop = stop.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it points behind its end"))?;
        let Some(sums) = &self.sums else { return self.read_plain(start, stop) };
        if start >= sums.end {
            let from = (start - sums.end) as usize;
            return Ok(sums.rest.slice(from..from + length));
        }
        let block = BLOCK as u64;
        let from = start - start % block;
        let bytes = self.read_plain(from, stop.max(stop.next_multiple_of(block).min(sums.end)))?;
        let pages = &bytes[..bytes.len().min((sums.end - from) as usize)];
        let first = (from / block) as usize;
        for (place, found) in pages.chunks(BLOCK).enumerate() {
            if nth(&sums.rest[..sums.bytes], first + place) != Some(&sum_of(found)) {
                let offset = from + (place * BLOCK) as u64;
                let what = format!("the {} bytes at offset {offset} do not fit their checksum", found.len());
                return Err(io::Error::new(ErrorKind::InvalidData, what));
            }
        }
        let skipped = (start - from) as usize;
        Ok(bytes.slice(skipped..skipped + length))
    }

    fn read_plain(&self, start: u64, stop: u64) -> io::Result<Bytes> {
        let mut bytes = vec![0; (stop - start) as usize];
        read_exact_at(&self.file, &mut bytes, start)?;
        Ok(bytes.into())
    }
}

impl Length for PartFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for PartFile {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> ParquetResult<BufReader<At>> {
        Ok(BufReader::with_capacity(BLOCK, At { file: self.clone(), offset: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.read_checked(start, length).map_err(|error| ParquetError::External(Box::new(error)))
    }
}

/// A place in a part, which moves as it is read.
pub struct At {
    file: PartFile,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.file.size.saturating_sub(self.offset);
        let count = left.min(buffer.len() as u64) as usize;
        let bytes = self.file.read_checked(self.offset, count)?;
        buffer[..count].copy_from_slice(&bytes);
        self.offset += count as u64;
        Ok(count)
    }
}
