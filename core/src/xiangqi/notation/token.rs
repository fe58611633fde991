//! A move as an archive gives it, and the one legal move that fits.

use std::fmt;

use super::relative::{Relative, Unresolved};
use crate::game::{Game, Move, MoveError};
use crate::xiangqi::Xiangqi;
use crate::xiangqi::moves::encode;
use crate::xiangqi::square::Square;

/// A move as an archive gives it, before the rules have seen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Token {
    /// Where from and where to.
    Squares {
        /// The origin.
        from: Square,
        /// The target.
        to: Square,
    },
    /// A piece by kind and column, and how it moves, as its player sees the board.
    Relative(Relative),
}

// A game's moves are kept in a list: small enough to cost nothing.
const _: () = assert!(size_of::<Token>() <= 8);

impl Token {
    /// Returns the token of a move from one square to another, legal or not.
    pub const fn new(from: Square, to: Square) -> Token {
        Token::Squares { from, to }
    }

    /// Returns the origin, if the token names it.
    pub const fn origin(self) -> Option<Square> {
        match self {
            Token::Squares { from, .. } => Some(from),
            Token::Relative(_) => None,
        }
    }

    /// Returns the one legal move that fits.
    pub(in crate::xiangqi) fn resolve(self, position: &Xiangqi) -> Result<Move, MoveError> {
        self.find(position).map_err(|why| why.of(self.to_string()))
    }

    fn find(self, position: &Xiangqi) -> Result<Move, Unresolved> {
        match self {
            Token::Squares { from, to } => {
                let m = encode(from, to);
                if position.is_legal(m) { Ok(m) } else { Err(Unresolved::Illegal) }
            }
            Token::Relative(relative) => relative.find(position),
        }
    }
}

impl fmt::Display for Token {
    /// Writes squares as ICCS, a relative move as [`Token::parse`] reads it back.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Squares { from, to } => write!(out, "{from}{to}"),
            Token::Relative(relative) => relative.fmt(out),
        }
    }
}

/// Returns the legal move that `text` names, once a notation has read it as `token`.
pub(super) fn resolve_text(position: &Xiangqi, text: &str, token: Option<Token>) -> Result<Move, MoveError> {
    let token = token.ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
    token.find(position).map_err(|why| why.of(text.to_owned()))
}
