//! Checksums of a part, so that a reader of few of its bytes knows that they are as written.
//!
//! Parquet ignores what its footer does not point to, so the checksums stand between the pages and the page index:
//!
//! | bytes | content |
//! |---|---|
//! | 0 … S | magic and pages, as Parquet has them |
//! | S … | for each [`BLOCK`] bytes before S, the last block may be shorter: its checksum, 4 bytes |
//! | … end | page index and footer, as Parquet has them |
//!
//! The footer's pair [`MARK`] has S and the XXH3-64 of everything from S on, 16 hexadecimal digits each; the latter are
//! zeros while it is taken. Parts of versions before have neither and are read without.

use std::io::{self, Write};
use std::path::Path;

use memchr::memmem;
use parquet::file::metadata::KeyValue;
use parquet::file::writer::SerializedFileWriter;
use xxhash_rust::xxh3::xxh3_64;

use super::columns::{MAKER, failed};
use crate::disk::Draft;
use crate::sums::BlockSums;
use crate::tally::StorageError;

/// Bytes that one checksum covers: a look-up reads a page of some hundred bytes to 8 KiB of each column.
pub const BLOCK: usize = 1024;
/// Name of the pair in the footer.
pub const MARK: &str = "bookbuilder.checksums";
/// Bytes of the pair's value.
const VALUE_BYTES: usize = 32;
/// Where the pair is looked for, from the end: it is the last one, before a few bytes for each column.
pub const FOOT_BYTES: usize = 4096;

/// A writer that takes the checksums of what it writes, up to the page index.
pub struct Summed<W> {
    out: W,
    position: u64,
    sums: BlockSums,
    /// What follows the pages, kept until its own checksum is known.
    end: Option<Vec<u8>>,
}

impl<W: Write> Summed<W> {
    /// Returns a writer into `out`, which is empty.
    pub fn new(out: W) -> Summed<W> {
        Summed { out, position: 0, sums: BlockSums::new(BLOCK), end: None }
    }

    /// Returns the checksums of the pages, to be written next, and the value of the pair [`MARK`].
    pub fn end_pages(&mut self) -> (Vec<u8>, String) {
        self.end = Some(Vec::new());
        let sums = std::mem::replace(&mut self.sums, BlockSums::new(BLOCK));
        (sums.finish(), format!("{:016x}{:016x}", self.position, 0))
    }

    /// Puts the checksum of the end into it, writes it and returns the inner writer.
    ///
    /// # Errors
    /// Those of the inner writer; [`io::ErrorKind::InvalidData`] if the pair is not in the footer.
    pub fn finish(mut self) -> io::Result<W> {
        let mut end = self.end.take().unwrap_or_default();
        let foot = end.len().saturating_sub(FOOT_BYTES);
        let Some(value) = value_start(&end[foot..]) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the footer lacks its checksum"));
        };
        let sum = format!("{:016x}", xxh3_64(&end));
        let digits = foot + value + VALUE_BYTES / 2;
        end[digits..digits + VALUE_BYTES / 2].copy_from_slice(sum.as_bytes());
        self.out.write_all(&end)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(end) = &mut self.end {
            return end.write(bytes);
        }
        let count = self.out.write(bytes)?;
        self.position += count as u64;
        self.sums.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Ends a part with its checksums and gives it its name.
///
/// # Errors
/// [`StorageError`]: it cannot be written.
pub fn publish(path: &Path, mut writer: SerializedFileWriter<Summed<Draft>>) -> Result<(), StorageError> {
    let refused = |error| StorageError::io(path, error);
    writer.flush().map_err(refused)?;
    let (sums, value) = writer.inner_mut().end_pages();
    writer.write_all(&sums).map_err(refused)?;
    writer.append_key_value_metadata(KeyValue::new(MARK.to_owned(), value));
    let whole = writer.into_inner().map_err(|error| failed(path, &error))?;
    whole.finish().and_then(Draft::publish).map_err(refused)
}

/// Returns where the pages end and the checksum of the end, as the last bytes of a part say; `None` without checksums.
pub fn read_mark(foot: &[u8]) -> Option<(u64, u64)> {
    let value = foot.get(value_start(foot)?..)?.get(..VALUE_BYTES)?;
    let number = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    Some((number(&value[..VALUE_BYTES / 2])?, number(&value[VALUE_BYTES / 2..])?))
}

/// Returns whether the last bytes of a part say that it has checksums, but not which.
pub fn lacks_mark(foot: &[u8]) -> bool {
    read_mark(foot).is_none()
        && (memmem::find(foot, MAKER.as_bytes()).is_some() || memmem::find(foot, MARK.as_bytes()).is_some())
}

/// Returns whether the end of a part, from its checksums on, is as written; the digits of its checksum become zeros.
pub fn is_end_whole(end: &mut [u8], sum: u64) -> bool {
    let foot = end.len().saturating_sub(FOOT_BYTES);
    let Some(value) = value_start(&end[foot..]) else { return false };
    let digits = foot + value + VALUE_BYTES / 2;
    let Some(digits) = end.get_mut(digits..digits + VALUE_BYTES / 2) else { return false };
    digits.fill(b'0');
    xxh3_64(end) == sum
}

/// Returns where the value of the pair begins: after its name, and the type and length of a Thrift string.
fn value_start(foot: &[u8]) -> Option<usize> {
    memmem::rfind(foot, MARK.as_bytes()).map(|start| start + MARK.len() + 2)
}
