//! What the path to a node says of it: repetitions, the move-count rule, dead positions; and how far back scores lean.
//!
//! In go a node and the history that led to it; out comes its score where the rules end the line there. A repetition in
//! xiangqi is scored by the law: who checks or chases perpetually has lost, at the node and exactly so.
//!
//! **Scores that depend on the path never enter the table.** Each score carries with it the first ply of the path that
//! it leans on. Where that lies above the node, the score holds on this path alone: [`Reliance::bound`] says what of it may
//! be kept. A cycle that lies wholly below the node is part of the node's own tree and does no harm.

mod scored;

use super::score::Score;
use super::table::Bound;
use crate::game::{Move, RepetitionRule};

/// How the search scores what has been before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionPolicy {
    /// By which code repetitions of xiangqi are judged.
    pub rule: RepetitionRule,
    /// The occurrence of a position at which it is scored where the one before lies in the search's own tree, at least 2.
    ///
    /// 2 saves four plies of each such line and loses nothing: what a side could do better at the second occurrence, it
    /// could have done at the first (Moreland).
    pub in_tree: usize,
    /// The same where the one before was on the game board. There, 2 gives away that the opponent may go wrong again.
    pub on_board: usize,
    /// What a draw is worth less to the side to move at the root, in centipawns.
    pub contempt: i32,
}

impl Default for RepetitionPolicy {
    fn default() -> RepetitionPolicy {
        RepetitionPolicy { rule: RepetitionRule::default(), in_tree: 2, on_board: 3, contempt: 0 }
    }
}

impl RepetitionPolicy {
    /// Returns the score of a draw for the side to move at `ply`.
    fn draw(&self, ply: usize) -> Score {
        let root = Score::from_centipawns(-self.contempt);
        if ply.is_multiple_of(2) { root } else { -root }
    }
}

/// A score leans on no position of the path.
const NOTHING: i32 = i32::MAX;
/// A score leans on all that has been played.
const THE_GAME: i32 = i32::MIN;

/// The policy of a search, and the first ply that the score last returned leans on; below 0, a position of the game.
pub(super) struct Path {
    policy: RepetitionPolicy,
    leans_on: i32,
    /// Room for the moves of a cycle.
    cycle: Vec<Move>,
}

impl Path {
    pub fn new(policy: RepetitionPolicy) -> Path {
        Path { policy, leans_on: NOTHING, cycle: Vec::new() }
    }

    /// Returns what the score that a search has just returned leans on.
    pub fn leans_on(&self) -> i32 {
        self.leans_on
    }

    /// Says what the score that is about to be returned leans on.
    pub fn lean_on(&mut self, ply: i32) {
        self.leans_on = ply;
    }
}

/// What a node's score leans on, gathered from its moves.
#[derive(Clone, Copy)]
pub(super) struct Reliance {
    best: i32,
    all: i32,
}

impl Reliance {
    pub const NONE: Reliance = Reliance { best: NOTHING, all: NOTHING };

    /// Takes note of a move's score and what it leans on.
    pub fn note(&mut self, leans_on: i32, is_best: bool) {
        self.all = self.all.min(leans_on);
        if is_best {
            self.best = leans_on;
        }
    }

    /// Returns what a score with this bound leans on: that a move is worth so much is shown by the move alone, that no
    /// other is worth more by all of them.
    pub fn of(self, bound: Bound) -> i32 {
        if bound == Bound::Lower { self.best } else { self.all }
    }

    /// Returns what a score with this bound is wherever the node at `ply` is reached from; `None` where it says nothing.
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
