//! Why a game ends where its line ends. In go the last position and its history; out comes the verdict, with the cycle
//! where it is a repetition.

use super::History;
use crate::game::{Game, Move, RepetitionRule, Verdict};

/// What the rules say of a line of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Why play stops; `None`: it goes on.
    pub verdict: Option<Verdict>,
    /// The moves from the earliest of the counted occurrences of the last position to the last, where the verdict is a
    /// repetition.
    pub cycle: Vec<Move>,
}

/// Judges a line that ends in `position`. A repetition counts from the `occurrences`-th time a position is reached
/// (3 in tournaments, at least 2); all moves since the first of these times are judged together.
///
/// A mate or stalemate comes before everything else, since it ends the game on the board.
pub fn judge<G: Game>(
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
