//! The clustered book: write, map, probe and verify a file of positions.
//!
//! [`layout`] documents the file, [`write()`] writes one from sorted columns, [`Book`] maps, probes and verifies it.
//! [`record`] documents the word of a 12-byte record. Positions are given as (key, lock). Only [`Scheme::of`], which
//! takes the fingerprint of a game's keys, and [`records_at`] play moves.

pub mod layout;
mod lines;
pub(crate) mod map;
pub mod record;
mod view;
mod write;

#[cfg(test)]
mod tests;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use layout::{Column, Scheme};
pub use lines::Lines;
pub use map::{Book, records_at};
pub use write::{Options, Rows, write};

/// Called at least every [`BLOCK`] records of a long call: `Break` ends it with [`BookError::Interrupted`].
pub type GoOn<'a> = &'a (dyn Fn() -> ControlFlow<()> + 'a);

/// Records between two calls of a [`GoOn`]: some milliseconds of work. Not tuned.
pub const BLOCK: usize = 1 << 16;

/// A [`GoOn`] that never interrupts.
pub const fn always() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Stops at the first record of a block if the caller asks to.
fn pause(number: usize, go_on: GoOn, path: &Path) -> Result<(), BookError> {
    if number.is_multiple_of(BLOCK) && go_on().is_break() {
        return Err(BookError::Interrupted { path: path.to_owned() });
    }
    Ok(())
}

/// What to do about a damaged file.
const AGAIN: &str = "copy or build the book again";

/// An error of reading or writing a book.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file is not a sound book of the expected game, keys and version.
    #[error("{}: {what}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong and where, what was expected, and what to do.
        what: String,
    },
    /// The rows cannot become a book; nothing was written.
    #[error("cannot write {}: {what}", path.display())]
    Unwritable {
        /// The file that was to be written.
        path: PathBuf,
        /// What is wrong, and what was expected.
        what: String,
    },
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
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
    fn refused(path: &Path, what: String) -> BookError {
        BookError::Refused { path: path.to_owned(), what }
    }

    fn unwritable(path: &Path, what: String) -> BookError {
        BookError::Unwritable { path: path.to_owned(), what }
    }

    /// Returns a function that names `path` in an error of the operating system.
    fn io(path: &Path) -> impl Fn(io::Error) -> BookError + '_ {
        |source| BookError::Io { path: path.to_owned(), source }
    }
}
