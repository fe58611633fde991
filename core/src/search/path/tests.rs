//! Repetitions, the move-count rule and contempt as the search scores them, and what of it the table keeps.

use super::*;
use crate::chess::Chess;
use crate::game::{Game, Notated, Searchable};
use crate::history::History;
use crate::search::{Evaluate, Found, Limits, SearchResult, Searcher};
use crate::xiangqi::Xiangqi;

const TABLE_BYTES: usize = 1 << 22;

/// Returns the position after moves, with its history.
fn line<G: Searchable + Notated>(fen: &str, texts: &str) -> (G, History) {
    let mut position = G::from_fen(fen).unwrap();
    let mut history = History::at(&position);
    for text in texts.split_whitespace() {
        let m = G::coordinates().parse(&position, text).unwrap();
        history.play_on(&mut position, m);
    }
    (position, history)
}

fn search<G: Searchable + Notated>(
    fen: &str,
    texts: &str,
    policy: RepetitionPolicy,
    depth: u8,
) -> (String, SearchResult)
where
    crate::evaluate::Standard: Evaluate<G>,
{
    let (position, history) = line::<G>(fen, texts);
    let mut searcher: Searcher<G> = Searcher::new(TABLE_BYTES);
    searcher.repetition = policy;
    let result = searcher.search(&position, &history, &Limits::depth(depth), &mut |_| ());
    (G::coordinates().format(&position, result.best), result)
}

const QUEEN: &str = "8/8/8/5k2/8/8/8/Q3K3 w - - 0 1";
const QUEEN_WAITS: &str = "a1a2 f5f6 a2a1 f6f5 ";

#[test]
fn the_winning_side_avoids_repetitions() {
    // The queen's return to a1 reaches a position for the third time, after one round for the second.
    for (rounds, in_game, is_draw) in [(1, 2, true), (1, 3, false), (2, 3, true)] {
        let (position, history) = line::<Chess>(QUEEN, &(QUEEN_WAITS.repeat(rounds) + "a1a2 f5f6"));
        let policy = RepetitionPolicy { in_game, ..RepetitionPolicy::default() };
        let mut searcher: Searcher<Chess> = Searcher::new(TABLE_BYTES);
        searcher.repetition = policy;
        let back = Chess::coordinates().parse(&position, "a2a1").unwrap();
        let (mut after, mut path) = (position.clone(), history.clone());
        path.play_on(&mut after, back);
        assert_eq!(path.span(in_game - 1).is_some(), is_draw, "{rounds} rounds, {in_game}");
        let result = searcher.search(&position, &history, &Limits::depth(5), &mut |_| ());
        assert!(result.score > Score::from_centipawns(500), "{result:?}");
        assert!(!is_draw || result.best != back, "{rounds} rounds, {in_game}: {result:?}");
    }
}

#[test]
fn the_fifty_move_rule_is_seen_coming() {
    // The only pawn cannot move, and no mate is near: two plies are left to count.
    let fen = |clock: u32| format!("k7/8/8/3p4/3P4/8/1R6/K7 w - - {clock} 80");
    let draw = search::<Chess>(&fen(99), "", RepetitionPolicy::default(), 4).1;
    assert_eq!(draw.score, Score::DRAW);
    assert!(
        search::<Chess>(&fen(0), "", RepetitionPolicy::default(), 4).1.score > Score::from_centipawns(200)
    );
    // A mate on the board comes before the count.
    let mate = search::<Chess>("7k/R7/6K1/8/8/8/8/8 w - - 99 80", "", RepetitionPolicy::default(), 3).1;
    assert_eq!(mate.score, Score::mate_in(1));
}

/// Red can only check with its rook along the ranks, or is mated by two rooks.
const ROOK_CHECKS: &str = "3k5/R8/9/9/9/9/9/7r1/8r/5K3 w - - 0 1";

#[test]
fn a_perpetual_checker_loses_in_the_tree_exactly() {
    let under = |rule| {
        let policy = RepetitionPolicy { rule, ..RepetitionPolicy::default() };
        search::<Xiangqi>(ROOK_CHECKS, "", policy, 9)
    };
    let (best, drawn) = under(RepetitionRule::None);
    assert_eq!((best.as_str(), drawn.score), ("a8a9", Score::DRAW));
    for rule in [RepetitionRule::Axf, RepetitionRule::Cxa, RepetitionRule::CheckOnly] {
        let (_, lost) = under(rule);
        assert!(lost.score.mate_plies().is_some_and(|plies| plies <= 0), "{rule:?}: {lost:?}");
    }
}

#[test]
fn a_perpetual_checker_loses_at_the_third_occurrence_on_the_board() {
    // One more check and the position stands for the third time: red has lost by then, black has won before its move.
    let rounds = "a8a9 d9d8 a9a8 d8d9 ";
    let (position, history) = line::<Xiangqi>(ROOK_CHECKS, &rounds.repeat(2));
    let mut searcher: Searcher<Xiangqi> = Searcher::new(TABLE_BYTES);
    let found = searcher.search(&position, &history, &Limits::depth(2), &mut |_| ());
    let check = Xiangqi::coordinates().parse(&position, "a8a9").unwrap();
    assert_ne!(found.best, check, "{found:?}");
    let mut after = position.clone();
    let mut path = history.clone();
    path.play_on(&mut after, check);
    assert_eq!(path.span(2), Some(8));
}

#[test]
fn scores_that_depend_on_the_path_are_not_stored() {
    // Black, lost otherwise, is a move away from the third occurrence: on this path its king's position is a draw.
    let (position, history) = line::<Chess>(QUEEN, &(QUEEN_WAITS.to_owned() + "a1a2 f5f6"));
    let mut searcher: Searcher<Chess> = Searcher::new(TABLE_BYTES);
    let result = searcher.search(&position, &history, &Limits::depth(6), &mut |_| ());
    assert!(result.score > Score::from_centipawns(500), "{result:?}");
    let mut saved = position.clone();
    saved.play_unchecked(Chess::coordinates().parse(&position, "a2a1").unwrap());
    let Some(Found::Searched(entry)) = searcher.table.probe(saved.key(), saved.lock()) else {
        panic!("the search has been where black saves itself");
    };
    let is_claim = matches!(entry.bound, Bound::Exact | Bound::Lower);
    assert!(!is_claim || entry.score < Score::from_centipawns(-500), "{entry:?}");
    // Without that history black is lost there, and the same table must not hide it.
    let fresh = History::at(&saved);
    let lost = searcher.search(&saved, &fresh, &Limits::depth(6), &mut |_| ());
    assert!(lost.score < Score::from_centipawns(-500), "{lost:?}");
}

#[test]
fn the_valid_bound_of_a_path_dependent_score_is_stored() {
    let node = 4;
    let gathered = |best: i32, other: i32| {
        let mut reliance = Reliance::NONE;
        reliance.note(best, true);
        reliance.note(other, false);
        [Bound::Lower, Bound::Exact, Bound::Upper].map(|bound| reliance.bound(bound, node))
    };
    let all = [Bound::Lower, Bound::Exact, Bound::Upper].map(Some);
    assert_eq!(gathered(NOTHING, NOTHING), all);
    // A cycle that begins at the node or below it harms nothing.
    assert_eq!(gathered(4, 6), all);
    // Another move's score depends on the path; the value of the best move still holds.
    assert_eq!(gathered(NOTHING, 3), [Some(Bound::Lower), Some(Bound::Lower), None]);
    assert_eq!(gathered(3, NOTHING), [None, None, None]);
    assert_eq!(gathered(THE_GAME, NOTHING), [None, None, None]);
}
