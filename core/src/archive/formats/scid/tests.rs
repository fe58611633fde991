//! Games written by hand, by the tables of codes.

use super::*;
use crate::archive::tests::records;
use crate::archive::{Format, GameRecord};

const GLYPH: u8 = 11;
const COMMENT: u8 = 12;
const START: u8 = 13;
const END: u8 = 14;
const END_OF_GAME: u8 = 15;
/// Pawns of the usual start: one step; 14 more is two steps.
const PAWN_A: u8 = 8 << 4 | 1;
const PAWN_D: u8 = 11 << 4 | 15;
const PAWN_E: u8 = 12 << 4 | 15;
const KNIGHT_G: u8 = 6 << 4;

fn header() -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[3] = 77;
    record[21] = 1 << 4;
    record[23..25].copy_from_slice(&(101u16 * 131 + 1).to_be_bytes());
    let date = 1999u32 << 9 | 2 << 5 | 21;
    let event = 3u32 << 9 | 12 << 5 | 24;
    record[25..29].copy_from_slice(&(event << 20 | date).to_be_bytes());
    record[29..31].copy_from_slice(&2700u16.to_be_bytes());
    record[31..33].copy_from_slice(&(4u16 << 12 | 1800).to_be_bytes());
    record
}

fn block_of(record: &[u8; RECORD_BYTES], game: Option<&[u8]>) -> Block {
    let names: [&[u8]; 5] = ["Königin".as_bytes(), b"K\xf6nig", b"?", b"Linares", b"3.2"];
    let moves = game.map(<[u8]>::to_vec).ok_or_else(|| Defect::new("truncated", 182, "expected it"));
    let names = names.map(<[u8]>::to_vec).into();
    let games = vec![DatabaseGame { record: record.to_vec(), names, moves, annotations: Vec::new() }];
    Block { offset: 182, games, ..Block::of(Format::Si4, Vec::new()) }
}

