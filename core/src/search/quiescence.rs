//! Quiescence: captures and promotions, and all ways out of check, until the position is quiet.

use super::alpha_beta::Worker;
use super::order::Queue;
use super::prune;
use super::score::{MAX_PLY, Score};
use crate::evaluate::Evaluate;
use crate::game::{Game, MoveList};

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
        let standing = if is_check { Score::mated_in(ply) } else { self.evaluate(position) };
        if standing >= beta {
            return standing;
        }
        alpha = alpha.max(standing);
        let mut moves = MoveList::new();
        if is_check {
            position.legal_moves(&mut moves);
        } else {
            position.noisy_moves(&mut moves);
        }
        let mut best = standing;
        for ranked in Queue::of_captures(position, self.evaluation, &moves) {
            if !is_check && prune::is_poor_capture(ranked.exchange, standing, alpha) {
                continue;
            }
            let mut child = position.clone();
            child.play_unchecked(ranked.m);
            let gives_check = child.is_check();
            let score = -self.quiescence(&child, ply + 1, (-beta, -alpha), gives_check);
            if self.watch.is_over() {
                return Score::DRAW;
            }
            best = best.max(score);
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        best
    }
}
