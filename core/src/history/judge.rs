//! The verdict of the rules at the end of a line, with the cycle of a repetition.

use super::History;
use crate::game::{HistoryRules, Move, RepetitionRule, Verdict};

/// The verdict on a line of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Why the game is over; `None`: it goes on.
    pub verdict: Option<Verdict>,
    /// For a repetition, the moves between the first and the last counted occurrence of the last position; else empty.
    pub cycle: Vec<Move>,
}

/// Judges a line that ends in `position`. A repetition counts at the `occurrences`-th occurrence of a position (3 in
/// tournaments, at least 2); all moves since the first of these occurrences are judged together.
///
/// Mate and stalemate take precedence, because they end the game on the board.
pub fn judge<G: HistoryRules>(
    position: &G,
    history: &History,
    rule: RepetitionRule,
    occurrences: usize,
) -> Judgement {
    let ended = |verdict| Judgement { verdict, cycle: Vec::new() };
    if let Some(verdict) = position.verdict() {
        return ended(Some(verdict));
    }
    if let Some(plies) = history.span(occurrences.max(2) - 1) {
        let cycle: Vec<Move> = history.last_moves(plies).collect();
        let ruling = position.rule_on(&cycle, rule);
        return Judgement { verdict: Some(Verdict::Repetition(ruling)), cycle };
    }
    ended((history.clock() >= G::CLOCK_LIMIT).then_some(Verdict::MoveCount))
}
