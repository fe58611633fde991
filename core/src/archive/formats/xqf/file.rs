//! The content of an XQF file.

use crate::archive::{Defect, Note, Variation};
use crate::game::{Outcome, Side};
use crate::xiangqi::Token;

/// The content of an XQF file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct XqfFile {
    /// Format version, 10 to 18 in known files.
    pub version: u8,
    /// Title.
    pub title: String,
    /// Event.
    pub event: String,
    /// Date, free text.
    pub date: String,
    /// Site.
    pub site: String,
    /// Player of the first side (red).
    pub first_player: String,
    /// Player of the second side (black).
    pub second_player: String,
    /// FEN of the start, with the side that moves first in fact, whatever the header says.
    pub start_fen: String,
    /// Whether that is the game's standard start.
    pub is_standard: bool,
    /// The side that moves first: that of the first piece moved, or the header's if there is no move.
    pub side: Option<Side>,
    /// Result by the header; code 4 counts as a draw.
    pub outcome: Outcome,
    /// Moves of the main line: always the first child.
    pub main_line: Vec<Token>,
    /// The other lines of the tree, each up to its first move off the board.
    pub variations: Vec<Variation<Token>>,
    /// The comments, with replacement characters for invalid GB18030.
    pub notes: Vec<Note>,
    /// Moves in the tree, variations included.
    pub nodes: usize,
    /// Moves that are followed by an alternative to them.
    pub siblings: usize,
    /// Moves with a comment; that of the game before its first move is not counted.
    pub comments: usize,
    /// Bytes that header and tree take; the file's length if nothing is wrong.
    pub bytes_consumed: usize,
    /// Why the file could not be read to its last byte, if so.
    pub defect: Option<Defect>,
}
