//! What the files of a tally share: ranges of keys, and what can go wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file of a tally could not be read or written.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The system refused.
    #[error("{}: {}", .path.display(), told(.error))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It is not what was written.
    #[error("{}: is damaged: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        what: String,
    },
    /// The work was stopped on request.
    #[error("stopped on request")]
    Stopped,
}

impl StorageError {
    /// Returns the error of a system call on `path`.
    pub fn io(path: &Path, error: io::Error) -> StorageError {
        StorageError::Io { path: path.to_owned(), error }
    }

    /// Returns the error of a file whose content is wrong.
    pub fn damaged(path: &Path, what: impl Into<String>) -> StorageError {
        StorageError::Damaged { path: path.to_owned(), what: what.into() }
    }
}

/// Says what the system said, and of a full disk what to do.
fn told(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            format!(
                "no room to write it ({error}); make room or choose another disk, then run the same again"
            )
        }
        _ => error.to_string(),
    }
}

/// Keys from `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRange {
    /// Smallest key.
    pub first: u64,
    /// Largest key.
    pub last: u64,
}

impl KeyRange {
    /// All keys.
    pub const ALL: KeyRange = KeyRange { first: 0, last: u64::MAX };

    /// Returns whether the key lies in the range.
    pub fn holds(self, key: u64) -> bool {
        (self.first..=self.last).contains(&key)
    }

    /// Returns whether the two ranges share a key.
    pub fn meets(self, other: KeyRange) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}
