//! Variations: analysed lines of a record that were not played. They are counted without results, as in the books of
//! ChessBase: they show that a position is known, not how it scores.
//!
//! - A position counts once in a game, whichever of its lines reach it. Positions of the main line count as if there were
//!   no variations. A position that only variations reach counts with the first move played from it, an unknown result and
//!   unknown ratings.
//! - A further move from a counted position gets its own row, which counts no game: it is played 0 times, and the position
//!   after it is reached.
//!
//! So the rows of a position still add up to the games whose record reaches it, and W, D and L are the main line's. A
//! variation is followed up to its first illegal move (often a null move). Such a move rejects nothing and is counted.

use std::collections::HashSet;

use super::{GameFacts, Observation, Observed, Replay};
use crate::archive::{GameRecord, Variation};
use crate::game::{Foldable, Game, Move, Outcome, Replayable};

impl GameFacts {
    /// Returns the facts of observations from variations: one for observations that count a game, one for the others.
    pub fn of_variations(&self) -> [GameFacts; 2] {
        let counts = GameFacts { outcome: Outcome::Unknown, ratings: [0; 2], ..*self };
        [counts, GameFacts { games: 0, ..counts }]
    }
}

/// Variations of one game or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Followed {
    /// Variations that were followed, at least in part.
    pub lines: u64,
    /// Variations that could not be followed to their end.
    pub cut: u64,
}

impl Followed {
    /// Adds another count.
    pub fn add(&mut self, other: Followed) {
        self.lines += other.lines;
        self.cut += other.cut;
    }
}

/// The positions of one line: after `ply` plies of the game, and after each of its moves as far as it was followed.
struct Line<G> {
    ply: usize,
    positions: Vec<G>,
}

/// What a game has observed so far.
struct Known {
    positions: HashSet<(u64, u32)>,
    moves: HashSet<(u64, u32, Move)>,
}

impl Known {
    fn of(observations: &[Observation]) -> Known {
        Known {
            positions: observations.iter().map(|o| (o.key, o.lock)).collect(),
            moves: observations.iter().map(|o| (o.key, o.lock, o.played)).collect(),
        }
    }

    /// Appends an observation under the index that it has by the rule, unless it says nothing new.
    fn observe(&mut self, mut new: Observation, out: &mut Vec<Observation>) {
        let is_new = self.positions.insert((new.key, new.lock));
        let is_new_move = self.moves.insert((new.key, new.lock, new.played));
        new.game += if is_new { 1 } else { 2 };
        if is_new || is_new_move && new.played != Move::NONE {
            out.push(new);
        }
    }
}

impl Replay {
    /// Follows the variations of a game whose main line's observations are `out[first..]`, and observes them.
    pub(super) fn variations<G: Replayable + Foldable>(
        &self,
        start: G,
        record: &GameRecord<G::Token>,
        game: u32,
        first: usize,
        out: &mut Vec<Observation>,
    ) -> Followed {
        let limit = self.options.max_ply.map_or(usize::MAX, usize::from);
        let mut known = Known::of(&out[first..]);
        let mut lines = vec![self.main_positions(start, limit)];
        let mut followed = Followed::default();
        for variation in &record.variations {
            let line = match leaving(&lines, variation) {
                Some(position) => self.follow(position, variation, limit, |seen| {
                    known.observe(Observation { game, ..seen }, out);
                }),
                None => Line { ply: variation.ply as usize, positions: Vec::new() },
            };
            if line.ply < limit {
                let moves = line.positions.len().saturating_sub(1);
                followed.lines += u64::from(moves > 0);
                followed.cut += u64::from(moves < variation.moves.len().min(limit - line.ply));
            }
            lines.push(line);
        }
        followed
    }

    /// Plays the main line again, from the codes of its moves, up to the ply limit.
    fn main_positions<G: Game>(&self, start: G, limit: usize) -> Line<G> {
        let moves = self.moves();
        let mut positions = vec![start];
        for m in moves.take(limit) {
            positions.push(positions[positions.len() - 1].after(m));
        }
        Line { ply: 0, positions }
    }

    /// Plays a variation from the position that it leaves, as far as it is legal and the ply limit allows.
    fn follow<G: Replayable + Foldable>(
        &self,
        mut position: G,
        variation: &Variation<G::Token>,
        limit: usize,
        mut observe: impl FnMut(Observation),
    ) -> Line<G> {
        let ply = variation.ply as usize;
        let mut positions = vec![position.clone()];
        if ply >= limit {
            return Line { ply, positions };
        }
        for (&token, &mark) in variation.moves.iter().zip(&variation.marks).take(limit - ply) {
            let observed = Observed::of(&position, self.options.fold);
            let Ok(played) = position.play_token(token) else { break };
            observe(observed.with::<G>(played, ply + positions.len() - 1, mark, 0));
            positions.push(position.clone());
        }
        let last = Observed::of(&position, self.options.fold);
        observe(last.with::<G>(Move::NONE, ply + positions.len() - 1, 0, 0));
        Line { ply, positions }
    }
}

/// Returns the position that a variation leaves, if that line was followed so far.
fn leaving<G: Clone>(lines: &[Line<G>], variation: &Variation<impl Sized>) -> Option<G> {
    let line = lines.get(variation.leaves as usize)?;
    line.positions.get((variation.ply as usize).checked_sub(line.ply)?).cloned()
}
