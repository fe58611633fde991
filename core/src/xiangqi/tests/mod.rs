//! Laws and examples of the xiangqi room: moves, keys. FENs and notations are tested in other files.

mod archives;
mod fen;
mod notation;
mod reference;

use proptest::prelude::*;

use super::*;
use crate::game::tests::random_play;
use crate::game::{Verdict, perft};

const MIDDLEGAME: &str = "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1";

fn position(fen: &str) -> Xiangqi {
    Xiangqi::from_fen(fen).unwrap()
}

fn legal(position: &Xiangqi) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.sort_unstable();
    moves.to_vec()
}

fn ranks(position: &Xiangqi, text: &str) -> Option<(u8, u8)> {
    let m = IccsNotation.parse(position, text).unwrap();
    position.capture(m).map(|capture| (capture.attacker, capture.victim))
}

/// Starts from which random play soon meets pins, screens, checks and bare generals.
fn any_start() -> impl Strategy<Value = Xiangqi> {
    let fens = [
        Xiangqi::start().to_fen(),
        MIDDLEGAME.to_owned(),
        "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w - - 0 1".to_owned(),
        "2ba3R1/5k3/4ba3/p7p/3rN4/4P2N1/2c5P/4B4/2p1A4/c3KAB2 b - - 0 1".to_owned(),
        "r2akC2R/4a4/4b3n/2R1C4/4c4/9/4c4/4B4/3rA4/3AKp3 w - - 0 1".to_owned(),
        "3k5/9/4P4/9/9/9/9/9/9/4K4 b - - 0 1".to_owned(),
    ];
    prop::sample::select(fens.to_vec()).prop_map(|fen| position(&fen))
}

fn choices(longest: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 1..longest)
}

#[test]
fn perft_has_published_counts() {
    // Chess Programming Wiki, Chinese Chess Perft Results.
    let published = [
        (fen::START, vec![44, 1_920, 79_666]),
        ("r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1", vec![38, 1_128, 43_929]),
        ("1cbak4/9/n2a5/2p1p3p/5cp2/2n2N3/6PCP/3AB4/2C6/3A1K1N1 w - - 0 1", vec![7, 281, 8_620]),
        ("5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w - - 0 1", vec![25, 424, 9_850]),
        ("CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w - - 0 1", vec![28, 516, 14_808]),
        ("R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w - - 0 1", vec![21, 364, 7_626]),
        (MIDDLEGAME, vec![49, 2_265, 100_326]),
    ];
    for (fen, counts) in published {
        let counted: Vec<u64> = (1..=3).map(|depth| perft(&position(fen), depth)).collect();
        assert_eq!(counted, counts, "{fen}");
    }
}

#[test]
fn keys_are_stable() {
    // Computed by an independent SplitMix64 from the two seeds.
    let start = Xiangqi::start();
    let (first, last) = (Square::of(0), Square::of(89));
    assert_eq!((start.key().0, start.lock().0), (0xd00b_fcf9_4037_ed59, 0x4bfa_8fe0));
    assert_eq!(hash::word(Side::First, Kind::Pawn, first), 0x93a3_72ca_fdde_ef5c_e0ed_1dd6);
    assert_eq!(hash::word(Side::Second, Kind::General, last), 0xbcbc_a3da_d08b_112f_ffd1_4114);
    assert_eq!(hash::SECOND_TO_MOVE, 0xeb2f_2ad0_0339_27c4_77f5_2edf);
}

#[test]
fn usual_moves_of_the_start_are_those_of_manuals() {
    let start = Xiangqi::start();
    for (rare, usual) in [
        ("b2e2", "h2e2"),
        ("b2f2", "h2d2"),
        ("b2d2", "h2f2"),
        ("g3g4", "c3c4"),
        ("c0e2", "g0e2"),
        ("h0g2", "b0c2"),
        ("d0e1", "f0e1"),
        ("e3e4", "e3e4"),
    ] {
        for text in [rare, usual] {
            let m = Xiangqi::coordinates().parse(&start, text).unwrap();
            assert_eq!(Xiangqi::coordinates().format(&start, start.usual_move(m)), usual);
        }
    }
}

#[test]
fn mate_differs_from_stalemate() {
    let verdict = |fen| position(fen).verdict();
    assert_eq!(verdict("3k5/4P4/9/9/9/9/9/9/9/4K4 b"), Some(Verdict::Stalemate));
    assert_eq!(verdict("3k5/3P5/9/9/9/9/9/9/9/4K4 b"), None);
    assert_eq!(verdict("3k5/3R5/3R5/9/9/9/9/9/9/4K4 b"), Some(Verdict::Mate));
}

#[test]
fn without_a_piece_that_crosses_the_river_nobody_wins() {
    assert_eq!(position("3k5/9/9/9/9/9/9/9/9/4K4 w").verdict(), Some(Verdict::InsufficientMaterial));
    assert_eq!(position("3k5/4a4/9/9/9/9/9/4B4/9/4K4 b").verdict(), Some(Verdict::InsufficientMaterial));
    assert_eq!(position("3k5/9/9/9/9/9/9/7p1/9/4K4 w").verdict(), None);
}

