//! Scores that depend on the path to a node: repetitions, the move-count rule, insufficient material.
//!
//! A node has such a score if the rules end the line there. A repetition in xiangqi is scored by the law: a side that
//! checks or chases perpetually has lost, and that score is exact.
//!
//! **Scores that depend on the path never enter the table.** With each score goes the first ply of the path that it
//! depends on. If that ply is above the node, the score holds on this path only, and [`Reliance::bound`] returns the
//! part of it that may be stored. A cycle entirely below the node is part of the node's own tree and does no harm.

use crate::game::{Move, RepetitionRule};
use crate::search::score::Score;
use crate::search::table::Bound;

/// How the search scores repetitions and draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionPolicy {
    /// The code for repetitions of xiangqi.
    pub rule: RepetitionRule,
    /// The occurrence at which a position is scored if the previous one is inside the search's tree, at least 2.
    ///
    /// 2 saves four plies of each such line and loses nothing: a better move at the second occurrence was possible at
    /// the first too (Moreland).
    pub in_tree: usize,
    /// The same if the previous one is in the game. Here 2 would assume that the opponent does not err again.
    pub in_game: usize,
    /// Value of a draw for the opponent of the side to move at the root, in centipawns.
    pub contempt: i32,
}

impl Default for RepetitionPolicy {
    fn default() -> RepetitionPolicy {
        RepetitionPolicy { rule: RepetitionRule::default(), in_tree: 2, in_game: 3, contempt: 0 }
    }
}

impl RepetitionPolicy {
    /// Returns the score of a draw for the side to move at `ply`.
    pub(super) fn draw(&self, ply: usize) -> Score {
        let root = Score::from_centipawns(-self.contempt);
        if ply.is_multiple_of(2) { root } else { -root }
    }
}

/// A score that depends on no position of the path.
pub(super) const NOTHING: i32 = i32::MAX;
/// A score that depends on the whole game.
pub(super) const THE_GAME: i32 = i32::MIN;

/// The policy of a search, and the first ply that the last returned score depends on; below 0, a position of the game.
pub(super) struct Path {
    pub policy: RepetitionPolicy,
    /// Set with each score that is returned.
    pub leans_on: i32,
    /// Buffer for the moves of a cycle.
    pub cycle: Vec<Move>,
}

impl Path {
    pub fn new(policy: RepetitionPolicy) -> Path {
        Path { policy, leans_on: NOTHING, cycle: Vec::new() }
    }
}

/// The first ply that a node's score depends on, collected from its moves.
#[derive(Clone, Copy)]
pub(super) struct Reliance {
    best: i32,
    all: i32,
}

impl Reliance {
    pub const NONE: Reliance = Reliance { best: NOTHING, all: NOTHING };

    /// Adds a move's score and the ply that it depends on.
    pub fn note(&mut self, leans_on: i32, is_best: bool) {
        self.all = self.all.min(leans_on);
        if is_best {
            self.best = leans_on;
        }
    }

    /// Returns the ply that a score with this bound depends on. A lower bound depends on one move only, an upper bound
    /// on all moves.
    pub fn of(self, bound: Bound) -> i32 {
        if bound == Bound::Lower { self.best } else { self.all }
    }

    /// Returns the bound that holds for the node at `ply` on every path; `None` if there is none.
    pub fn bound(self, bound: Bound, ply: usize) -> Option<Bound> {
        let holds = |leans_on: i32| leans_on >= ply as i32;
        match bound {
            _ if holds(self.of(bound)) => Some(bound),
            Bound::Exact if holds(self.best) => Some(Bound::Lower),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
