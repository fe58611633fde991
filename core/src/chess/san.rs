//! Parses SAN as people write it, without a board.
//!
//! Besides the standard's form it reads long algebraic (`Ng1-f3`, `e2xd3`), UCI (`e7e8q`), zeros for castling (`0-0`),
//! `:` for captures and a missing `x` (`ed5`), promotions as `=Q`, `Q`, `(Q)` or `/Q`, `e.p.`, checks of any number of
//! `+` or `#`, figurines, a `P` before a pawn's move, and null moves (`--`, `Z0`, `@@@@`, `0000`).

use std::str::FromStr;

use shakmaty::san::San;
use shakmaty::{CastlingSide, File, Rank, Role, Square};

use super::Token;
use crate::game::MoveError;

/// Returns the move at the head of a text and how many bytes it takes, its check marks included; `None` where the
/// text does not begin with a move, or something that could be part of it follows.
#[inline]
pub fn read(text: &[u8]) -> Option<(Token, usize)> {
    read_plain(text).or_else(|| read_any(text).map(|(san, length)| (san.into(), length)))
}

/// Reads what most moves are, almost without a branch: up to seven bytes and white space, the target last but for a
/// check mark, before it nothing, an `x`, or the file of a pawn that captures.
#[inline]
fn read_plain(text: &[u8]) -> Option<(Token, usize)> {
    let word = u64::from_le_bytes(*text.first_chunk::<8>()?);
    let at = |place: u32| (word >> (8 * place)) as u8;
    // The high bit of the first byte that is white space (below 0x21); bits above it may be wrong.
    let spaces = word.wrapping_sub(u64::from_ne_bytes([0x21; 8])) & !word & u64::from_ne_bytes([0x80; 8]);
    let length = spaces.trailing_zeros() / 8;
    if !(2..8).contains(&length) {
        return None;
    }
    let target = (length - 2).checked_sub(u32::from(matches!(at(length - 1), b'+' | b'#')))?;
    let role = PIECES[usize::from(at(0))]?;
    let between = target.checked_sub(u32::from(role != Role::Pawn))?;
    let (file, rank) = (at(target).wrapping_sub(b'a'), at(target + 1).wrapping_sub(b'1'));
    let is_capture = between > 0 && at(target - 1) == b'x';
    let is_plain = between == u32::from(is_capture) * if role == Role::Pawn { 2 } else { 1 };
    if file > 7 || rank > 7 || !is_plain || role == Role::Pawn && matches!(rank, 0 | 7) {
        return None;
    }
    let to = Square::from_coords(File::new(u32::from(file)), Rank::new(u32::from(rank)));
    let from = if is_capture && role == Role::Pawn { file_of(at(0)) } else { None };
    let san = San::Normal { role, file: from, rank: None, capture: is_capture, to, promotion: None };
    Some((san.into(), length as usize))
}

/// The piece that a move's first byte names; a file names a pawn.
const PIECES: [Option<Role>; 256] = {
    let mut pieces = [None; 256];
    let mut file = b'a';
    while file <= b'h' {
        pieces[file as usize] = Some(Role::Pawn);
        file += 1;
    }
    pieces[b'N' as usize] = Some(Role::Knight);
    pieces[b'B' as usize] = Some(Role::Bishop);
    pieces[b'R' as usize] = Some(Role::Rook);
    pieces[b'Q' as usize] = Some(Role::Queen);
    pieces[b'K' as usize] = Some(Role::King);
    pieces
};

/// Reads a move of any form.
#[cold]
fn read_any(text: &[u8]) -> Option<(San, usize)> {
    match PIECES[usize::from(*text.first()?)] {
        Some(role) => read_squares(role, text, usize::from(role != Role::Pawn)),
        None => read_other(text),
    }
}

/// Reads what follows the letter of a piece.
fn read_squares(role: Role, text: &[u8], from: usize) -> Option<(San, usize)> {
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
    let mut place = from;
    let mut file = file_of(at(place));
    place += usize::from(file.is_some());
    let mut rank = rank_of(at(place));
    place += usize::from(rank.is_some());
    let separator = at(place);
    let capture = matches!(separator, b'x' | b':' | b'X');
    let is_separated = capture || separator == b'-';
    let next = place + usize::from(is_separated);
    let to = match (file_of(at(next)), rank_of(at(next + 1))) {
        (Some(file), Some(rank)) => {
            place = next + 2;
            Square::from_coords(file, rank)
        }
        // What was read is the target itself.
        _ if !is_separated || separator == b'-' => Square::from_coords(file.take()?, rank.take()?),
        _ => return None,
    };
    let mut promotion = None;
    if role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth) {
        (promotion, place) = read_promotion(text, place);
    }
    let end = place + suffix(&text[place..])?;
    Some((San::Normal { role, file, rank, capture, to, promotion }, end))
}

