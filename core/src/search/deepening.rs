//! Iterative deepening with aspiration windows.
//!
//! For several lines (MultiPV) each iteration searches the root once per line, without the first moves of the lines
//! before.
//!
//! Lazy SMP: more threads search the same root with the same table, at depths that differ by a ply.
//!
//! They share only the table and a stop flag. Their results are discarded; they help the first thread through the
//! table. With one thread a search of fixed nodes repeats exactly; with more it depends on timing.
//!
//! Exhaustive search for requested mates.
//!
//! It finds the shortest mate of a position and writes its line to the triangle. The normal search prunes moves, and so
//! misses mates that begin with a quiet move or need zugzwang. Here no move is pruned. The tree stays small because
//! only mates count: one reply that escapes refutes a line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope};

use crate::evaluate::Evaluate;
use crate::game::{Move, MoveList, Searchable};
use crate::history::History;
use crate::search::alpha_beta::{Counts, Node, Trail, Worker, no_moves};
use crate::search::limits::{Limits, Pacing, Pool, Watch};
use crate::search::order::Order;
use crate::search::path::Path;
use crate::search::prune::Reductions;
use crate::search::pv::{LineSource, Triangle};
use crate::search::score::{MAX_PLY, Score};
use crate::search::tablebase::Tablebase;
use crate::search::{IterationInfo, Line, SearchResult, Searcher, Selectivity, pv};

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
    let (threads, lines) = (searcher.threads.max(1), searcher.lines.max(1));
    if let Some(tables) = searcher.tablebase.as_ref().filter(|tables| tables.lacks_distances(position)) {
        learn_distances(tables, position, limits);
    }
    let pool = Pool::new(threads, limits);
    let (own, others) = orders.split_at_mut(1);
    let mut worker = worker(searcher, position, history, &mut own[0], Watch::start(limits, &pool));
    let mut root = root_moves(position, limits);
    // Several lines are an analysis, which shows the other moves too.
    if let (Some(tablebase), 1) = (worker.tablebase, lines) {
        tablebase.keep_best(position, &mut root);
    }
    let mut best = Best::at_start(&mut worker, position, root.first());
    if !root.is_empty() {
        worker.root = restricted(position, &root);
        std::thread::scope(|scope| {
            let _halt = RaisedOnDrop(&pool.halt);
            for (thread, order) in (1..).zip(others) {
                let mut assistant =
                    self::worker(searcher, position, history, order, Watch::follow(&pool, thread));
                assistant.root.clone_from(&worker.root);
                assist(scope, assistant, position, thread);
            }
            deepen(&mut worker, position, &root, lines, (limits, report), &mut best);
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
        counts: worker.counts,
        verdict: position.verdict(),
    }
}

/// Solves the distances of a position: at once if the search has a depth or a number of nodes and no time; else beside
/// it, for the moves to come.
fn learn_distances<G: Searchable>(tables: &Arc<dyn Tablebase<G>>, position: &G, limits: &Limits) {
    let is_timed = limits.movetime.or(limits.target).is_some();
    if !is_timed && (limits.depth.is_some() || limits.nodes.is_some()) {
        return tables.solve(position);
    }
    let (tables, position) = (Arc::clone(tables), position.clone());
    // Where the system has no thread left, a later search asks again.
    let _ = std::thread::Builder::new().spawn(move || tables.solve(&position));
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
        repetition.in_game = 2;
    }
    let trail = Trail { evaluation: Score::DRAW, is_check: false, arrival: order.nothing() };
    Worker {
        table: &searcher.table,
        evaluation: &searcher.evaluation,
        memory: searcher.evaluation.memory(),
        hints: &searcher.hints,
        selectivity: searcher.selectivity,
        history: history.watched_by(&searcher.detection),
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
        first: Move::NONE,
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
    for depth in 1..=limits.depth.unwrap_or(u8::MAX).min(MAX_PLY as u8 - 1) {
        worker.iteration = usize::from(depth);
        if let Some(score) =
            due_mate(depth, limits.mate_plies).and_then(|plies| prove_mate(worker, position, plies))
        {
            best.take(vec![Line { score, pv: line(worker, position) }], depth);
            return tell(worker, best, depth, report);
        }
        let found = iterate(worker, position, root, lines, (depth, best));
        let is_broken = worker.watch.is_over();
        let raised = worker.pv.root();
        if is_broken && found.is_empty() && !raised.is_empty() {
            // A move that raised alpha was searched deeper than the old best move.
            best.take(vec![Line { score: best.score, pv: raised.to_vec() }], best.depth);
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
        let known = best.lines.get(number).filter(|_| best.depth > 0);
        worker.first = known.map_or(Move::NONE, |line| line.pv[0]);
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
            counts: worker.counts,
        });
    }
}

