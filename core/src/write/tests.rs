//! Records made by hand are written, and where a reader exists read back.

use proptest::prelude::*;

use super::*;
use crate::archive::{Archived, Block, Format, Note, NoteKind, ReadOptions, Start, Variation};
use crate::chess::{self, Chess};
use crate::game::{Game, MoveList, Notated, Outcome};
use crate::xiangqi::{IccsNotation, Square, Token, Xiangqi, decode};

fn sans(text: &str) -> Vec<chess::Token> {
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

fn tokens(text: &str) -> Vec<Token> {
    let square = |name: &[u8]| Square::at(name[0] - b'a', name[1] - b'0').unwrap();
    let token = |word: &str| Token::new(square(&word.as_bytes()[..2]), square(&word.as_bytes()[2..]));
    text.split_whitespace().map(token).collect()
}

fn record<T>(moves: Vec<T>) -> GameRecord<T> {
    GameRecord { marks: vec![0; moves.len()], moves, ..GameRecord::default() }
}

fn variation<T>(leaves: u32, ply: u32, moves: Vec<T>) -> Variation<T> {
    Variation { leaves, ply, marks: vec![0; moves.len()], moves }
}

fn comment(line: u32, ply: u32, text: &str) -> Note {
    Note { line, ply, kind: NoteKind::Comment(text.to_owned()) }
}

fn glyph(line: u32, ply: u32, glyph: u8) -> Note {
    Note { line, ply, kind: NoteKind::Glyph(glyph) }
}

fn pgn_as<G: Written>(record: &GameRecord<G::Token>, name: Option<&str>) -> Result<String, Fault> {
    let mut out = String::new();
    let spelling = G::spelling(name).expect("a notation of that name");
    write_pgn::<G>(record, spelling, &WriteOptions::default(), &mut out).map(|_| out)
}

/// The variations that were cut, and the PGN.
fn chess_pgn(record: &GameRecord<chess::Token>) -> (u64, String) {
    let mut out = String::new();
    let san = Chess::spelling(None).expect("the usual notation");
    let cut = write_pgn::<Chess>(record, san, &WriteOptions::default(), &mut out);
    (cut.expect("a game that can be written"), out)
}

fn movetext(pgn: &str) -> &str {
    pgn.split_once("\n\n").expect("tags, an empty line, movetext").1.trim_end()
}

#[test]
fn variations_comments_and_glyphs_stand_where_pgn_has_them() {
    let mut game = record(sans("e4 e5 Nf3 Nc6"));
    game.outcome = Outcome::FirstWins;
    game.variations = vec![
        variation(0, 1, sans("c5 Nf3 d6")),
        variation(0, 1, sans("e6")),
        variation(1, 2, sans("Nc3")),
        variation(0, 3, sans("d6")),
    ];
    game.notes = vec![
        comment(0, 0, "before"),
        glyph(0, 1, 1),
        comment(0, 1, "after e4"),
        comment(1, 1, "Sicilian"),
        comment(1, 2, "c5"),
        glyph(3, 3, 5),
        comment(0, 4, "last"),
    ];
    assert_eq!(
        movetext(&pgn_as::<Chess>(&game, None).unwrap()),
        "{before} 1. e4 $1 {after e4} 1... e5 ({Sicilian} 1... c5 {c5} 2. Nf3 (2. Nc3\n\
         $5) 2... d6) (1... e6) 2. Nf3 Nc6 {last} (2... d6) 1-0"
    );
    let mut out = String::new();
    let bare = WriteOptions { variations: false, comments: false, strict: false };
    write_pgn::<Chess>(&game, Chess::spelling(None).unwrap(), &bare, &mut out).unwrap();
    assert_eq!(movetext(&out), "1. e4 e5 2. Nf3 Nc6 1-0");
}

#[test]
fn the_roster_comes_first_and_values_are_escaped() {
    let mut game = record(sans("e4"));
    let tags = [("White", "O\"Neil \\ Co"), ("Black", "B\nC"), ("WhiteElo", "2700"), ("ECO", "B00")];
    game.tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    game.tags.push(("bad name".to_owned(), "x".to_owned()));
    game.tags.push(("ECO".to_owned(), "twice".to_owned()));
    assert_eq!(
        pgn_as::<Chess>(&game, None).unwrap(),
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"O\\\"Neil \\\\ Co\"]\n\
         [Black \"B C\"]\n[Result \"*\"]\n[ECO \"B00\"]\n[WhiteElo \"2700\"]\n\n1. e4 *\n\n"
    );
}

#[test]
fn a_set_up_start_gives_its_fen_side_and_move_number() {
    let mut game = record(sans("Kd2 e5"));
    let fen = "4k3/4p3/8/8/8/8/8/4K3 w - - 3 40";
    game.start = Start::Fen(fen.to_owned());
    let pgn = pgn_as::<Chess>(&game, None).unwrap();
    assert!(pgn.contains(&format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n")), "{pgn}");
    assert_eq!(movetext(&pgn), "40. Kd2 e5 *");
    game.moves = sans("e5 Kd2");
    game.start = Start::Fen(fen.replace(" w ", " b "));
    assert_eq!(movetext(&pgn_as::<Chess>(&game, None).unwrap()), "40... e5 41. Kd2 *");
}

#[test]
fn no_line_of_movetext_is_longer_than_the_standard_allows() {
    let mut game = record(sans(&"Nf3 Nf6 Ng1 Ng8 ".repeat(60)));
    game.variations = (0..200).map(|ply| variation(0, ply, vec![game.moves[ply as usize]])).collect();
    let pgn = pgn_as::<Chess>(&game, None).unwrap();
    let longest = movetext(&pgn).lines().map(|line| line.chars().count()).max().unwrap();
    assert!((70..=LINE_WIDTH).contains(&longest), "{longest}");
    assert!(movetext(&pgn).lines().all(|line| line.trim() == line));
}

#[test]
fn comments_keep_their_lines_and_never_end_early() {
    let mut game = record(sans("e4"));
    game.notes = vec![comment(0, 1, " a}b\r\n[Event \"x\"]\n%c "), comment(0, 1, "  ")];
    assert_eq!(movetext(&pgn_as::<Chess>(&game, None).unwrap()), "1. e4 {a)b [Event \"x\"]\n %c} *");
    // Behind an indent too: a reader takes a brace in a comment for the start of the next one.
    game.notes = vec![comment(0, 1, "a {\n\n\t[White \"w\"]\n{")];
    assert_eq!(movetext(&pgn_as::<Chess>(&game, None).unwrap()), "1. e4 {a { \t[White \"w\"]\n{} *");
}

#[test]
fn a_game_with_a_fault_leaves_nothing_behind() {
    let mut illegal = record(sans("e4 e5 Ke3"));
    let mut out = "before".to_owned();
    let san = Chess::spelling(None).unwrap();
    let fault = write_pgn::<Chess>(&illegal, san, &WriteOptions::default(), &mut out).unwrap_err();
    assert_eq!((fault.reason, fault.ply, &*fault.token, &*out), ("illegal-move", 2, "Ke3", "before"));
    let fault = write_line::<Chess>(&illegal, Chess::coordinates(), true, &mut out).unwrap_err();
    assert_eq!((fault.reason, &*out), ("illegal-move", "before"));
    illegal.moves.pop();
    illegal.variations = vec![variation(0, 1, sans("Ke3"))];
    let strict = WriteOptions { strict: true, ..WriteOptions::default() };
    let fault = write_pgn::<Chess>(&illegal, san, &strict, &mut out).unwrap_err();
    assert!(fault.message.ends_with("in variation 1"), "{}", fault.message);
    assert_eq!(out, "before");
    let bare = WriteOptions { variations: false, ..strict };
    assert_eq!(write_pgn::<Chess>(&illegal, san, &bare, &mut String::new()), Ok(0));
}

#[test]
fn a_variation_ends_before_a_move_that_is_not_legal() {
    let mut game = record(sans("e4 e5 Nf3"));
    game.variations = vec![
        variation(0, 1, sans("c5 Nf3 Kd7 Ne5")),
        // What leaves it before the cut stays, what leaves it behind goes.
        variation(1, 2, sans("Nc3 Nc6")),
        variation(1, 4, sans("d4")),
        variation(0, 1, sans("Ke7 d4")),
        variation(0, 2, sans("f4")),
    ];
    game.notes =
        vec![comment(1, 2, "Sicilian"), comment(1, 3, "to f3"), comment(1, 4, "gone"), comment(4, 2, "gone")];
    let (cut, out) = chess_pgn(&game);
    assert_eq!(cut, 2);
    assert_eq!(movetext(&out), "1. e4 e5 (1... c5 {Sicilian} 2. Nf3 {to f3} (2. Nc3 Nc6)) 2. Nf3 (2. f4) *");
}

#[test]
fn variations_of_an_illegal_move_continue_in_its_place() {
    let mut game = record(sans("e4 e5 Nf3"));
    game.variations = vec![
        variation(0, 1, sans("c5 -- d6 d4")),
        variation(1, 2, sans("-- Nc6")),
        variation(2, 2, sans("Nc3 Nc6")),
        variation(3, 2, sans("f4 e6")),
        variation(3, 3, sans("a6")),
        variation(1, 2, sans("c3")),
        variation(1, 3, sans("Na3")),
        // One that begins so leaves the game itself.
        variation(0, 2, sans("-- d6")),
        variation(8, 2, sans("Bc4")),
        variation(8, 3, sans("Na3")),
        variation(0, 2, sans("d4 d5")),
    ];
    game.notes = vec![comment(1, 3, "gone"), comment(3, 2, "Closed"), comment(9, 2, "Bishop's")];
    let (cut, out) = chess_pgn(&game);
    assert_eq!(cut, 3);
    assert_eq!(
        movetext(&out),
        "1. e4 e5 (1... c5 {Closed} 2. Nc3 (2. f4 e6) (2. c3) 2... Nc6 (2... a6)) 2. Nf3\n\
         ({Bishop's} 2. Bc4) (2. d4 d5) *"
    );
}

#[test]
fn a_variation_of_nothing_is_a_fault() {
    for (leaves, ply) in [(0, 2), (1, 0), (2, 1), (9, 0)] {
        let mut game = record(sans("e4 e5"));
        game.variations = vec![variation(leaves, ply, sans("e4"))];
        assert_eq!(pgn_as::<Chess>(&game, None).unwrap_err().reason, "bad-variation", "{leaves} {ply}");
    }
}

#[test]
fn variations_within_each_other_are_bounded() {
    let nested = |depth: usize| {
        let mut game = record(sans("e4"));
        game.variations = (0..depth as u32).map(|line| variation(line, 0, sans("d4"))).collect();
        pgn_as::<Chess>(&game, None)
    };
    assert!(nested(MAX_NESTING).is_ok());
    assert_eq!(nested(MAX_NESTING + 1).unwrap_err().reason, "too-deep");
}

#[test]
fn a_line_holds_moves_result_and_a_set_up_start() {
    let mut game = record(tokens("h2e2 h9g7"));
    game.outcome = Outcome::Draw;
    let mut out = String::new();
    write_line::<Xiangqi>(&game, &IccsNotation, true, &mut out).unwrap();
    write_line::<Xiangqi>(&game, &IccsNotation, false, &mut out).unwrap();
    game.moves = tokens("e0e1");
    game.start = Start::Fen("3k5/9/9/9/9/9/9/9/9/4K4 w".to_owned());
    write_line::<Xiangqi>(&game, &IccsNotation, false, &mut out).unwrap();
    assert_eq!(out, "h2e2 h9g7 1/2-1/2\nh2e2 h9g7\nfen 3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1 moves e0e1\n");
}

fn xqf(record: &GameRecord<Token>) -> Vec<u8> {
    let mut out = Vec::new();
    write_xqf(record, &WriteOptions::default(), &mut out).unwrap();
    out
}

fn read_xqf(bytes: Vec<u8>) -> GameRecord<Token> {
    let mut read = GameRecord::default();
    let block = Block::of(Format::Xqf, bytes);
    Xiangqi::read_block(&block, &ReadOptions::everything(), &mut |record| read = record.clone());
    read
}

#[test]
fn an_xqf_tree_has_its_records_flags_and_comments_in_order() {
    let mut game = record(tokens("h2e2 h9g7"));
    game.variations = vec![variation(0, 0, tokens("c3c4 g6g5")), variation(0, 1, tokens("b9c7"))];
    game.notes = vec![comment(0, 0, "a\nb"), comment(1, 0, "仙人"), glyph(0, 1, 1)];
    let bytes = xqf(&game);
    let expected: [&[u8]; 6] = [
        b"\x18\x20\xf0\xff\x04\0\0\0a\r\nb",
        &[72 + 24, 42 + 32, 0xff, 0, 0, 0, 0, 0],
        &[79 + 24, 67 + 32, 0x0f, 0, 0, 0, 0, 0],
        &[19 + 24, 27 + 32, 0x00, 0, 0, 0, 0, 0],
        b"\x2f\x38\xf0\0\x04\0\0\0\xcf\xc9\xc8\xcb",
        &[66 + 24, 65 + 32, 0x00, 0, 0, 0, 0, 0],
    ];
    assert_eq!(bytes[HEADER..], expected.concat());
    let read = read_xqf(bytes);
    assert_eq!((read.defect, read.moves, read.variations.len()), (None, game.moves, 2));
}

const HEADER: usize = 0x400;

proptest! {
    #[test]
    fn a_random_game_keeps_start_and_moves_in_xqf(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..120),
        cut in 0usize..60,
    ) {
        // The start is a position of the game itself, so that any placement occurs.
        let mut position = Xiangqi::start();
        let (mut start, mut line) = (position.clone(), Vec::new());
        for (ply, choice) in choices.iter().enumerate() {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let m = moves[choice.index(moves.len())];
            let (from, to) = decode(m).unwrap();
            if ply == cut {
                (start, line) = (position.clone(), Vec::new());
            }
            line.push(Token::new(from, to));
            position.play_unchecked(m);
        }
        let game = GameRecord { start: Start::Fen(start.to_fen()), ..record(line) };
        let read = read_xqf(xqf(&game));
        prop_assert_eq!(read.defect, None);
        let fen = start.to_fen();
        let known = if start == Xiangqi::start() { Start::Standard } else { Start::Fen(fen) };
        prop_assert_eq!(read.start, known);
        prop_assert_eq!(read.moves, game.moves);
    }
}
