//! Writes a [`GameRecord`] with everything that was read of it in one of several formats.
//!
//! A record is played by the rules while it is written, so the output is legal to its last move. A game with an illegal move
//! in its main line is refused with its [`Fault`], and nothing of it is written. A variation ends before an illegal move
//! (often a null move), and writers return the number of such variations.
//!
//! | file | step |
//! |---|---|
//! | `walk` | record → moves, notes and variations in the order of PGN, each move legal |
//! | `written` | the names of the players in PGN, and the notations of moves |
//! | `tags`, `pgn` | → PGN |
//! | `lines` | → one line of moves a game |
//! | `xqf` | → one XQF file a game (xiangqi) |

mod lines;
mod pgn;
mod tags;
mod walk;
mod written;
mod xqf;

#[cfg(test)]
mod tests;

use crate::archive::GameRecord;
use crate::game::Replayable;
use crate::replay::Fault;

pub use lines::write_line;
pub use pgn::{LINE_WIDTH, write_pgn};
pub use walk::MAX_NESTING;
pub use written::{Spelling, Written};
pub use xqf::write_xqf;

/// How much of each game is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// Write variations.
    pub variations: bool,
    /// Write comments and annotation glyphs.
    pub comments: bool,
    /// Refuse a game for a move in a variation that is not legal, instead of ending the variation before it.
    pub strict: bool,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions { variations: true, comments: true, strict: false }
    }
}

/// A writer of one format: appends a game to the bytes and returns how many variations were cut, or appends nothing and
/// says why.
pub type Writer<G> =
    fn(&GameRecord<<G as Replayable>::Token>, &WriteOptions, &mut Vec<u8>) -> Result<u64, Fault>;

/// Returns the value of a tag as written, unless it says nothing.
fn tag<'a, T>(record: &'a GameRecord<T>, name: &str) -> Option<&'a str> {
    let found = record.tags.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| &**value).filter(|value| !value.is_empty())
}
