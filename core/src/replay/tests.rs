//! The counting rule, what is rejected, and what becomes of variations.

use super::*;
use crate::archive::Variation;
use crate::chess::{Chess, SanNotation, Token};
use crate::game::{Game, Notation};

fn record(moves: &str, outcome: Outcome) -> GameRecord<Token> {
    let moves: Vec<Token> = moves.split_whitespace().map(|text| text.parse().unwrap()).collect();
    GameRecord { marks: vec![0; moves.len()], moves, outcome, ..GameRecord::default() }
}

fn replay(options: ReplayOptions, record: &GameRecord<Token>) -> (Replayed, Vec<Observation>) {
    let mut out = Vec::new();
    (Replay::new(options).game::<Chess>(record, None, 0, &mut out), out)
}

#[test]
fn a_repeated_position_counts_once_with_its_first_move() {
    let game = record("Nf3 Nf6 Ng1 Ng8 e4", Outcome::Draw);
    let (_, out) = replay(ReplayOptions::default(), &game);
    let start = Chess::start();
    let knight = SanNotation.parse(&start, "Nf3").unwrap();
    let at_start: Vec<_> = out.iter().filter(|o| o.key == start.key().0).collect();
    assert_eq!(at_start.len(), 1);
    assert_eq!((at_start[0].played, at_start[0].ply), (knight, 0));
    assert_eq!(out.len(), 5);
}

#[test]
fn a_ply_limit_cuts_and_changes_nothing_before_it() {
    let game = record("Nf3 Nf6 Ng1 Ng8 e4 e5 Nf3 Nc6 Ng1 Nb8 d4", Outcome::Draw);
    let (_, whole) = replay(ReplayOptions::default(), &game);
    for limit in 0..12 {
        let (_, cut) = replay(ReplayOptions { max_ply: Some(limit), ..Default::default() }, &game);
        let expected = whole.iter().filter(|o| o.ply <= limit).map(|o| match o.ply < limit {
            true => *o,
            false => Observation { played: Move::NONE, ..*o },
        });
        assert_eq!(cut, expected.collect::<Vec<_>>(), "{limit}");
    }
}

#[test]
fn an_illegal_move_rejects_the_game_and_says_where() {
    let game = record("e4 e5 Ke3", Outcome::FirstWins);
    let (replayed, out) = replay(ReplayOptions::default(), &game);
    let Replayed::Rejected(fault) = replayed else { panic!("{replayed:?}") };
    assert_eq!((fault.reason, fault.ply, fault.token.as_str()), ("illegal-move", 2, "Ke3"));
    assert!(out.is_empty());
}

#[test]
fn a_prefix_is_kept_on_request_with_an_unknown_result() {
    let game = record("e4 e5 Ke3", Outcome::FirstWins);
    let (replayed, out) = replay(ReplayOptions { on_error: OnError::Prefix, ..Default::default() }, &game);
    let Replayed::Prefix(facts, _) = replayed else { panic!("{replayed:?}") };
    assert_eq!((facts.plies, facts.outcome, out.len()), (2, Outcome::Unknown, 3));
}

#[test]
fn moves_beyond_the_limit_matter_only_when_fully_checked() {
    let game = record("e4 e5 Ke3", Outcome::FirstWins);
    let limited = ReplayOptions { max_ply: Some(2), ..Default::default() };
    assert!(matches!(replay(limited, &game).0, Replayed::Used(_)));
    let full = ReplayOptions { full_check: true, ..limited };
    assert!(matches!(replay(full, &game).0, Replayed::Rejected(_)));
}

#[test]
fn full_check_observes_what_a_prefix_check_observes() {
    let game = record("e4 e5 Nf3 Nc6 Bb5", Outcome::FirstWins);
    let limited = ReplayOptions { max_ply: Some(3), ..Default::default() };
    let full = ReplayOptions { full_check: true, ..limited };
    assert_eq!(replay(limited, &game).1, replay(full, &game).1);
}

#[test]
fn variants_and_set_up_positions_are_filtered_by_default() {
    let mut game = record("e4", Outcome::Draw);
    game.variant = Some("Atomic".to_owned());
    assert_eq!(replay(ReplayOptions::default(), &game).0, Replayed::Filtered(Filtered::Variant));
    game.variant = None;
    game.start = Start::Fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned());
    assert_eq!(replay(ReplayOptions::default(), &game).0, Replayed::Filtered(Filtered::CustomStart));
    let custom = ReplayOptions { custom_starts: true, ..Default::default() };
    assert!(matches!(replay(custom, &game).0, Replayed::Used(_)));
}

