//! ICCS move texts: file a–i and rank 0–9 of origin and target. Reads `h2e2`, `H2E2`, `h2-e2` and `H2-E2`, writes
//! `h2e2`, which is UCCI's form as well.

use super::{Token, resolve_text};
use crate::game::{Move, MoveError, Notation};
use crate::xiangqi::moves::decode;
use crate::xiangqi::notation::Letters;
use crate::xiangqi::{Square, Xiangqi};

/// Coordinates in four characters, ranks from 0, `h2e2`.
#[derive(Debug, Clone, Copy)]
pub struct IccsNotation;

impl Notation<Xiangqi> for IccsNotation {
    fn name(&self) -> &'static str {
        "ICCS"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        resolve_text(position, text, Letters::of(text).and_then(|letters| read(&letters)))
    }

    fn format(&self, _position: &Xiangqi, m: Move) -> String {
        decode(m).map_or_else(String::new, |(from, to)| Token::new(from, to).to_string())
    }
}

/// Returns the squares that a text names.
pub(super) fn read(letters: &[char]) -> Option<Token> {
    match *letters {
        [a, b, c, d] | [a, b, '-', c, d] => Some(Token::new(square(a, b)?, square(c, d)?)),
        _ => None,
    }
}

fn square(file: char, rank: char) -> Option<Square> {
    Square::from_name([u8::try_from(file).ok()?, u8::try_from(rank).ok()?])
}
