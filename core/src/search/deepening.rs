//! Iterative deepening with aspiration windows.
//!
//! For several lines (MultiPV) each iteration searches the root once per line, without the first moves of the lines
//! before.

use super::alpha_beta::{Counts, Trail, Worker, no_moves};
use super::aspiration::aspire;
use super::limits::{Limits, Pool, Watch};
use super::order::Order;
use super::path::Path;
use super::prune::Reductions;
use super::pv::{self, LineSource, Triangle};
use super::score::{MAX_PLY, Score};
use super::threads::{self, RaisedOnDrop};
use super::time::Pacing;
use super::{IterationInfo, Line, SearchResult, Searcher, mates};
use crate::evaluate::Evaluate;
use crate::game::{Move, MoveList, Searchable};
use crate::history::History;

/// Without a depth limit, a mate in N plies ends the search after iteration N times this number; chosen, not tuned.
const MATE_PATIENCE: u32 = 3;

/// Searches a position one ply deeper each time until a limit is reached. `orders` is the move order of each thread.
pub(super) fn run<G: Searchable, E: Evaluate<G>>(
    searcher: &Searcher<G, E>,
    orders: &mut [Order],
    position: &G,
    (history, limits): (&History, &Limits),
    report: &mut dyn FnMut(&IterationInfo),
) -> SearchResult {
    let pool = Pool::new(searcher.threads, limits);
    let (own, others) = orders.split_at_mut(1);
    let mut worker = worker(searcher, position, history, &mut own[0], Watch::start(limits, &pool));
    let mut root = root_moves(position, limits);
    // Several lines are an analysis, which shows the other moves too.
    if let (Some(tablebase), 1) = (worker.tablebase, searcher.lines) {
        tablebase.keep_best(position, &mut root);
    }
    let mut best = Best::at_start(&mut worker, position, root.first());
    if !root.is_empty() {
        worker.root = restricted(position, &root);
        std::thread::scope(|scope| {
            let _halt = RaisedOnDrop(&pool.halt);
            for (thread, order) in (1..).zip(others) {
                let mut assistant = self::worker(searcher, position, history, order, Watch::follow(&pool, thread));
                assistant.root.clone_from(&worker.root);
                threads::assist(scope, assistant, position, thread);
            }
            deepen(&mut worker, position, &root, searcher.lines, (limits, report), &mut best);
        });
        if best.depth == 0 {
            best.take(vec![glance(&mut worker, position, &root)], 0);
        }
    }
    let pv = best.lines.first().map_or_else(Vec::new, |line| line.pv.clone());
    SearchResult {
        best: pv.first().copied().unwrap_or(Move::NONE),
        score: best.score,
        depth: best.depth,
        pv,
        lines: best.lines,
        nodes: worker.watch.nodes(),
        elapsed: worker.watch.elapsed(),
        full_permille: searcher.table.full_permille(),
        counts: worker.told(),
        verdict: position.verdict(),
    }
}

/// Returns the state of one thread.
fn worker<'a, G: Searchable, E: Evaluate<G>>(
    searcher: &'a Searcher<G, E>,
    position: &G,
    history: &History,
    order: &'a mut Order,
    watch: Watch<'a>,
) -> Worker<'a, G, E> {
    order.forget_all_killers();
    let value = searcher.tablebase.as_ref().and_then(|tables| tables.value(position));
    let seeks_progress = value.is_some_and(|(is_to_mate, value)| !is_to_mate && value.wdl() == 1);
    let mut repetition = searcher.repetition;
    if seeks_progress {
        repetition.on_board = 2;
    }
    let trail = Trail { evaluation: Score::DRAW, is_check: false, arrival: order.nothing() };
    Worker {
        table: &searcher.table,
        evaluation: &searcher.evaluation,
        memory: searcher.evaluation.memory(),
        hints: &searcher.hints,
        selectivity: searcher.selectivity,
        history: history.clone(),
        path: Path::new(repetition),
        watch,
        pv: Triangle::new(),
        line_source: searcher.line_source,
        order,
        trail: vec![trail; MAX_PLY + 3],
        reductions: Reductions::new(),
        counts: Counts::default(),
        tablebase: searcher.tablebase.as_deref(),
        seeks_progress,
        iteration: 0,
        root: None,
        no_pass_before: 0,
        game: std::marker::PhantomData,
    }
}

