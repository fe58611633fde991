//! Exact values from endgame tables.
//!
//! A distance to mate is a mate score. A win by another metric is a band of scores below every mate: evaluation and
//! distance order the wins, and the search goes on inside the band, because who wins does not say how. At the root only
//! moves are searched that keep the result, and of winning ones those that are nearest to the goal of the metric.

use crate::endgame::{Endgames, Metric, Space, Value};
use crate::game::{MoveList, Searchable};

/// A source of exact values of positions with few pieces.
pub trait Tablebase<G>: Send + Sync {
    /// Returns whether the distance of the value is to mate, and the value; `None` if no table covers the position.
    fn value(&self, position: &G) -> Option<(bool, Value)>;

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
