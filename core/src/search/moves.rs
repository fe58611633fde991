//! The moves of a node: which are searched, how deeply, and what the move order learns from them.
//!
//! Later moves are searched with an empty window, less deeply if they look bad, and not at all if they can hardly
//! change the result.

use arrayvec::ArrayVec;

use super::alpha_beta::{Known, Node, Worker, no_moves};
use super::order::{Arrival, Context};
use super::path::Reliance;
use super::prune::{self, Late};
use super::score::{MAX_PLY, Score};
use super::table::{Bound, Entry};
use crate::evaluate::Evaluate;
use crate::game::{Capture, Move, MoveList, Searchable};
use crate::history::Step;
use crate::search::order::{Picked, Picker, Scope};

/// Maximum of moves remembered at a node, to penalize them if another move refutes it.
const REMEMBERED: usize = 64;
/// Singular extension: minimum depth, maximum depth that the table's entry may be short, and centipawns per ply that
/// the other moves must be worse; chosen.
const SINGULAR_MIN_DEPTH: i32 = 8;
const SINGULAR_SHALLOWER: i32 = 3;
const SINGULAR_MARGIN: i32 = 2;

/// The progress of a node through its moves.
struct Progress {
    node: Node,
    context: Context,
    alpha: Score,
    best: Score,
    best_move: Move,
    reliance: Reliance,
    number: usize,
    /// Number of moves so far, searched or not.
    seen: usize,
    quiets: ArrayVec<(Move, Arrival), REMEMBERED>,
    captures: ArrayVec<(Capture, Arrival), REMEMBERED>,
}

/// A move with the position it leads to.
struct Trial<G> {
    child: G,
    gives_check: bool,
    history: i32,
    extension: i32,
}

