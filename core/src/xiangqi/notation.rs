//! ICCS move texts: file a–i and rank 0–9 of origin and target. In goes a position and a text or a legal move, out
//! comes the other. Reads `h2e2`, `H2E2`, `h2-e2` and `H2-E2`, writes `h2e2`.

use super::moves::{decode, encode};
use super::square::Square;
use super::{Token, Xiangqi};
use crate::game::{Game, Move, MoveError, Notation};

/// Coordinates in four characters, `h2e2`.
#[derive(Debug, Clone, Copy)]
pub struct IccsNotation;

impl Notation<Xiangqi> for IccsNotation {
    fn name(&self) -> &'static str {
        "ICCS"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        let token = read(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
        position.resolve(token).map_err(|_| MoveError::Illegal(text.to_owned()))
    }

    fn format(&self, _position: &Xiangqi, m: Move) -> String {
        decode(m).map_or_else(String::new, |(from, to)| Token::new(from, to).to_string())
    }
}

/// Returns the squares that a text names.
fn read(text: &str) -> Option<Token> {
    let (from, to) = match *text.as_bytes() {
        [a, b, c, d] | [a, b, b'-', c, d] => ([a, b], [c, d]),
        _ => return None,
    };
    Some(Token::new(Square::from_name(from)?, Square::from_name(to)?))
}

impl Token {
    /// Returns the token of a move from one square to another, legal or not.
    pub const fn new(from: Square, to: Square) -> Token {
        Token { from, to }
    }

    /// Returns the move code of these squares, whether legal or not.
    pub(super) const fn code(self) -> Move {
        encode(self.from, self.to)
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}{}", self.from, self.to)
    }
}
