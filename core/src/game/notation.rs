//! Moves as text.

use crate::game::{Game, Move, MoveError};
use std::fmt;

/// Reads and writes moves of game `G` as text.
pub trait Notation<G: Game>: Sync {
    /// Name of the notation, as documents use it.
    fn name(&self) -> &'static str;

    /// Returns the legal move that `text` names in `position`.
    ///
    /// # Errors
    /// [`MoveError`] if the text is not a move in this notation, or does not name exactly one legal move.
    fn parse(&self, position: &G, text: &str) -> Result<Move, MoveError>;

    /// Returns the text of a legal move.
    fn format(&self, position: &G, m: Move) -> String;

    /// Returns the texts of a line of legal moves from a position on.
    fn spell(&self, position: &G, line: &[Move]) -> Vec<String> {
        let mut position = position.clone();
        let spell = |&m: &Move| {
            let text = self.format(&position, m);
            position.play_unchecked(m);
            text
        };
        line.iter().map(spell).collect()
    }
}

/// A game with notations for its moves.
pub trait Notated: Game {
    /// Returns the notations for moves of the game, [`Notated::coordinates`] first.
    fn notations() -> &'static [&'static dyn Notation<Self>];

    /// Returns the notation with a name, ignoring case.
    fn notation(name: &str) -> Option<&'static dyn Notation<Self>> {
        Self::notations().iter().copied().find(|notation| notation.name().eq_ignore_ascii_case(name))
    }

    /// Returns the notation that programs use: UCI for chess, 4-character ICCS for xiangqi.
    fn coordinates() -> &'static dyn Notation<Self>;
}

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
