//! Laws and examples of the xiangqi evaluation.

use proptest::prelude::*;

use super::*;
use crate::game::MoveList;

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
        let mut position = Xiangqi::start();
        let mut moves = MoveList::new();
        for choice in choices {
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[usize::from(choice) % moves.len()]);
        }
        let score = Standard.centipawns(&position);
        prop_assert_eq!(score, Standard.centipawns(&swapped(&position)));
        prop_assert_eq!(score, Standard.centipawns(&position.mirrored()));
    }
}

#[test]
fn the_start_is_worth_the_right_to_move() {
    assert_eq!(Standard.centipawns(&Xiangqi::start()), tables::TEMPO);
}

#[test]
fn a_board_without_attackers_is_even() {
    assert_eq!(centipawns("3k5/4a4/9/9/9/9/9/9/9/4K4 w - - 0 1"), 0);
}

#[test]
fn a_pawn_past_the_river_is_worth_two() {
    let at = |board: &str| centipawns(&format!("{board} w - - 0 1"));
    let home = at("3k5/9/9/9/9/9/4P4/9/9/4K4");
    let past = at("3k5/9/9/4P4/9/9/9/9/9/4K4");
    assert!(past > 2 * home - tables::TEMPO, "{home} {past}");
}

#[test]
fn cannons_fall_and_horses_rise_as_pieces_leave() {
    let cannon = tables::POINTS[Kind::Cannon as usize][40];
    let horse = tables::POINTS[Kind::Horse as usize][40];
    assert!(cannon.end < cannon.middle && horse.end > horse.middle);
    assert!(horse.end > cannon.end);
}

#[test]
fn a_cannon_before_a_bare_general_counts_more() {
    let open = centipawns("4k4/9/9/9/9/4C4/9/9/9/3K5 w - - 0 1");
    let aside = centipawns("4k4/9/9/9/9/3C5/9/9/9/3K5 w - - 0 1");
    assert!(open > aside + 30, "{open} {aside}");
}

#[test]
fn exchanges_count_the_captured_piece() {
    let position = Xiangqi::from_fen("4k4/9/9/9/4r4/9/9/4R4/9/3K5 w - - 0 1").unwrap();
    let exchange =
        |text: &str| Standard.exchange(&position, Xiangqi::coordinates().parse(&position, text).unwrap());
    assert_eq!(exchange("e2e5"), Some(Exchange { gain: 900, risk: 900 }));
    assert_eq!(exchange("e2e4"), None);
}