/// A variation of the main line, or of the line numbered `leaves`.
fn variation(leaves: u32, ply: u32, moves: &str) -> Variation<Token> {
    let moves = record(moves, Outcome::Unknown).moves;
    Variation { leaves, ply, marks: vec![0; moves.len()], moves }
}

fn with_variations(moves: &str, variations: Vec<Variation<Token>>) -> GameRecord<Token> {
    GameRecord { variations, ..record(moves, Outcome::FirstWins) }
}

/// An observation's place among the game's facts (0 main line, 1 counts without result, 2 stands for no game), its
/// ply, and whether a move was played.
type Seen = (u32, u16, bool);

/// Replays with variations; returns what was observed, and how many variations were followed and cut.
fn follow(options: ReplayOptions, record: &GameRecord<Token>) -> (Vec<Seen>, (u64, u64)) {
    let mut out = Vec::new();
    let mut replay = Replay::new(ReplayOptions { variations: true, ..options });
    assert!(matches!(replay.game::<Chess>(record, None, 0, &mut out), Replayed::Used(_)));
    let followed = replay.followed();
    (out.iter().map(|o| (o.game, o.ply, o.played != Move::NONE)).collect(), (followed.lines, followed.cut))
}

#[test]
fn a_variation_s_first_move_stands_for_no_game_and_its_positions_count_without_a_result() {
    let game = with_variations("e4 e5", vec![variation(0, 1, "c5 Nf3")]);
    let (seen, followed) = follow(ReplayOptions::default(), &game);
    let main = [(0, 0, true), (0, 1, true), (0, 2, false)];
    assert_eq!(seen, [&main[..], &[(2, 1, true), (1, 2, true), (1, 3, false)]].concat());
    assert_eq!(followed, (1, 0));
    let (without, _) = follow(ReplayOptions::default(), &with_variations("e4 e5", Vec::new()));
    assert_eq!(without, main);
}

#[test]
fn variations_leave_variations_and_transpose_into_what_is_known() {
    // The second variation leaves the first, and reaches the position after 1. e4 e5 2. Nf3 by another order.
    let game = with_variations(
        "e4 e5 Nf3",
        vec![variation(0, 0, "Nf3 d5"), variation(1, 1, "e5 e4"), variation(0, 1, "e5")],
    );
    let (seen, followed) = follow(ReplayOptions::default(), &game);
    assert_eq!(followed, (3, 0));
    let beside: Vec<_> = seen[4..].to_vec();
    assert_eq!(beside, [(2, 0, true), (1, 1, true), (1, 2, false), (2, 1, true), (1, 2, true)]);
}

#[test]
fn a_variation_is_cut_at_an_illegal_move_and_the_game_stays() {
    let game = with_variations(
        "e4 e5",
        vec![
            variation(0, 1, "c5 Ke3 e6"),
            variation(1, 3, "d6"),
            variation(0, 9, "e6"),
            variation(7, 0, "d4"),
        ],
    );
    let (seen, followed) = follow(ReplayOptions::default(), &game);
    assert_eq!(seen[3..], [(2, 1, true), (1, 2, false)]);
    assert_eq!(followed, (1, 4));
}

#[test]
fn variations_keep_to_the_ply_limit() {
    let game = with_variations("e4 e5 Nf3", vec![variation(0, 1, "c5 Nf3 d6"), variation(0, 2, "f4")]);
    let limited = ReplayOptions { max_ply: Some(2), ..Default::default() };
    let (seen, followed) = follow(limited, &game);
    assert_eq!(seen[3..], [(2, 1, true), (1, 2, false)]);
    assert_eq!(followed, (1, 0));
    let full = ReplayOptions { full_check: true, ..limited };
    assert_eq!(follow(full, &game).0, seen);
}

#[test]
fn a_line_identifies_start_and_moves() {
    let line = |record: &GameRecord<Token>| {
        let options =
            ReplayOptions { custom_starts: true, max_ply: Some(1), full_check: true, ..Default::default() };
        let mut replay = Replay::new(options);
        replay.game::<Chess>(record, None, 0, &mut Vec::new());
        replay.line().to_vec()
    };
    let (short, long) = (line(&record("e4 e5", Outcome::Draw)), line(&record("e4 e5 Nf3", Outcome::Unknown)));
    assert_eq!((short.len(), long.len()), (4, 6));
    assert!(long.starts_with(&short));
    let from = |fen: &str| GameRecord { start: Start::Fen(fen.to_owned()), ..record("e4", Outcome::Draw) };
    let set_up = line(&from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    assert_eq!(set_up.len(), 2 + 8 + 4 + 2);
    assert_eq!(split(&set_up).1, &short[..2]);
    let standard = line(&from("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    assert_eq!(standard, short[..2]);
}