#[test]
fn captures_rank_attacker_and_victim() {
    let start = Xiangqi::start();
    assert_eq!(ranks(&start, "h2h9"), Some((Kind::Cannon as u8, Kind::Horse as u8)));
    assert_eq!(ranks(&start, "h2e2"), None);
    let mut noisy = MoveList::new();
    start.noisy_moves(&mut noisy);
    assert_eq!(noisy.len(), 2);
}

#[test]
fn pawns_ahead_and_captures_cannot_be_undone() {
    let crossed = position("3k5/9/9/p8/P8/9/9/9/9/4K4 w");
    let is_final = |text| crossed.is_irreversible(IccsNotation.parse(&crossed, text).unwrap());
    assert!(is_final("a5a6"));
    assert!(!is_final("a5b5"));
    assert!(!is_final("e0e1"));
    assert!(Xiangqi::start().is_irreversible(encode(Square::of(25), Square::of(88))));
    assert!(Xiangqi::start().is_irreversible(encode(Square::of(27), Square::of(36))));
}

proptest! {
    #[test]
    fn incremental_hashes_equal_hashes_from_scratch(start in any_start(), choices in choices(160)) {
        for position in random_play(start, &choices) {
            prop_assert_eq!((position.hash, position.mirror_hash), position.hashes_from_scratch());
            prop_assert_eq!(position.mirror_hash, position.mirrored().hash);
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            for m in moves {
                let (mut next, mut foretold) = (position.clone(), None);
                next.play_foretold(m, |key| foretold = Some(key));
                prop_assert_eq!(foretold, Some(next.key()));
            }
        }
    }

    #[test]
    fn moves_match_slow_generator(start in any_start(), choices in choices(120)) {
        for position in random_play(start, &choices) {
            let moves = legal(&position);
            prop_assert_eq!(&moves, &reference::legal_moves(&position), "{:?}", position);
            prop_assert_eq!(position.count_legal_moves(), moves.len());
            prop_assert_eq!(position.is_check(), reference::is_check(&position));
            let mut noisy = MoveList::new();
            position.noisy_moves(&mut noisy);
            noisy.sort_unstable();
            let (captures, others): (Vec<Move>, Vec<Move>) =
                moves.into_iter().partition(|&m| position.capture(m).is_some());
            prop_assert_eq!(noisy.to_vec(), captures);
            position.quiet_moves(&mut noisy);
            noisy.sort_unstable();
            prop_assert_eq!(noisy.to_vec(), &others[..]);
            position.quiet_checks(&mut noisy);
            noisy.sort_unstable();
            let checks: Vec<Move> = others.into_iter().filter(|&m| position.gives_check(m)).collect();
            prop_assert_eq!(noisy.to_vec(), checks, "{:?}", position);
        }
    }

    #[test]
    fn only_listed_moves_are_legal(start in any_start(), choices in choices(80), codes in prop::collection::vec(any::<u16>(), 64)) {
        for position in random_play(start, &choices) {
            let moves = legal(&position);
            for &code in &codes {
                prop_assert_eq!(position.is_legal(Move(code)), moves.contains(&Move(code)));
            }
        }
    }

    #[test]
    fn a_mirrored_position_has_the_mirrored_moves(start in any_start(), choices in choices(80)) {
        for position in random_play(start, &choices) {
            let mirrored = position.mirrored();
            let mut moves: Vec<Move> = legal(&position).into_iter().map(Xiangqi::mirror_move).collect();
            moves.sort_unstable();
            prop_assert_eq!(moves, legal(&mirrored));
            prop_assert_eq!(mirrored.mirrored(), position.clone());
            let (one, other) = (position.folded(), mirrored.folded());
            prop_assert_eq!((one.key, one.lock), (other.key, other.lock));
        }
    }

    #[test]
    fn usual_move_is_the_same_for_a_move_and_its_mirror(start in any_start(), choices in choices(40)) {
        for position in random_play(start, &choices) {
            for m in legal(&position) {
                let symmetry = position.folded().symmetry;
                let usual = if symmetry == Symmetry::SelfMirrored { position.usual_move(m) } else { m };
                prop_assert_eq!(position.unfold_move(symmetry, Xiangqi::fold_move(symmetry, m)), usual);
                if symmetry == Symmetry::SelfMirrored {
                    prop_assert!(usual == m || usual == Xiangqi::mirror_move(m));
                    prop_assert_eq!(position.usual_move(Xiangqi::mirror_move(m)), usual);
                }
            }
        }
    }

    #[test]
    fn fen_round_trips(start in any_start(), choices in choices(120)) {
        for position in random_play(start, &choices) {
            prop_assert_eq!(Xiangqi::from_fen(&position.to_fen()), Ok(position));
        }
    }

    #[test]
    fn any_text_is_read_or_refused_but_never_panics(text in "[rnbakcpRNBAKCPhe0-9/wb\\[\\] -]{0,120}") {
        let _ = Xiangqi::from_fen(&text);
    }
}

#[test]
fn every_code_is_legal_if_and_only_if_it_is_listed() {
    for fen in [fen::START, MIDDLEGAME] {
        let position = position(fen);
        let accepted: Vec<Move> = (0..=u16::MAX).map(Move).filter(|&m| position.is_legal(m)).collect();
        assert_eq!(accepted, legal(&position));
    }
}
