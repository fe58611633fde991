//! SAN as people write it: the head of a text in, the move it names and its length out, before any board is asked.
//!
//! Read beside the standard's form are: long algebraic (`Ng1-f3`, `e2xd3`), UCI (`e7e8q`), zeros for castling (`0-0`),
//! `:` for captures and a missing `x` (`ed5`), promotions as `=Q`, `Q`, `(Q)` or `/Q`, `e.p.`, checks of any number of
//! `+` or `#`, figurines, a `P` before a pawn's move, and null moves (`--`, `Z0`, `@@@@`, `0000`).

use shakmaty::san::San;
use shakmaty::{CastlingSide, File, Rank, Role, Square};

/// Returns the move at the head of a text and how many bytes it takes, its check marks included; `None` where the
/// text does not begin with a move, or something that could be part of it follows.
#[inline]
pub fn read(text: &[u8]) -> Option<(San, usize)> {
    let (role, from) = match *text.first()? {
        b'a'..=b'h' => (Role::Pawn, 0),
        b'N' => (Role::Knight, 1),
        b'B' => (Role::Bishop, 1),
        b'R' => (Role::Rook, 1),
        b'Q' => (Role::Queen, 1),
        b'K' => (Role::King, 1),
        _ => return read_other(text),
    };
    read_squares(role, text, from)
}

/// Reads what follows the letter of a piece.
#[inline]
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

/// Reads `=Q`, `Q`, `q`, `(Q)` or `/Q`; returns the piece, if any, and the place behind it.
fn read_promotion(text: &[u8], place: usize) -> (Option<Role>, usize) {
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
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
            Some(byte) if byte.is_ascii_alphanumeric() => return None,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text reads as, in standard form, and what is left of it.
    fn seen(text: &str) -> Option<(String, &str)> {
        read(text.as_bytes()).map(|(san, length)| (san.to_string(), &text[length..]))
    }

    #[test]
    fn moves_are_read_in_all_their_spellings() {
        for (text, san, rest) in [
            ("e4", "e4", ""),
            ("Nf3 d5", "Nf3", " d5"),
            ("Nbd2!?", "Nbd2", "!?"),
            ("R1xa3+", "R1xa3", ""),
            ("Qh4xe1#", "Qh4xe1", ""),
            ("exd6e.p.+ x", "exd6", " x"),
            ("ed5", "ed5", ""),
            ("e2-e4", "e2e4", ""),
            ("e2e4", "e2e4", ""),
            ("Ng1-f3", "Ng1f3", ""),
            ("Bf1:b5++", "Bf1xb5", ""),
            ("e8=Q+", "e8=Q", ""),
            ("e8Q", "e8=Q", ""),
            ("e8(N)", "e8=N", ""),
            ("bxa1/R", "bxa1=R", ""),
            ("e7e8q", "e7e8=Q", ""),
            ("e8", "e8", ""),
            ("Nf3N", "Nf3", ""),
            ("Nf3=", "Nf3", ""),
            ("Pe4", "e4", ""),
            ("O-O-O#", "O-O-O", ""),
            ("0-0!", "O-O", "!"),
            ("\u{2658}f6", "Nf6", ""),
            ("\u{265e}f6", "Nf6", ""),
            ("--", "--", ""),
            ("Z0", "--", ""),
            ("e4-e5", "e4e5", ""),
            ("a1-", "a1", "-"),
        ] {
            assert_eq!(seen(text), Some((san.to_owned(), rest)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_moves() {
        let texts =
            "N Nf Nf9 e9 e ex exd i4 Nf3a e4e 0-1 1-0 O-O-O-O P-K4 Sf3 ed x4 - Z Black bad 00".split(' ');
        for text in texts.chain(["", "\u{2660}f6", "Nf3\u{30}"]) {
            assert_eq!(seen(text), None, "{text}");
        }
    }
}