impl<G: Searchable, E: Evaluate<G>> Worker<'_, G, E> {
    pub(super) fn try_moves(&mut self, position: &G, node: Node, known: &Known) -> Score {
        let mut picker = Picker::new(Scope::All, [known.table_move, self.hint(position, &node, known)]);
        let context = Context { side: position.side(), ply: node.ply, before: self.before(node.ply) };
        let mut state = Progress::new(node, context);
        self.order.forget_killers(node.ply + 1);
        while let Some(picked) = picker.next(position, self.evaluation, (self.order, &context)) {
            if picked.m == node.without || self.is_barred(&node, picked.m) {
                continue;
            }
            state.seen += 1;
            let Some(score) = self.try_move(position, &mut state, known, (picked, &mut picker)) else {
                continue;
            };
            if self.watch.is_over() {
                return Score::DRAW;
            }
            state.reliance.note(self.path.leans_on, score > state.best);
            if score > state.best {
                state.best = score;
                if score > state.alpha {
                    (state.alpha, state.best_move) = (score, picked.m);
                    if node.is_pv() && node.without == Move::NONE {
                        self.pv.raise(node.ply, picked.m);
                    }
                }
            }
            if state.alpha >= node.beta {
                self.learn(position, &state, picked);
                break;
            }
            state.remember(position, picked);
        }
        self.counts.refused += picker.refused();
        self.conclude(position, node, &state, known)
    }

    /// Returns the score of a node after its moves, and stores it in the table.
    fn conclude(&mut self, position: &G, node: Node, state: &Progress, known: &Known) -> Score {
        if state.seen == 0 {
            return if node.without == Move::NONE {
                no_moves::<G>(node.ply, node.is_check)
            } else {
                node.alpha
            };
        }
        // A root with excluded moves gives no result for the position.
        if node.without == Move::NONE && (node.ply > 0 || self.root.is_none()) {
            self.store(position, state, known);
        }
        state.best
    }

    /// Returns the book's move if the table has none.
    fn hint(&self, position: &G, node: &Node, known: &Known) -> Move {
        if known.table_move != Move::NONE || !(known.is_book || node.ply == 0) || !self.hints.are_there() {
            return Move::NONE;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        self.hints.best_move(self.table, position, &moves)
    }

    /// Returns whether the root does not allow this move.
    fn is_barred(&self, node: &Node, m: Move) -> bool {
        node.ply == 0 && self.root.as_ref().is_some_and(|root| !root.contains(&m))
    }

    /// Plays one move and returns its score; `None` if the move is skipped.
    fn try_move(
        &mut self,
        position: &G,
        state: &mut Progress,
        known: &Known,
        (picked, picker): (Picked, &mut Picker),
    ) -> Option<Score> {
        let node = state.node;
        let history =
            if picked.is_noisy { 0 } else { self.order.history(&state.context, picked.m, picked.arrival) };
        let child = self.after(position, picked.m);
        let gives_check = child.is_check();
        if state.best > -Score::INFINITE
            && !state.best.is_mate()
            && self.may_prune()
            && node.ply > 0
            && self.passes_over(position, state, known, (picked, picker, history, gives_check))
        {
            return None;
        }
        let extension = self.extension(position, &node, known, picked.m)?;
        state.number += 1;
        let step = Step::of(position, picked.m);
        self.history.play(child.key(), step);
        self.trail[node.ply + 2].arrival = picked.arrival;
        let score = self.scout(&Trial { child, gives_check, history, extension }, state, known, picked);
        self.history.undo();
        Some(score)
    }

    /// Returns whether a move is not worth trying at a shallow node.
    fn passes_over(
        &self,
        position: &G,
        state: &Progress,
        known: &Known,
        (picked, picker, history, gives_check): (Picked, &mut Picker, i32, bool),
    ) -> bool {
        let node = state.node;
        let usual = self.reductions.usual(node.depth, state.number + 1);
        if !picked.is_noisy && !gives_check && !node.is_check {
            if !node.is_pv() && prune::is_late(node.depth, state.number, known.is_improving) {
                picker.pass_quiets();
                return true;
            }
            let depth = node.depth - usual;
            if prune::is_futile(depth, known.evaluation, state.alpha) {
                picker.pass_quiets();
                return true;
            }
            if prune::has_failed(node.depth, history) {
                return true;
            }
        }
        // Captures before the quiet moves lose nothing; a check may be worth its cost.
        !gives_check
            && (picked.is_losing || !picked.is_noisy)
            && prune::least_exchange(node.depth, picked.is_noisy)
                .is_some_and(|least| !self.evaluation.holds(position, picked.m, least))
    }

    /// Returns the extension of the table's move in plies, if no other move is nearly as good; `None` if the search is
    /// over.
    fn extension(&mut self, position: &G, node: &Node, known: &Known, m: Move) -> Option<i32> {
        let Some(entry) = known.entry.filter(|entry| entry.best == m) else { return Some(0) };
        let score = entry.score.seen_from_root(node.ply);
        let is_asked = self.is_selective()
            && node.ply > 0
            && node.ply < 2 * self.iteration
            && node.depth >= SINGULAR_MIN_DEPTH
            && node.without == Move::NONE
            && entry.bound != Bound::Upper
            && i32::from(entry.depth) >= node.depth - SINGULAR_SHALLOWER
            && !score.is_mate();
        if !is_asked {
            return Some(0);
        }
        let beta = score - SINGULAR_MARGIN * node.depth;
        let others = Node { alpha: beta - 1, beta, depth: (node.depth - 1) / 2, without: m, ..*node };
        let best = self.try_moves(position, others, &Known { entry: None, ..*known });
        (!self.watch.is_over()).then(|| i32::from(best < beta))
    }

    /// Searches a child: the first move with the full window; later moves with an empty window and reduced depth first,
    /// and again deeper and wider only if they are better than expected.
    fn scout(&mut self, trial: &Trial<G>, state: &Progress, known: &Known, picked: Picked) -> Score {
        let (node, alpha) = (state.node, state.alpha);
        let depth = node.depth - 1 + trial.extension;
        let ask = |depth, low, high| node.child(depth, (low, high), trial.gives_check);
        if state.number == 1 {
            return -self.search(&trial.child, ask(depth, alpha, node.beta));
        }
        let late = Late {
            is_pv: node.is_pv(),
            is_improving: known.is_improving,
            is_noisy: picked.is_noisy,
            gives_check: trial.gives_check,
            is_special: self.order.is_special(&state.context, picked.m),
            history: trial.history,
        };
        let may_reduce = self.is_selective() && !node.is_check && (!picked.is_noisy || picked.is_losing);
        let reduction = if may_reduce { self.reductions.plies(node.depth, state.number, late) } else { 0 };
        let mut score = -self.search(&trial.child, ask(depth - reduction, alpha, alpha + 1));
        if score > alpha && reduction > 0 {
            score = -self.search(&trial.child, ask(depth, alpha, alpha + 1));
        }
        if score > alpha && score < node.beta {
            score = -self.search(&trial.child, ask(depth, alpha, node.beta));
        }
        score
    }

    /// Updates the move order after the move that refuted a node.
    fn learn(&mut self, position: &G, state: &Progress, picked: Picked) {
        let depth = state.node.depth;
        let capture = position.capture(picked.m).map(|capture| (capture, picked.arrival));
        if !picked.is_noisy {
            self.order.reward_quiet(&state.context, depth, (picked.m, picked.arrival), &state.quiets);
        }
        self.order.reward_captures(depth, capture, &state.captures);
    }

    fn store(&mut self, position: &G, state: &Progress, known: &Known) {
        let node = state.node;
        let found = if state.best >= node.beta {
            Bound::Lower
        } else if state.best > node.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.path.leans_on = state.reliance.of(found);
        let lasting = state.reliance.bound(found, node.ply);
        let mut entry = Entry {
            best: state.best_move,
            score: state.best.seen_from_node(node.ply),
            evaluation: known.evaluation,
            depth: node.depth.clamp(0, MAX_PLY as i32) as u8,
            bound: lasting.unwrap_or(Bound::Lower),
        };
        if lasting.is_none() {
            // The move is worth trying first on other paths too, but its score does not hold there.
            (entry.score, entry.depth) = (Score::mated_in(0), 0);
        }
        self.table.store(position.key(), position.lock(), entry);
    }
}

impl Progress {
    fn new(node: Node, context: Context) -> Progress {
        Progress {
            node,
            context,
            alpha: node.alpha,
            best: -Score::INFINITE,
            best_move: Move::NONE,
            reliance: Reliance::NONE,
            number: 0,
            seen: 0,
            quiets: ArrayVec::new(),
            captures: ArrayVec::new(),
        }
    }

    /// Remembers a move that did not refute the node. Moves beyond the capacity are not penalized.
    fn remember<G: Searchable>(&mut self, position: &G, picked: Picked) {
        if !picked.is_noisy {
            let _ = self.quiets.try_push((picked.m, picked.arrival));
        } else if let Some(capture) = position.capture(picked.m) {
            let _ = self.captures.try_push((capture, picked.arrival));
        }
    }
}