fn read(block: &Block, options: &ReadOptions) -> GameRecord<Token> {
    let mut records = records::<Chess>(block, options);
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// Reads a game without tags from the usual start.
fn read_moves(moves: &[u8], options: &ReadOptions) -> GameRecord<Token> {
    read(&block_of(&header(), Some(&[&[0, 0], moves].concat())), options)
}

fn texts(moves: &[Token]) -> String {
    moves.iter().map(Token::to_string).collect::<Vec<_>>().join(" ")
}

/// 1. e4! (1. d4 (1. a3)) e5 2. Nf3, with comments.
fn annotated_moves() -> Vec<u8> {
    let moves =
        [COMMENT, PAWN_E, GLYPH, 1, GLYPH, 14, COMMENT, START, COMMENT, PAWN_D, GLYPH, 4, START, PAWN_A];
    let rest = [COMMENT, END, END, PAWN_E, KNIGHT_G | 7, COMMENT, END_OF_GAME];
    [&moves[..], &rest, b"Before all\0good\0first\0in between\0Z\xfcge\0"].concat()
}

#[test]
fn variants_are_named() {
    let variant = |name: &[u8]| {
        let tags = [b"\x07Variant", &[name.len() as u8][..], name, b"\0\0\x0f"].concat();
        read(&block_of(&header(), Some(&tags)), &ReadOptions::default()).variant
    };
    assert_eq!(variant(b"Atomic").as_deref(), Some("Atomic"));
    assert_eq!(variant(b"From Position"), None);
}

#[test]
fn only_the_main_line_is_decoded_if_no_more_is_wanted() {
    // The variation has a move of a piece that cannot go there.
    let moves = [PAWN_E, START, 15 << 4 | 15, 0x0a, START, END, END, GLYPH, 2, PAWN_E, END_OF_GAME];
    let plain = read_moves(&moves, &ReadOptions::default());
    assert_eq!((texts(&plain.moves), plain.marks, plain.defect), ("e2e4 e7e5".to_owned(), vec![-2, 0], None));
    let one = read_moves(&moves, &ReadOptions { max_ply: Some(1), ..ReadOptions::default() });
    assert_eq!((texts(&one.moves), one.marks, one.defect), ("e2e4".to_owned(), vec![-2], None));
    let all = read_moves(&moves, &ReadOptions::everything());
    assert_eq!((texts(&all.moves), all.marks), ("e2e4 e7e5".to_owned(), vec![-2, 0]));
    assert_eq!(all.defect.unwrap().reason, "bad-move");
}

#[test]
fn bad_games_have_a_reason() {
    let mut deleted = header();
    deleted[8] = 1 << 3;
    for (record, game, reason) in [
        (&deleted, Some(&[0, 0, END_OF_GAME][..]), "deleted"),
        (&header(), None, "truncated"),
        (&header(), Some(&[]), "truncated"),
        (&header(), Some(&[5, 1]), "truncated"),
        (&header(), Some(&[0]), "truncated"),
        (&header(), Some(&[0, 1, b'8']), "truncated"),
        (&header(), Some(&[0, 1, b'8', 0, END_OF_GAME]), "placement"),
        (&header(), Some(&[0, 0, PAWN_E]), "truncated"),
        (&header(), Some(&[0, 0, PAWN_E, GLYPH]), "truncated"),
        (&header(), Some(&[0, 0, 0x01, END_OF_GAME]), "bad-move"),
        (&header(), Some(&[0, 0, 9, END_OF_GAME]), "bad-move"),
        (&header(), Some(&[0, 0, START, END, END_OF_GAME]), "bad-move"),
        (&header(), Some(&[0, 0, END, END_OF_GAME]), "bad-move"),
        (&header(), Some(&[0, 0, PAWN_E, START, END_OF_GAME]), "unterminated-variation"),
    ] {
        let defect = read(&block_of(record, game), &ReadOptions::everything()).defect;
        let found = defect.as_ref().map_or("none", |defect| defect.reason);
        assert_eq!(found, reason, "{defect:?}");
    }
    let open = [&[PAWN_E][..], &[START; 5000], &[END; 5000], &[END_OF_GAME]].concat();
    assert_eq!(read_moves(&open, &ReadOptions::everything()).defect.unwrap().reason, "nesting");
    assert_eq!(read_moves(&open, &ReadOptions::default()).defect, None);
    let first = read_moves(&[START, END, END_OF_GAME], &ReadOptions::default());
    assert_eq!(first.defect.unwrap().reason, "bad-move");
}

#[test]
fn missing_comments_cost_no_game() {
    let whole = annotated_moves();
    let end = whole.iter().rposition(|byte| *byte == END_OF_GAME).unwrap();
    for cut in end + 1..whole.len() {
        let record = read_moves(&whole[..cut], &ReadOptions::everything());
        assert_eq!((record.moves.len(), record.variations.len(), record.defect), (3, 2, None));
    }
}

/// A file of two players, an event and no more.
fn names_file() -> Vec<u8> {
    let mut bytes = b"Scid.sn\0\0\0\0\0".to_vec();
    for number in [2, 1, 0, 0, 300, 1, 0, 0u32] {
        bytes.extend_from_slice(&number.to_be_bytes()[1..]);
    }
    bytes.extend_from_slice(b"\0\x01\0\x07\x05Anand\0\0\x01\x2c\x06\x03nd,");
    bytes.extend_from_slice(b"\0\0\x01\x03Cup");
    bytes
}

#[test]
fn names_share_bytes_with_the_name_before() {
    let (names, defect) = Names::parse(&names_file());
    assert_eq!(defect, None);
    assert_eq!(names.of_game([0, 1, 0, 0, 9]), [&b"Anand,"[..], b"Anand", b"Cup", b"", b""]);
}

#[test]
fn damaged_names_are_refused_and_the_names_before_kept() {
    let whole = names_file();
    for cut in 0..whole.len() {
        let (_, defect) = Names::parse(&whole[..cut]);
        assert_eq!(defect.unwrap().reason, "truncated", "{cut}");
    }
    let first_name = Names::parse(&whole[..46]).0.of_game([1; 5]).remove(0);
    assert_eq!(first_name, b"Anand");
    for (at, value, reason) in [(0, b'x', "magic"), (12, 0xff, "names"), (37, 9, "names"), (51, 9, "names")] {
        let mut bytes = whole.clone();
        bytes[at] = value;
        assert_eq!(Names::parse(&bytes).1.map(|defect| defect.reason), Some(reason), "{at}");
    }
}
