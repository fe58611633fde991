//! Archives of games: a path in, one stream of [`GameRecord`]s out, whatever the container and the format.
//!
//! Reading has two steps, so that threads can share the work. [`read_blocks`] cuts a file, in order, into [`Block`]s:
//! about 256 KiB of PGN that ends where a game ends, or one whole XQF file; what it cannot use it reports beside them.
//! [`Archived::read_block`] then parses a block, anywhere, into records.
//!
//! | file | step |
//! |---|---|
//! | `container`, `streams` | directories, tar, zip, 7z: paths → named byte streams |
//! | `digest` | what is read of a file → what its content is known by |
//! | `compression` | gzip, bzip2, xz, zstd: byte stream → byte stream |
//! | `sniff`, `signs` | first bytes and name → what a stream holds |
//! | `text` | UTF-16 and damaged text → text that can be cut |
//! | `cut` | PGN text → blocks that end where a game ends |
//! | `signatures` | the same for xiangqi formats that are read as a whole |
//! | `formats` | the format of a block → its reader |
//! | `pgn`, `xqf`, `ccbridge`, `mxq`, `dhtmlxq`, `coordinate_text`, `xqn`, `servers`, `positions` | block → records, one file or folder a format |
//! | `cursor`, `legacy_text` | fields and texts of binary formats |
//! | `placement`, `lines`, `facts`, `king_capture` | what xiangqi readers put into a record: start, moves, tags; the end of server games |
//! | `record` | what readers hand over |

mod ccbridge;
mod compression;
mod container;
mod coordinate_text;
mod cursor;
mod cut;
mod date;
mod dhtmlxq;
mod digest;
mod error;
mod facts;
mod formats;
mod king_capture;
mod legacy_text;
mod lines;
mod mxq;
pub mod pgn;
mod placement;
mod positions;
mod record;
mod servers;
mod signatures;
mod signs;
mod sniff;
mod streams;
mod text;
pub mod xqf;
mod xqn;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use container::{
    Enterable, Found, Frame, Span, detect_game, enterable, name_of, read_blocks, read_from, read_named,
};
pub use cut::{BLOCK_BYTES, MAX_GAME_BYTES, Mark};
pub use digest::{Digest, Digesting};
pub use error::ArchiveError;
pub use formats::{Archived, Format};
pub use record::{Defect, GameRecord, Note, NoteKind, Start, Variation};
pub use streams::Watch;

/// A piece of an archive that holds whole games.
#[derive(Debug, Clone)]
pub struct Block {
    /// Name of the member within the source, `None` for a bare file: the path below a directory, the name in a tar
    /// or zip, joined by `/` where a container lies in another.
    pub member: Option<Arc<str>>,
    /// Format of the bytes.
    pub format: Format,
    /// Offset of the first byte in the decompressed member; in the member's text as UTF-8 where that is in UTF-16.
    pub offset: u64,
    /// Number of line breaks before the first byte.
    pub line: u64,
    /// The bytes, decompressed.
    pub bytes: Vec<u8>,
}

/// How much of each game a reader collects. What is not asked for costs nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Collect at most this many moves of a game; `None` collects all.
    pub max_ply: Option<usize>,
    /// Collect all moves in spite of `max_ply`, so that whole games can be checked. Without it, text beyond the last
    /// move collected is passed over, and a defect in it goes unnoticed unless it hides where the game ends.
    pub full: bool,
    /// Fill [`GameRecord::tags`].
    pub tags: bool,
    /// Fill [`GameRecord::variations`].
    pub variations: bool,
    /// Fill [`GameRecord::notes`].
    pub notes: bool,
}

impl ReadOptions {
    /// Returns the options that collect everything an archive says of a game.
    pub const fn everything() -> ReadOptions {
        ReadOptions { max_ply: None, full: true, tags: true, variations: true, notes: true }
    }

    /// Returns the largest number of moves that a record gets.
    pub fn limit(&self) -> usize {
        self.max_ply.filter(|_| !self.full).unwrap_or(usize::MAX)
    }
}
