//! The rules that depend on earlier moves: move counts and repetition.

use super::{Game, Move, RepetitionRule, Ruling};

/// The rules that depend on the moves before a position: draws by move count, and repetitions.
pub trait HistoryRules: Game {
    /// Plies without capture (chess: nor pawn move) after which a game is drawn.
    const CLOCK_LIMIT: usize;

    /// Checks of either side that count towards [`HistoryRules::CLOCK_LIMIT`]; further checks do not. `None`: all count.
    const COUNTED_CHECKS: Option<u8>;

    /// Returns whether no earlier position can recur after `m`, for example after a capture.
    fn is_irreversible(&self, m: Move) -> bool;

    /// Returns whether `m` sets the move count of [`HistoryRules::CLOCK_LIMIT`] back to zero.
    fn resets_clock(&self, m: Move) -> bool;

    /// Returns the move count that the FEN of the position stated, 0 if unknown.
    fn clock(&self) -> usize {
        0
    }

    /// Judges a cycle: legal, reversible moves that lead from this position back to it.
    fn rule_on(&self, cycle: &[Move], rule: RepetitionRule) -> Ruling;
}
