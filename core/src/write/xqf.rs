//! Writes a record as XQF version 10, the plain form of XQStudio's xiangqi format.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0x000 | 2, 1 | magic `XQ`, version 10 |
//! | 0x003 | 13 | keys, all 0: nothing is enciphered in version 10 |
//! | 0x010 | 32 | squares (file·10 + rank), 0xFF = absent: red R N B A K A B N R C C P×5, then black |
//! | 0x032, 0x033 | 1, 1 | side to move: 1 = black; result: 0 unknown, 1 red won, 2 black won, 3 draw |
//! | 0x040 | 1 | kind: 0 a whole game, 3 an endgame; the latter for every set-up position |
//! | 0x050 … | 64 or 16 each | texts: length byte and GB18030, cut at whole characters; see [`XQF_TEXTS`] |
//! | 0x400 | 8 and text | records: source + 24, destination + 32, flags, 0, length of the comment (u32), comment |
//!
//! Flags: F0 = a move follows, 0F = an alternative to this move follows behind its subtree. The first record is a root
//! without a move; the comment before the first move is its. Glyphs have no place in the format.
//!
//! Source: XQF 1.0 as its author documents it.

use encoding_rs::GB18030;

use super::walk::{Step, walk};
use super::{WriteOptions, tag};
use crate::archive::XQF_TEXTS;
use crate::archive::{GameRecord, NoteKind, Start};
use crate::game::{Game, Outcome, Side};
use crate::replay::{Fault, starting_position};
use crate::xiangqi::{Kind, SQUARES, Square, Token, Xiangqi, decode};

const HEADER_BYTES: usize = 0x400;
const ABSENT: u8 = 0xff;
const MOVE_FOLLOWS: u8 = 0xf0;
const ALTERNATIVE_FOLLOWS: u8 = 0x0f;
/// The root's squares mean nothing; these two bytes, and the 0xFF behind the flags, are what XQStudio writes there.
const ROOT: [u8; 2] = [0x18, 0x20];

/// Kinds of the sixteen slots of a side.
const SLOTS: [Kind; 16] = {
    use Kind::{Advisor as A, Cannon as C, Elephant as B, General as K, Horse as N, Pawn as P, Rook as R};
    [R, N, B, A, K, A, B, N, R, C, C, P, P, P, P, P]
};

/// Appends a game as an XQF file and returns how many variations were cut.
///
/// # Errors
/// The first fault in what is to be written; nothing is then appended.
pub fn write_xqf(
    record: &GameRecord<Token>,
    options: &WriteOptions,
    out: &mut Vec<u8>,
) -> Result<u64, Fault> {
    let start = starting_position::<Xiangqi>(record)?;
    let root = vec![Node::default()];
    let mut tree = Tree { nodes: root, current: 0, left: Vec::new(), before_variation: None };
    let head = header(record, &start);
    let cut = walk(record, start, options, &mut |step| tree.step(step))?;
    out.extend_from_slice(&head);
    tree.write(out);
    Ok(cut)
}

fn header(record: &GameRecord<Token>, start: &Xiangqi) -> [u8; HEADER_BYTES] {
    let mut head = [0; HEADER_BYTES];
    head[..3].copy_from_slice(b"XQ\x0a");
    head[0x10..0x20].copy_from_slice(&placement(start, Side::First));
    head[0x20..0x30].copy_from_slice(&placement(start, Side::Second));
    head[0x32] = u8::from(start.side() == Side::Second);
    head[0x33] = match record.outcome {
        Outcome::Unknown => 0,
        Outcome::FirstWins => 1,
        Outcome::SecondWins => 2,
        Outcome::Draw => 3,
    };
    head[0x40] = if record.start == Start::Standard { 0 } else { 3 };
    for (offset, size, name) in XQF_TEXTS {
        let known = match name {
            "Event" => &record.event,
            "Date" => &record.date,
            "Red" => &record.first_player,
            "Black" => &record.second_player,
            _ => "",
        };
        let text = tag(record, name).unwrap_or(known);
        // PGN writes a question mark for what it does not know.
        let text = if text.chars().all(|c| matches!(c, '?' | '.')) { "" } else { text };
        let field = whole_characters(text, size - 1);
        head[offset] = field.len() as u8;
        head[offset + 1..][..field.len()].copy_from_slice(&field);
    }
    head
}

