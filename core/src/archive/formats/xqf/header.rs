//! The header: result, texts and the placement of the pieces.
//!
//! | offset | size | field |
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

use super::cipher::Keys;
use crate::archive::ReadOptions;
use crate::archive::formats::facts::{Facts, outcome_of};
use crate::archive::formats::placement::Placement;
use crate::archive::text::plain::decode_gb18030;
use crate::game::{Outcome, Side};
use crate::xiangqi::Square;

pub(super) const HEADER_BYTES: usize = 1024;

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

/// Reads what is never enciphered. Texts that only tags tell are read if those are asked for.
pub(super) fn read_facts(head: &[u8], options: &ReadOptions, facts: &mut Facts) {
    facts.outcome = match head[0x33] {
        // 4 is rare; readers agree to take it for a draw.
        4 => Outcome::Draw,
        code => outcome_of(code),
    };
    for &(offset, size, name) in &TEXTS[..if options.tags { TEXTS.len() } else { 6 }] {
        facts.add(name, text(&head[offset..offset + size]));
    }
}

pub(super) fn side_by_header(head: &[u8]) -> Side {
    if head[0x32] == 1 { Side::Second } else { Side::First }
}

/// Returns the text of a field: a length byte, cut to the field, and GB18030.
fn text(field: &[u8]) -> String {
    let Some((&length, bytes)) = field.split_first() else { return String::new() };
    decode_gb18030(&bytes[..usize::from(length).min(bytes.len())])
}

pub(super) fn read_placement(head: &[u8], keys: &Keys) -> Placement {
    let mut placement = Placement::empty();
    for (index, &raw) in head[0x10..0x30].iter().enumerate() {
        let slot = match keys.version >= FIRST_ROTATED {
            true => (usize::from(keys.placement) + 1 + index) % 32,
            false => index,
        };
        if let Some(square) = square_of(raw.wrapping_sub(keys.placement)) {
            placement.put_slot(slot, square);
        }
    }
    placement
}

/// Returns the square of a deciphered byte, file·10 + rank; `None` from 90 on.
#[inline]
pub(super) const fn square_of(byte: u8) -> Option<Square> {
    Square::at(byte / 10, byte % 10)
}
