//! Games encoded by the crate, in each of its encodings, and damaged ones.

use aix_chess_compression::{CompressionLevel, Encode, Encoder};
use proptest::prelude::*;
use shakmaty::Position;

use super::*;
use crate::archive::{Format, NoteKind};
use crate::game::Outcome;

const LEVELS: [CompressionLevel; 3] =
    [CompressionLevel::Low, CompressionLevel::Medium, CompressionLevel::High];

/// A game of the crate's documentation in its three encodings.
const ENCODED: [&[u8]; 3] = [
    b"\x0C\x1C4$\x05\x1A9*\x06\x151)\x04\x07>-\x0A\x12=\x22\x9A5\xBC5\x15&5>\x03\x11-#\x91#>=#5\x00",
    b"<]\x93.\x0DT?\xE2\xEC\xDE\xEFaFR\x973\xDB\x03v",
    b"\x9F-\x84\x1C\x1A\x9D:\xBD\xB3\xB8",
];
const MOVES: &str = "Pe2e4 Pe7e5 Bf1c4 Nb8c6 Ng1f3 Pb7b6 O-O Ng8f6 Pc2c3 Bf8c5 Bc4xf7 Ke8xf7 Nf3g5 Kf7g8 Qd1b3 \
                     Nf6d5 Qb3xd5 Kg8f8 Qd5f7";

fn entry_of(moves: Option<&[u8]>, plies: Option<u32>, lists: [&[i64]; 3], tags: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let write = |at: usize, value: &mut Vec<u8>| {
        value.extend_from_slice(tags[at].1.as_bytes());
        !tags[at].1.is_empty()
    };
    pack(&Row { moves, plies, lists }, tags.iter().map(|(name, _)| name.as_bytes()), write, &mut bytes);
    bytes
}

fn read(bytes: &[u8], options: &ReadOptions) -> Vec<GameRecord<Token>> {
    let block = Block { member: None, format: Format::Aix, offset: 70, line: 0, bytes: bytes.to_vec() };
    let mut records = Vec::new();
    read_block(&block, options, &mut |record| records.push(record.clone()));
    records
}

fn read_moves_of(moves: &[u8], plies: u32) -> GameRecord<Token> {
    read(&entry_of(Some(moves), Some(plies), [&[]; 3], &[]), &ReadOptions::everything()).remove(0)
}

