//! Games written by hand, by the table of codes.

use encoding_rs::{WINDOWS_1251, WINDOWS_1252};

use super::opcodes::{Opcode, decode};
use super::*;
use crate::archive::{Format, GameRecord, NoteKind};

const NULL: u8 = 0;
const SHORT: u8 = 9;
const SQUARES: u8 = 235;
const FORK: u8 = 254;
const END: u8 = 255;
/// Pawns of the files a to h: one step; 1 more is two steps, 2 to the right, 3 to the left.
const PAWNS: u8 = 111;

/// The byte of a code before any move.
fn byte_of(code: u8) -> u8 {
    (0..=255).find(|byte| super::opcodes::plain(*byte, 0) == code).unwrap()
}

/// Writes codes as the format does: the number of moves before is added. `SQUARES` takes two codes with it.
fn encode(codes: &[u8]) -> Vec<u8> {
    let (mut bytes, mut moves, mut left) = (Vec::new(), 0u8, 0u8);
    for &code in codes {
        bytes.push(byte_of(code).wrapping_add(moves));
        left = match code {
            SQUARES if left == 0 => 2,
            _ => left.saturating_sub(1),
        };
        if left == 0 && !matches!(code, FORK | END) {
            moves = moves.wrapping_add(1);
        }
    }
    bytes
}

fn moves_of(flags: u8, setup: &[u8], codes: &[u8]) -> Vec<u8> {
    let body = [setup, &encode(codes)].concat();
    let size = (body.len() + 4) as u32;
    [&[flags][..], &size.to_be_bytes()[1..], &body].concat()
}

fn header(flags: u8) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    record[0] = flags;
    record[4] = 26;
    record[24..27].copy_from_slice(&(1999u32 << 9 | 2 << 5 | 21).to_be_bytes()[1..]);
    record[27] = 2;
    record[29..31].copy_from_slice(&[3, 2]);
    record[31..33].copy_from_slice(&2700u16.to_be_bytes());
    record[35..37].copy_from_slice(&(101u16 << 7).to_be_bytes());
    record
}

