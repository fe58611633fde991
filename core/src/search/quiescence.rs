//! Quiescence: captures and promotions, and all ways out of check, until the position is quiet. Its first ply also
//! tries quiet checks, which may continue an attack.

use super::alpha_beta::{Worker, cutoff};
use super::order::Context;
use super::prune;
use super::score::{MAX_PLY, Score};
use super::table::{Bound, Entry};
use crate::evaluate::Evaluate;
use crate::game::{Move, MoveList, Searchable};
use crate::search::order::{Picker, Scope};

/// The best result of a node so far, and its window.
#[derive(Clone, Copy)]
struct Lead {
    best: Score,
    best_move: Move,
    alpha: Score,
    beta: Score,
}

impl Lead {
    /// Adds the score of a move; returns whether it refutes the node.
    fn take(&mut self, score: Score, m: Move) -> bool {
        if score > self.best {
            self.best = score;
            if score > self.alpha {
                (self.alpha, self.best_move) = (score, m);
            }
        }
        self.best >= self.beta
    }

    /// Returns the window of a child, seen from the child.
    fn window(&self) -> (Score, Score) {
        (-self.beta, -self.alpha)
    }
}

impl<G: Searchable, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of a position after its exchanges, exact inside the window and a bound outside.
    pub(super) fn quiescence(
        &mut self,
        position: &G,
        ply: usize,
        window: (Score, Score),
        is_check: bool,
    ) -> Score {
        self.play_out(position, ply, window, (is_check, true))
    }

    fn play_out(
        &mut self,
        position: &G,
        ply: usize,
        (alpha, beta): (Score, Score),
        (is_check, tries_checks): (bool, bool),
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
        let mut lead = Lead { best: standing, best_move: Move::NONE, alpha: alpha.max(standing), beta };
        if standing < beta {
            self.exchanges(position, ply, &mut lead, (is_check, entry));
            if tries_checks && !is_check && lead.best < beta {
                self.quiet_checks(position, ply, &mut lead);
            }
        }
        if self.watch.is_over() {
            return Score::DRAW;
        }
        let bound = match lead.best {
            best if best >= beta => Bound::Lower,
            best if best > alpha && beta > alpha + 1 => Bound::Exact,
            _ => Bound::Upper,
        };
        let score = lead.best.seen_from_node(ply);
        let entry = Entry { best: lead.best_move, score, evaluation, depth: 0, bound };
        self.table.store(position.key(), position.lock(), entry);
        lead.best
    }

    /// Tries the captures, or all moves out of a check.
    fn exchanges(
        &mut self,
        position: &G,
        ply: usize,
        lead: &mut Lead,
        (is_check, entry): (bool, Option<Entry>),
    ) {
        let standing = lead.best;
        let scope = if is_check { Scope::All } else { Scope::Noisy };
        let table_move = entry.map_or(Move::NONE, |entry| entry.best);
        let mut picker = Picker::new(scope, [table_move, Move::NONE]);
        let context = Context { side: position.side(), ply, before: self.before(ply) };
        while let Some(picked) = picker.next(position, self.evaluation, (self.order, &context)) {
            // One move out of a check is always searched, to rule out mate.
            if !lead.best.is_mate() {
                if picked.is_losing {
                    break;
                }
                if !is_check {
                    let roof = prune::most_from_capture(standing, self.evaluation.gain(position, picked.m));
                    if roof <= lead.alpha {
                        lead.best = lead.best.max(roof);
                        continue;
                    }
                }
            }
            let child = self.after(position, picked.m);
            self.trail[ply + 2].arrival = picked.arrival;
            let score = -self.play_out(&child, ply + 1, lead.window(), (child.is_check(), false));
            if self.watch.is_over() || lead.take(score, picked.m) {
                break;
            }
        }
        self.counts.refused += picker.refused();
    }

    /// Tries the quiet moves that give check and lose nothing.
    fn quiet_checks(&mut self, position: &G, ply: usize, lead: &mut Lead) {
        let mut moves = MoveList::new();
        position.quiet_checks(&mut moves);
        for m in moves {
            if !self.evaluation.holds(position, m, 0) {
                continue;
            }
            let child = self.after(position, m);
            self.trail[ply + 2].arrival = self.order.arrival(position, m);
            let score = -self.play_out(&child, ply + 1, lead.window(), (true, false));
            if self.watch.is_over() || lead.take(score, m) {
                break;
            }
        }
    }
}
