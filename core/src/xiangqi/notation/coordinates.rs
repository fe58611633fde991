//! ICCS move texts: file a–i and rank 0–9 of origin and target. Reads `h2e2`, `H2E2`, `h2-e2` and `H2-E2`, writes
//! `h2e2`, which is UCCI's form as well.
//!
//! UCI move texts as Fairy-Stockfish writes them: file a–i and rank 1–10 of origin and target, `h3e3`, `a10a9`.
//!
//! `h2e2` is also valid in ICCS and means another move there: readers must know the notation.

use super::{Token, letters_of, resolve_text};
use crate::game::{Move, MoveError, Notation};
use crate::xiangqi::moves::decode;
use crate::xiangqi::{Square, Xiangqi};

/// Coordinates in four characters, ranks from 0, `h2e2`.
#[derive(Debug, Clone, Copy)]
pub struct IccsNotation;

impl Notation<Xiangqi> for IccsNotation {
    fn name(&self) -> &'static str {
        "ICCS"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        resolve_text(position, text, letters_of(text).and_then(|letters| read_iccs(&letters)))
    }

    fn format(&self, _position: &Xiangqi, m: Move) -> String {
        decode(m).map_or_else(String::new, |(from, to)| Token::new(from, to).to_string())
    }
}

pub(super) fn read_iccs(letters: &[char]) -> Option<Token> {
    match *letters {
        [a, b, c, d] | [a, b, '-', c, d] => Some(Token::new(iccs_square(a, b)?, iccs_square(c, d)?)),
        _ => None,
    }
}

fn iccs_square(file: char, rank: char) -> Option<Square> {
    Square::from_name([u8::try_from(file).ok()?, u8::try_from(rank).ok()?])
}

/// Coordinates with ranks from 1, `h3e3`.
#[derive(Debug, Clone, Copy)]
pub struct UciNotation;

impl Notation<Xiangqi> for UciNotation {
    fn name(&self) -> &'static str {
        "UCI"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        resolve_text(position, text, Token::parse_uci(text))
    }

    fn format(&self, _position: &Xiangqi, m: Move) -> String {
        let name = |square: Square| format!("{}{}", char::from(b'a' + square.file()), square.rank() + 1);
        decode(m).map_or_else(String::new, |(from, to)| name(from) + &name(to))
    }
}

pub(super) fn read_uci(letters: &[char]) -> Option<Token> {
    let (from, rest) = uci_square(letters)?;
    let (to, rest) = uci_square(rest)?;
    rest.is_empty().then(|| Token::new(from, to))
}

/// Returns the first square of a text and what follows it. Files are letters, so a second digit belongs to the rank.
fn uci_square(letters: &[char]) -> Option<(Square, &[char])> {
    let (&file, rest) = letters.split_first()?;
    let (rank, rest) = match rest {
        ['1', '0', rest @ ..] => (10, rest),
        [rank @ '1'..='9', rest @ ..] => (u8::try_from(rank.to_digit(10)?).ok()?, rest),
        _ => return None,
    };
    let file = u8::try_from(file.to_ascii_lowercase()).ok()?.checked_sub(b'a')?;
    Some((Square::at(file, rank - 1)?, rest))
}
