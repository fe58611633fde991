//! The files of a database, which lie next to each other under one name.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::archive::ArchiveError;

/// Largest file of names: a database of ten million games has 50 MB of them.
const MAX_NAMES_BYTES: u64 = 256 << 20;

/// Returns whether a file has one of the suffixes of the parts of a database, whose main file lies next to it.
pub(super) fn is_next_to(path: &Path, is_part: fn(&str) -> bool, main: &str) -> bool {
    let suffix = path.extension().and_then(|suffix| suffix.to_str()).map(str::to_ascii_lowercase);
    suffix.is_some_and(|suffix| is_part(&suffix)) && sister(path, main).is_some()
}

/// Returns the file of the database with another suffix, written in small or in capital letters.
fn sister(path: &Path, suffix: &str) -> Option<PathBuf> {
    [suffix.to_owned(), suffix.to_ascii_uppercase()]
        .into_iter()
        .map(|suffix| path.with_extension(suffix))
        .find(|sister| sister.is_file())
}

/// Opens the file of the database with another suffix.
pub(super) fn open_sister(path: &Path, suffix: &str) -> Result<(PathBuf, File), ArchiveError> {
    let path = sister(path, suffix).unwrap_or_else(|| path.with_extension(suffix));
    let file = File::open(&path).map_err(|error| unreadable(&path, error))?;
    Ok((path, file))
}

fn unreadable(path: &Path, error: io::Error) -> ArchiveError {
    ArchiveError::from_open(path.display().to_string(), error)
}

/// Reads a file of names whole.
pub(super) fn read_names(path: &Path, mut file: File) -> Result<Vec<u8>, ArchiveError> {
    let known = file.seek(SeekFrom::End(0)).and_then(|end| file.rewind().map(|()| end));
    if known.map_err(|error| unreadable(path, error))? > MAX_NAMES_BYTES {
        let (place, limit) = (path.display().to_string(), MAX_NAMES_BYTES as usize);
        return Err(ArchiveError::TooLarge { place, what: "a file of names", offset: 0, limit });
    }
    fs::read(path).map_err(|error| unreadable(path, error))
}

/// Fills a record; returns how many bytes of it there are.
pub(super) fn read_record(input: &mut impl Read, record: &mut [u8]) -> io::Result<usize> {
    let mut known = 0;
    while known < record.len() {
        match input.read(&mut record[known..]) {
            Ok(0) => break,
            Ok(count) => known += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(known)
}
