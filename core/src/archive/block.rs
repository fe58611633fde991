//! A piece of an archive that holds whole games, the format it is in, and how much of its games a reader collects.

use std::sync::Arc;

use super::Defect;
use crate::game::GameId;
use crate::named::named_enum;

/// A piece of an archive that holds whole games.
#[derive(Debug, Clone)]
pub struct Block {
    /// Name of the member within the source, `None` for a bare file: the path below a directory, the name in a tar
    /// or zip, joined by `/` where a container lies in another.
    pub member: Option<Arc<str>>,
    /// Format of the bytes.
    pub format: Format,
    /// Offset of the first byte in the decompressed member; in the member's text as UTF-8 where that is in UTF-16. Of a
    /// ChessBase or Scid database, offset of the first game's record in the `.cbh` or `.si4` file.
    pub offset: u64,
    /// Number of line breaks before the first byte.
    pub line: u64,
    /// The bytes, decompressed; empty for a database.
    pub bytes: Vec<u8>,
    /// Games of a database, in the order of their records; empty for other formats.
    pub games: Vec<DatabaseGame>,
}

impl Block {
    /// Returns a block of a whole file.
    pub fn of(format: Format, bytes: Vec<u8>) -> Block {
        Block { member: None, format, offset: 0, line: 0, bytes, games: Vec::new() }
    }

    /// Returns the offset behind its last game.
    pub(super) fn end(&self) -> u64 {
        let records = self.games.iter().map(|game| game.record.len()).sum::<usize>();
        self.offset + (self.bytes.len() + records) as u64
    }

    /// Returns the number of bytes that the block holds.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.games.iter().map(DatabaseGame::size).sum::<usize>()
    }
}

/// What the files of a database say about one game.
#[derive(Debug, Clone)]
pub struct DatabaseGame {
    /// Its record in the main file.
    pub record: Vec<u8>,
    /// Names of players, events and others, in an order of the format.
    pub names: Vec<Vec<u8>>,
    /// Its moves, as the file of moves has them, or why they are missing.
    pub moves: Result<Vec<u8>, Defect>,
    /// Its annotations, if they have a file of their own.
    pub annotations: Vec<u8>,
}

impl DatabaseGame {
    pub(super) fn size(&self) -> usize {
        let names = self.names.iter().map(Vec::len).sum::<usize>();
        self.record.len() + names + self.moves.as_ref().map_or(0, Vec::len) + self.annotations.len()
    }

    /// Returns a name by its index; empty where there is none.
    pub(super) fn name(&self, index: usize) -> &[u8] {
        self.names.get(index).map_or(&[], Vec::as_slice)
    }
}

/// How much of each game a reader collects. The rest is skipped at no cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Maximum number of moves to collect of a game; `None` collects all.
    pub max_ply: Option<usize>,
    /// Ignore `max_ply` and collect all moves, so that whole games can be checked. Otherwise text after the last
    /// collected move is skipped, and its defects are not reported unless they hide the end of the game.
    pub full: bool,
    /// Fill [`GameRecord::tags`].
    pub tags: bool,
    /// Fill [`GameRecord::variations`].
    pub variations: bool,
    /// Fill [`GameRecord::notes`].
    pub notes: bool,
}

impl ReadOptions {
    /// Returns the options that collect everything in an archive.
    pub const fn everything() -> ReadOptions {
        ReadOptions { max_ply: None, full: true, tags: true, variations: true, notes: true }
    }

    /// Returns the largest number of moves that a record gets.
    pub fn limit(&self) -> usize {
        self.max_ply.filter(|_| !self.full).unwrap_or(usize::MAX)
    }
}

/// Suffixes of files that are read in folders; a file that is named itself may have any name.
pub const SUFFIXES: &[&str] = &[
    ".pgn", ".cbh", ".si4", ".xqf", ".cbr", ".cbl", ".cbf", ".mxq", ".xqn", ".ubb", ".eglib", ".epd", ".wxf",
    ".ndjson",
];

named_enum! {
    /// The format of a block's bytes, and what a file of it is called.
    pub enum Format {
        /// Portable game notation of chess.
        Pgn => "a PGN file",
        /// Games of a ChessBase database.
        Cbh => "a ChessBase database",
        /// Games of a Scid database.
        Si4 => "a Scid database",
        /// Portable game notation of xiangqi, in UTF-8, GB18030 or Big5.
        XiangqiPgn => "a PGN file",
        /// XQStudio's binary xiangqi format.
        Xqf => "an XQF file",
        /// One record of CCBridge.
        Cbr => "a CBR file",
        /// A library of CCBridge, of any age.
        Cbl => "a CBL library",
        /// One record of CCBridge in XML.
        Cbf => "a CBF file",
        /// A game of the server 弈天.
        Mxq => "an MXQ file",
        /// Games in a web page or forum post, as 东萍 writes them.
        DhtmlXq => "a DhtmlXQ page",
        /// Lines of coordinates without spaces.
        CoordinateText => "a text of coordinates",
        /// A log of an engine game with scores between the moves.
        Xqn => "an XQN log",
        /// Lines of positions with names.
        PositionList => "a list of positions",
    }
}

impl Format {
    /// Returns the game that the format records.
    pub const fn game(self) -> GameId {
        match self {
            Format::Pgn | Format::Cbh | Format::Si4 => GameId::Chess,
            _ => GameId::Xiangqi,
        }
    }

    /// Returns the largest file of the format that is read, if it is read as a whole. Known files of one game take under
    /// 1 MB, known libraries under 4 MB; a tree takes up to 30 times its bytes in memory.
    pub const fn max_bytes(self) -> usize {
        match self {
            Format::Cbl | Format::PositionList | Format::DhtmlXq | Format::CoordinateText => 256 << 20,
            _ => 16 << 20,
        }
    }

    /// Returns whether games of this format can be put one after the other in one file.
    pub const fn is_text(self) -> bool {
        matches!(self, Format::Pgn | Format::XiangqiPgn)
    }

    /// Returns whether a game of this format can be a file of its own.
    pub const fn is_one_a_file(self) -> bool {
        !self.is_text() && !matches!(self, Format::Cbh | Format::Si4)
    }
}
