//! Principal variation search: one node at a time, from a window and a depth to a score.
//!
//! In goes a position with its window; out comes its score, exact inside the window, a bound outside it ("fail soft").
//! The principal variation is left in the triangle, what was learnt in the table and in the move order.

use arrayvec::ArrayVec;

use super::Selectivity;
use super::book::BookHints;
use super::limits::Watch;
use super::order::{Order, Preferred, Ranked};
use super::prune::{self, Reductions};
use super::pv::Triangle;
use super::score::{MAX_PLY, Score};
use super::table::{Bound, Entry, Found, Table};
use crate::evaluate::Evaluate;
use crate::game::{Game, GameId, Move, MoveList};
use crate::history::History;

/// Quiet moves remembered at a node, to be marked down when another one refutes it.
const REMEMBERED: usize = 64;

/// Everything one thread of a search works with.
pub(super) struct Worker<'a, G, E> {
    pub table: &'a Table,
    pub evaluation: &'a E,
    pub hints: BookHints,
    pub selectivity: Selectivity,
    pub history: History,
    pub watch: Watch,
    pub pv: Triangle,
    pub order: Order,
    pub reductions: Reductions,
    pub counts: Counts,
    /// Depth of the current iteration: extensions stop at twice as many plies.
    pub iteration: usize,
    pub game: std::marker::PhantomData<G>,
}

/// What a search counts, nodes aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Deepest ply reached.
    pub seldepth: usize,
    /// Times the table was asked for a position.
    pub table_probes: u64,
    /// Times it held a result of the search.
    pub table_hits: u64,
    /// Times it held an entry of the book.
    pub book_hits: u64,
}

/// What a node is asked.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub ply: usize,
    pub depth: i32,
    pub alpha: Score,
    pub beta: Score,
    pub may_pass: bool,
}

/// What a node knows before it tries its moves.
struct Known {
    is_check: bool,
    evaluation: Score,
    table_move: Move,
    is_book: bool,
}

impl Node {
    fn is_pv(&self) -> bool {
        self.beta > self.alpha + 1
    }

    /// Returns the question put to a child in the window (`low`, `high`), as this node sees it.
    fn child(&self, depth: i32, low: Score, high: Score) -> Node {
        Node { ply: self.ply + 1, depth, alpha: -high, beta: -low, may_pass: true }
    }
}

