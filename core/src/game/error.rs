//! Errors of reading a FEN or a move.

use thiserror::Error;

use super::GameId;

/// Why a FEN was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("bad {game} FEN \"{fen}\": {reason}", game = .game.name())]
pub struct FenError {
    /// The game whose rules refused it.
    pub game: GameId,
    /// The text as given.
    pub fen: String,
    /// What is wrong, in words; each rule has its own.
    pub reason: String,
}

/// Why a move text or token was refused in a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is not a move of this notation.
    #[error("\"{0}\" is not a move in this notation")]
    Syntax(String),
    /// No legal move fits.
    #[error("\"{0}\" is not legal here")]
    Illegal(String),
    /// More than one legal move fits.
    #[error("\"{0}\" fits more than one legal move")]
    Ambiguous(String),
}
