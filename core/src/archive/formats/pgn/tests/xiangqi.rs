//! Xiangqi in PGN: every notation and encoding that archives use, and the reports on unreadable texts.

use encoding_rs::{BIG5, Encoding, GB18030, UTF_8};
use proptest::prelude::*;

use crate::archive::tests::records;
use crate::archive::{Block, Format, GameRecord, Note, NoteKind, ReadOptions, Start};
use crate::game::{Game, Outcome, Replayable};
use crate::xiangqi::{Token, Xiangqi};

/// Four plies in every notation, as words of movetext.
const ICCS: &str = "1. H2-E2 H9-G7 2. H0-G2 I9-H9";
const SPELLINGS: [&str; 14] = [
    ICCS,
    "1. h2e2 h9g7 2. h0g2 i9h9",
    "1.h2-e2 h9-g7 2.h0-g2 i9-h9",
    "H2-E2H9-G7H0-G2I9-H9",
    "Ｈ２－Ｅ２ ｈ９ｇ７ Ｈ０－Ｇ２ Ｉ９－Ｈ９",
    "1. C2=5 H8+7 2. H2+3 R9=8",
    "1. C2.5 h8+7 2. H2+3 r9.8",
    "1. C2=5H8+72. N2+3R9=8",
    "1. Ｃ２＝５Ｈ８＋７ 2. Ｈ２＋３　Ｒ９＝８",
    "1. 炮二平五 马８进７ 2. 马二进三 车９平８",
    "1．炮二平五马8进7\n2．马二进三车9平8",
    "１．炮二平五　馬８進７\r\n２．馬二進三 車９平８",
    "1、砲二平五！馬8進7 2…傌二進三, 俥9平8。",
    "１ 炮二平五 马八进七 ２ 马二进三 车九平八",
];

fn read_with(text: &[u8], options: &ReadOptions) -> Vec<GameRecord<Token>> {
    let bytes = text.to_vec();
    let block = Block { offset: 1000, line: 10, ..Block::of(Format::XiangqiPgn, bytes) };
    records::<Xiangqi>(&block, options)
}

fn read(text: &str) -> Vec<GameRecord<Token>> {
    read_with(text.as_bytes(), &ReadOptions::everything())
}

fn encode(text: &str, charset: &'static Encoding) -> Vec<u8> {
    let (bytes, _, has_gaps) = charset.encode(text);
    assert!(!has_gaps, "{text}");
    bytes.into_owned()
}

/// Moves from a position on, in coordinates.
fn play(mut position: Xiangqi, moves: &[Token]) -> String {
    let names = moves.iter().map(|&token| {
        let m = position.resolve(token).unwrap();
        position.play_unchecked(m);
        crate::xiangqi::decode(m).map_or_else(String::new, |(from, to)| format!("{from}{to}"))
    });
    names.collect::<Vec<_>>().join(" ")
}

fn moves(record: &GameRecord<Token>) -> String {
    let start = match &record.start {
        Start::Standard => Xiangqi::start(),
        Start::Fen(fen) => Xiangqi::from_fen(fen).unwrap(),
    };
    play(start, &record.moves)
}

const GAME: &str = "h2e2 h9g7 h0g2 i9h9";

#[test]
fn a_result_in_words_counts_whether_all_moves_are_read_or_not() {
    let limited = ReadOptions { max_ply: Some(1), full: false, ..ReadOptions::default() };
    let names = "红胜 红方胜 红先胜 紅勝 先胜 黑胜 黑方胜 红先负 黑勝 先负 和棋 和局";
    for (name, last) in names.split(' ').flat_map(|name| [(name, "1-0"), (name, "0-1")]) {
        let text = format!("[Event \"a\"]\n\n1. 炮二平五 马8进7 2. 马二进三 {name} 车9平8 {last}\n");
        let outcome = |options| read_with(text.as_bytes(), options)[0].outcome;
        assert_eq!(outcome(&limited), outcome(&ReadOptions::everything()), "{text}");
    }
    // A letter next to a sign that is not a letter does not name a result.
    let text = "[Event \"a\"]\n\n1. 炮二平五 马8进7 L\u{b} 2. 马二进三 1-0\n";
    assert_eq!(read(text)[0].outcome, Outcome::FirstWins);
}

