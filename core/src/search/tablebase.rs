//! Exact values from endgame tables.
//!
//! A distance to mate is a mate score. A win by another metric is a band of scores below every mate: evaluation and
//! distance order the wins, and the search goes on inside the band, because who wins does not say how. At the root only
//! moves are searched that keep the result, and of winning ones those that are nearest to the goal of the metric.
//!
//! Where tables say only who wins, the search solves the distances of the root's material itself, once. No evaluation
//! replaces them: mop-up terms and the loser's freedom of movement left KQvKR, KBNvK and others open even with 20,000
//! nodes a move.

use crate::endgame::{Endgames, Metric, Space, Value};
use crate::game::{MoveList, Searchable};

/// A source of exact values of positions with few pieces.
pub trait Tablebase<G>: Send + Sync {
    /// Returns whether the distance of the value is to mate, and the value; `None` if no table covers the position.
    fn value(&self, position: &G) -> Option<(bool, Value)>;

    /// Returns whether [`Tablebase::solve`] has distances of the position to solve.
    fn lacks_distances(&self, position: &G) -> bool;

    /// Solves the distances of a won position's material if the tables say only who wins, and memory allows.
    fn solve(&self, position: &G);

    /// Keeps the moves with the best result, and of winning ones the nearest to the goal, if tables cover all moves.
    fn keep_best(&self, position: &G, moves: &mut MoveList);
}

impl<G: Searchable, S: Space<Game = G>> Tablebase<G> for Endgames<S> {
    fn value(&self, position: &G) -> Option<(bool, Value)> {
        if S::men_count(position) > self.most_men() {
            return None;
        }
        // A damaged block must not lose a game: the search goes on without it, and `endgame verify` reports it.
        let by = |metric| Endgames::value(self, position, metric).ok().flatten();
        by(Metric::Dtm).map(|value| (true, value)).or_else(|| {
            [Metric::Dtc, Metric::Dtz, Metric::Wld].into_iter().find_map(by).map(|value| (false, value))
        })
    }

    fn lacks_distances(&self, position: &G) -> bool {
        Endgames::lacks_distances(self, position)
    }

    fn solve(&self, position: &G) {
        Endgames::solve(self, position);
    }

    fn keep_best(&self, position: &G, moves: &mut MoveList) {
        if S::men_count(position) > self.most_men() {
            return;
        }
        let by = |metric| Endgames::moves(self, position, metric).ok();
        let known = [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Wld].into_iter().find_map(by);
        let Some(mut ranked) = known else { return };
        ranked.retain(|ranked| moves.contains(&ranked.m));
        let Some(best) = ranked.first().map(|ranked| ranked.value) else { return };
        let is_best = |value: Value| value == best || (value.wdl() == best.wdl() && best.wdl() < 1);
        moves.retain(|m| ranked.iter().any(|ranked| ranked.m == *m && is_best(ranked.value)));
    }
}