/// Returns the moves to search in the root: the legal ones among those requested.
fn root_moves<G: Searchable>(position: &G, limits: &Limits) -> MoveList {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    if !limits.moves.is_empty() {
        moves.retain(|m| limits.moves.contains(m));
    }
    moves
}

/// Returns the moves allowed in the root; `None` if these are all legal moves.
fn restricted<G: Searchable>(position: &G, moves: &[Move]) -> Option<MoveList> {
    (moves.len() < position.count_legal_moves()).then(|| moves.iter().copied().collect())
}

/// Returns the best move without a search, for searches that end before their first iteration: a mate, or else the move
/// with the best evaluation after it that loses nothing on its target.
fn glance<G: Searchable, E: Evaluate<G>>(worker: &mut Worker<G, E>, position: &G, root: &[Move]) -> Line {
    let judge = |&m: &Move| {
        let mut child = position.clone();
        child.play_unchecked(m);
        let score = match child.count_legal_moves() {
            0 => -no_moves::<G>(1, child.is_check()),
            _ => -worker.evaluate(&child),
        };
        let is_sound = score.is_mate() || worker.evaluation.holds(position, m, 0);
        ((is_sound, score), Line { score, pv: vec![m] })
    };
    let lines = root.iter().map(judge).rev();
    // The first of equals.
    lines
        .max_by_key(|(worth, _)| *worth)
        .map_or(Line { score: Score::DRAW, pv: Vec::new() }, |(_, line)| line)
}

/// The result so far.
struct Best {
    /// The lines, best first.
    lines: Vec<Line>,
    score: Score,
    depth: u8,
}

impl Best {
    /// Returns the result before the first iteration.
    fn at_start<G: Searchable, E: Evaluate<G>>(
        worker: &mut Worker<G, E>,
        position: &G,
        first: Option<&Move>,
    ) -> Best {
        let Some(&m) = first else {
            return Best { lines: Vec::new(), score: no_moves::<G>(0, position.is_check()), depth: 0 };
        };
        let score = worker.evaluate(position);
        Best { lines: vec![Line { score, pv: vec![m] }], score, depth: 0 }
    }

    /// Takes the first line of an interrupted iteration. A move that raised alpha was searched deeper than the old best
    /// move.
    fn take_first_of_broken(&mut self, pv: &[Move]) {
        if !pv.is_empty() {
            self.take(vec![Line { score: self.score, pv: pv.to_vec() }], self.depth);
        }
    }

    /// Takes the lines of an iteration. If it was interrupted, the best older lines fill the missing places.
    fn take(&mut self, mut found: Vec<Line>, depth: u8) {
        let Some(first) = found.first() else { return };
        (self.score, self.depth) = (first.score, depth);
        let missing = self.lines.len().saturating_sub(found.len());
        let is_known = |line: &Line| found.iter().any(|other| other.pv.first() == line.pv.first());
        let older: Vec<Line> = self.lines.drain(..).filter(|line| !is_known(line)).take(missing).collect();
        found.extend(older);
        self.lines = found;
    }
}

fn deepen<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    root: &[Move],
    lines: usize,
    (limits, report): (&Limits, &mut dyn FnMut(&IterationInfo)),
    best: &mut Best,
) {
    let mut pacing = Pacing::default();
    for depth in 1..=limits.last_iteration() {
        worker.iteration = usize::from(depth);
        if let Some(score) =
            mates::due(depth, limits.mate_plies).and_then(|plies| mates::prove(worker, position, plies))
        {
            best.take(vec![Line { score, pv: line(worker, position) }], depth);
            return tell(worker, best, depth, report);
        }
        let found = iterate(worker, position, root, lines, (depth, best));
        let is_broken = worker.watch.is_over();
        if is_broken && found.is_empty() {
            best.take_first_of_broken(worker.pv.root());
        } else {
            best.take(found, depth);
        }
        if is_broken {
            return;
        }
        tell(worker, best, depth, report);
        if is_enough(worker, root.len(), best, limits, &mut pacing) {
            return;
        }
    }
}

