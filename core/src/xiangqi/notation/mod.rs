//! Reads and writes moves as text.
//!
//! Two steps, so that archives can be read without playing them: [`Token::parse`] turns a text of any notation into a
//! [`Token`], [`crate::game::Replayable::resolve`] turns the token into the one legal move of a position that fits it.
//!
//! | file | text | the same move, red and black |
//! |---|---|---|
//! | `iccs` | squares, ranks 0–9 | `h2e2`, `h7e7` |
//! | `uci` | squares, ranks 1–10 | `h3e3`, `h8e8` |
//! | `wxf` | piece and column, Latin | `C2=5`, `C8=5` |
//! | `chinese` | piece and column, Chinese | `炮二平五`, `炮８平５` |
//!
//! `letters` makes full-width letters narrow; `columns` counts as players do; `signs` parses WXF and Chinese
//! texts into a `relative` move, which finds the legal move; `described` holds the facts for writing them.

mod characters;
mod chinese;
mod columns;
mod described;
mod direction;
mod iccs;
mod letters;
mod relative;
mod signs;
mod token;
mod uci;
mod wxf;
mod wxf_letters;

use super::Xiangqi;
use crate::game::{Move, MoveError, Notation};

pub use characters::names_piece;
pub use chinese::ChineseNotation;
pub use iccs::IccsNotation;
pub use relative::Relative;
pub use token::Token;
pub use uci::UciNotation;
pub use wxf::WxfNotation;

use letters::Letters;
use token::resolve_text;

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
        let letters = Letters::of(text)?;
        iccs::read(&letters).or_else(|| signs::read(&letters).map(Token::Relative))
    }

    /// Returns the token of a text in UCI with ranks 1 to 10, as Fairy-Stockfish writes it; `None` where it is none.
    pub fn parse_uci(text: &str) -> Option<Token> {
        uci::read(&Letters::of(text)?)
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
