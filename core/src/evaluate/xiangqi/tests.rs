//! Laws and examples of the xiangqi evaluation.

use proptest::prelude::*;

use super::*;
use crate::game::Notated;
use crate::game::tests::wander;

fn centipawns(fen: &str) -> i32 {
    Standard.centipawns(&Xiangqi::from_fen(fen).unwrap())
}

/// Returns the position with sides swapped and the board turned.
fn swapped(position: &Xiangqi) -> Xiangqi {
    let fen = position.to_fen();
    let mut fields = fen.split_whitespace();
    let ranks: Vec<&str> = fields.next().unwrap().split('/').rev().collect();
    let swap = |c: char| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let board: String = ranks.join("/").chars().map(swap).collect();
    let turn = if fields.next() == Some("w") { "b" } else { "w" };
    Xiangqi::from_fen(&format!("{board} {turn} - - 0 1")).unwrap()
}

proptest! {
    #[test]
    fn mirrored_and_swapped_positions_get_the_same_score(choices in prop::collection::vec(any::<u16>(), 0..150)) {
        let position = wander(Xiangqi::start(), &choices);
        let score = Standard.centipawns(&position);
        prop_assert_eq!(score, Standard.centipawns(&swapped(&position)));
        prop_assert_eq!(score, Standard.centipawns(&position.mirrored()));
    }
}

#[test]
fn start_is_worth_tempo() {
    assert_eq!(Standard.centipawns(&Xiangqi::start()), NUMBERS[terms::TEMPO].middle);
}

#[test]
fn a_board_without_attackers_is_even() {
    assert_eq!(centipawns("3k5/4a4/9/9/9/9/9/9/9/4K4 w - - 0 1"), 0);
}

#[test]
fn a_pawn_past_the_river_is_worth_more() {
    let at = |board: &str| centipawns(&format!("{board} w - - 0 1"));
    let home = at("2bak1bnr/4a4/1c7/9/9/9/4P4/1C7/4A4/2BK1ABNR");
    let past = at("2bak1bnr/4a4/1c7/4P4/9/9/9/1C7/4A4/2BK1ABNR");
    assert!(past > home + 25, "{home} {past}");
}

#[test]
fn a_cannon_before_a_bare_general_counts_more() {
    let open = centipawns("4k4/9/9/9/9/4C4/9/9/9/3K5 w - - 0 1");
    let aside = centipawns("4k4/9/9/9/9/3C5/9/9/9/3K5 w - - 0 1");
    assert!(open > aside + 30, "{open} {aside}");
}

/// Returns the most that a move gains by static exchange evaluation.
fn exchanged(fen: &str, text: &str) -> i32 {
    let position = Xiangqi::from_fen(fen).unwrap();
    let m = Xiangqi::coordinates().parse(&position, text).unwrap();
    (-900..900).rev().find(|&least| Standard.holds(&position, m, least)).unwrap()
}

#[test]
fn exchanges_use_least_valuable_attacker() {
    // A rook that nothing guards; a quiet step.
    let open = "4k4/9/9/9/4r4/9/9/4R4/9/3K5 w - - 0 1";
    assert_eq!(exchanged(open, "e2e5"), 540);
    assert_eq!(exchanged(open, "e2e4"), -540);
    // A pawn that a horse guards, and the same with the horse's leg blocked.
    assert_eq!(exchanged("3k5/9/9/4n4/9/3p5/9/9/3R5/5K3 w - - 0 1", "d1d4"), 70 - 540);
    assert_eq!(exchanged("3k5/9/9/4n4/4P4/3p5/9/9/3R5/5K3 w - - 0 1", "d1d4"), 70);
    // A cannon takes back over a screen only.
    assert_eq!(exchanged("3k5/3c5/9/9/9/3p5/9/9/3R5/5K3 w - - 0 1", "d1d4"), 70);
    assert_eq!(exchanged("3k5/3c5/3n5/9/9/3p5/9/9/3R5/5K3 w - - 0 1", "d1d4"), 70 - 540);
}
