//! BLAKE3 digests and sizes of files, which identify files with the same content.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use blake3::Hasher;

use super::streams::Watch;

/// What tells the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Size in bytes.
    pub size: u64,
    /// Hexadecimal BLAKE3 digest.
    pub blake3: String,
}

impl Digest {
    /// Reads a file whole.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn of(path: &Path) -> io::Result<Digest> {
        digest_on(Hasher::new(), path)
    }
}

/// A digest made while a file is read for another purpose: what is read in order counts, the rest is read at the end.
pub struct Digesting<'a> {
    watch: &'a dyn Watch,
    hasher: RefCell<Hasher>,
}

impl<'a> Digesting<'a> {
    /// Begins the digest of one file. `watch` gets the bytes that are read anyway.
    pub fn new(watch: &'a dyn Watch) -> Digesting<'a> {
        Digesting { watch, hasher: RefCell::new(Hasher::new()) }
    }

    /// Reads the rest.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn finish(self, path: &Path) -> io::Result<Digest> {
        digest_on(self.hasher.into_inner(), path)
    }
}

impl Watch for Digesting<'_> {
    fn passed(&self, place: u64, bytes: &[u8]) {
        self.watch.passed(place, bytes);
        let mut hasher = self.hasher.borrow_mut();
        // What came before may be read again: the head, which tells the format.
        let known = hasher.count().checked_sub(place).and_then(|known| usize::try_from(known).ok());
        if let Some(more) = known.and_then(|known| bytes.get(known..)) {
            hasher.update(more);
        }
    }
}

/// Goes on with a digest behind the bytes that it knows.
fn digest_on(mut hasher: Hasher, path: &Path) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(hasher.count()))?;
    hasher.update_reader(file)?;
    Ok(Digest { size: hasher.count(), blake3: hasher.finalize().to_hex().to_string() })
}

#[cfg(test)]
mod tests;
