//! Laws of the search, mates and repetitions, and the suites of the corpus.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::chess::Chess;
use crate::game::tests::wander;
use crate::game::{Game, Move, MoveList, Notated, Searchable, Verdict};
use crate::xiangqi::Xiangqi;

mod corpus;
mod tables;

const TABLE_BYTES: usize = 1 << 22;

fn search<G: Searchable>(fen: &str, limits: &Limits) -> (G, SearchResult)
where
    Standard: Evaluate<G>,
{
    let position = G::from_fen(fen).unwrap();
    let result = search_position(&position, limits);
    (position, result)
}

fn search_position<G: Searchable>(position: &G, limits: &Limits) -> SearchResult
where
    Standard: Evaluate<G>,
{
    let history = History::at(position);
    Searcher::new(TABLE_BYTES).search(position, &history, limits, &mut |_| ())
}

/// Plain minimax: what alpha-beta has to equal.
fn minimax<G: Searchable>(position: &G, depth: usize, ply: usize) -> Score
where
    Standard: Evaluate<G>,
{
    if depth == 0 {
        return Score::from_centipawns(Standard.centipawns(position));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let scores = moves.iter().map(|&m| {
        let mut child = position.clone();
        child.play_unchecked(m);
        -minimax(&child, depth - 1, ply + 1)
    });
    let none = || alpha_beta::no_moves::<G>(ply, position.is_check());
    scores.max().unwrap_or_else(none)
}

fn check_against_minimax<G: Searchable>(choices: &[u16], last: u8)
where
    Standard: Evaluate<G>,
{
    let position = wander(G::start(), choices);
    let history = History::at(&position);
    for depth in 1..=last {
        let mut searcher: Searcher<G> = Searcher::with_evaluation(TABLE_BYTES, Standard, Selectivity::None);
        let result = searcher.search(&position, &history, &Limits::depth(depth), &mut |_| ());
        assert_eq!(result.score, minimax(&position, usize::from(depth), 0), "depth {depth}, {position:?}");
    }
}

fn check_the_line<G: Searchable>(choices: &[u16])
where
    Standard: Evaluate<G>,
{
    let position = wander(G::start(), choices);
    let history = History::at(&position);
    let mut searcher: Searcher<G> = Searcher::new(TABLE_BYTES);
    let mut depths = Vec::new();
    let result = searcher.search(&position, &history, &Limits::depth(5), &mut |info| depths.push(info.depth));
    assert!(depths.iter().copied().eq(1..=result.depth));
    assert_eq!(result.pv.first().copied().unwrap_or_default(), result.best);
    let mut replay = position;
    for &m in &result.pv {
        assert!(replay.is_legal(m), "{m:?} in {replay:?}");
        replay.play_unchecked(m);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn alpha_beta_equals_minimax(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        check_against_minimax::<Chess>(&choices, 3);
        check_against_minimax::<Xiangqi>(&choices, 2);
    }

    #[test]
    fn the_principal_variation_is_legal_and_reported_in_order(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        check_the_line::<Chess>(&choices);
        check_the_line::<Xiangqi>(&choices);
    }

    #[test]
    fn the_same_search_gives_the_same_result(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let position = wander(Chess::start(), &choices);
        let run = || search_position(&position, &Limits::nodes(5_000));
        let (first, second) = (run(), run());
        prop_assert!(first.nodes <= 5_000);
        prop_assert_eq!(
            (first.best, first.score, first.pv, first.nodes, first.counts),
            (second.best, second.score, second.pv, second.nodes, second.counts)
        );
    }
}

#[test]
fn mates_in_one_to_four_are_found_at_their_length() {
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 2),
        ("8/7k/8/8/8/8/R7/1R2K3 w - - 0 1", 3),
        ("8/6k1/8/4K3/8/8/8/Q7 w - - 0 1", 4),
    ] {
        check_mate::<Chess>(fen, moves);
    }
    for (fen, moves) in [
        ("3k5/9/9/9/9/9/9/R8/9/1R2K4 w - - 0 1", 1),
        ("9/4k4/9/9/9/4C4/9/R8/R8/3K5 w - - 0 1", 2),
        ("3k5/4a4/9/9/4P4/9/9/R8/9/4K4 w - - 0 1", 3),
        ("5k3/4a4/9/9/4C4/9/9/R8/9/4K4 w - - 0 1", 3),
        ("4ka3/4a4/9/9/9/4N4/9/7R1/9/4K4 w - - 0 1", 3),
        ("3k5/9/9/9/9/9/4N4/9/9/5K3 w - - 0 1", 4),
    ] {
        check_mate::<Xiangqi>(fen, moves);
    }
}

