//! Errors of reading and writing books. Each names the file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What to do about a damaged file.
pub(super) const AGAIN: &str = "copy or build the book again";

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
    pub(super) fn refused(path: &Path, what: String) -> BookError {
        BookError::Refused { path: path.to_owned(), what }
    }

    pub(super) fn unwritable(path: &Path, what: String) -> BookError {
        BookError::Unwritable { path: path.to_owned(), what }
    }

    /// Returns a function that names `path` in an error of the operating system.
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> BookError + '_ {
        |source| BookError::Io { path: path.to_owned(), source }
    }
}
