//! Reads and writes moves as text.
//!
//! Two steps, so that archives can be read without playing them: [`Token::parse`] turns a text of any notation into a
//! [`Token`], [`crate::game::Replayable::resolve`] turns the token into the one legal move of a position that fits it.
//!
//! | file | text | the same move, red and black |
//! |---|---|---|
//! | `coordinates`: ICCS | squares, ranks 0–9 | `h2e2`, `h7e7` |
//! | `coordinates`: UCI | squares, ranks 1–10 | `h3e3`, `h8e8` |
//! | `described`: WXF | piece and column, Latin | `C2=5`, `C8=5` |
//! | `described`: Chinese | piece and column, Chinese | `炮二平五`, `炮８平５` |
//! | `san` | piece and target square, read only | `Che2`, `Che3` |
//!
//! `signs` parses WXF and Chinese texts into a `relative` move, which finds the legal move.

mod coordinates;
mod described;
mod relative;
mod san;
mod signs;

use std::fmt;

use arrayvec::ArrayVec;
use relative::Unresolved;

use crate::game::{Game, Move, MoveError, Notation};
use crate::xiangqi::Xiangqi;
use crate::xiangqi::moves::encode;
use crate::xiangqi::square::Square;

pub use coordinates::{IccsNotation, UciNotation};
pub use described::{ChineseNotation, WxfNotation};
pub use relative::Relative;
pub use san::San;
pub use signs::names_piece;

/// All notations of the game, that of machines first.
pub(super) const ALL: &[&dyn Notation<Xiangqi>] =
    &[&IccsNotation, &UciNotation, &WxfNotation, &ChineseNotation::Simplified, &ChineseNotation::Traditional];

impl Token {
    /// Returns the token of a text in ICCS, WXF or Chinese, in any of their spellings; `None` where it is none.
    ///
    /// Letters may be full-width, of either case, simplified or traditional. Nothing may stand around the move: no
    /// spaces, no move number, no mark such as `!`. UCI is not among them, as `h2e2` would mean two moves: texts known
    /// to be UCI are read by [`Token::parse_uci`].
    ///
    /// # Examples
    /// ```
    /// use bookbuilder_core::game::{Game, Replayable};
    /// use bookbuilder_core::xiangqi::{Token, Xiangqi};
    ///
    /// let start = Xiangqi::start();
    /// for text in ["h2e2", "H2-E2", "C2=5", "Ｃ２＝５", "C2.5", "炮二平五", "砲２平５"] {
    ///     let token = Token::parse(text).ok_or(text)?;
    ///     assert_eq!(start.resolve(token), start.resolve(Token::parse("H2E2").ok_or("ICCS")?));
    /// }
    /// assert_eq!(Token::parse("Nf3"), None);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn parse(text: &str) -> Option<Token> {
        let letters = letters_of(text)?;
        coordinates::read_iccs(&letters).or_else(|| signs::read(&letters).map(Token::Relative))
    }

    /// Returns the token of a text in SAN, whose ranks [`Token::with_first_rank`] settles; `None` where it is none.
    pub fn parse_san(text: &str) -> Option<Token> {
        San::read(text).map(Token::San)
    }

    /// Returns the number of the first rank, if this is SAN and its ranks tell it.
    pub fn first_rank(self) -> Option<u8> {
        if let Token::San(san) = self { san.base() } else { None }
    }

    /// Returns the token with ranks of SAN counted from a number, 0 or 1; other tokens unchanged.
    #[must_use]
    pub const fn with_first_rank(self, base: u8) -> Token {
        match self {
            Token::San(san) => Token::San(san.with_base(base)),
            other => other,
        }
    }

    /// Returns the token of a text in UCI with ranks 1 to 10, as Fairy-Stockfish writes it; `None` where it is none.
    pub fn parse_uci(text: &str) -> Option<Token> {
        coordinates::read_uci(&letters_of(text)?)
    }
}

impl Xiangqi {
    /// Returns the legal move that a text in any notation names that [`Token::parse`] reads.
    ///
    /// # Errors
    /// [`MoveError`] if the text does not name exactly one legal move.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        resolve_text(self, text, Token::parse(text))
    }
}

/// Characters of the longest move text, `a10b10`.
const LONGEST: usize = 6;

/// Returns the characters of a move text, `None` where it is too long for a move.
pub(super) fn letters_of(text: &str) -> Option<ArrayVec<char, LONGEST>> {
    let mut letters = ArrayVec::new();
    text.chars().try_for_each(|letter| letters.try_push(narrow(letter))).ok()?;
    Some(letters)
}

/// Returns the ASCII form of a full-width letter, digit or sign and of a dash, other characters as they are.
const fn narrow(letter: char) -> char {
    match letter {
        // Unicode's block of full-width forms follows ASCII from `!` to `~`.
        '\u{ff01}'..='\u{ff5e}' => (letter as u32 - 0xfee0) as u8 as char,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => letter,
    }
}

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
    /// A piece by kind and where it goes.
    San(San),
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
            Token::Relative(_) | Token::San(_) => None,
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
            Token::San(san) => san.find(position),
        }
    }
}

impl fmt::Display for Token {
    /// Writes squares as ICCS, a relative move as [`Token::parse`] reads it back.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Squares { from, to } => write!(out, "{from}{to}"),
            Token::Relative(relative) => relative.fmt(out),
            Token::San(san) => san.fmt(out),
        }
    }
}

/// Returns the legal move that `text` names, once a notation has read it as `token`.
pub(super) fn resolve_text(position: &Xiangqi, text: &str, token: Option<Token>) -> Result<Move, MoveError> {
    let token = token.ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
    token.find(position).map_err(|why| why.of(text.to_owned()))
}
