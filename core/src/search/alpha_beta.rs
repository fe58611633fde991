//! Principal variation search: the score of one node, for a window and a depth.
//!
//! The score is exact inside the window and a bound outside it ("fail soft"). The search writes the principal variation
//! to the triangle, and its results to the table and the move order. This file has the steps before the moves of a node
//! are tried; `moves` tries them.

use super::Selectivity;
use super::book::Hints;
use super::limits::Watch;
use super::order::{Arrival, Order};
use super::path::{NOTHING, Path, THE_GAME};
use super::prune::{self, Reductions};
use super::pv::{LineSource, Triangle};
use super::score::{MAX_PLY, Score};
use super::table::{Bound, Entry, Found, Hint, Table};
use super::tablebase::Tablebase;
use crate::endgame::Value;
use crate::evaluate::Evaluate;
use crate::game::{GameId, Move, MoveList, Searchable};
use crate::history::{History, Step};

/// Centre of the band of wins.
const WON: i32 = 28_000;
/// Largest part of the evaluation, and of the distance, in a score of the band.
const MOST_EVALUATION: i32 = 2_000;
const MOST_PLIES: i32 = 1_500;
/// In the band a win is nearer the fewer moves the loser has: what one weighs in centipawns, and what the evaluation is
/// divided by. Chosen of about ten variants by games from won positions of four men.
const LOSERS_MOVE: i32 = 20;
const EVALUATION_DIVISOR: i32 = 5;
/// Lower end of the band.
const WON_AT_LEAST: Score = Score(WON - MOST_EVALUATION - MOST_PLIES);

/// Facts about a ply of the current path for the plies below it.
#[derive(Clone, Copy)]
pub(super) struct Trail {
    /// Static evaluation; meaningless in check.
    pub evaluation: Score,
    pub is_check: bool,
    /// The current move.
    pub arrival: Arrival,
}

/// The state of one thread of a search.
pub(super) struct Worker<'a, G, E: Evaluate<G>>
where
    G: Searchable,
{
    pub table: &'a Table,
    pub evaluation: &'a E,
    pub memory: E::Memory,
    pub hints: &'a Hints,
    pub selectivity: Selectivity,
    pub history: History,
    pub path: Path,
    pub watch: Watch<'a>,
    pub pv: Triangle,
    pub line_source: LineSource,
    pub order: &'a mut Order,
    pub trail: Vec<Trail>,
    pub reductions: Reductions,
    pub counts: Counts,
    pub tablebase: Option<&'a dyn Tablebase<G>>,
    /// Tables know who wins in the root, but not how: nothing is pruned, since such endings are full of zugzwangs.
    pub seeks_progress: bool,
    /// Depth of the current iteration: extensions stop at twice as many plies.
    pub iteration: usize,
    /// The moves allowed in the root; `None`: all legal moves.
    pub root: Option<MoveList>,
    /// The best move of the last iteration: a root with excluded moves has no result in the table to tell it.
    pub first: Move,
    /// Plies before this one try no null move, while a null move is being verified.
    pub no_pass_before: usize,
    pub game: std::marker::PhantomData<G>,
}

/// Counters of a search besides nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Deepest ply reached.
    pub seldepth: usize,
    /// Look-ups in the table.
    pub table_probes: u64,
    /// Look-ups that found a result of the search.
    pub table_hits: u64,
    /// Look-ups that found an entry of the book.
    pub book_hits: u64,
    /// Positions whose score came from an endgame table.
    pub endgame_hits: u64,
    /// Entries of another position, detected because their move was illegal.
    pub refused: u64,
}

/// The question to a node.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub ply: usize,
    pub depth: i32,
    pub alpha: Score,
    pub beta: Score,
    pub is_check: bool,
    pub may_pass: bool,
    /// A move to skip, to measure the others; [`Move::NONE`]: skip nothing.
    pub without: Move,
}

/// Facts about a node before its moves are tried.
pub(super) struct Known {
    /// Static evaluation.
    pub evaluation: Score,
    /// Static evaluation, corrected by the table's score.
    pub estimate: Score,
    pub entry: Option<Entry>,
    pub table_move: Move,
    pub is_book: bool,
    pub is_improving: bool,
}

impl Node {
    pub(super) fn is_pv(&self) -> bool {
        self.beta > self.alpha + 1
    }

    /// Returns the question to a child for the window (`low`, `high`), seen from this node.
    pub(super) fn child(&self, depth: i32, (low, high): (Score, Score), is_check: bool) -> Node {
        Node {
            ply: self.ply + 1,
            depth,
            alpha: -high,
            beta: -low,
            is_check,
            may_pass: true,
            without: Move::NONE,
        }
    }
}

