//! What finding repetitions costs a node: the three detectors against each other.
//!
//! `cargo bench --bench repetition` prints two tables. First the detector alone: a node plays a move on a line of so many
//! reversible plies, asks whether the position has occurred, and takes it back; nanoseconds per node, the best of five
//! runs. Then whole searches to a fixed depth under each detector, with the nodes they took. Before anything is timed the
//! detectors' answers are compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bookbuilder_core::chess::Chess;
use bookbuilder_core::evaluate::{Evaluate, Standard};
use bookbuilder_core::game::{HistoryRules, Key, MoveList, Searchable};
use bookbuilder_core::history::{Detection, History, OpenFlags, Step};
use bookbuilder_core::search::{Limits, Searcher};
use bookbuilder_core::xiangqi::Xiangqi;

const NAMES: [&str; 3] = ["scan", "small table", "open flag"];
const ROUNDS: usize = 2000;

fn detections() -> [Detection; 3] {
    [Detection::Scan, Detection::SmallTable, Detection::OpenFlag(Arc::new(OpenFlags::new(1 << 20)))]
}

fn main() {
    println!("ns per node (play, ask, take back), by reversible plies behind it");
    println!("{:<8}{:>6}{:>12}{:>12}{:>12}", "game", "plies", NAMES[0], NAMES[1], NAMES[2]);
    for plies in [4, 8, 16, 32, 64, 100] {
        detectors::<Chess>("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", plies);
        detectors::<Xiangqi>("r2akab1r/9/2n1b1n2/9/9/9/9/2N1B1N2/9/R2AKAB1R w - - 0 1", plies);
    }
    println!("whole searches");
    searches::<Chess>(&["8/8/4kpp1/3p4/3P1PP1/4K3/8/8 w - - 0 1", "4k3/8/8/8/8/8/4Q3/4K2r w - - 0 1"], 12);
    searches::<Xiangqi>(&["3ak4/4a4/9/9/4p4/9/4P4/4B4/4A4/2BAK1R2 w - - 0 1"], 9);
}

/// A line of reversible moves without a repetition, and what each move on from its end leads to.
fn wander<G: HistoryRules>(fen: &str, plies: usize) -> (History, Vec<(Key, Step)>) {
    let mut position = G::from_fen(fen).expect("a legal position");
    let mut history = History::at(&position);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    while history.reversible_plies() < plies {
        let next = nodes(&position);
        let fresh: Vec<_> = next.iter().filter(|(key, _, _)| !history.would_repeat(*key)).collect();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let &&(key, step, ref after) = &fresh[(seed >> 33) as usize % fresh.len()];
        history.play(key, step);
        position = after.clone();
    }
    let ends = nodes(&position).into_iter().map(|(key, step, _)| (key, step)).collect();
    (history, ends)
}

/// The positions that reversible moves lead to.
fn nodes<G: HistoryRules>(position: &G) -> Vec<(Key, Step, G)> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let reversible = moves.iter().filter(|&&m| !position.is_irreversible(m));
    let next = reversible.map(|&m| {
        let mut after = position.clone();
        after.play_unchecked(m);
        (after.key(), Step::of(position, m), after)
    });
    next.collect()
}

fn detectors<G: HistoryRules>(fen: &str, plies: usize) {
    let (line, ends) = wander::<G>(fen, plies);
    let mut histories = detections().map(|detection| line.watched_by(&detection));
    let answers = histories.each_mut().map(|history| ask(history, &ends));
    assert_eq!(answers, [answers[0]; 3], "the detectors disagree");
    let nanoseconds = histories.each_mut().map(|history| {
        let run = |_| {
            let begin = Instant::now();
            (0..ROUNDS).for_each(|_| {
                std::hint::black_box(ask(history, &ends));
            });
            begin.elapsed()
        };
        let best = (0..5).map(run).min().unwrap_or(Duration::MAX);
        best.as_nanos() as f64 / (ROUNDS * ends.len()) as f64
    });
    println!(
        "{:<8}{plies:>6}{:>12.1}{:>12.1}{:>12.1}",
        G::ID.name(),
        nanoseconds[0],
        nanoseconds[1],
        nanoseconds[2]
    );
}

/// Visits each node; returns the number of repetitions found.
fn ask(history: &mut History, ends: &[(Key, Step)]) -> usize {
    let mut found = 0;
    for &(key, step) in ends {
        history.play(key, step);
        found += usize::from(history.cycle().is_some());
        history.undo();
    }
    found
}

fn searches<G: Searchable>(fens: &[&str], depth: u8)
where
    Standard: Evaluate<G>,
{
    for (name, detection) in NAMES.into_iter().zip(detections()) {
        let (mut nodes, mut elapsed) = (0, Duration::ZERO);
        for fen in fens {
            let position = G::from_fen(fen).expect("a legal position");
            let history = History::at(&position);
            let mut searcher: Searcher<G> = Searcher::new(1 << 24);
            searcher.detection = detection.clone();
            let result = searcher.search(&position, &history, &Limits::depth(depth), &mut |_| ());
            nodes += result.nodes;
            elapsed += result.elapsed;
        }
        let nanoseconds = elapsed.as_nanos() as f64 / nodes as f64;
        println!("{:<8}{name:<12}depth {depth}: {nodes} nodes, {nanoseconds:.0} ns per node", G::ID.name());
    }
}