/// Returns the squares of a side's slots. Within a kind red goes from right to left, as files of the start position
/// have it; black goes from left to right with its back rank.
fn placement(start: &Xiangqi, side: Side) -> [u8; 16] {
    let mut slots = [ABSENT; 16];
    for kind in Kind::ALL {
        let mut squares: Vec<u8> = start.pieces(side, kind).map(byte_of).collect();
        squares.sort_unstable();
        if side == Side::First || matches!(kind, Kind::Cannon | Kind::Pawn) {
            squares.reverse();
        }
        let of_kind = slots.iter_mut().zip(SLOTS).filter(|(_, slot)| *slot == kind);
        for ((slot, _), square) in of_kind.zip(squares) {
            *slot = square;
        }
    }
    slots
}

fn byte_of(square: Square) -> u8 {
    square.file() * 10 + square.rank()
}

/// Returns the longest beginning of a text that fits, never half a character.
fn whole_characters(text: &str, most_bytes: usize) -> Vec<u8> {
    let mut field = Vec::with_capacity(most_bytes);
    let mut character = [0; 4];
    for c in text.chars() {
        let c = if c.is_control() { ' ' } else { c };
        let (encoded, _, _) = GB18030.encode(c.encode_utf8(&mut character));
        if field.len() + encoded.len() > most_bytes {
            break;
        }
        field.extend_from_slice(&encoded);
    }
    field
}

/// A move in the tree, its parent and what follows it by their indices.
#[derive(Default)]
struct Node {
    squares: [u8; 2],
    comment: String,
    parent: usize,
    children: Vec<usize>,
}

/// The tree that the steps of a walk describe; the root comes first.
struct Tree {
    nodes: Vec<Node>,
    current: usize,
    /// Moves to return to when variations end.
    left: Vec<usize>,
    /// Comment of the next move, while a variation has begun and its first move is still to come.
    before_variation: Option<String>,
}

impl Tree {
    fn step(&mut self, step: Step<'_, Xiangqi>) {
        match step {
            Step::Play { played, .. } => {
                if let Some((from, to)) = decode(played) {
                    self.append([byte_of(from) + 24, byte_of(to) + 32]);
                }
            }
            Step::Note(NoteKind::Glyph(_)) => {}
            Step::Note(NoteKind::Comment(text)) => {
                let comment = self.before_variation.as_mut().unwrap_or(&mut self.nodes[self.current].comment);
                if !comment.is_empty() {
                    comment.push('\n');
                }
                comment.push_str(text);
            }
            Step::Begin => {
                self.left.push(self.current);
                self.current = self.nodes[self.current].parent;
                self.before_variation = Some(String::new());
            }
            Step::End => self.current = self.left.pop().unwrap_or_default(),
        }
    }

    fn append(&mut self, squares: [u8; 2]) {
        let (this, parent) = (self.nodes.len(), self.current);
        let comment = self.before_variation.take().unwrap_or_default();
        self.nodes.push(Node { squares, comment, parent, children: Vec::new() });
        self.nodes[parent].children.push(this);
        self.current = this;
    }

    /// Writes the tree: a move, what follows it, then its alternatives.
    fn write(&self, out: &mut Vec<u8>) {
        // The last one comes next; behind it stands whether an alternative follows.
        let mut left = vec![(0, false)];
        while let Some((index, has_alternative)) = left.pop() {
            let Node { squares, comment, children, .. } = &self.nodes[index];
            let child = if children.is_empty() { 0 } else { MOVE_FOLLOWS };
            let sibling = if has_alternative { ALTERNATIVE_FOLLOWS } else { 0 };
            let ([from, to], filler) = if index == 0 { (ROOT, 0xff) } else { (*squares, 0) };
            out.extend([from, to, child | sibling, filler]);
            let text = comment.replace("\r\n", "\n").replace('\n', "\r\n");
            let (comment, _, _) = GB18030.encode(&text);
            out.extend((comment.len() as u32).to_le_bytes());
            out.extend_from_slice(&comment);
            left.extend(children.iter().rev().enumerate().map(|(behind, &child)| (child, behind > 0)));
        }
    }
}

const _: () = assert!(SQUARES == 90, "a square's byte, file * 10 + rank, is below 90");
