//! Quiescence: captures and promotions, and all ways out of check, until the position is quiet.

use super::alpha_beta::{Worker, cutoff};
use super::order::Context;
use super::picker::{Picker, Scope};
use super::prune;
use super::score::{MAX_PLY, Score};
use super::table::{Bound, Entry};
use crate::evaluate::Evaluate;
use crate::game::{Game, Move};

impl<G: Game, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of a position with its exchanges played out, inside the window or a bound outside it.
    pub(super) fn quiescence(
        &mut self,
        position: &G,
        ply: usize,
        (mut alpha, beta): (Score, Score),
        is_check: bool,
    ) -> Score {
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(position);
        }
        let entry = self.recall(position);
        if let Some(score) = entry.and_then(|entry| cutoff(entry, (ply, 0), (alpha, beta))) {
            return score;
        }
        let evaluation = self.static_evaluation(position, entry, is_check);
        let standing = if is_check { Score::mated_in(ply) } else { prune::refined(evaluation, entry, ply) };
        let (mut best, mut best_move, first_alpha) = (standing, Move::NONE, alpha);
        if standing < beta {
            alpha = alpha.max(standing);
            (best, best_move) = self.exchanges(position, ply, (alpha, beta), (standing, is_check, entry));
        }
        if self.watch.is_over() {
            return Score::DRAW;
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > first_alpha && beta > first_alpha + 1 => Bound::Exact,
            _ => Bound::Upper,
        };
        let score = best.seen_from_node(ply);
        let entry = Entry { best: best_move, score, evaluation, depth: 0, bound };
        self.table.store(position.key(), position.lock(), entry);
        best
    }

    /// Returns the best score of the captures, or of all moves out of a check, and the move that raised alpha.
    fn exchanges(
        &mut self,
        position: &G,
        ply: usize,
        (mut alpha, beta): (Score, Score),
        (standing, is_check, entry): (Score, bool, Option<Entry>),
    ) -> (Score, Move) {
        let scope = if is_check { Scope::All } else { Scope::Noisy };
        let table_move = entry.map_or(Move::NONE, |entry| entry.best);
        let mut picker = Picker::new(scope, [table_move, Move::NONE]);
        let context = Context { side: position.side(), ply, before: self.before(ply) };
        let (mut best, mut best_move) = (standing, Move::NONE);
        while let Some(picked) = picker.next(position, self.evaluation, (&self.order, &context)) {
            // One line out of a check is looked at whatever it costs: there may be no mate.
            if !best.is_mate() {
                if picked.is_losing {
                    break;
                }
                if !is_check {
                    let roof = prune::most_from_capture(standing, self.evaluation.gain(position, picked.m));
                    if roof <= alpha {
                        best = best.max(roof);
                        continue;
                    }
                }
            }
            let mut child = position.clone();
            child.play_unchecked(picked.m);
            self.table.touch(child.key());
            self.trail[ply + 2].arrival = picked.arrival;
            let score = -self.quiescence(&child, ply + 1, (-beta, -alpha), child.is_check());
            if self.watch.is_over() {
                break;
            }
            if score > best {
                best = score;
                if score > alpha {
                    (alpha, best_move) = (score, picked.m);
                }
                if score >= beta {
                    break;
                }
            }
        }
        self.counts.refused += picker.refused();
        (best, best_move)
    }
}
