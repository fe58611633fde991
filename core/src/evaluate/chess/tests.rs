//! Laws and examples of the chess evaluation.

use proptest::prelude::*;

use super::*;
use crate::game::MoveList;

fn centipawns(fen: &str) -> i32 {
    Standard.centipawns(&Chess::from_fen(fen).unwrap())
}

/// Returns the position with colours swapped and the board turned upside down.
fn swapped(position: &Chess) -> Chess {
    let fen = position.to_fen();
    let mut fields = fen.split_whitespace();
    let swap_case = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect()
    };
    let ranks: Vec<&str> = fields.next().unwrap().split('/').rev().collect();
    let board = swap_case(&ranks.join("/"));
    let turn = if fields.next() == Some("w") { "b" } else { "w" };
    let castles = swap_case(fields.next().unwrap());
    let en_passant = fields.next().unwrap().replace('3', "x").replace('6', "3").replace('x', "6");
    Chess::from_fen(&format!("{board} {turn} {castles} {en_passant} 0 1")).unwrap()
}

proptest! {
    #[test]
    fn a_mirrored_position_gets_the_same_score(choices in prop::collection::vec(any::<u16>(), 0..150)) {
        let mut position = Chess::start();
        let mut moves = MoveList::new();
        for choice in choices {
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[usize::from(choice) % moves.len()]);
        }
        prop_assert_eq!(Standard.centipawns(&position), Standard.centipawns(&swapped(&position)));
    }
}

#[test]
fn the_start_is_worth_the_right_to_move() {
    assert_eq!(Standard.centipawns(&Chess::start()), tables::TEMPO);
}

#[test]
fn bare_kings_are_even() {
    assert_eq!(centipawns("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 0);
    assert_eq!(centipawns("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), 0);
}

#[test]
fn a_queen_more_is_worth_about_a_queen() {
    let score = centipawns("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((900..1100).contains(&score), "{score}");
}

#[test]
fn a_passed_pawn_is_worth_more_the_farther_it_is() {
    let at = |rank: &str| centipawns(&format!("{rank} w - - 0 1"));
    let fifth = at("4k3/p7/8/4P3/8/8/7P/4K3");
    let sixth = at("4k3/p7/4P3/8/8/8/7P/4K3");
    assert!(sixth > fifth, "{fifth} {sixth}");
}

#[test]
fn exchanges_count_capture_and_promotion() {
    let position = Chess::from_fen("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    let exchange =
        |text: &str| Standard.exchange(&position, Chess::coordinates().parse(&position, text).unwrap());
    assert_eq!(exchange("c7d8q"), Some(Exchange { gain: 1350, risk: 100 }));
    assert_eq!(exchange("c7c8n"), Some(Exchange { gain: 220, risk: 0 }));
    assert_eq!(exchange("e1e2"), None);
}
