//! Scores of nodes at which the path or the material ends the line.

use super::{NOTHING, THE_GAME};
use crate::evaluate::Evaluate;
use crate::game::Searchable;
use crate::search::alpha_beta::Worker;
use crate::search::score::Score;

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
        let occurrences = if cycle < ply { policy.in_tree } else { policy.on_board };
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