fn texts(moves: &[Token]) -> String {
    moves.iter().map(Token::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn game_of_the_documentation_is_read_in_each_encoding() {
    for moves in ENCODED {
        let record = read_moves_of(moves, 19);
        assert_eq!(record.defect, None);
        assert_eq!(texts(&record.moves), MOVES.replace('P', ""));
    }
}

#[test]
fn tags_are_facts_and_rows_are_places() {
    let tags = [
        ("White", "Ann"),
        ("Black", "Ben"),
        ("Event", ""),
        ("Result", "1-0"),
        ("WhiteElo", "1800"),
        ("UTCDate", "2013.01.02"),
    ];
    let entry = entry_of(Some(ENCODED[0]), Some(19), [&[]; 3], &tags);
    let records = read(&[entry.clone(), entry].concat(), &ReadOptions::everything());
    assert_eq!(
        records.iter().map(|record| (record.offset, record.length)).collect::<Vec<_>>(),
        [(70, 1), (71, 1)]
    );
    let record = &records[1];
    assert_eq!((record.first_player.as_str(), record.second_player.as_str()), ("Ann", "Ben"));
    assert_eq!((record.ratings, record.date.as_str(), record.year), ([1800, 0], "2013.01.02", 2013));
    assert_eq!((record.outcome, record.tagged), (Outcome::FirstWins, Outcome::FirstWins));
    assert_eq!((record.tags.len(), record.event.as_str()), (5, ""));
}

#[test]
fn clocks_and_evaluations_are_comments() {
    let entry = entry_of(Some(ENCODED[0]), None, [&[180, 175], &[3601], &[17, -120, 32_765]], &[]);
    let record = read(&entry, &ReadOptions::everything()).remove(0);
    let comments: Vec<_> = record.notes.iter().map(|note| (note.ply, note.kind.clone())).collect();
    let comment = |text: &str| NoteKind::Comment(text.to_owned());
    assert_eq!(
        comments,
        [
            (1, comment("[%eval 0.17] [%clk 0:03:00]")),
            (2, comment("[%eval -1.2] [%clk 1:00:01]")),
            (3, comment("[%eval #3] [%clk 0:02:55]")),
        ]
    );
    assert!(read(&entry, &ReadOptions::default())[0].notes.is_empty());
}

#[test]
fn bad_games_have_a_reason() {
    let [low, medium, _] = ENCODED;
    let illegal = [low[..2].to_vec(), b"\x0C\x1C\0".to_vec()].concat();
    let fen = "8/8/8/8/8/4k3/8/4K2R w - - 0 1";
    for (moves, plies, start, reason, words) in [
        (None, 0, "", "truncated", "found none"),
        (Some(&b""[..]), 0, "", "encoding", "empty data"),
        (Some(&b"\xc0"[..]), 0, "", "encoding", "level"),
        (Some(&illegal[..]), 2, "", "bad-move", "as ply 2"),
        (Some(&low[1..]), 19, "", "bad-move", "as ply 1"),
        (Some(&medium[3..]), 19, "", "bad-move", "damaged"),
        (Some(low), 20, "", "truncated", "expected 20 plies, as ply_count says, found 19"),
        (Some(low), 19, fen, "placement", "usual start"),
    ] {
        let entry = entry_of(moves, Some(plies), [&[]; 3], &[("FEN", start)]);
        let defect = read(&entry, &ReadOptions::everything()).remove(0).defect.expect(words);
        assert_eq!((defect.reason, defect.offset), (reason, 70), "{words}");
        assert!(defect.message.contains(words), "{}", defect.message);
    }
}

#[test]
fn limit_ends_a_game_before_its_damage() {
    let options = ReadOptions { max_ply: Some(3), ..ReadOptions::default() };
    let entry = entry_of(Some(&ENCODED[0][..9]), Some(19), [&[]; 3], &[]);
    let record = read(&entry, &options).remove(0);
    assert_eq!((record.moves.len(), record.defect), (3, None));
}

/// Plays moves that numbers choose, and encodes them.
fn played(choices: &[u16], level: CompressionLevel) -> (Vec<Token>, Vec<u8>) {
    let mut position = shakmaty::Chess::default();
    let (mut tokens, mut encoder) = (Vec::new(), Encoder::new(level));
    for &choice in choices {
        let legal = position.legal_moves();
        let Some(&chosen) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
        tokens.push(token_of(chosen).unwrap());
        encoder.encode_move(chosen).unwrap();
        position.play_unchecked(chosen);
    }
    (tokens, encoder.finish().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_games_are_read_as_played(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        for level in LEVELS {
            let (tokens, moves) = played(&choices, level);
            let record = read_moves_of(&moves, tokens.len() as u32);
            prop_assert_eq!(record.defect, None);
            prop_assert_eq!(record.moves, tokens);
        }
    }

    #[test]
    fn damaged_moves_end_with_a_legal_beginning(
        choices in prop::collection::vec(any::<u16>(), 1..80),
        level in 0..3usize,
        place in any::<prop::sample::Index>(),
        bit in 0..8u32,
    ) {
        let (_, mut moves) = played(&choices, LEVELS[level]);
        let place = place.index(moves.len());
        moves[place] ^= 1 << bit;
        let record = read_moves_of(&moves, u32::MAX);
        let mut position = shakmaty::Chess::default();
        for token in record.moves {
            let legal = token.san().to_move(&position);
            prop_assert!(legal.is_ok(), "{token}");
            position.play_unchecked(legal.unwrap());
        }
    }
}