impl<G: Game, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of the node for its side to move. Meaningless once the watch is over.
    pub(super) fn search(&mut self, position: &G, mut node: Node) -> Score {
        self.pv.clear(node.ply);
        if node.ply > 0 && self.history.cycle().is_some() {
            return Score::DRAW;
        }
        let is_check = position.is_check();
        if is_check && self.is_selective() && node.ply < 2 * self.iteration {
            node.depth += 1;
        }
        if node.depth <= 0 || node.ply >= MAX_PLY {
            return self.leaf(position, node, is_check);
        }
        if !self.enter(node.ply) {
            return Score::DRAW;
        }
        // Mate-distance pruning: no line from here is better than a mate next move or worse than one now.
        if node.ply > 0 {
            node.alpha = node.alpha.max(Score::mated_in(node.ply));
            node.beta = node.beta.min(Score::mate_in(node.ply + 1));
            if node.alpha >= node.beta {
                return node.alpha;
            }
        }
        let (entry, is_book) = self.recall(position);
        if let Some(score) = entry.and_then(|entry| cutoff(entry, &node)) {
            return score;
        }
        let evaluation = match entry {
            Some(entry) => entry.evaluation,
            None => self.evaluate(position),
        };
        let table_move = entry.map_or(Move::NONE, |entry| entry.best);
        let known = Known { is_check, evaluation, table_move, is_book };
        if let Some(score) = self.prune(position, &node, &known) {
            return score;
        }
        if table_move == Move::NONE && node.ply > 0 && self.is_selective() {
            node.depth = prune::depth_without_table_move(node.depth);
        }
        self.try_moves(position, node, &known)
    }

    /// Counts a node; returns whether the search may go on.
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        self.counts.seldepth = self.counts.seldepth.max(ply);
        self.watch.enter()
    }

    pub(super) fn evaluate(&self, position: &G) -> Score {
        Score::from_centipawns(self.evaluation.centipawns(position))
    }

    fn is_selective(&self) -> bool {
        self.selectivity == Selectivity::Full
    }

    fn leaf(&mut self, position: &G, node: Node, is_check: bool) -> Score {
        if self.is_selective() {
            return self.quiescence(position, node.ply, (node.alpha, node.beta), is_check);
        }
        if self.enter(node.ply) { self.evaluate(position) } else { Score::DRAW }
    }

    /// Returns what the table holds of a position: the search's result, and whether the book knows it.
    fn recall(&mut self, position: &G) -> (Option<Entry>, bool) {
        self.counts.table_probes += 1;
        match self.table.probe(position.key(), position.lock()) {
            Some(Found::Searched(entry)) => {
                self.counts.table_hits += 1;
                (Some(entry), false)
            }
            Some(Found::Book(_)) => {
                self.counts.book_hits += 1;
                (None, true)
            }
            None => {
                let is_book = self.hints.of(self.table, position).is_some();
                self.counts.book_hits += u64::from(is_book);
                (None, is_book)
            }
        }
    }

    /// Returns a score without trying moves, where the evaluation is far above what the opponent allows.
    fn prune(&mut self, position: &G, node: &Node, known: &Known) -> Option<Score> {
        if !self.is_selective() || node.is_pv() || known.is_check {
            return None;
        }
        if prune::stands_above(node.depth, known.evaluation, node.beta) {
            return Some(known.evaluation);
        }
        self.pass(position, node, known)
    }

    /// Null move: if even passing holds beta, some move will. Not twice in a row, not where zugzwang threatens.
    fn pass(&mut self, position: &G, node: &Node, known: &Known) -> Option<Score> {
        let depth = prune::depth_after_pass(node.depth, known.evaluation, node.beta)?;
        if !node.may_pass || self.evaluation.zugzwang_threatens(position) {
            return None;
        }
        let passed = position.pass()?;
        // No position before a pass can recur after it by legal moves alone.
        self.history.play(passed.key(), true);
        let question = Node { may_pass: false, ..node.child(depth, node.beta - 1, node.beta) };
        let score = -self.search(&passed, question);
        self.history.undo();
        // A mate found after an illegal pass proves nothing beyond beta.
        (score >= node.beta && !self.watch.is_over()).then(|| if score.is_mate() { node.beta } else { score })
    }

    fn try_moves(&mut self, position: &G, node: Node, known: &Known) -> Score {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            return no_moves::<G>(node.ply, known.is_check);
        }
        let preferred = self.preferred(position, &node, known, &moves);
        let queue = self.order.rank(position, self.evaluation, &moves, (node.ply, preferred));
        let mut state = Progress::new(node);
        for ranked in queue {
            let Some(score) = self.try_move(position, &mut state, known, ranked) else { continue };
            if self.watch.is_over() {
                return Score::DRAW;
            }
            if score > state.best {
                state.best = score;
                if score > state.alpha {
                    (state.alpha, state.best_move) = (score, ranked.m);
                    if node.is_pv() {
                        self.pv.raise(node.ply, ranked.m);
                    }
                }
            }
            if state.alpha >= node.beta {
                if ranked.exchange.is_none() {
                    self.order.reward(position.side(), (node.ply, node.depth), ranked.m, &state.quiets);
                }
                break;
            }
            if ranked.exchange.is_none() {
                // Beyond the capacity a move is only not marked down.
                let _ = state.quiets.try_push(ranked.m);
            }
        }
        self.remember(position, &state, known);
        state.best
    }

    /// Plays one move and returns its score; `None` where the move is passed over as futile.
    fn try_move(
        &mut self,
        position: &G,
        state: &mut Progress,
        known: &Known,
        ranked: Ranked,
    ) -> Option<Score> {
        let node = state.node;
        state.number += 1;
        let is_quiet = ranked.exchange.is_none();
        let is_late = self.is_selective() && is_quiet && !known.is_check && state.number > 1;
        let is_irreversible = position.is_irreversible(ranked.m);
        let mut child = position.clone();
        child.play_unchecked(ranked.m);
        let may_skip = is_late && !node.is_pv() && !state.best.is_mate();
        if may_skip && prune::is_futile(node.depth, known.evaluation, state.alpha) && !child.is_check() {
            return None;
        }
        self.history.play(child.key(), is_irreversible);
        let reduction = if is_late && !self.order.is_killer(node.ply, ranked.m) {
            self.reductions.plies(node.depth, state.number, node.is_pv())
        } else {
            0
        };
        let score = self.scout(&child, state, reduction);
        self.history.undo();
        Some(score)
    }

    /// Searches a child: the first move in the full window, later ones in an empty window first, reduced where
    /// late; deeper and wider only where they turn out better than expected.
    fn scout(&mut self, child: &G, state: &Progress, reduction: i32) -> Score {
        let (node, alpha) = (state.node, state.alpha);
        let depth = node.depth - 1;
        if state.number == 1 {
            return -self.search(child, node.child(depth, alpha, node.beta));
        }
        let mut score = -self.search(child, node.child(depth - reduction, alpha, alpha + 1));
        if score > alpha && reduction > 0 {
            score = -self.search(child, node.child(depth, alpha, alpha + 1));
        }
        if score > alpha && score < node.beta {
            score = -self.search(child, node.child(depth, alpha, node.beta));
        }
        score
    }

    /// Returns the moves to try first, each legal here.
    fn preferred(&mut self, position: &G, node: &Node, known: &Known, moves: &MoveList) -> Preferred {
        let is_legal = moves.contains(&known.table_move);
        let table = if is_legal { known.table_move } else { Move::NONE };
        let hint = if table == Move::NONE && (known.is_book || node.ply == 0) {
            self.hints.best_move(self.table, position, moves)
        } else {
            Move::NONE
        };
        Preferred { table, hint }
    }

    fn remember(&self, position: &G, state: &Progress, known: &Known) {
        let node = state.node;
        let bound = if state.best >= node.beta {
            Bound::Lower
        } else if state.best > node.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best: state.best_move,
            score: state.best.seen_from_node(node.ply),
            evaluation: known.evaluation,
            depth: node.depth.clamp(0, MAX_PLY as i32) as u8,
            bound,
        };
        self.table.store(position.key(), position.lock(), entry);
    }
}

/// How far a node has come with its moves.
struct Progress {
    node: Node,
    alpha: Score,
    best: Score,
    best_move: Move,
    number: usize,
    quiets: ArrayVec<Move, REMEMBERED>,
}

impl Progress {
    fn new(node: Node) -> Progress {
        let best = -Score::INFINITE;
        Progress { node, alpha: node.alpha, best, best_move: Move::NONE, number: 0, quiets: ArrayVec::new() }
    }
}

/// Returns the stored score where it decides the node. Never at the root or in the principal variation, which would
/// lose their lines.
fn cutoff(entry: Entry, node: &Node) -> Option<Score> {
    if node.is_pv() || i32::from(entry.depth) < node.depth {
        return None;
    }
    let score = entry.score.seen_from_root(node.ply);
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= node.beta,
        Bound::Upper => score <= node.alpha,
    };
    decides.then_some(score)
}

/// Returns the score of a side without a legal move.
pub(super) fn no_moves<G: Game>(ply: usize, is_check: bool) -> Score {
    match G::ID {
        GameId::Chess if !is_check => Score::DRAW,
        GameId::Chess | GameId::Xiangqi => Score::mated_in(ply),
    }
}