#[test]
fn every_notation_gives_the_same_moves() {
    for text in SPELLINGS {
        let records = read(&format!("[Game \"Chinese Chess\"]\n\n{text} 1-0\n"));
        assert_eq!(records.len(), 1, "{text}");
        assert_eq!((moves(&records[0]), &records[0].defect), (GAME.to_owned(), &None), "{text}");
        assert_eq!(records[0].outcome, Outcome::FirstWins, "{text}");
    }
}

#[test]
fn san_is_read_with_ranks_from_0_and_from_1() {
    for (text, expected) in [
        ("1. Cbe2 Hg7 2. Hc2 Ege7 3. Rb0", "b2e2 h9g7 b0c2 g9e7 a0b0"),
        ("1. Cbe3 Ng8 2. Rxa10 *", "b2e2 h9g7"),
        ("1. Hc2 g5 2. c4 Ch2-e2", "b0c2 g6g5 c3c4"),
        ("1. Nc3 g6 2. Pc5 *", "b0c2 g6g5 c3c4"),
        ("1. Cbe2！ Hg7！", "b2e2 h9g7"),
    ] {
        let record = read(&format!("[Game \"Chinese Chess\"]\n\n{text} *\n")).remove(0);
        let mut position = Xiangqi::start();
        let legal: Vec<_> =
            record.moves.iter().copied().take_while(|&token| position.play_token(token).is_ok()).collect();
        assert_eq!(play(Xiangqi::start(), &legal), expected, "{text}");
    }
}

#[test]
fn every_encoding_gives_the_same_game() {
    for (charset, way, name) in [(GB18030, "进", "镶镺"), (BIG5, "進", "許功"), (UTF_8, "进", "镶许")]
    {
        let horse = if charset == BIG5 { "馬" } else { "马" };
        let rook = if charset == BIG5 { "車" } else { "车" };
        let game = format!(
            "[Game \"Chinese Chess\"]\n[Event \"{name}\"]\n[Red \"{name}\"]\n[RedElo \"2436\"]\n[Black \"乙\"]\n\
             [BlackElo \"2368\"]\n[Date \"1999.1.2\"]\n[Result \"0-1\"]\n\n{{{name}\n[{name}}}\n1. 炮二平五 {{{name}}} \
             {horse}８{way}７\n2. {horse}二{way}三{rook}９平８ 0-1\n\n"
        );
        let bytes = encode(&game.repeat(2), charset);
        let records = read_with(&bytes, &ReadOptions::everything());
        assert_eq!(records.len(), 2, "{}", charset.name());
        let record = &records[1];
        assert_eq!((moves(record), &record.defect), (GAME.to_owned(), &None), "{}", charset.name());
        assert_eq!((&*record.event, &*record.first_player, &*record.second_player), (name, name, "乙"));
        assert_eq!((record.ratings, record.year, record.outcome), ([2436, 2368], 1999, Outcome::SecondWins));
        let comment = |ply, text: String| Note { line: 0, ply, kind: NoteKind::Comment(text) };
        assert_eq!(record.notes, [comment(0, format!("{name}\n[{name}")), comment(1, name.to_owned())]);
        let half = bytes.len() as u64 / 2;
        assert_eq!((record.offset, record.length, record.line), (1000 + half, half, 11 + 14));
    }
}

