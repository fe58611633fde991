//! Archives of games: a path in, one stream of [`GameRecord`]s out, whatever the container and the format.
//!
//! Reading has two steps, so that threads can share the work. [`read_blocks`] cuts a file, in order, into [`Block`]s:
//! about 256 KiB of PGN that ends where a game ends, or one whole XQF file; what it cannot use it reports beside them.
//! [`Archived::read_block`] then parses a block, anywhere, into records.
//!
//! | file or folder | step |
//! |---|---|
//! | `input` | paths → streams → blocks |
//! | `text` | encodings and PGN text → text that is cut where games end |
//! | `formats` | block → records, one file or folder a format |
//! | `record`, `error`, `date` | what readers hand over, and why they cannot |

mod date;
mod error;
mod formats;
mod input;
mod record;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use error::ArchiveError;
pub use formats::archived::{Archived, Format};
pub use formats::{pgn, xqf};
pub use input::container::{
    Enterable, Found, Frame, Span, detect_game, enterable, name_of, read_blocks, read_from, read_member,
    read_named,
};
pub use input::digest::{Digest, Digesting};
pub use input::streams::Watch;
pub use record::{Defect, GameRecord, Note, NoteKind, Start, Variation};
pub use text::cut::{BLOCK_BYTES, MAX_GAME_BYTES, Mark};

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
