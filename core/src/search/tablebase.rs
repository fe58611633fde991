//! Exact values from endgame tables.
//!
//! A distance to mate is a mate score. A win by another metric is a band of scores below every mate: evaluation and
//! distance order the wins, and the search goes on inside the band, because who wins does not say how. At the root only
//! moves are searched that keep the result, and of winning ones those that are nearest to the goal of the metric.

use super::alpha_beta::{Node, Worker};
use super::score::{MAX_PLY, Score};
use crate::endgame::{Endgames, Metric, Space, Value};
use crate::evaluate::Evaluate;
use crate::game::{MoveList, Searchable};

/// Centre of the band of wins.
const WON: i32 = 28_000;
/// Largest part of the evaluation, and of the distance, in a score of the band.
const MOST_EVALUATION: i32 = 2_000;
const MOST_PLIES: i32 = 1_500;
/// Lower end of the band.
const WON_AT_LEAST: Score = Score(WON - MOST_EVALUATION - MOST_PLIES);

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

impl<G: Searchable, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of a node from a table, if it decides the node: mates, draws, and wins outside the window.
    pub(super) fn ask_tablebase(&mut self, position: &G, node: &Node) -> Option<Score> {
        let (is_to_mate, value) = self.tablebase?.value(position)?;
        self.counts.endgame_hits += 1;
        let ply =
            |plies: u16| Some(node.ply + usize::from(plies)).filter(|&ply| is_to_mate && ply <= 2 * MAX_PLY);
        let score = match value {
            Value::Draw => Score::DRAW,
            Value::Win(plies) => match ply(plies) {
                Some(ply) => Score::mate_in(ply),
                None if node.beta <= WON_AT_LEAST => WON_AT_LEAST,
                None => return None,
            },
            Value::Loss(plies) => match ply(plies) {
                Some(ply) => Score::mated_in(ply),
                None if node.alpha >= -WON_AT_LEAST => -WON_AT_LEAST,
                None => return None,
            },
        };
        self.enter(node.ply);
        Some(score)
    }

    /// Returns the evaluation of a position, in the band of wins or losses if a table knows it.
    pub(super) fn evaluate(&mut self, position: &G) -> Score {
        let centipawns = self.evaluation.judge(position, &mut self.memory);
        let Some((_, value)) = self.tablebase.and_then(|tables| tables.value(position)) else {
            return Score::from_centipawns(centipawns);
        };
        self.counts.endgame_hits += 1;
        let evaluation = centipawns.clamp(-MOST_EVALUATION, MOST_EVALUATION);
        let plies = value.signed_plies().clamp(-MOST_PLIES, MOST_PLIES);
        match value.wdl() {
            0 => Score::DRAW,
            wdl => Score(i32::from(wdl) * WON + evaluation - plies),
        }
    }
}