#[test]
fn the_second_byte_of_a_character_is_no_sign() {
    // Characters of GB18030 whose second byte is a brace, a bracket or a backslash.
    let traps: String = [[0x81, 0x7b], [0xb0, 0x5c], [0x81, 0x7d], [0x90, 0x5b], [0x90, 0x5d], [0xc1, 0x5c]]
        .iter()
        .map(|pair| GB18030.decode_without_bom_handling(pair).0.into_owned())
        .collect();
    assert_eq!(traps.chars().count(), 6);
    for trap in traps.chars() {
        let text = format!(
            "[Event \"{trap}\"]\n[Red \"“{trap}\"{trap}\"]\n\n{{{trap}}} 1. 炮二平五 {{甲{trap}\n\n{trap}}}\n\
             [Site \"{trap}\"]\n\n1. 炮二平五 *\n"
        );
        let records = read_with(&encode(&text, GB18030), &ReadOptions::everything());
        assert_eq!(records.len(), 2, "{trap}");
        assert_eq!(records[0].first_player, format!("“{trap}\"{trap}"));
        assert_eq!((&*records[0].event, records[0].notes.len()), (&*trap.to_string(), 2));
        assert_eq!(records[0].notes[1].kind, NoteKind::Comment(format!("甲{trap}\n\n{trap}")));
        assert_eq!(records[1].tags, [("Site".to_owned(), trap.to_string())]);
        assert!(records.iter().all(|record| moves(record) == "h2e2" && record.defect.is_none()));
    }
}

#[test]
fn tandems_and_pawns_are_read() {
    let fen = "4k4/9/9/9/P8/P8/2C6/9/2C6/5K3 w - - 0 1";
    for (text, expected) in [
        ("前炮退一 将５进１ 后炮退一", "c3c2 e9e8 c1c0"),
        ("前炮退一将5进1前兵平八", "c3c2 e9e8 a5b5"),
        ("+C-1 K5+1 +P=8", "c3c2 e9e8 a5b5"),
        ("C+-1 K5+1 P+=8", "c3c2 e9e8 a5b5"),
        ("＋Ｃ－１Ｋ５＋１＋Ｐ＝８", "c3c2 e9e8 a5b5"),
        ("前兵九平八将5进1后炮退一", "a5b5 e9e8 c1c0"),
    ] {
        let record = read(&format!("[FEN \"{fen}\"]\n\n1. {text} *\n")).remove(0);
        assert_eq!(record.start, Start::Fen(fen.to_owned()));
        assert_eq!((&*moves(&record), &record.defect), (expected, &None), "{text}");
    }
}

#[test]
fn comments_and_variations_stand_where_they_belong() {
    let text = "[Game \"Chinese Chess\"]\n{卷上\r\n\r\n第一编}\n  1. 炮二平五\n{（一本）\n}\n  1.          马８进７ \
                (马２进３ 马八进七 (马二进三 {好}) 车１平２)\n  2. 马二进三 ; 行末\n车９平８ *\n=====\n 欢迎访问《百科》 \n";
    let records = read(text);
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((moves(record), &record.defect), (GAME.to_owned(), &None));
    let lines: Vec<_> =
        record.variations.iter().map(|line| (line.leaves, line.ply, line.moves.len())).collect();
    assert_eq!(lines, [(0, 1, 3), (1, 2, 1)]);
    let notes: Vec<_> = record.notes.iter().map(|note| (note.line, note.ply)).collect();
    assert_eq!(notes, [(0, 0), (0, 1), (2, 3), (0, 3)]);
}

#[test]
fn full_width_marks_are_glyphs() {
    let record = read("1. 炮二平五！ 马８进７？2. 马二进三 车９平８！ *").remove(0);
    assert_eq!((moves(&record), &*record.marks), (GAME.to_owned(), &[2, -2, 0, 2][..]));
}

