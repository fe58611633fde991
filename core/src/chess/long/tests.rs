use super::*;
use crate::game::{Game, MoveList};

#[test]
fn long_notation_round_trips() {
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    ] {
        let position = Chess::from_fen(fen).unwrap();
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for m in moves {
            let text = LongNotation.format(&position, m);
            assert_eq!(LongNotation.parse(&position, &text), Ok(m), "{text} in {fen}");
        }
    }
}

#[test]
fn long_notation_writes_origin_capture_promotion_and_check() {
    let position = Chess::from_fen("3q2k1/4P3/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
    let long = |san: &str| LongNotation.format(&position, SanNotation.parse(&position, san).unwrap());
    assert_eq!(long("exd8=Q+"), "e7xd8=Q+");
    assert_eq!(long("Ra7"), "Ra1-a7");
    assert_eq!(long("O-O"), "O-O");
    assert_eq!(long("Ke2"), "Ke1-e2");
}
