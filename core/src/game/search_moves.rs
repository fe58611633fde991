//! Move lists and move facts that a search needs.

use super::{Capture, Foldable, Game, HistoryRules, Key, Move, MoveList};

/// A game that lists and plays moves as a search needs them.
pub trait SearchMoves: Game {
    /// Number of squares or points of the board.
    const SQUARES: usize;

    /// Number of kinds of pieces.
    const KINDS: usize;

    /// Fills `moves` with the legal captures and promotions.
    fn noisy_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with the legal moves that are not in [`SearchMoves::noisy_moves`].
    fn quiet_moves(&self, moves: &mut MoveList);

    /// Fills `moves` with the moves of [`SearchMoves::quiet_moves`] that give check.
    fn quiet_checks(&self, moves: &mut MoveList);

    /// Returns whether a legal move gives check, by playing it.
    fn gives_check(&self, m: Move) -> bool {
        let mut child = self.clone();
        child.play_unchecked(m);
        child.is_check()
    }

    /// Plays a move and calls `foretell` with the likely new key as early as possible, so that the caller can prefetch a
    /// table entry meanwhile. The caller promises that the move is legal.
    fn play_foretold(&mut self, m: Move, foretell: impl FnOnce(Key));

    /// Returns the position after a null move, `None` in check or if the game does not offer it.
    fn pass(&self) -> Option<Self> {
        None
    }

    /// Returns what a legal move captures, if anything.
    fn capture(&self, m: Move) -> Option<Capture>;

    /// Returns the rank by value, below [`SearchMoves::KINDS`], of the moving piece, and the index of its target.
    fn arrival(&self, m: Move) -> (usize, usize);
}

/// A game that the engine can search.
pub trait Searchable: SearchMoves + HistoryRules + Foldable {}

impl<G: SearchMoves + HistoryRules + Foldable> Searchable for G {}