#[test]
fn glyphs_and_praise_or_blame_mark_moves() {
    let text = "1. 炮二平五 $3 马８进７ {“劣着，应走马２进３}2. 马二进三 {不是妙手} 车９平８！ {败着} *";
    assert_eq!(*read(text).remove(0).marks, [3, -2, 0, 2]);
    for length in 0..60 {
        let text = format!("1. 炮二平五 {{{}软着{}}} *", "'".repeat(length % 3), "，".repeat(length));
        assert_eq!(*read(&text).remove(0).marks, [-1], "{text}");
    }
}

#[test]
fn a_start_is_that_of_the_side_that_moves() {
    let board = "4k4/9/9/9/9/9/9/9/3R5/5K2R";
    for (side, text, expected) in [
        ("b", "将５进１", format!("{board} b")),
        ("w", "K5+1", format!("{board} b - - 0 1")),
        ("b", "车一进一", format!("{board} w - - 0 1")),
        ("r - - 0 1", "i0i1", format!("{board} r - - 0 1")),
        ("", "将５进１", format!("{board} b - - 0 1")),
        // No side can play it: the report quotes the text.
        ("b", "炮二平五", format!("{board} b")),
    ] {
        let text = format!("[FEN \"{} \"]\n\n{text} *\n", [board, side].join(" ").trim());
        for max_ply in [None, Some(0)] {
            let options = ReadOptions { max_ply, ..ReadOptions::default() };
            assert_eq!(read_with(text.as_bytes(), &options)[0].start, Start::Fen(expected.clone()), "{text}");
        }
    }
    let standard = format!("[FEN \"{}\"]\n\n炮二平五 *\n", Xiangqi::start().to_fen().replace(" w", " r"));
    assert_eq!(read(&standard)[0].start, Start::Standard);
}

#[test]
fn results_may_be_named_in_chinese() {
    for (name, outcome) in [
        ("红胜", Outcome::FirstWins),
        ("黑胜", Outcome::SecondWins),
        ("黑勝", Outcome::SecondWins),
        ("和棋", Outcome::Draw),
        ("1/2-1/2", Outcome::Draw),
        ("红优", Outcome::Unknown),
    ] {
        let tagged = read(&format!("[Red \"甲\"]\n[Result \"{name}\"]\n\n{ICCS}\n")).remove(0);
        assert_eq!((tagged.outcome, tagged.tagged), (outcome, outcome), "{name}");
        let marked = read(&format!(
            "[Red \"甲\"]\n[Result \"*\"]\n\n{ICCS} {name}\n[Red \"乙\"]\n\n{ICCS}\n\n{name}\n"
        ));
        assert_eq!(marked.len(), 2);
        assert!(marked.iter().all(|game| (game.outcome, game.moves.len()) == (outcome, 4)), "{name}");
    }
}

#[test]
fn what_is_no_move_is_told_and_what_stands_before_it_kept() {
    for garbled in ["Chz2", "炮二平十", "包子平五", "俥八八八", "马八八八", "Ｃ２＊５", "C2", "h2e"]
    {
        let text = format!("[Red \"甲\"]\n\n1. 炮二平五 马８进７ 2. {garbled} 车９平８ 1-0\n");
        for charset in [UTF_8, GB18030] {
            let bytes = encode(&text, charset);
            let record = read_with(&bytes, &ReadOptions::everything()).remove(0);
            let defect = record.defect.as_ref().unwrap();
            assert_eq!(
                (moves(&record), defect.reason),
                ("h2e2 h9g7".to_owned(), "bad-move-text"),
                "{garbled}"
            );
            let place = memchr::memmem::rfind(&bytes, &encode(garbled, charset)).unwrap();
            assert_eq!(defect.offset, 1000 + place as u64, "{garbled}");
            assert!(defect.message.contains("a move in ICCS, WXF, SAN or Chinese"), "{}", defect.message);
            assert_eq!(record.outcome, Outcome::FirstWins);
        }
    }
    // Words of prose and marks are ignored.
    let record =
        read(&format!("[Red \"甲\"]\n\n{} （开局） xxxx 红优 1-0\n", ICCS.replace("2.", "+- 2."))).remove(0);
    assert_eq!((moves(&record), &record.defect), (GAME.to_owned(), &None));
}

