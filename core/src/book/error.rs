//! Errors of reading and writing books. Each names the file and the place.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of reading or writing a book.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file does not start with the magic of a clustered book.
    #[error(
        "{}: not a clustered book: expected \"BOOKBLDR\" at offset 0, found {found}; \
         convert books of other formats first", path.display()
    )]
    NotABook {
        /// The file.
        path: PathBuf,
        /// What stands at the start, printable.
        found: String,
    },
    /// The format is newer than this program.
    #[error(
        "{}: book format {found} at offset 8, this program reads up to {supported}; update bookbuilder",
        path.display()
    )]
    NewerVersion {
        /// The file.
        path: PathBuf,
        /// Version in the file.
        found: u16,
        /// Newest version this program reads.
        supported: u16,
    },
    /// The file ends too early.
    #[error(
        "{}: truncated: {found} bytes, expected {expected}; copy or build the book again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Length that the header implies, or of the header itself.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// The file goes on after its end.
    #[error(
        "{}: {found} bytes, expected {expected}: something was appended after the book; copy it again",
        path.display()
    )]
    Overlong {
        /// The file.
        path: PathBuf,
        /// Length that the header implies.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// A field of the header is wrong.
    #[error(
        "{}: damaged header: {field} at offset {offset} is {found}, expected {expected}; \
         copy or build the book again", path.display()
    )]
    HeaderDamaged {
        /// The file.
        path: PathBuf,
        /// Offset of the field.
        offset: u64,
        /// Name of the field.
        field: &'static str,
        /// What would be right.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The book is of another game than asked for.
    #[error("{}: a book of {found}, expected {expected}; open the book of the game you play", path.display())]
    WrongGame {
        /// The file.
        path: PathBuf,
        /// The game asked for, or the games that are known.
        expected: String,
        /// The game of the book.
        found: &'static str,
    },
    /// The positions were hashed with other Zobrist tables.
    #[error(
        "{}: {game} keys of another scheme: 0x{found:016x} at offset 16, expected 0x{expected:016x}; \
         build the book again with this program", path.display()
    )]
    WrongKeyScheme {
        /// The file.
        path: PathBuf,
        /// The game of the book.
        game: &'static str,
        /// Fingerprint of our tables.
        expected: u64,
        /// Fingerprint in the book.
        found: u64,
    },
    /// The checksum in the trailer does not fit the bytes before it.
    #[error(
        "{}: checksum 0x{found:016x} at offset {offset}, but the bytes before it give 0x{expected:016x}; \
         copy or build the book again", path.display()
    )]
    ChecksumMismatch {
        /// The file.
        path: PathBuf,
        /// Offset of the trailer.
        offset: u64,
        /// Checksum of the bytes as they are.
        expected: u64,
        /// Checksum in the trailer.
        found: u64,
    },
    /// A record does not come after the one before it.
    #[error(
        "{}: record {record} at offset {offset}: {found} does not come after {previous}; \
         records must ascend by key, then lock, none twice", path.display()
    )]
    OrderBroken {
        /// The file.
        path: PathBuf,
        /// Number of the record, from 0.
        record: u64,
        /// Offset of the record.
        offset: u64,
        /// Key, and lock if known, of the record before.
        previous: String,
        /// Key, and lock if known, of this record.
        found: String,
    },
    /// An entry of the cluster index is wrong.
    #[error(
        "{}: cluster index entry {cluster} at offset {offset} is {found}, expected {expected}; \
         copy or build the book again", path.display()
    )]
    IndexBroken {
        /// The file.
        path: PathBuf,
        /// Number of the entry, 0–32,768.
        cluster: u64,
        /// Offset of the entry.
        offset: u64,
        /// What would be right.
        expected: String,
        /// What stands there.
        found: u64,
    },
    /// A record's word contradicts its counts.
    #[error(
        "{}: record {record} at offset {offset}: word 0x{word:08x} contradicts its {wins} wins, {draws} draws, \
         {losses} losses; copy or build the book again", path.display()
    )]
    CountsBroken {
        /// The file.
        path: PathBuf,
        /// Number of the record, from 0.
        record: u64,
        /// Offset of the record.
        offset: u64,
        /// The record's word.
        word: u32,
        /// Wins of the first side.
        wins: u32,
        /// Draws.
        draws: u32,
        /// Losses of the first side.
        losses: u32,
    },
    /// The recipe is not UTF-8.
    #[error("{}: the recipe is not UTF-8 at offset {offset}; copy or build the book again", path.display())]
    RecipeBroken {
        /// The file.
        path: PathBuf,
        /// Offset of the first bad byte.
        offset: u64,
    },
    /// A row given to the writer cannot become a record; nothing was written.
    #[error("cannot write {}: row {row}: {reason}", path.display())]
    BadRow {
        /// The file that was to be written.
        path: PathBuf,
        /// Number of the row over all chunks, from 0.
        row: u64,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// The book would be larger than its format allows; nothing was written.
    #[error("cannot write {}: {what}", path.display())]
    TooLarge {
        /// The file that was to be written.
        path: PathBuf,
        /// Which part, and its bound.
        what: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The caller asked to stop; nothing was written.
    #[error("{}: interrupted", path.display())]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

impl BookError {
    /// Returns a function that names `path` in an error of the operating system.
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> BookError + '_ {
        |source| BookError::Io { path: path.to_owned(), source }
    }
}