fn annotations(all: &[(i32, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 14];
    for (number, kind, content) in all {
        bytes.extend_from_slice(&number.to_be_bytes()[1..]);
        bytes.push(*kind);
        bytes.extend_from_slice(&(content.len() as u16 + 6).to_be_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

fn block_of(record: [u8; RECORD_BYTES], moves: &[u8], annotations: &[u8]) -> Block {
    let mut player = [0; 50];
    player[..8].copy_from_slice(b"K\xf6nigin\0");
    player[30..34].copy_from_slice(b"Anna");
    let names: [&[u8]; 4] = [&player, b"Solo", b"Linares", b"Annotator"];
    let (names, moves) = (names.map(<[u8]>::to_vec).into(), Ok(moves.to_vec()));
    block(DatabaseGame { record: record.to_vec(), names, moves, annotations: annotations.to_vec() })
}

fn block(game: DatabaseGame) -> Block {
    Block { offset: 46, games: vec![game], ..Block::of(Format::Cbh, Vec::new()) }
}

fn read(block: &Block, options: &ReadOptions) -> GameRecord<Token> {
    let mut records = Vec::new();
    read_block(block, options, &mut |record| records.push(record.clone()));
    assert_eq!(records.len(), 1);
    records.remove(0)
}

fn texts(moves: &[Token]) -> String {
    moves.iter().map(Token::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn two_bytes_name_origin_target_and_promotion() {
    // Pawn a7 takes b8 and becomes a knight, then Black castles by two bytes: king e8 to g8.
    let (from, to) = (6u16, 15u16);
    let knight = from | to << 6 | 3 << 12;
    let castling = 39u16 | 55 << 6;
    let setup = {
        let mut bits = String::new();
        for square in 0..64 {
            bits += match square {
                6 => "10110",
                15 => "11011",
                32 => "10001",
                39 => "11001",
                63 => "11101",
                _ => "0",
            };
        }
        bits.extend(std::iter::repeat_n('0', 192 - bits.len()));
        let packed = bits
            .as_bytes()
            .chunks(8)
            .map(|byte| byte.iter().fold(0u8, |value, bit| value << 1 | (bit - b'0')));
        [1, 0, 8, 30].into_iter().chain(packed).collect::<Vec<u8>>()
    };
    let codes =
        [SQUARES, (knight >> 8) as u8, knight as u8, SQUARES, (castling >> 8) as u8, castling as u8, END];
    let block = block_of(header(1), &moves_of(0x40, &setup, &codes), &[]);
    let record = read(&block, &ReadOptions::everything());
    assert_eq!(record.defect, None);
    assert_eq!(record.start, Start::Fen("1n2k2r/P7/8/8/8/8/8/4K3 w k - 0 30".to_owned()));
    assert_eq!(texts(&record.moves), "a7xb8=N O-O");
    assert!(record.tags.contains(&("SetUp".to_owned(), "1".to_owned())));
}

#[test]
fn only_the_main_line_is_decoded_if_no_more_is_asked_for() {
    // Behind the main line stands what is no move.
    let codes = [FORK, PAWNS + 17, PAWNS + 17, SHORT, END, 240];
    let block = block_of(header(1), &moves_of(0, &[], &codes), &[]);
    let two = read(&block, &ReadOptions { max_ply: Some(2), ..ReadOptions::default() });
    assert_eq!((texts(&two.moves), two.defect), ("e2e4 e7e5".to_owned(), None));
    let all = read(&block, &ReadOptions::default());
    // Castling needs king and rook where they began; the rules look at the rest.
    assert_eq!((texts(&all.moves), all.defect), ("e2e4 e7e5 O-O".to_owned(), None));
    let defect = read(&block, &ReadOptions::everything()).defect.unwrap();
    assert_eq!(defect.reason, "bad-move");
}

#[test]
fn what_is_no_game_says_why() {
    let moves = moves_of(0, &[], &[PAWNS, NULL, END]);
    for (record, moves, reason) in [
        (header(3), &moves, "guiding-text"),
        (header(0x81), &moves, "deleted"),
        (header(1), &moves_of(10, &[], &[END]), "encoding"),
        (header(1), &moves_of(1, &[], &[END]), "encoding"),
        (header(1), &moves_of(0, &[], &[PAWNS]), "truncated"),
        (header(1), &moves_of(0, &[], &[171, END]), "bad-move"),
        (header(1), &moves_of(0, &[], &[FORK; 5000]), "nesting"),
        (header(1), &moves_of(0x40, &[1, 0, 0, 1], &[0; 3]), "truncated"),
        (header(1), &[0, 0, 0, 4].to_vec(), "truncated"),
        (header(1), &Vec::new(), "truncated"),
    ] {
        let defect = read(&block_of(record, moves, &[]), &ReadOptions::everything()).defect.unwrap();
        assert_eq!(defect.reason, reason, "{}", defect.message);
    }
    let missing = Defect::new("too-large", 46, "expected less");
    let (record, moves) = (header(1).to_vec(), Err(missing.clone()));
    let game = DatabaseGame { record, names: Vec::new(), moves, annotations: Vec::new() };
    assert_eq!(read(&block(game), &ReadOptions::default()).defect, Some(missing));
}

#[test]
fn comments_of_russian_windows_are_read() {
    let moves = moves_of(0, &[], &[PAWNS + 17, END]);
    for (text, charset) in
        [("Белые начинают и выигрывают", WINDOWS_1251), ("Schöne Übung, naïve", WINDOWS_1252)]
    {
        let comment = [&[0, 0][..], &charset.encode(text).0].concat();
        let record =
            read(&block_of(header(1), &moves, &annotations(&[(0, 2, &comment)])), &ReadOptions::everything());
        assert!(
            matches!(&record.notes[0].kind, NoteKind::Comment(read) if read == text),
            "{:?}",
            record.notes
        );
    }
}

#[test]
fn damaged_annotations_cost_no_game() {
    let moves = moves_of(0, &[], &[PAWNS + 17, END]);
    let whole = annotations(&[(0, 3, &[1]), (0, 2, b"\0\0text")]);
    for cut in 0..whole.len() {
        let record = read(&block_of(header(1), &moves, &whole[..cut]), &ReadOptions::everything());
        assert_eq!((record.moves.len(), record.marks.len(), record.defect), (1, 1, None));
    }
    assert_eq!(decode(byte_of(NULL), 0), Opcode::Null);
}
