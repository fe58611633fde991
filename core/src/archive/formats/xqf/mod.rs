//! Xiangqi games in XQF, the format of XQStudio (象棋演播室), versions 10 to 18.
//!
//! A file is first read as an [`XqfFile`], from which a record is made.
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

use super::facts::Facts;
use super::lines::{Branching, Lines, Place};
use crate::archive::text::plain::decode_gb18030;
use crate::archive::{Block, Defect, GameRecord, Note, ReadOptions, Sink, Start, Variation};
use crate::game::{Outcome, Side};
use crate::xiangqi::Token;

pub(crate) use header::TEXTS;

use header::HEADER_BYTES;
use tree::Records;

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
    /// Marks of its moves by their comments, as in [`GameRecord::marks`].
    pub marks: Vec<i8>,
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

impl XqfFile {
    /// Reads a file of any bytes. [`XqfFile::defect`] says what is wrong; the other fields have what came before.
    pub fn parse(bytes: &[u8]) -> XqfFile {
        XqfFile::read(bytes, &ReadOptions::everything())
    }

    /// Reads a file of any bytes and collects the parts of its tree that the options name. Counts are of the whole tree.
    pub fn read(bytes: &[u8], options: &ReadOptions) -> XqfFile {
        let mut file = XqfFile::default();
        file.defect = file.fill(bytes, options).err();
        file
    }

    fn fill(&mut self, bytes: &[u8], options: &ReadOptions) -> Result<(), Defect> {
        let Some((head, _)) = bytes.split_at_checked(HEADER_BYTES) else {
            self.bytes_consumed = bytes.len();
            let message = format!("expected a header of {HEADER_BYTES} bytes");
            return Err(Defect::new("truncated", bytes.len() as u64, message));
        };
        self.bytes_consumed = HEADER_BYTES;
        header::check_magic(head)?;
        header::read_texts(head, self);
        let keys = cipher::Keys::of(head)?;
        let placement = header::read_placement(head, &keys);
        let mut records = Records::new(bytes, keys);
        let mut lines = Lines::new(options);
        let read = self.read_tree(&mut records, &mut lines);
        self.bytes_consumed = records.position();
        let side = placement.first_side(lines.first_origin(), header::side_by_header(head));
        self.side = Some(side);
        self.start_fen = placement.to_fen(side);
        self.is_standard = placement.is_standard(side);
        lines.marks.resize(lines.moves.len(), 0);
        self.marks = lines.marks;
        self.main_line = lines.moves;
        self.variations = lines.variations;
        self.notes = lines.notes;
        read?;
        header::check_placement(&placement)
    }

    /// Reads the whole tree. The main line is the run of moves that are each the first child of the one before.
    fn read_tree(&mut self, records: &mut Records<'_>, lines: &mut Lines<Token>) -> Result<(), Defect> {
        let root = records.next_node()?;
        comment(&root, Place::START, records, lines);
        let mut branching = Branching::new(root.has_child);
        let mut bad_square = None;
        while !branching.is_complete() {
            let node = records.next_node()?;
            if node.squares.is_none() && branching.is_main_line() {
                let message = "expected squares below 90 in a move of the main line";
                bad_square = Some(Defect::new("bad-square", node.offset as u64, message));
            }
            self.nodes += 1;
            self.siblings += usize::from(node.has_sibling);
            let place = branching.push(lines, node.squares, node.has_child, node.has_sibling);
            self.comments += usize::from(!node.comment.is_empty());
            comment(&node, place, records, lines);
        }
        records.finish()?;
        bad_square.map_or(Ok(()), Err)
    }
}

/// Collects the comment of a node at the place behind its move.
fn comment(node: &tree::Node, place: Place, records: &Records<'_>, lines: &mut Lines<Token>) {
    if place.line().is_some() && !node.comment.is_empty() {
        lines.comment(place, &decode_gb18030(&records.plain(node.comment.clone())));
    }
}

/// Parses a file as a block of one game.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let file = XqfFile::read(&block.bytes, options);
    let start = match file.is_standard || file.start_fen.is_empty() {
        true => Start::Standard,
        false => Start::Fen(file.start_fen),
    };
    let mut facts = Facts::default();
    let in_member = |defect: Defect| Defect { offset: block.offset + defect.offset, ..defect };
    (facts.outcome, facts.start, facts.defect) = (file.outcome, start, file.defect.map(in_member));
    let texts = [
        ("Title", file.title),
        ("Event", file.event),
        ("Site", file.site),
        ("Date", file.date),
        ("Red", file.first_player),
        ("Black", file.second_player),
    ];
    texts.into_iter().for_each(|(name, text)| facts.add(name, text));
    if let Some(head) = block.bytes.get(..HEADER_BYTES).filter(|_| options.tags) {
        header::add_tags(head, &mut facts);
    }
    let mut record = GameRecord {
        marks: file.marks,
        moves: file.main_line,
        variations: file.variations,
        notes: file.notes,
        ..GameRecord::at(block.offset, block.bytes.len() as u64)
    };
    facts.fill(options, &mut record);
    sink(&record);
}
