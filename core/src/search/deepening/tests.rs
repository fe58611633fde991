use proptest::prelude::*;

use super::*;
use crate::chess::Chess;
use crate::evaluate::Standard;
use crate::game::tests::wander;
use crate::history::History;
use crate::search::{Limits, Searcher, plies_to_mate};
use crate::xiangqi::Xiangqi;

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

fn mate_in_two<G: Searchable>(position: &G, selectivity: Selectivity, limits: &Limits) -> Option<i32>
where
    Standard: Evaluate<G>,
{
    let mut searcher: Searcher<G> = Searcher::with_evaluation(1 << 20, Standard, selectivity);
    let result = searcher.search(position, &History::at(position), limits, &mut |_| ());
    result.score.mate_plies().filter(|plies| (1..=3).contains(plies))
}

/// Asks for mates in two after some moves, and looks at every line to compare.
fn check_mates_in_two<G: Searchable>(start: &str, choices: &[u16]) -> Result<(), TestCaseError>
where
    Standard: Evaluate<G>,
{
    let position = wander(G::from_fen(start).unwrap(), choices);
    if position.count_legal_moves() == 0 {
        return Ok(());
    }
    let there_is = mate_in_two(&position, Selectivity::None, &Limits::depth(4));
    let asked = Limits { mate_plies: Some(plies_to_mate(2)), ..Limits::depth(4) };
    prop_assert_eq!(mate_in_two(&position, Selectivity::Full, &asked), there_is, "{}", position.to_fen());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_mate_in_two_at_chess_is_found_if_there_is_one(
        start in prop::sample::select(vec![
            "6k1/5ppp/8/8/8/8/1R3PPP/R5K1 w - - 0 1",
            "7k/6pp/8/6N1/2Q5/8/5PPP/6K1 w - - 0 1",
            "5rk1/5ppp/8/6N1/8/1B5Q/5PPP/6K1 w - - 0 1",
            "8/7p/8/8/2N5/8/p1K5/k7 w - - 0 1",
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1",
        ]),
        choices in prop::collection::vec(any::<u16>(), 0..4),
    ) {
        check_mates_in_two::<Chess>(start, &choices)?;
    }

    #[test]
    fn a_mate_in_two_at_xiangqi_is_found_if_there_is_one(
        start in prop::sample::select(vec![
            "3k5/4a4/9/9/4P4/9/9/R8/9/4K4 w - - 0 1",
            "4ka3/4a4/9/9/9/4N4/9/7R1/9/4K4 w - - 0 1",
            "3k5/9/9/9/9/9/4N4/9/9/5K3 w - - 0 1",
            "3aka3/9/9/9/9/9/2N6/4C4/R8/3K5 w - - 0 1",
        ]),
        choices in prop::collection::vec(any::<u16>(), 0..4),
    ) {
        check_mates_in_two::<Xiangqi>(start, &choices)?;
    }
}

#[test]
fn mates_are_searched_at_their_iteration_if_requested() {
    let asked = [1, 2, 3, 4, 5, 6, 7, 8].map(|iteration| due_mate(iteration, Some(5)));
    assert_eq!(asked, [None, Some(1), None, Some(3), None, Some(5), None, None]);
    assert_eq!([4, 6].map(|iteration| due_mate(iteration, Some(3))), [Some(3), None]);
    assert_eq!(due_mate(2, None), None);
}
