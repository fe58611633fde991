//! Xiangqi games in XQF, the format of XQStudio (象棋演播室), versions 10 to 18.
//!
//! A file is a header of 1,024 bytes and one tree of moves in depth-first order, which ends where the file ends.
//! From version 11 on, squares, comment lengths and the tree are enciphered (see `cipher`).
//!
//! | offset | size | field of the header |
//! |---|---|---|
//! | 0x00 | 2 | magic `XQ` |
//! | 0x02 | 1 | version |
//! | 0x03, 0x08, 0x0C | 1, 4, 4 | keys (see `cipher`) |
//! | 0x10 | 32 | placement: red R N B A K A B N R C C P P P P P, then black; square = file·10 + rank, 90 and above = absent |
//! | 0x32 | 1 | side to move, 1 = black; unreliable |
//! | 0x33 | 1 | result: 1 red wins, 2 black wins, 3 draw (4 occurs too) |
//! | 0x50 … | | texts: length byte, then up to 15 or 63 bytes of GB18030 |
//!
//! The kind of game at 0x40 is not used: it says nothing reliable about the start.
//!
//! | tree | version ≤ 10 | version ≥ 11 |
//! |---|---|---|
//! | record | from, to, flags, 0, length (4), text | from, to, flags, noise; length (4) and text if commented |
//! | has child | flags & 0xF0 ≠ 0 | flags & 0x80 |
//! | has sibling | flags & 0x0F ≠ 0 | flags & 0x40 |
//! | has comment | length ≠ 0 | flags & 0x20 |
//!
//! A move's byte is its square (file·10 + rank) plus 24 for the origin, 32 for the target. The first record is a root
//! without a move. A child follows its parent at once; a sibling follows when the subtree before it has ended.
//!
//! Source: XQStudio's note on version 1.0, and for later versions what independent readers agree on, checked against
//! 35,967 files.

mod cipher;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use super::facts::{Facts, outcome_of};
use super::lines::{Lines, Node};
use super::placement::Placement;
use crate::archive::text::plain::decode_gb18030;
use crate::archive::{Block, Defect, ReadOptions, Sink};
use crate::game::{Outcome, Side};
use crate::xiangqi::{Square, Token};
use cipher::{FIRST_ENCIPHERED, Keys};

const HEADER_BYTES: usize = 1024;

/// Version from which on the slots of the placement are rotated; version 11 is not, whatever some readers do.
const FIRST_ROTATED: u8 = 12;

/// Text fields: offset, size with the length byte, name of the tag. The first six become fields of records.
pub(crate) const TEXTS: [(usize, usize, &str); 11] = [
    (0x050, 64, "Title"),
    (0x0d0, 64, "Event"),
    (0x110, 16, "Date"),
    (0x120, 16, "Site"),
    (0x130, 16, "Red"),
    (0x140, 16, "Black"),
    (0x150, 64, "TimeControl"),
    (0x190, 16, "RedTime"),
    (0x1a0, 16, "BlackTime"),
    (0x1d0, 16, "Annotator"),
    (0x1e0, 16, "Author"),
];

/// Parses a file as a block of one game.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut facts = Facts::default();
    let mut lines = Lines::new(options);
    if let Err(defect) = read_file(&block.bytes, block.offset, options, &mut facts, &mut lines) {
        facts.fail(defect);
    }
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

/// Reads a file of any bytes, which lie at offset `base`. A defect leaves what came before it.
fn read_file(
    bytes: &[u8],
    base: u64,
    options: &ReadOptions,
    facts: &mut Facts,
    lines: &mut Lines<Token>,
) -> Result<(), Defect> {
    let Some((head, tree)) = bytes.split_at_checked(HEADER_BYTES) else {
        let message = format!("expected a header of {HEADER_BYTES} bytes");
        return Err(Defect::new("truncated", base + bytes.len() as u64, message));
    };
    if !head.starts_with(b"XQ") {
        return Err(Defect::new("magic", base, "expected the bytes \"XQ\" at the start"));
    }
    facts.outcome = match head[0x33] {
        // 4 is rare; readers agree to take it for a draw.
        4 => Outcome::Draw,
        code => outcome_of(code),
    };
    // Texts that only tags tell are read if those are asked for.
    for &(offset, size, name) in &TEXTS[..if options.tags { TEXTS.len() } else { 6 }] {
        let length = usize::from(head[offset]).min(size - 1);
        facts.add(name, decode_gb18030(&head[offset + 1..][..length]));
    }
    let keys = Keys::of(head, base)?;
    let placement = read_placement(head, &keys);
    let tree = keys.deciphered(tree);
    let mut cursor = Cursor::new(&tree, base + HEADER_BYTES as u64);
    let off_board = "expected squares below 90 in a move of the main line";
    let read = lines.read_tree(off_board, |is_collected| next_node(&mut cursor, &keys, is_collected));
    let side = if head[0x32] == 1 { Side::Second } else { Side::First };
    facts.start = placement.start_of(lines.first_origin(), side);
    let bad_square = read?;
    cursor.end()?;
    bad_square.map_or(Ok(()), Err)?;
    placement.checked().map_err(|message| Defect::new("placement", base + 0x10, message))
}

fn read_placement(head: &[u8], keys: &Keys) -> Placement {
    let mut placement = Placement::empty();
    for (index, &raw) in head[0x10..0x30].iter().enumerate() {
        let slot = match keys.version >= FIRST_ROTATED {
            true => (usize::from(keys.placement) + 1 + index) % 32,
            false => index,
        };
        if let Some(square) = square_of(raw, keys.placement) {
            placement.put_slot(slot, square);
        }
    }
    placement
}

/// Returns the square, file·10 + rank, to which a number was added; `None` from 90 on.
#[inline]
const fn square_of(byte: u8, added: u8) -> Option<Square> {
    let byte = byte.wrapping_sub(added);
    Square::at(byte / 10, byte % 10)
}

/// Reads the next record of the deciphered tree, with its comment if that is of use.
#[inline]
fn next_node(cursor: &mut Cursor<'_>, keys: &Keys, is_collected: bool) -> Result<Node, Defect> {
    let offset = cursor.offset();
    let [from, to, flags, _] = cursor.array("a record of the tree")?;
    let is_plain = keys.version < FIRST_ENCIPHERED;
    let (child, alternative) = if is_plain { (0xf0, 0x0f) } else { (0x80, 0x40) };
    let comment = if is_plain || flags & 0x20 != 0 { read_comment(cursor, keys)? } else { &[] };
    let origin = square_of(from, keys.from.wrapping_add(24));
    let target = square_of(to, keys.to.wrapping_add(32));
    Ok(Node {
        token: origin.zip(target).map(|(from, to)| Token::new(from, to)),
        has_child: flags & child != 0,
        has_alternative: flags & alternative != 0,
        comment: match is_collected && !comment.is_empty() {
            true => decode_gb18030(comment),
            false => String::new(),
        },
        offset,
    })
}

fn read_comment<'a>(cursor: &mut Cursor<'a>, keys: &Keys) -> Result<&'a [u8], Defect> {
    let place = cursor.clone();
    let length = cursor.u32("a record of the tree")?.wrapping_sub(keys.comment) as i32;
    let left = cursor.rest().len();
    match usize::try_from(length) {
        Ok(length) if length <= left => cursor.take(length, "a comment"),
        _ => {
            let message = format!("expected a comment of at most {left} bytes, found {length}");
            Err(place.defect("comment-length", message))
        }
    }
}
