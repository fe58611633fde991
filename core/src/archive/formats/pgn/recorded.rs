//! The facts of a game that the reader of PGN needs.

use crate::archive::Start;
use crate::game::{Outcome, Replayable};
use encoding_rs::Encoding;

/// A game that PGN records: what the reader must know of it.
pub(in crate::archive::formats) trait Recorded: Replayable {
    /// Returns the move at the head of a text and the bytes it takes, `None` if the text does not begin with one.
    fn read_move(text: &[u8]) -> Option<(Self::Token, usize)>;

    /// Returns whether an invalid word was meant to be a move, so that ignoring it would lose a move.
    fn looks_like_move(word: &[u8]) -> bool;

    /// Whether a block is read as it stands; otherwise it is made UTF-8 first.
    const HAS_ASCII_MOVES: bool;

    /// What a move is, in words.
    const MOVE: &'static str;

    /// Returns the result that a word names in the language of the archives, [`Outcome::Unknown`] if it names none.
    fn outcome_named(_word: &str) -> Outcome {
        Outcome::Unknown
    }

    /// Returns whether a text holds a sign of such a word, even in a comment.
    fn may_name_outcome(_text: &[u8]) -> bool {
        false
    }

    /// Mends a start that does not fit the first move.
    fn settle_start(_start: &mut Start, _first: Self::Token) {}

    /// Returns the character set of the texts in a block that are not UTF-8.
    fn charset(text: &[u8]) -> &'static Encoding;

    /// Returns the start that a FEN tag names.
    fn start_of(fen: &str) -> Start;

    /// Returns whether a Variant tag names the standard game.
    fn is_standard_variant(name: &str) -> bool;
}
