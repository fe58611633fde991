//! Errors of endgame tables.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a table was refused, could not be made, written or read.
#[derive(Debug, Error)]
pub enum EndgameError {
    /// Not a valid material, or there can be no table of it.
    #[error("no endgame table of \"{name}\": {reason}")]
    Material {
        /// The name as given.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The metric has no meaning in the game.
    #[error("{metric} has no meaning in {game}: expected wld, dtm or dtc")]
    Metric {
        /// The metric.
        metric: &'static str,
        /// The game.
        game: &'static str,
    },
    /// A position cannot be looked up.
    #[error("no table holds the position {fen}: {reason}")]
    Position {
        /// The position.
        fen: String,
        /// Why.
        reason: String,
    },
    /// A table that is needed is not there.
    #[error("{}: there is no table of {material}; build it first", folder.display())]
    Missing {
        /// Where it was looked for.
        folder: PathBuf,
        /// The material.
        material: String,
    },
    /// The file does not start with the magic of a table.
    #[error("{}: not an endgame table: expected \"BBTB\" at offset 0, found {found}", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What stands at the start, printable.
        found: String,
    },
    /// The format is not the one that this program reads.
    #[error("{}: table format {found} at offset 4, this program reads {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Version in the file.
        found: u16,
        /// The version that this program reads.
        expected: u16,
    },
    /// The file is too short or too long.
    #[error("{}: {found} bytes, expected {expected}; copy or build the table again", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Length that the header implies.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// A checksum does not match.
    #[error("{}: {what} at offset {offset} is damaged; copy or build the table again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part.
        what: String,
        /// Where it starts.
        offset: u64,
    },
    /// A cell does not follow from its moves: a fault of the program or of the machine.
    #[error(
        "{material}: the value of {fen} does not follow from its moves; nothing was written, please report it"
    )]
    Unsound {
        /// The material.
        material: String,
        /// The position.
        fen: String,
    },
    /// The tables would need more memory than allowed.
    #[error("{material} needs about {needed} MiB of memory, allowed are {allowed} MiB; raise --memory")]
    Memory {
        /// The material.
        material: String,
        /// Mebibytes needed.
        needed: u64,
        /// Mebibytes allowed.
        allowed: u64,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The caller asked to stop.
    #[error("stopped; tables that are finished stay, the same command goes on from there")]
    Stopped,
}

impl EndgameError {
    /// Returns a function that wraps what the file system said about a file.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> EndgameError {
        let path = path.to_owned();
        |source| EndgameError::Io { path, source }
    }
}