#[test]
fn games_without_tags_keep_their_places_in_the_bytes() {
    let text = "1. 炮二平五 马８进７ 1-0\n\n1. 马二进三 车９进一 0-1\n1. 兵三进一 *\n";
    for charset in [UTF_8, GB18030] {
        let bytes = encode(text, charset);
        let records = read_with(&bytes, &ReadOptions::default());
        let starts: Vec<_> =
            memchr::memmem::find_iter(&bytes, b"1. ").map(|place| 1000 + place as u64).collect();
        assert_eq!(records.iter().map(|record| record.offset).collect::<Vec<_>>(), starts);
        assert_eq!(records.iter().map(|record| record.line).collect::<Vec<_>>(), [11, 13, 14]);
        assert_eq!(records[2].offset + records[2].length, 1000 + bytes.len() as u64);
    }
}

#[test]
fn places_behind_prose_in_another_encoding_are_those_of_the_file() {
    for (charset, text) in [
        (GB18030, "对局集 前言\n\n1. 炮二平五 马８进７ *\n\n1. 炮二平五 包子平五 0-1\n"),
        (BIG5, "對局集 前言\n\n1. 炮二平五 馬8進7 *\n\n1. 炮二平五 包子平五 0-1\n"),
    ] {
        let bytes = encode(text, charset);
        let place = |sign: &str| encode(&text[..text.find(sign).unwrap()], charset).len() as u64;
        let records = read_with(&bytes, &ReadOptions::everything());
        let second = place("*\n\n1. 炮") + 3;
        let found: Vec<_> = records.iter().map(|record| (record.offset - 1000, record.length)).collect();
        let first = place("1. ");
        assert_eq!(found, [(first, second - first), (second, bytes.len() as u64 - second)]);
        assert_eq!(records[1].defect.as_ref().unwrap().offset, 1000 + place("包子"));
    }
}

#[test]
fn other_variants_are_told_by_name() {
    for (name, variant) in [("xiangqi", None), ("中国象棋", None), ("janggi", Some("janggi"))] {
        let record = read(&format!("[Variant \"{name}\"]\n\n{ICCS} *\n")).remove(0);
        assert_eq!(record.variant.as_deref(), variant);
    }
}

fn text_of_pieces() -> impl Strategy<Value = String> {
    const PIECES: &str = "[Event \"镶\"]\n|[FEN \"|[Red \"甲\"]\n|\n|\n\n|\r\n|1. |１．|炮二平五|马８进７|C2=5|h2e2|{|}|(|)|镶|\
                          乗|1-0|红胜|*|\"|]|[|\\|　|．|平| ";
    let piece = prop::sample::select(PIECES.split('|').collect::<Vec<_>>());
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_game_is_the_same_in_utf_8_and_in_gb18030(text in text_of_pieces(), max_ply in prop::option::of(0usize..4)) {
        let whole = format!("[Event \"始\"]\n\n1. 炮二平五 *\n\n{text}\n\n[Event \"终\"]\n\n1. 炮二平五 *\n");
        let options = ReadOptions { max_ply, full: false, ..ReadOptions::everything() };
        let games = |charset| {
            let bytes = encode(&whole, charset);
            let mut records = read_with(&bytes, &options);
            let mut end = 1000;
            for record in &mut records {
                assert!(record.offset >= end, "games follow each other");
                end = record.offset + record.length;
                assert!(end <= 1000 + bytes.len() as u64);
                (record.offset, record.length) = (0, 0);
                if let Some(defect) = &mut record.defect {
                    defect.offset = 0;
                }
            }
            records
        };
        let expected = games(UTF_8);
        prop_assert_eq!(&*expected.last().unwrap().event, "终");
        prop_assert_eq!(games(GB18030), expected);
    }
}
