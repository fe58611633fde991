//! Iterative deepening with aspiration windows: limits come in, the result of the last good iteration goes out.

use super::alpha_beta::{Counts, Node, Worker, no_moves};
use super::limits::{Limits, Watch};
use super::order::Order;
use super::prune::Reductions;
use super::pv::Triangle;
use super::score::{MAX_PLY, Score};
use super::{IterationInfo, SearchResult, Searcher};
use crate::evaluate::Evaluate;
use crate::game::{Game, Move, MoveList};
use crate::history::History;

/// First half-width of the window around the last score, in centipawns; chosen, not tuned.
const ASPIRATION_CENTIPAWNS: i32 = 25;
/// From this iteration on the last score is steady enough to aim at; chosen, not tuned.
const ASPIRATION_MIN_DEPTH: u8 = 5;
/// Without a limit on depth, a mate in so many plies ends the search after this many times as deep an iteration;
/// chosen, not tuned.
const MATE_PATIENCE: u32 = 3;

/// Searches a position, one ply deeper each time, until the limits end it.
pub(super) fn run<G: Game, E: Evaluate<G>>(
    searcher: &Searcher<G, E>,
    position: &G,
    (history, limits): (&History, &Limits),
    report: &mut dyn FnMut(&IterationInfo),
) -> SearchResult {
    let mut worker = Worker {
        table: &searcher.table,
        evaluation: &searcher.evaluation,
        hints: searcher.hints,
        selectivity: searcher.selectivity,
        history: history.clone(),
        watch: Watch::start(limits),
        pv: Triangle::new(),
        order: Order::new(),
        reductions: Reductions::new(),
        counts: Counts::default(),
        iteration: 0,
        game: std::marker::PhantomData,
    };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut best = match moves.first() {
        Some(&m) => Best { score: worker.evaluate(position), pv: vec![m], depth: 0 },
        None => Best { score: no_moves::<G>(0, position.is_check()), pv: Vec::new(), depth: 0 },
    };
    if !moves.is_empty() {
        deepen(&mut worker, position, (limits, report), &mut best);
    }
    SearchResult {
        best: best.pv.first().copied().unwrap_or(Move::NONE),
        score: best.score,
        depth: best.depth,
        pv: best.pv,
        nodes: worker.watch.nodes(),
        elapsed: worker.watch.elapsed(),
        full_permille: searcher.table.full_permille(),
        counts: worker.counts,
        verdict: position.verdict(),
    }
}

struct Best {
    score: Score,
    pv: Vec<Move>,
    depth: u8,
}

fn deepen<G: Game, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    (limits, report): (&Limits, &mut dyn FnMut(&IterationInfo)),
    best: &mut Best,
) {
    for depth in 1..=limits.last_iteration() {
        worker.iteration = usize::from(depth);
        let score = aspire(worker, position, depth, best.score);
        if worker.watch.is_over() {
            // A move that raised alpha in the broken iteration was searched deeper than the old best.
            if !worker.pv.root().is_empty() {
                best.pv = worker.pv.root().to_vec();
            }
            return;
        }
        *best = Best { score, pv: worker.pv.root().to_vec(), depth };
        report(&IterationInfo {
            depth,
            score,
            pv: &best.pv,
            nodes: worker.watch.nodes(),
            elapsed: worker.watch.elapsed(),
            full_permille: worker.table.full_permille(),
            counts: worker.counts,
        });
        // Pruning may have hidden a shorter mate; deeper iterations find it before this one, or there is none.
        let patience = score.mate_plies().map(|plies| MATE_PATIENCE * plies.unsigned_abs());
        if limits.depth.is_none() && patience.is_some_and(|patience| u32::from(depth) > patience) {
            return;
        }
    }
}

/// Searches the root in a window around the last score, and in a wider one each time the score falls outside.
fn aspire<G: Game, E: Evaluate<G>>(worker: &mut Worker<G, E>, position: &G, depth: u8, last: Score) -> Score {
    let mut width = ASPIRATION_CENTIPAWNS;
    let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
    if depth >= ASPIRATION_MIN_DEPTH && !last.is_mate() {
        (alpha, beta) = (last - width, last + width);
    }
    loop {
        let root = Node { ply: 0, depth: i32::from(depth), alpha, beta, may_pass: false };
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

const _: () =
    assert!(MAX_PLY <= 128, "an iteration is counted in a u8 and MAX_PLY in the table's depth byte");
