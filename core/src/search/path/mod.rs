//! Scores that depend on the path to a node: repetitions, the move-count rule, insufficient material.
//!
//! A node has such a score if the rules end the line there. A repetition in xiangqi is scored by the law: a side that
//! checks or chases perpetually has lost, and that score is exact.
//!
//! **Scores that depend on the path never enter the table.** With each score goes the first ply of the path that it
//! depends on. If that ply is above the node, the score holds on this path only, and [`Reliance::bound`] returns the
//! part of it that may be stored. A cycle entirely below the node is part of the node's own tree and does no harm.

use crate::evaluate::Evaluate;
use crate::game::{Move, RepetitionRule, Searchable};
use crate::search::alpha_beta::Worker;
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
    fn draw(&self, ply: usize) -> Score {
        let root = Score::from_centipawns(-self.contempt);
        if ply.is_multiple_of(2) { root } else { -root }
    }
}

/// A score that depends on no position of the path.
const NOTHING: i32 = i32::MAX;
/// A score that depends on the whole game.
const THE_GAME: i32 = i32::MIN;

/// The policy of a search, and the first ply that the last returned score depends on; below 0, a position of the game.
pub(super) struct Path {
    policy: RepetitionPolicy,
    /// Set with each score that is returned.
    pub leans_on: i32,
    /// Buffer for the moves of a cycle.
    cycle: Vec<Move>,
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

impl<G: Searchable, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of a node at which the path or the material ends the line; never at the root.
    pub(in crate::search) fn score_by_path(
        &mut self,
        position: &G,
        ply: usize,
        is_check: bool,
    ) -> Option<Score> {
        self.path.leans_on = NOTHING;
        self.history.note_check::<G>(is_check);
        if ply == 0 {
            return None;
        }
        if let Some(plies) = self.repeated_since(ply) {
            self.path.leans_on = ply as i32 - plies as i32;
            return Some(self.score_of_cycle(position, ply, plies));
        }
        // Mate takes precedence over the move count.
        if self.history.clock() >= G::CLOCK_LIMIT && position.count_legal_moves() > 0 {
            self.path.leans_on = THE_GAME;
            return Some(self.path.policy.draw(ply));
        }
        position.has_insufficient_material().then(|| self.path.policy.draw(ply))
    }

    /// Returns the plies back to the occurrence that makes the last position a scored repetition.
    fn repeated_since(&self, ply: usize) -> Option<usize> {
        let cycle = self.history.cycle()?;
        let policy = &self.path.policy;
        let occurrences = if cycle < ply { policy.in_tree } else { policy.in_game };
        self.history.span(occurrences.max(2) - 1)
    }

    /// Returns the law's score of the cycle of the last `plies` moves.
    fn score_of_cycle(&mut self, position: &G, ply: usize, plies: usize) -> Score {
        let mut cycle = std::mem::take(&mut self.path.cycle);
        cycle.clear();
        cycle.extend(self.history.last_moves(plies));
        let ruling = position.rule_on(&cycle, self.path.policy.rule);
        self.path.cycle = cycle;
        match ruling.loser {
            None => self.path.policy.draw(ply),
            Some(loser) if loser == position.side() => Score::mated_in(ply),
            Some(_) => Score::mate_in(ply),
        }
    }
}

#[cfg(test)]
mod tests;
