//! Archives of games: a path in, one stream of [`GameRecord`]s out, whatever the container and the format.
//!
//! Reading has two steps, so that threads can share the work. [`read_blocks`] cuts a file, in order, into [`Block`]s:
//! about 256 KiB of PGN that ends where a game ends, or one whole XQF file; what it cannot use it reports beside them.
//! [`Archived::read_block`] then parses a block, anywhere, into records.
//!
//! | file | step |
//! |---|---|
//! | `container`, `streams` | directories, tar, zip: paths → named byte streams |
//! | `compression` | gzip, bzip2, xz, zstd: byte stream → byte stream |
//! | `sniff` | first bytes and name → what a stream holds |
//! | `cut` | PGN text → blocks that end where a game ends |
//! | `pgn`, `xqf` | block → records, one file or folder a format |

mod compression;
mod container;
mod cut;
mod date;
mod error;
pub mod pgn;
mod sniff;
mod streams;
pub mod xqf;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::game::{Game, GameId, Outcome};

pub use container::{Found, detect_game, read_blocks};
pub use cut::{BLOCK_BYTES, MAX_GAME_BYTES};
pub use error::ArchiveError;
pub use xqf::MAX_XQF_BYTES;

/// The format of a block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable game notation of chess.
    Pgn,
    /// XQStudio's binary xiangqi format.
    Xqf,
}

impl Format {
    /// Returns the game that the format records.
    pub const fn game(self) -> GameId {
        match self {
            Format::Pgn => GameId::Chess,
            Format::Xqf => GameId::Xiangqi,
        }
    }
}

/// A piece of an archive that holds whole games.
#[derive(Debug, Clone)]
pub struct Block {
    /// Name of the member within the source, `None` for a bare file: the path below a directory, the name in a tar
    /// or zip, joined by `/` where a container lies in another.
    pub member: Option<Arc<str>>,
    /// Format of the bytes.
    pub format: Format,
    /// Offset of the first byte in the decompressed member.
    pub offset: u64,
    /// Number of line breaks before the first byte.
    pub line: u64,
    /// The bytes, decompressed.
    pub bytes: Vec<u8>,
}

/// Where a game starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// The game's standard starting position.
    #[default]
    Standard,
    /// Another position, as a FEN not yet checked.
    Fen(String),
}

/// What went wrong while a game's text was read; its place lies in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// Stable reason code, such as `truncated` or `unterminated-comment`.
    pub reason: &'static str,
    /// Offset of the defect in the decompressed member.
    pub offset: u64,
    /// What was expected, in words.
    pub message: String,
}

/// One game as an archive holds it, before the rules have seen it. Readers reuse one record for many games.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord<T> {
    /// Offset of the game's first byte in the decompressed member.
    pub offset: u64,
    /// Line of the game's first byte, from 1; 0 in binary formats.
    pub line: u64,
    /// Name of the player of the first side; empty if unknown.
    pub first_player: String,
    /// Name of the player of the second side; empty if unknown.
    pub second_player: String,
    /// Ratings of the first and the second side's player; 0 if unknown.
    pub ratings: [u16; 2],
    /// The date as written; empty if unknown.
    pub date: String,
    /// Year of the date; 0 if unknown.
    pub year: u16,
    /// The event as written; empty if unknown.
    pub event: String,
    /// Name of a variant other than the standard game, if tagged.
    pub variant: Option<String>,
    /// Where the game starts.
    pub start: Start,
    /// The main line, at most as many moves as the reader was asked for.
    pub moves: Vec<T>,
    /// Annotation marks of the moves, same length: ‼ +3, ! +2, ⁉ +1, ⁈ −1, ? −2, ⁇ −3, none 0.
    pub marks: Vec<i8>,
    /// The recorded result.
    pub outcome: Outcome,
    /// Why the text could not be read to its end, if so; `moves` holds what came before.
    pub defect: Option<Defect>,
}

impl<T> Default for GameRecord<T> {
    fn default() -> GameRecord<T> {
        GameRecord {
            offset: 0,
            line: 0,
            first_player: String::new(),
            second_player: String::new(),
            ratings: [0; 2],
            date: String::new(),
            year: 0,
            event: String::new(),
            variant: None,
            start: Start::Standard,
            moves: Vec::new(),
            marks: Vec::new(),
            outcome: Outcome::Unknown,
            defect: None,
        }
    }
}

impl<T> GameRecord<T> {
    /// Empties the record, keeping its memory for the next game.
    pub fn clear(&mut self) {
        self.offset = 0;
        self.line = 0;
        self.first_player.clear();
        self.second_player.clear();
        self.ratings = [0; 2];
        self.date.clear();
        self.year = 0;
        self.event.clear();
        self.variant = None;
        self.start = Start::Standard;
        self.moves.clear();
        self.marks.clear();
        self.outcome = Outcome::Unknown;
        self.defect = None;
    }
}

/// How much of each game a reader collects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Collect at most this many moves of a game; `None` collects all.
    pub max_ply: Option<usize>,
    /// Collect all moves in spite of `max_ply`, so that whole games can be checked. Without it, text beyond the last
    /// move collected is passed over, and a defect in it goes unnoticed unless it hides where the game ends.
    pub full: bool,
}

impl ReadOptions {
    /// Returns the largest number of moves that a record gets.
    pub fn limit(&self) -> usize {
        self.max_ply.filter(|_| !self.full).unwrap_or(usize::MAX)
    }
}

/// A game of which archives exist.
pub trait Archived: Game {
    /// The formats that record this game.
    const FORMATS: &'static [Format];

    /// Parses a block and hands each game to `sink`, in order, in one record that is used again for the next game.
    /// The caller promises that the block's format is one of [`Archived::FORMATS`].
    fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Self::Token>));
}
