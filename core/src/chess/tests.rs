//! Laws and examples of the chess room.

use proptest::prelude::*;
use shakmaty::san::San;
use shakmaty::{File, Rank, Square};

use super::*;
use crate::game::perft;
use crate::game::tests::wander;

#[test]
fn start_has_polyglot_key() {
    assert_eq!(Chess::start().key().0, 0x463b_9618_1691_fc9c);
}

#[test]
fn kiwipete_has_published_counts() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let position = Chess::from_fen(kiwipete).unwrap();
    assert_eq!([1, 2, 3].map(|depth| perft(&position, depth)), [48, 2039, 97862]);
}

#[test]
fn castling_reads_and_writes_as_e1g1() {
    let position = Chess::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    let m = UciNotation.parse(&position, "e1g1").unwrap();
    assert_eq!(UciNotation.format(&position, m), "e1g1");
    assert_eq!(SanNotation.format(&position, m), "O-O");
    assert_eq!(m, Move(4 << 6 | 7));
}

proptest! {
    #[test]
    fn incremental_keys_equal_keys_from_scratch(choices in prop::collection::vec(any::<u16>(), 1..160)) {
        let mut position = Chess::start();
        let mut moves = MoveList::new();
        for choice in choices {
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let m = moves[usize::from(choice) % moves.len()];
            prop_assert!(position.is_legal(m));
            let mut hashed = Vec::new();
            position.hashed_moves(|m, hash| hashed.push((m, hash, position.after(m))));
            prop_assert!(hashed.iter().map(|(m, ..)| m).eq(&moves));
            for (m, hash, next) in hashed {
                prop_assert!(hash == position.hash_after(m) && hash.is_none_or(|hash| hash == (next.key(), next.lock())));
            }
            let (before, mut foretold) = (position.state, None);
            position.play_foretold(m, |key| foretold = Some(key));
            prop_assert_eq!(position.hash, hash::from_scratch(&position.board));
            let is_alike = before.change_to(&position.state) == hash::turn();
            prop_assert_eq!(foretold == Some(position.key()), is_alike);
        }
    }

    #[test]
    fn only_listed_moves_are_legal(choices in prop::collection::vec(any::<u16>(), 0..80), code in any::<u16>()) {
        let position = wander(Chess::start(), &choices);
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        prop_assert_eq!(position.is_legal(Move(code)), moves.contains(&Move(code)));
    }

    #[test]
    fn noisy_and_quiet_moves_are_all_legal_moves(
        start in prop::sample::select(vec![
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "5k2/8/8/8/3B4/8/3N4/R3K2R w KQ - 0 1",
        ]),
        choices in prop::collection::vec(any::<u16>(), 0..60),
    ) {
        let mut position = Chess::from_fen(start).unwrap();
        let (mut all, mut part) = (MoveList::new(), MoveList::new());
        for choice in choices {
            position.legal_moves(&mut all);
            let (mut noisy, mut quiet) = (Vec::new(), Vec::new());
            position.noisy_moves(&mut part);
            noisy.extend_from_slice(&part);
            position.quiet_moves(&mut part);
            quiet.extend_from_slice(&part);
            for m in &all {
                let decoded = position.decode(*m).unwrap();
                let is_noisy = decoded.is_capture() || decoded.is_promotion();
                prop_assert!(noisy.contains(m) == is_noisy && quiet.contains(m) != is_noisy, "{m:?} in {}", position.to_fen());
            }
            prop_assert_eq!(noisy.len() + quiet.len(), all.len());
            quiet.retain(|&m| position.gives_check(m));
            position.quiet_checks(&mut part);
            prop_assert_eq!(part.to_vec(), quiet, "{}", position.to_fen());
            if all.is_empty() {
                break;
            }
            position.play_unchecked(all[usize::from(choice) % all.len()]);
        }
        position.legal_moves(&mut all);
        for code in 0..=u16::MAX {
            prop_assert_eq!(position.is_legal(Move(code)), all.contains(&Move(code)), "{:#x} in {}", code, position.to_fen());
        }
    }
}

/// Any SAN of a piece or a pawn, be it sensible or not.
pub(super) fn any_san() -> impl Strategy<Value = San> {
    let role = prop::sample::select(vec![
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ]);
    let file = prop::option::weighted(0.3, (0..8u32).prop_map(File::new));
    let rank = prop::option::weighted(0.1, (0..8u32).prop_map(Rank::new));
    let promotion = prop::option::weighted(0.1, role.clone());
    (role, file, rank, any::<bool>(), 0..64u32, promotion).prop_map(
        |(role, file, rank, capture, to, promotion)| San::Normal {
            role,
            file,
            rank,
            capture,
            to: Square::new(to),
            promotion,
        },
    )
}
