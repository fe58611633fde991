use super::*;
use crate::chess::Chess;

#[test]
fn tuner_skips_games_without_result_or_with_illegal_moves() {
    let mut tuner = Tuner::<Chess>::default();
    assert!(tuner.take_line("e2e4 e7e5 1-0"));
    assert!(!tuner.take_line("e2e4 e7e5 *"));
    assert!(!tuner.take_line("e2e5 1-0"));
    assert_eq!(tuner.games, 1);
}

#[test]
fn tuning_lowers_the_error() {
    let mut tuner = Tuner::<Chess>::default();
    // A pawn in the centre wins against one at the edge, while knights go out and home.
    let round = "g1f3 g8f6 f3g1 f6g8 b1c3 b8c6 c3b1 c6b8 ".repeat(12);
    for _ in 0..TEST_EVERY {
        assert!(tuner.take_line(&format!("e2e4 a7a6 {round}1-0")));
    }
    assert!(!tuner.test.is_empty());
    let tuned = tuner.tune(20);
    assert!(tuned.error[1] < tuned.error[0], "{:?}", tuned.error);
    assert!(tuned.text.contains("pub(super) static NUMBERS: [Pair; COUNT]"));
}