/// Returns whether the search ends after an iteration, before its limits.
fn is_enough<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    root_moves: usize,
    best: &Best,
    limits: &Limits,
    pacing: &mut Pacing,
) -> bool {
    // Pruning may hide a shorter mate. Deeper iterations find it, up to this depth.
    let patience = best.score.mate_plies().map(|plies| MATE_PATIENCE * plies.unsigned_abs());
    let is_patient =
        limits.depth.is_some() || patience.is_none_or(|patience| u32::from(best.depth) <= patience);
    if limits.is_mate_found(best.score) || !is_patient {
        return true;
    }
    pacing.learn(best.lines[0].pv[0], best.score);
    let Some(target) = limits.target else { return false };
    // A single legal move needs no search.
    let target = if root_moves == 1 { std::time::Duration::ZERO } else { pacing.target(target) };
    worker.watch.is_spent(target)
}

/// Returns the lines of one iteration, best first; fewer if it is interrupted.
fn iterate<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    root: &[Move],
    lines: usize,
    (depth, best): (u8, &Best),
) -> Vec<Line> {
    let mut left: Vec<Move> = root.to_vec();
    let mut found: Vec<Line> = Vec::new();
    for number in 0..lines.min(root.len()) {
        if number > 0 {
            worker.root = restricted(position, &left);
        }
        let last = best.lines.get(number).map_or(best.score, |line| line.score);
        let score = aspire(worker, position, depth, last);
        if worker.watch.is_over() {
            break;
        }
        let pv = line(worker, position);
        left.retain(|m| Some(m) != pv.first());
        found.push(Line { score, pv });
    }
    if lines > 1 {
        worker.root = restricted(position, root);
        found.sort_by_key(|line| std::cmp::Reverse(line.score));
    }
    found
}

/// Returns the line of the root.
fn line<G: Searchable, E: Evaluate<G>>(worker: &Worker<G, E>, position: &G) -> Vec<Move> {
    let line = worker.pv.root();
    match (worker.line_source, line.first()) {
        (LineSource::Table, Some(&first)) => pv::walk(worker.table, position, first),
        _ => line.to_vec(),
    }
}

fn tell<G: Searchable, E: Evaluate<G>>(
    worker: &Worker<G, E>,
    best: &Best,
    depth: u8,
    report: &mut dyn FnMut(&IterationInfo),
) {
    for (index, line) in best.lines.iter().enumerate() {
        report(&IterationInfo {
            depth,
            line: index + 1,
            score: line.score,
            pv: &line.pv,
            nodes: worker.watch.nodes(),
            elapsed: worker.watch.elapsed(),
            full_permille: worker.table.full_permille(),
            counts: worker.told(),
        });
    }
}

const _: () =
    assert!(MAX_PLY <= 128, "an iteration is counted in a u8 and MAX_PLY in the table's depth byte");

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(firsts: &[u16]) -> Vec<Line> {
        firsts.iter().map(|&first| Line { score: Score::DRAW, pv: vec![Move(first), Move(9)] }).collect()
    }

    #[test]
    fn an_interrupted_iteration_keeps_the_number_of_lines() {
        for (before, found, after) in [
            (&[1, 2, 3][..], &[1][..], &[1, 2, 3][..]),
            (&[1, 2, 3], &[3], &[3, 1, 2]),
            (&[1, 2], &[2], &[2, 1]),
            (&[1, 2], &[4], &[4, 1]),
            (&[1, 2, 3], &[3, 4], &[3, 4, 1]),
            (&[1, 2], &[2, 1], &[2, 1]),
            (&[1], &[2, 1], &[2, 1]),
        ] {
            let mut best = Best { lines: lines(before), score: Score::DRAW, depth: 1 };
            best.take(lines(found), 2);
            assert_eq!(best.lines, lines(after), "{before:?} then {found:?}");
        }
    }
}
