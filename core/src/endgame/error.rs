//! Errors of endgame tables.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a table was refused, could not be made, written or read.
#[derive(Debug, Error)]
pub enum EndgameError {
    /// The name is not a valid material, or there can be no table of it: the name and the reason.
    #[error("no endgame table of \"{0}\": {1}")]
    Material(String, String),
    /// The metric has no meaning in the game.
    #[error("{0} has no meaning in {1}: expected wld, dtm or dtc")]
    Metric(&'static str, &'static str),
    /// A position, as FEN, cannot be looked up; the reason.
    #[error("no table holds the position {0}: {1}")]
    Position(String, String),
    /// A folder lacks the table of a material.
    #[error("{folder}: there is no table of {1}; build it first", folder = .0.display())]
    Missing(PathBuf, String),
    /// A file is not a sound table: what is wrong and where, what was expected, and what to do.
    #[error("{path}: {1}", path = .0.display())]
    Refused(PathBuf, String),
    /// A cell of a material, as FEN, does not follow from its moves: a fault of the program or of the machine.
    #[error("{0}: the value of {1} does not follow from its moves; nothing was written, please report it")]
    Unsound(String, String),
    /// The tables of a material would need more mebibytes of memory than allowed.
    #[error("{0} needs about {1} MiB of memory, allowed are {2} MiB; raise --memory")]
    Memory(String, u64, u64),
    /// The file system refused.
    #[error("{path}: {1}", path = .0.display())]
    Io(PathBuf, io::Error),
    /// The caller asked to stop.
    #[error("stopped; tables that are finished stay, the same command goes on from there")]
    Stopped,
}

/// What to do about a damaged file.
const AGAIN: &str = "copy it again, or delete it and build it again";

impl EndgameError {
    /// Returns a function that wraps what the file system said about a file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> EndgameError {
        |error| EndgameError::Io(path.to_owned(), error)
    }

    /// Returns the error of a damaged part of a file.
    pub(super) fn damaged(path: &Path, part: &str, offset: u64) -> EndgameError {
        EndgameError::Refused(path.to_owned(), format!("{part} at offset {offset} is damaged; {AGAIN}"))
    }

    /// Returns the error of a file that is too short or too long.
    pub(super) fn length(path: &Path, found: u64, expected: u64) -> EndgameError {
        EndgameError::Refused(path.to_owned(), format!("{found} bytes, expected {expected}; {AGAIN}"))
    }
}
