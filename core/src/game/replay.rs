//! Moves as archives record them.

use std::fmt;

use super::{Game, Move, MoveError};

/// A game that can be replayed from the moves of an archive.
pub trait Replayable: Game {
    /// A move as an archive wrote it, not yet checked for legality.
    type Token: Copy + PartialEq + fmt::Debug + Send + Sync;

    /// Returns the legal move that an archive's token names.
    ///
    /// # Errors
    /// [`MoveError`] if the token does not name exactly one legal move.
    fn resolve(&self, token: Self::Token) -> Result<Move, MoveError>;

    /// Plays the legal move that an archive's token names and returns its code.
    ///
    /// # Errors
    /// [`MoveError`] if the token does not name exactly one legal move; the position is then unchanged.
    fn play_token(&mut self, token: Self::Token) -> Result<Move, MoveError> {
        let m = self.resolve(token)?;
        self.play_unchecked(m);
        Ok(m)
    }
}
