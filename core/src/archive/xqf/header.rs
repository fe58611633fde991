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

use encoding_rs::GB18030;

use super::cipher::Keys;
use super::{Defect, XqfFile};
use crate::game::{Outcome, Side};
use crate::xiangqi::{SQUARES, Square};

/// The standard start as [`Placement::to_fen`] writes it.
pub(super) const STANDARD_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Version from which on the slots of the placement are rotated; version 11 is not, whatever some readers do.
const FIRST_ROTATED: u8 = 12;

/// Letters of the placement's slots.
const SLOTS: &[u8; 32] = b"RNBAKABNRCCPPPPPrnbakabnrccppppp";

pub(super) fn check_magic(head: &[u8]) -> Result<(), Defect> {
    match head.starts_with(b"XQ") {
        true => Ok(()),
        false => {
            let message = "expected the bytes \"XQ\" at the start".to_owned();
            Err(Defect { reason: "magic", offset: 0, message })
        }
    }
}

/// Reads what is never enciphered.
pub(super) fn read_texts(head: &[u8], file: &mut XqfFile) {
    file.version = head[2];
    file.outcome = match head[0x33] {
        1 => Outcome::FirstWins,
        2 => Outcome::SecondWins,
        // 4 is rare; readers agree to take it for a draw.
        3 | 4 => Outcome::Draw,
        _ => Outcome::Unknown,
    };
    file.title = text(&head[0x50..0x90]);
    file.event = text(&head[0xd0..0x110]);
    file.date = text(&head[0x110..0x120]);
    file.site = text(&head[0x120..0x130]);
    file.first_player = text(&head[0x130..0x140]);
    file.second_player = text(&head[0x140..0x150]);
}

pub(super) fn side_by_header(head: &[u8]) -> Side {
    if head[0x32] == 1 { Side::Second } else { Side::First }
}

/// Returns the text of a field: a length byte, cut to the field, and GB18030 of which writers may have cut the last
/// character in half.
fn text(field: &[u8]) -> String {
    let Some((&length, bytes)) = field.split_first() else { return String::new() };
    let bytes = &bytes[..usize::from(length).min(bytes.len())];
    let (text, _, had_errors) = GB18030.decode(bytes);
    if !had_errors {
        return text.trim().trim_end_matches('\0').to_owned();
    }
    let whole = bytes.split_last().map_or(bytes, |(_, whole)| whole);
    let (shorter, _, still_has_errors) = GB18030.decode(whole);
    let text = if still_has_errors { text } else { shorter };
    text.trim().trim_end_matches('\0').to_owned()
}

/// The pieces at the start.
pub(super) struct Placement {
    squares: [Option<u8>; SQUARES],
    /// A square that two pieces share, if any.
    shared: Option<Square>,
}

impl Placement {
    pub(super) fn read(head: &[u8], keys: &Keys) -> Placement {
        let mut placement = Placement { squares: [None; SQUARES], shared: None };
        for (index, &raw) in head[0x10..0x30].iter().enumerate() {
            let slot = match keys.version >= FIRST_ROTATED {
                true => (usize::from(keys.placement) + 1 + index) % 32,
                false => index,
            };
            if let Some(square) = square_of(raw.wrapping_sub(keys.placement)) {
                let before = placement.squares[square.index()].replace(SLOTS[slot]);
                placement.shared = placement.shared.or(before.map(|_| square));
            }
        }
        placement
    }

    pub(super) fn side_at(&self, square: Square) -> Option<Side> {
        self.squares[square.index()].map(|letter| match letter.is_ascii_uppercase() {
            true => Side::First,
            false => Side::Second,
        })
    }

    /// Returns an error where two pieces share a square.
    pub(super) fn check(&self) -> Result<(), Defect> {
        match self.shared {
            None => Ok(()),
            Some(square) => {
                let message = format!("expected one piece a square, found two on {square}");
                Err(Defect { reason: "placement", offset: 0x10, message })
            }
        }
    }

    pub(super) fn to_fen(&self, side: Side) -> String {
        let mut fen = String::with_capacity(80);
        for rank in self.squares.chunks(9).rev() {
            if !fen.is_empty() {
                fen.push('/');
            }
            let mut gap = 0;
            for letter in rank.iter().copied().chain([Some(0)]) {
                match letter {
                    None => gap += 1,
                    Some(letter) => {
                        if gap > 0 {
                            fen.push(char::from(b'0' + gap));
                        }
                        gap = 0;
                        // 0 ends the rank.
                        if letter != 0 {
                            fen.push(char::from(letter));
                        }
                    }
                }
            }
        }
        fen.push_str(match side {
            Side::First => " w - - 0 1",
            Side::Second => " b - - 0 1",
        });
        fen
    }
}

/// Returns the square of a deciphered byte, file·10 + rank; `None` from 90 on.
pub(super) fn square_of(byte: u8) -> Option<Square> {
    Square::at(byte / 10, byte % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_clamped_and_halved_characters_dropped() {
        assert_eq!(text(b"\x04\xba\xec\xc6\xe5\xff\xff"), "红棋");
        assert_eq!(text(b"\x03\xba\xec\xc6"), "红");
        assert_eq!(text(b"\xff\xba\xec"), "红");
        assert_eq!(text(b"\x00\xba\xec"), "");
    }
}
