//! Xiangqi games in XQF, the format of XQStudio (象棋演播室), versions 10 to 18.
//!
//! The bytes of one file in, an [`XqfFile`] with all that the file says of its game out, and from that a record.
//! A file is a header of 1,024 bytes and one tree of moves in depth-first order, which ends where the file ends.
//! From version 11 on, squares, comment lengths and the tree are enciphered (see `cipher`).
//!
//! Source: XQStudio's note on version 1.0, and for later versions what independent readers agree on, checked against
//! 35,967 files.

mod cipher;
mod header;
mod tree;

#[cfg(test)]
mod tests;

use super::date::year_of;
use super::{Block, Defect, GameRecord, ReadOptions, Start};
use crate::game::{Outcome, Side};
use crate::xiangqi::Token;

use tree::Walk;

/// Largest XQF file: the largest known tree, of 226,491 moves, takes under 1 MB.
pub const MAX_XQF_BYTES: usize = 64 << 20;

const HEADER_BYTES: usize = 1024;

/// What an XQF file says of its game.
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
    /// The side that moves first: that of the piece moved by the first move; the header's if there is no move.
    pub side: Option<Side>,
    /// Result by the header; code 4 counts as a draw.
    pub outcome: Outcome,
    /// Moves of the main line: always the first child.
    pub main_line: Vec<Token>,
    /// Moves in the tree, variations included.
    pub nodes: usize,
    /// Moves that are followed by an alternative to them.
    pub siblings: usize,
    /// Moves with a comment.
    pub comments: usize,
    /// Bytes that header and tree take; the file's length if nothing is wrong.
    pub bytes_consumed: usize,
    /// Why the file could not be read to its last byte, if so.
    pub defect: Option<Defect>,
}

impl XqfFile {
    /// Reads a file of any bytes. What is wrong with it is told in [`XqfFile::defect`]; the rest holds what came
    /// before.
    pub fn parse(bytes: &[u8]) -> XqfFile {
        let mut file = XqfFile::default();
        file.defect = file.fill(bytes).err();
        file
    }

    fn fill(&mut self, bytes: &[u8]) -> Result<(), Defect> {
        let Some((head, _)) = bytes.split_at_checked(HEADER_BYTES) else {
            self.bytes_consumed = bytes.len();
            let message = format!("expected a header of {HEADER_BYTES} bytes");
            return Err(Defect { reason: "truncated", offset: bytes.len() as u64, message });
        };
        self.bytes_consumed = HEADER_BYTES;
        header::check_magic(head)?;
        header::read_texts(head, self);
        let keys = cipher::Keys::of(head)?;
        let placement = header::Placement::read(head, &keys);
        let mut walk = Walk::new(bytes, keys);
        let walked = self.read_tree(&mut walk);
        self.bytes_consumed = walk.position();
        let first_mover = self.main_line.first().and_then(|first| placement.side_at(first.origin()?));
        let side = first_mover.unwrap_or_else(|| header::side_by_header(head));
        self.side = Some(side);
        self.start_fen = placement.to_fen(side);
        self.is_standard = self.start_fen == header::STANDARD_FEN;
        walked?;
        placement.check()
    }

    /// Walks the whole tree. The main line is the run of moves that are each the first child of the one before.
    fn read_tree(&mut self, walk: &mut Walk<'_>) -> Result<(), Defect> {
        let mut is_main_line = true;
        let mut bad_square = None;
        while let Some(node) = walk.next_node()? {
            self.comments += usize::from(node.has_comment);
            if node.parent.is_none() {
                is_main_line = node.has_child;
                continue;
            }
            self.nodes += 1;
            self.siblings += usize::from(node.has_sibling);
            if is_main_line {
                match node.token {
                    Some(token) => self.main_line.push(token),
                    None => {
                        bad_square = Some(Defect {
                            reason: "bad-square",
                            offset: node.offset as u64,
                            message: "expected squares below 90 in a move of the main line".to_owned(),
                        })
                    }
                }
                is_main_line = node.has_child && bad_square.is_none();
            }
        }
        bad_square.map_or(Ok(()), Err)
    }
}

/// Parses a file as a block of one game.
pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Token>)) {
    let file = XqfFile::parse(&block.bytes);
    let start = match file.is_standard || file.start_fen.is_empty() {
        true => Start::Standard,
        false => Start::Fen(file.start_fen),
    };
    let mut moves = file.main_line;
    moves.truncate(options.limit());
    let event = if file.event.is_empty() { file.title } else { file.event };
    sink(&GameRecord {
        offset: block.offset,
        length: block.bytes.len() as u64,
        first_player: file.first_player,
        second_player: file.second_player,
        year: year_of(&file.date),
        date: file.date,
        event,
        start,
        marks: vec![0; moves.len()],
        moves,
        outcome: file.outcome,
        defect: file.defect,
        ..GameRecord::default()
    });
}