#[inline]
fn file_of(byte: u8) -> Option<File> {
    let index = byte.wrapping_sub(b'a');
    (index < 8).then(|| File::new(u32::from(index)))
}

#[inline]
fn rank_of(byte: u8) -> Option<Rank> {
    let index = byte.wrapping_sub(b'1');
    (index < 8).then(|| Rank::new(u32::from(index)))
}

/// Reads `=Q`, `Q`, `q`, `(Q)`, `/Q`, ` =Q` or ` Q`; returns the piece, if any, and the place behind it.
fn read_promotion(text: &[u8], place: usize) -> (Option<Role>, usize) {
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
    if at(place) == b' ' {
        let piece = place + 1 + usize::from(at(place + 1) == b'=');
        // A wide blank may follow the piece.
        let is_alone =
            matches!(at(piece), b'Q' | b'R' | b'B' | b'N') && !at(piece + 1).is_ascii_alphanumeric();
        return if is_alone { read_promotion(text, place + 1) } else { (None, place) };
    }
    let opened = matches!(at(place), b'=' | b'(' | b'/');
    let letter = place + usize::from(opened);
    let role = match at(letter) {
        b'Q' | b'q' => Role::Queen,
        b'R' | b'r' => Role::Rook,
        b'B' | b'b' => Role::Bishop,
        b'N' | b'n' => Role::Knight,
        b'K' => Role::King,
        _ => return (None, place),
    };
    let closed = at(place) == b'(' && at(letter + 1) == b')';
    if at(place) == b'(' && !closed {
        // A variation begins: `e8 (Qe7)` without the blank.
        return (None, place);
    }
    (Some(role), letter + 1 + usize::from(closed))
}

/// Returns the bytes of check marks and the like behind a move; `None` where letters or digits follow.
#[inline]
fn suffix(text: &[u8]) -> Option<usize> {
    let mut place = 0;
    loop {
        match text.get(place) {
            Some(b'+' | b'#' | b'=') => place += 1,
            // A novelty, `Nf3N`; en passant, `exd6e.p.`.
            Some(b'N') if !text.get(place + 1).is_some_and(u8::is_ascii_alphanumeric) => place += 1,
            Some(b'e') if text[place..].starts_with(b"e.p.") => place += 4,
            Some(b'e') if text[place..].starts_with(b"ep") => place += 2,
            // A dash of typographers, `e2–e4`: what stands before it is no move by itself.
            Some(byte) if byte.is_ascii_alphanumeric() || !byte.is_ascii() => return None,
            _ => return Some(place),
        }
    }
}

/// Reads castling, null moves, pawn moves with a `P` and figurines.
#[cold]
fn read_other(text: &[u8]) -> Option<(San, usize)> {
    match text[0] {
        b'O' | b'0' | b'o' => read_castling(text),
        b'P' => read_squares(Role::Pawn, text, 1),
        b'-' | b'Z' | b'@' => {
            let null = [&b"--"[..], b"Z0", b"@@@@"].into_iter().find(|null| text.starts_with(null))?;
            Some((San::Null, null.len()))
        }
        // ♔ ♕ ♖ ♗ ♘ ♙ and the black ones are U+2654 to U+265F.
        0xe2 if text.get(1) == Some(&0x99) => {
            let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
            let index = usize::from(text.get(2)?.wrapping_sub(0x94));
            let role = *roles.get(index).or_else(|| roles.get(index.checked_sub(6)?))?;
            read_squares(role, text, 3)
        }
        _ => None,
    }
}

fn read_castling(text: &[u8]) -> Option<(San, usize)> {
    if text.starts_with(b"0000") {
        return Some((San::Null, 4));
    }
    let letter = text[0];
    let again = |place: usize| text.get(place) == Some(&b'-') && text.get(place + 1) == Some(&letter);
    if !again(1) {
        return None;
    }
    let (side, end) = if again(3) { (CastlingSide::QueenSide, 5) } else { (CastlingSide::KingSide, 3) };
    if text.get(end) == Some(&b'-') {
        return None;
    }
    Some((San::Castle(side), end + suffix(&text[end..])?))
}

impl FromStr for Token {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Token, MoveError> {
        match read(text.as_bytes()) {
            Some((token, length)) if length == text.len() => Ok(token),
            _ => Err(MoveError::Syntax(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