const _: () =
    assert!(MAX_PLY <= 128, "an iteration is counted in a u8 and MAX_PLY in the table's depth byte");

/// First half-width of the window around the last score, in centipawns; chosen, not tuned.
pub(super) const ASPIRATION_CENTIPAWNS: i32 = 25;

/// First iteration with a narrow window; chosen, not tuned.
pub(super) const ASPIRATION_MIN_DEPTH: u8 = 5;

/// Searches the root in a window around the last score; widens the window while the score is outside.
pub(super) fn aspire<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    depth: u8,
    last: Score,
) -> Score {
    let mut width = ASPIRATION_CENTIPAWNS;
    let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
    if depth >= ASPIRATION_MIN_DEPTH && !last.is_mate() {
        (alpha, beta) = (last - width, last + width);
    }
    loop {
        let is_check = position.is_check();
        let root = Node {
            ply: 0,
            depth: i32::from(depth),
            alpha,
            beta,
            is_check,
            may_pass: false,
            without: Move::NONE,
        };
        let score = worker.search(position, root);
        if worker.watch.is_over() || (score > alpha && score < beta) {
            return score;
        }
        width *= 4;
        if score <= alpha {
            alpha = if width > 1000 { -Score::INFINITE } else { score - width };
        } else {
            beta = if width > 1000 { Score::INFINITE } else { score + width };
        }
    }
}

/// Stack of a searching thread: a node of the search takes some kilobytes, and there are at most `MAX_PLY` of them
/// with as many of the quiescence on top.
pub const STACK_BYTES: usize = 16 << 20;

/// Sets a flag when dropped, also after a panic, so that no thread stays behind.
pub(super) struct RaisedOnDrop<'a>(pub &'a AtomicBool);

impl Drop for RaisedOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a thread that deepens until its watch is over. If the system has no thread left, the search goes on without
/// it.
pub(super) fn assist<'scope, 'env, G: Searchable, E: Evaluate<G>>(
    scope: &'scope Scope<'scope, 'env>,
    mut worker: Worker<'scope, G, E>,
    position: &'scope G,
    thread: usize,
) {
    let work = move || {
        let mut score = Score::DRAW;
        // Odd threads are a ply ahead, so that not all do the same at the same time.
        for depth in 1 + (thread % 2) as u8..MAX_PLY as u8 {
            worker.iteration = usize::from(depth);
            score = aspire(&mut worker, position, depth, score);
            if worker.watch.is_over() {
                return;
            }
        }
    };
    let _ = Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
}

/// Maximum mate for this search, in plies; chosen: two more moves take some thousand times as long.
const LONGEST: usize = 5;

/// Returns the plies of the mate to search for before an iteration; `None`: no mate of this length was requested.
pub(super) fn due_mate(iteration: u8, asked: Option<u32>) -> Option<usize> {
    let plies = usize::from(iteration).checked_sub(1)?;
    (plies % 2 == 1 && plies <= LONGEST && asked? as usize >= plies).then_some(plies)
}

/// Returns the score of the root if it is a mate within this number of plies.
pub(super) fn prove_mate<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    plies: usize,
) -> Option<Score> {
    let root = Node {
        ply: 0,
        depth: plies as i32 + 1,
        alpha: Score::mate_in(plies + 1),
        beta: Score::INFINITE,
        is_check: position.is_check(),
        may_pass: false,
        without: Move::NONE,
    };
    let playing = std::mem::replace(&mut worker.selectivity, Selectivity::Mates);
    let score = worker.search(position, root);
    worker.selectivity = playing;
    (!worker.watch.is_over() && score > root.alpha).then_some(score)
}

#[cfg(test)]
mod tests;
