//! Reads databases: several files next to each other under one name → blocks of games.
//!
//! The main file has a head, then a record of fixed size for each game, which says where the other files have the rest.

mod chessbase;
mod scid;

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::{End, Found, Place, Step, Walk, not_empty};
use crate::archive::block::DatabaseGame;
use crate::archive::text::cut::BLOCK_BYTES;
use crate::archive::{ArchiveError, Block, Format};

pub(in crate::archive::input) use chessbase::ChessBase;
pub(in crate::archive::input) use scid::Scid;

/// Largest file of names: a database of ten million games has 50 MB of them.
const MAX_NAMES_BYTES: u64 = 256 << 20;

/// The files next to the main file of a database.
pub(in crate::archive::input) trait Database: Sized {
    /// Format of its games.
    const FORMAT: Format;
    /// Name of the program in messages.
    const LAYER: &'static str;
    /// Suffix of the main file.
    const MAIN: &'static str;
    /// Suffixes of the other files.
    const PARTS: &'static [&'static str];
    /// What a main file without the others is said to be.
    const IN_A_CONTAINER: &'static str;
    /// Bytes before the first record of the main file.
    const HEAD_BYTES: usize;
    const RECORD_BYTES: usize;

    /// Opens the files next to `path`. Without moves there is no database; `report` takes what else is missing or damaged.
    fn open(path: &Path, report: &mut dyn FnMut(ArchiveError)) -> Result<Self, ArchiveError>;

    /// Returns what the files say about the game of a record, which lies at an offset of the main file.
    fn game(&mut self, record: &[u8], offset: u64) -> io::Result<DatabaseGame>;

    /// Returns the number of games that the head names, and its offset, if it does.
    fn count(_head: &[u8]) -> Option<(u32, u64)> {
        None
    }

    /// Returns whether a suffix is that of a part of a database that has no games by itself.
    fn is_part(suffix: &str) -> bool {
        Self::PARTS.contains(&suffix)
    }

    /// Returns whether a file belongs to a database whose main file lies next to it.
    fn owns(path: &Path) -> bool {
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).map(str::to_ascii_lowercase);
        suffix.is_some_and(|suffix| Self::is_part(&suffix)) && sibling(path, Self::MAIN).is_some()
    }
}

impl Walk<'_> {
    /// Reads a database, of which `main` is the main file: reports what is wrong with the other files, then hands over
    /// the games, then reports how the main file ends.
    pub(super) fn database<D: Database>(&mut self, path: &Path, place: &Place, main: impl Read) -> Step {
        let mut reasons = Vec::new();
        let mut database = D::open(path, &mut |reason| reasons.push(reason))?;
        for reason in reasons {
            self.report(place, Err(reason.into()))?;
        }
        let unread = |error| ArchiveError::from_read(place.to_string(), 0, error);
        let truncated =
            |offset| Err(End::Fault(ArchiveError::Truncated(place.to_string(), D::LAYER, offset)));
        let mut main = BufReader::new(main);
        let (mut head, mut record) = (Vec::new(), Vec::new());
        if fill(&mut main, D::HEAD_BYTES, &mut head).map_err(unread)? < D::HEAD_BYTES {
            return truncated(0);
        }
        let mut start = D::HEAD_BYTES as u64;
        let (mut offset, mut count, mut size, mut games) = (start, 0, 0, Vec::new());
        loop {
            let read = fill(&mut main, D::RECORD_BYTES, &mut record).map_err(unread)?;
            if read == D::RECORD_BYTES {
                let game = database.game(&record, offset).map_err(unread)?;
                size += game.size();
                games.push(game);
                offset += read as u64;
                count += 1;
            }
            if !games.is_empty() && (read < D::RECORD_BYTES || size >= BLOCK_BYTES) {
                let games = std::mem::take(&mut games);
                let member = place.member.clone();
                let block = Block { member, offset: start, games, ..Block::of(D::FORMAT, Vec::new()) };
                self.hand(Found::Block(block))?;
                (start, size) = (offset, 0);
            }
            match read {
                0 => break,
                read if read < D::RECORD_BYTES => return truncated(offset),
                _ => {}
            }
        }
        match D::count(&head) {
            Some((said, offset)) if said != count => {
                let message = format!("the head of the file says {said} games, the file has {count}");
                Err(ArchiveError::Damaged(place.to_string(), D::LAYER, offset, message).into())
            }
            _ => not_empty(place, count == 0),
        }
    }
}

/// Returns the file of the database with another suffix, written in small or in capital letters.
fn sibling(path: &Path, suffix: &str) -> Option<PathBuf> {
    let names = [suffix.to_owned(), suffix.to_ascii_uppercase()].map(|suffix| path.with_extension(suffix));
    names.into_iter().find(|sibling| sibling.is_file())
}

/// Opens the file of the database with another suffix.
fn open_sibling(path: &Path, suffix: &str) -> Result<(PathBuf, File), ArchiveError> {
    let path = sibling(path, suffix).unwrap_or_else(|| path.with_extension(suffix));
    match File::open(&path) {
        Ok(file) => Ok((path, file)),
        Err(error) => Err(ArchiveError::from_open(path.display().to_string(), error)),
    }
}

/// Reads the file of names with a suffix as a whole.
fn read_names(path: &Path, suffix: &str) -> Result<(PathBuf, Vec<u8>), ArchiveError> {
    let (path, mut file) = open_sibling(path, suffix)?;
    let unreadable = |error| ArchiveError::from_open(path.display().to_string(), error);
    if file.seek(SeekFrom::End(0)).map_err(unreadable)? > MAX_NAMES_BYTES {
        let (place, limit) = (path.display().to_string(), MAX_NAMES_BYTES as usize);
        return Err(ArchiveError::TooLarge(place, "a file of names", 0, limit));
    }
    let bytes = fs::read(&path).map_err(unreadable)?;
    Ok((path, bytes))
}

/// Reads a record of `size` bytes, fewer at the end of the file; returns their number.
fn fill(input: &mut impl Read, size: usize, record: &mut Vec<u8>) -> io::Result<usize> {
    record.clear();
    input.take(size as u64).read_to_end(record)
}

/// A file with a part for each game.
struct Parts {
    file: BufReader<File>,
    place: u64,
}

impl Parts {
    fn new(file: File) -> Parts {
        Parts { file: BufReader::with_capacity(BLOCK_BYTES, file), place: 0 }
    }

    /// Goes to a place. Games mostly follow each other: what is in the buffer is not read again.
    fn seek(&mut self, place: u32) -> io::Result<()> {
        let place = u64::from(place);
        self.file.seek_relative(place as i64 - self.place as i64)?;
        self.place = place;
        Ok(())
    }

    /// Appends `count` bytes; returns whether they exist.
    fn read(&mut self, count: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let read = self.file.by_ref().take(count as u64).read_to_end(bytes)?;
        self.place += read as u64;
        Ok(read == count)
    }
}