impl<G: Searchable, E: Evaluate<G>> Worker<'_, G, E> {
    /// Returns the score of the node for its side to move. Meaningless once the watch is over.
    pub(super) fn search(&mut self, position: &G, mut node: Node) -> Score {
        self.pv.clear(node.ply);
        if let Some(score) = self.score_by_path(position, node.ply, node.is_check) {
            return score;
        }
        if node.ply > 0
            && let Some(score) = self.ask_tablebase(position, &node)
        {
            return score;
        }
        if node.is_check && self.is_selective() && node.ply < 2 * self.iteration {
            node.depth += 1;
        }
        if node.depth <= 0 || node.ply >= MAX_PLY {
            return self.leaf(position, node);
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
        self.search_below(position, node)
    }

    /// Returns the score of a node that neither the rules nor the limits decide.
    fn search_below(&mut self, position: &G, mut node: Node) -> Score {
        let found = self.recall(position);
        let hint = self.hint_on(position, found);
        let valued = hint.and_then(|hint| self.hints.result(position, hint));
        let is_deeper = |valued: &Entry| found.is_none_or(|found| found.depth < valued.depth);
        let entry = valued.filter(is_deeper).or(found);
        // A selective search that found no mate does not prove that there is none.
        let counts = |entry: &Entry| self.selectivity != Selectivity::Mates || entry.score.is_mate();
        let decides = |entry: Entry| {
            cutoff(entry, (node.ply, node.depth), (node.alpha, node.beta)).filter(|_| counts(&entry))
        };
        let decided = entry.and_then(decides);
        // The table has results for all moves of a position, not for a root or node with some moves excluded.
        if let Some(score) = decided.filter(|_| node.without == Move::NONE && node.ply > 0) {
            return score;
        }
        let evaluation = self.static_evaluation(position, found, node.is_check);
        self.trail[node.ply + 2].evaluation = evaluation;
        self.trail[node.ply + 2].is_check = node.is_check;
        let known = Known {
            evaluation,
            estimate: prune::refined(evaluation, entry, node.ply),
            entry,
            table_move: match entry {
                _ if node.ply == 0 && self.root.is_some() => self.first,
                entry => entry.map_or(Move::NONE, |entry| entry.best),
            },
            is_book: hint.is_some(),
            is_improving: self.is_improving(&node, evaluation),
        };
        if let Some(score) = self.prune(position, &node, &known) {
            return score;
        }
        if known.table_move == Move::NONE && node.ply > 0 && self.is_selective() {
            node.depth = prune::depth_without_table_move(node.depth);
        }
        self.try_moves(position, node, &known)
    }

    /// Returns whether the evaluation is better than before the side's last move.
    fn is_improving(&self, node: &Node, evaluation: Score) -> bool {
        let before = self.trail[node.ply];
        !node.is_check && (node.ply < 2 || before.is_check || evaluation > before.evaluation)
    }

    /// Counts a node; returns whether the search may go on.
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        self.counts.seldepth = self.counts.seldepth.max(ply);
        self.watch.enter()
    }

    /// Returns the position after a legal move, and prefetches its bucket of the table.
    pub(super) fn after(&self, position: &G, m: Move) -> G {
        let mut child = position.clone();
        child.play_foretold(m, |key| self.table.touch(key));
        child
    }

    /// Returns the static evaluation of a node, from the table if possible. A position in check has none.
    pub(super) fn static_evaluation(&mut self, position: &G, entry: Option<Entry>, is_check: bool) -> Score {
        match entry {
            _ if is_check => Score::DRAW,
            Some(entry) => entry.evaluation,
            None => self.evaluate(position),
        }
    }

    /// Returns the arrivals of the last move before a ply and of the side's own move before that.
    pub(super) fn before(&self, ply: usize) -> [Arrival; 2] {
        [self.trail[ply + 1].arrival, self.trail[ply].arrival]
    }

    pub(super) fn is_selective(&self) -> bool {
        self.selectivity == Selectivity::Full
    }

    /// Returns whether moves may be skipped because of the evaluation.
    pub(super) fn may_prune(&self) -> bool {
        self.is_selective() && !self.seeks_progress
    }

    fn leaf(&mut self, position: &G, node: Node) -> Score {
        if self.is_selective() {
            return self.quiescence(position, node.ply, (node.alpha, node.beta), node.is_check);
        }
        if !self.enter(node.ply) {
            return Score::DRAW;
        }
        if self.selectivity == Selectivity::Mates { node.alpha } else { self.evaluate(position) }
    }

    /// Returns the table's result for a position.
    pub(super) fn recall(&mut self, position: &G) -> Option<Entry> {
        self.counts.table_probes += 1;
        let Some(Found::Searched(entry)) = self.table.probe(position.key(), position.lock()) else {
            return None;
        };
        self.counts.table_hits += 1;
        Some(entry)
    }

    /// Returns the book's hint on a position, if it has values or the table has no move.
    fn hint_on(&mut self, position: &G, entry: Option<Entry>) -> Option<Hint> {
        if entry.is_some_and(|entry| entry.best != Move::NONE) && !self.hints.have_values() {
            return None;
        }
        let hint = self.hints.find(self.table, position);
        self.counts.book_hits += u64::from(hint.is_some());
        hint
    }

    /// Returns a score without trying moves if the evaluation is far from the window.
    fn prune(&mut self, position: &G, node: &Node, known: &Known) -> Option<Score> {
        if !self.may_prune() || node.is_pv() || node.is_check || node.without != Move::NONE {
            return None;
        }
        if prune::stands_above(node.depth, known.estimate, node.beta, known.is_improving) {
            return Some(known.estimate);
        }
        if prune::stands_below(node.depth, known.estimate, node.alpha) {
            let score = self.quiescence(position, node.ply, (node.alpha, node.beta), false);
            if score <= node.alpha {
                return Some(score);
            }
        }
        self.pass(position, node, known)
    }

    /// Null move: if passing holds beta, some move does too. Never twice in a row, nor in possible zugzwang; deep
    /// results are verified by a search without null moves.
    fn pass(&mut self, position: &G, node: &Node, known: &Known) -> Option<Score> {
        let depth = prune::depth_after_pass(node.depth, known.estimate, node.beta)?;
        let is_barred = !node.may_pass || node.ply < self.no_pass_before;
        if is_barred || known.evaluation < node.beta || self.evaluation.zugzwang_threatens(position) {
            return None;
        }
        let passed = position.pass()?;
        self.table.touch(passed.key());
        self.history.play(passed.key(), Step::PASS);
        self.trail[node.ply + 2].arrival = self.order.nothing();
        let window = (node.beta - 1, node.beta);
        let question = Node { may_pass: false, ..node.child(depth, window, false) };
        let mut score = -self.search(&passed, question);
        self.history.undo();
        if score < node.beta || self.watch.is_over() {
            return None;
        }
        if prune::doubts_pass(node.depth) && self.no_pass_before == 0 {
            self.no_pass_before = node.ply + (3 * depth.max(0) as usize) / 4 + 1;
            let question = Node { alpha: node.beta - 1, depth: depth.max(1), ..*node };
            let borne_out = self.search_below(position, question);
            self.no_pass_before = 0;
            if borne_out < node.beta || self.watch.is_over() {
                return None;
            }
            score = borne_out;
        }
        // A mate found after a pass proves only that beta holds.
        Some(if score.is_mate() { node.beta } else { score })
    }

    /// Returns the score of a node at which the path or the material ends the line; never at the root.
    pub(super) fn score_by_path(&mut self, position: &G, ply: usize, is_check: bool) -> Option<Score> {
        self.path.leans_on = NOTHING;
        self.history.note_check::<G>(is_check);
        if ply == 0 {
            return None;
        }
        if let Some(plies) = self.repeated_since(ply) {
            self.path.leans_on = ply as i32 - plies as i32;
            return Some(self.score_of_cycle(position, ply, plies));
        }
        // Mate takes precedence over the move count.
        if self.history.clock() >= G::CLOCK_LIMIT && position.count_legal_moves() > 0 {
            self.path.leans_on = THE_GAME;
            return Some(self.path.policy.draw(ply));
        }
        position.has_insufficient_material().then(|| self.path.policy.draw(ply))
    }

    /// Returns the plies back to the occurrence that makes the last position a scored repetition.
    fn repeated_since(&self, ply: usize) -> Option<usize> {
        let cycle = self.history.cycle()?;
        let policy = &self.path.policy;
        let occurrences = if cycle < ply { policy.in_tree } else { policy.in_game };
        self.history.span(occurrences.max(2) - 1)
    }

    /// Returns the law's score of the cycle of the last `plies` moves.
    fn score_of_cycle(&mut self, position: &G, ply: usize, plies: usize) -> Score {
        let mut cycle = std::mem::take(&mut self.path.cycle);
        cycle.clear();
        cycle.extend(self.history.last_moves(plies));
        let ruling = position.rule_on(&cycle, self.path.policy.rule);
        self.path.cycle = cycle;
        match ruling.loser {
            None => self.path.policy.draw(ply),
            Some(loser) if loser == position.side() => Score::mated_in(ply),
            Some(_) => Score::mate_in(ply),
        }
    }

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
        let loser = match value.wdl() {
            0 => return Score::DRAW,
            1 => position.pass(),
            _ => Some(position.clone()),
        };
        let (wdl, moves) = (i32::from(value.wdl()), loser.map_or(0, |loser| loser.count_legal_moves()));
        let evaluation = centipawns / EVALUATION_DIVISOR - wdl * LOSERS_MOVE * moves as i32;
        let evaluation = evaluation.clamp(-MOST_EVALUATION, MOST_EVALUATION);
        Score(wdl * WON + evaluation - value.signed_plies().clamp(-MOST_PLIES, MOST_PLIES))
    }
}

/// Returns the stored score if it decides the node; never in the principal variation, which would lose its line.
pub(super) fn cutoff(
    entry: Entry,
    (ply, depth): (usize, i32),
    (alpha, beta): (Score, Score),
) -> Option<Score> {
    if beta > alpha + 1 || i32::from(entry.depth) < depth {
        return None;
    }
    let score = entry.score.seen_from_root(ply);
    let decides = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    };
    decides.then_some(score)
}

/// Returns the score of a side without a legal move.
pub(super) fn no_moves<G: Searchable>(ply: usize, is_check: bool) -> Score {
    match G::ID {
        GameId::Chess if !is_check => Score::DRAW,
        GameId::Chess | GameId::Xiangqi => Score::mated_in(ply),
    }
}
