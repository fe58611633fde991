//! Laws and examples of the chess evaluation.

use proptest::prelude::*;

use super::*;
use crate::game::tests::wander;
use crate::game::{Game, Notated};

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
        let position = wander(Chess::start(), &choices);
        prop_assert_eq!(Standard.centipawns(&position), Standard.centipawns(&swapped(&position)));
    }
}

#[test]
fn start_is_worth_tempo() {
    assert_eq!(Standard.centipawns(&Chess::start()), NUMBERS[terms::TEMPO].middle);
}

#[test]
fn bare_kings_are_even() {
    assert_eq!(centipawns("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), 0);
    assert_eq!(centipawns("4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), 0);
}

#[test]
fn extra_queen_is_worth_about_a_queen() {
    let score = centipawns("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((900..1100).contains(&score), "{score}");
}

#[test]
fn advanced_passed_pawn_is_worth_more() {
    let at = |rank: &str| centipawns(&format!("{rank} w - - 0 1"));
    let fifth = at("6k1/p7/8/2P5/8/8/7P/6K1");
    let sixth = at("6k1/p7/2P5/8/8/8/7P/6K1");
    assert!(sixth > fifth, "{fifth} {sixth}");
}

#[test]
fn gains_count_capture_and_promotion() {
    let position = Chess::from_fen("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    let gain = |text: &str| Standard.gain(&position, Chess::coordinates().parse(&position, text).unwrap());
    assert_eq!(gain("c7d8q"), Some(1350));
    assert_eq!(gain("c7c8n"), Some(225));
    assert_eq!(gain("e1e2"), None);
    let castling = Chess::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert_eq!(Standard.gain(&castling, Chess::coordinates().parse(&castling, "e1g1").unwrap()), None);
}

/// Returns the most that a move gains by static exchange evaluation.
fn exchanged(fen: &str, text: &str) -> i32 {
    let position = Chess::from_fen(fen).unwrap();
    let m = Chess::coordinates().parse(&position, text).unwrap();
    (-1500..1500).rev().find(|&least| Standard.holds(&position, m, least)).unwrap()
}

#[test]
fn exchanges_use_least_valuable_attacker() {
    // A pawn that nothing guards; one that a knight and a queen behind it guard; the same with more attackers.
    assert_eq!(exchanged("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
    assert_eq!(exchanged("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), -225);
    // A quiet move to a square that a pawn attacks, and one to a safe square.
    assert_eq!(exchanged("4k3/8/2p5/8/8/4N3/8/4K3 w - - 0 1", "e3d5"), -325);
    assert_eq!(exchanged("4k3/8/2p5/8/8/4N3/8/4K3 w - - 0 1", "e3f5"), 0);
    // The king may capture an unguarded man, but not a guarded one.
    assert_eq!(exchanged("8/8/3k4/4r3/8/8/4R3/4K3 w - - 0 1", "e2e5"), 0);
    assert_eq!(exchanged("8/8/3k4/4r3/8/8/4RQ2/4K3 w - - 0 1", "e2e5"), 500 - 500);
    assert_eq!(exchanged("8/8/3k4/4r3/8/4R3/4R3/4K3 w - - 0 1", "e3e5"), 500);
    // En passant opens no guard: a pawn for nothing.
    assert_eq!(exchanged("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 100);
}

#[test]
fn tables_do_not_change_scores() {
    let mut table = Evaluate::<Chess>::memory(&Standard);
    let position =
        Chess::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    for _ in 0..2 {
        assert_eq!(Standard.judge(&position, &mut table), Standard.centipawns(&position));
    }
}

#[test]
fn wrong_bishop_with_rook_pawn_is_drawn() {
    for (fen, is_held) in [
        ("k7/P7/8/1K6/3B4/8/8/8 w - - 0 1", true),
        ("k7/P7/8/1K6/8/3B4/8/8 w - - 0 1", false),
        ("8/P7/8/1K6/3B4/5k2/8/8 w - - 0 1", false),
        ("k7/8/1P6/1K6/3B4/8/8/8 w - - 0 1", false),
        ("8/8/8/8/7p/4b2k/8/7K w - - 0 1", true),
    ] {
        assert_eq!(centipawns(fen).abs() < 60, is_held, "{fen}: {}", centipawns(fen));
    }
}

/// Returns in what danger black's king is.
fn danger(fen: &str) -> usize {
    let position = Chess::from_fen(fen).unwrap();
    let structure = pawns::structure(position.board().board(), &mut Sum::new(&NUMBERS));
    let [white, black] = both(position.board(), &structure);
    danger_level(&white, &black)
}

#[test]
fn danger_grows_with_attackers() {
    assert_eq!(danger("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0);
    // A queen, a knight with it, and a bishop that makes a check of theirs safe.
    let growing = [
        "r1b2rk1/ppp2p1p/6p1/8/8/8/PPP2PPP/2KR3R w - - 0 1",
        "r1b2rk1/ppp2p1p/6p1/7Q/8/8/PPP2PPP/2KR3R w - - 0 1",
        "r1b2rk1/ppp2p1p/6p1/6NQ/8/8/PPP2PPP/2KR3R w - - 0 1",
        "r1b2rk1/ppp2p1p/6p1/6NQ/3B4/8/PPP2PPP/2KR3R w - - 0 1",
    ]
    .map(danger);
    assert!(growing.is_sorted_by(|a, b| a < b), "{growing:?}");
    assert_eq!(growing[3], terms::DANGER_LEVELS - 1);
    // The same without the queen is nothing to speak of.
    assert!(danger("r1b2rk1/ppp2p1p/6p1/6N1/3B4/8/PPP2PPP/2KR3R w - - 0 1") < growing[3] / 2);
    // A knight next to the king guards it.
    let guarded = danger("r1b2rk1/pppn1p1p/6p1/6NQ/8/8/PPP2PPP/2KR3R w - - 0 1");
    assert!(guarded < growing[2], "{guarded} {growing:?}");
}
