//! Exact scores from endgame tables.

use super::score::{MAX_PLY, Score};
use crate::endgame::{Endgames, Metric, Space, Value};
use crate::game::Searchable;

/// Score of a win with an unknown or too large distance to mate, minus its plies.
const WON_CENTIPAWNS: i32 = 30_000;

/// A source of exact values of positions with few pieces.
pub trait Tablebase<G>: Send + Sync {
    /// Returns whether the distance of the value is to mate, and the value; `None` if no table covers the position.
    fn value(&self, position: &G) -> Option<(bool, Value)>;
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
}

/// Returns the score of a value at a ply.
pub(super) fn score(ply: usize, (is_to_mate, value): (bool, Value)) -> Score {
    let far = |plies: u16| !is_to_mate || ply + usize::from(plies) > 2 * MAX_PLY;
    match value {
        Value::Draw => Score::DRAW,
        Value::Win(plies) if far(plies) => Score::from_centipawns(WON_CENTIPAWNS - i32::from(plies)),
        Value::Loss(plies) if far(plies) => Score::from_centipawns(i32::from(plies) - WON_CENTIPAWNS),
        Value::Win(plies) => Score::mate_in(ply + usize::from(plies)),
        Value::Loss(plies) => Score::mated_in(ply + usize::from(plies)),
    }
}