fn check_mate<G: Searchable>(fen: &str, moves: i32)
where
    Standard: Evaluate<G>,
{
    let (position, result) = search::<G>(fen, &Limits::depth(16));
    assert_eq!(result.score.mate_plies(), Some(2 * moves - 1), "{fen}: {result:?}");
    assert_eq!(result.pv.len() as i32, 2 * moves - 1, "{fen}: {result:?}");
    // Every line looked at: there is this mate and no shorter one.
    let mut whole: Searcher<G> = Searcher::with_evaluation(TABLE_BYTES, Standard, Selectivity::None);
    let history = History::at(&position);
    let result = whole.search(&position, &history, &Limits::depth(2 * moves as u8), &mut |_| ());
    assert_eq!(result.score.mate_plies(), Some(2 * moves - 1), "{fen}: {result:?}");
}

#[test]
fn a_position_without_moves_gives_its_verdict() {
    let (_, mated) = search::<Chess>("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", &Limits::depth(3));
    assert_eq!((mated.best, mated.verdict), (Move::NONE, Some(Verdict::Mate)));
    assert_eq!(mated.score.mate_plies(), Some(0));
    let (_, stalemated) = search::<Chess>("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &Limits::depth(3));
    assert_eq!((stalemated.best, stalemated.verdict), (Move::NONE, Some(Verdict::Stalemate)));
    assert_eq!((stalemated.score, stalemated.pv.len()), (Score::DRAW, 0));
}

/// Returns the result of a search with `lines` lines on `threads` threads.
fn search_lines<G: Searchable>(position: &G, limits: &Limits, lines: usize, threads: usize) -> SearchResult
where
    Standard: Evaluate<G>,
{
    let mut searcher: Searcher<G> = Searcher::new(TABLE_BYTES);
    searcher.lines = lines;
    searcher.threads = threads;
    searcher.search(position, &History::at(position), limits, &mut |_| ())
}

#[test]
fn lines_are_the_best_of_all_first_moves() {
    // Without pruning the score of each first move is plain minimax after it.
    let position = Chess::from_fen("4k3/8/2p5/3r4/4P3/8/8/3QK3 w - - 0 1").unwrap();
    let mut searcher: Searcher<Chess> = Searcher::with_evaluation(TABLE_BYTES, Standard, Selectivity::None);
    searcher.lines = 5;
    let result = searcher.search(&position, &History::at(&position), &Limits::depth(2), &mut |_| ());
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let after = |m: &Move| {
        let mut child = position.clone();
        child.play_unchecked(*m);
        (-minimax(&child, 1, 1), *m)
    };
    let mut scores: Vec<(Score, Move)> = moves.iter().map(after).collect();
    scores.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
    let expected: Vec<Score> = scores.iter().take(5).map(|&(score, _)| score).collect();
    assert_eq!(result.lines.iter().map(|line| line.score).collect::<Vec<_>>(), expected);
    for line in &result.lines {
        assert!(scores.contains(&(line.score, line.pv[0])), "{line:?}");
    }
    assert_eq!((result.score, &result.pv), (result.lines[0].score, &result.lines[0].pv));
}

#[test]
fn a_root_with_allowed_moves_is_not_stored() {
    let position = Chess::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
    let a2 = Chess::coordinates().parse(&position, "a1a2").unwrap();
    let mut searcher: Searcher<Chess> = Searcher::new(TABLE_BYTES);
    let history = History::at(&position);
    let held = Limits { moves: vec![a2], ..Limits::depth(4) };
    let result = searcher.search(&position, &history, &held, &mut |_| ());
    assert_eq!(result.best, a2);
    assert!(result.score.mate_plies() != Some(1));
    let free = searcher.search(&position, &history, &Limits::depth(4), &mut |_| ());
    assert_eq!(free.score.mate_plies(), Some(1));
}

#[test]
fn several_threads_find_the_same_mates_and_end_together() {
    for threads in [2, 3] {
        for (fen, plies) in [("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 3), ("8/6k1/8/4K3/8/8/8/Q7 w - - 0 1", 7)] {
            let position = Chess::from_fen(fen).unwrap();
            let result = search_lines(&position, &Limits::depth(12), 1, threads);
            assert_eq!(result.score.mate_plies(), Some(plies), "{threads} threads: {result:?}");
        }
        let limited = search_lines(&Xiangqi::start(), &Limits::nodes(40_000), 2, threads);
        assert!(Xiangqi::start().is_legal(limited.best), "{limited:?}");
        assert_eq!(limited.lines.len(), 2, "{threads} threads: {limited:?}");
        assert!(limited.nodes <= 40_000, "{}", limited.nodes);
    }
}
