//! Long texts: what is bounded, and that the time is not that of their square. Where it is, these take minutes.

use super::*;
use crate::xiangqi::Xiangqi;
use encoding_rs::GB18030;

const LONG_BYTES: usize = 1 << 20;

fn long(head: &str, piece: &str, tail: &str) -> String {
    [head, &piece.repeat(LONG_BYTES / piece.len()), tail].concat()
}

#[test]
fn long_tag_lines_kill_nothing() {
    let long = format!("[Event \"{}\"]\n[White \"Ann\"]\n\n1. e4 *\n\n", "x".repeat(100_000));
    let records = read(&format!("{GAME}{long}{GAME}"));
    assert_eq!(summary(&records), [clean("e4 e5 Nf3 Nc6"), clean("e4"), clean("e4 e5 Nf3 Nc6")]);
    assert_eq!((records[1].event.len(), &*records[1].first_player), (100_000, "Ann"));
}

#[test]
fn notes_and_variations_are_bounded() {
    let many = 1_000_001;
    for unit in ["$1", "()", "(", "{}"] {
        let text = format!("[A \"b\"]\n\n1. e4 {}\n\n{GAME}", unit.repeat(many));
        let records = read_with(text.as_bytes(), &ReadOptions::everything());
        assert_eq!(records[0].notes.len() + records[0].variations.len(), many - 1, "{unit}");
        assert_eq!(records[0].defect.as_ref().unwrap().reason, "too-many-notes");
        assert_eq!((&records[1].defect, records[1].variations.len()), (&None, 1));
        assert!(read(&text)[0].notes.is_empty());
    }
}

#[test]
fn deep_variations_need_no_deep_stack() {
    let depth = 100_000;
    let text = format!("[A \"b\"]\n\n1. e4 {} {} e5 *\n", "(1. d4 ".repeat(depth), ")".repeat(depth));
    let record = &read_with(text.as_bytes(), &ReadOptions::everything())[0];
    assert_eq!((record.variations.len(), moves(record)), (depth, "e4 e5".to_owned()));
    assert_eq!(moves(&read(&text)[0]), "e4 e5");
}

#[test]
fn no_byte_is_searched_again_and_again() {
    let head = "[White \"a\"]\n\n1. e4 ";
    for (head, piece, tail) in [
        (head, "[", " e5 *\n"),
        (head, "[ ", " e5 *\n"),
        (head, "[x ", " 1... e5 *\n"),
        (head, "(; x\n)", " e5 *\n"),
        ("", "{a} % *\n", "\n1. e4 e5 *\n"),
        ("", "4 { \n", "\n1. e4 e5 *\n"),
        ("", "4 {a}; {\n", "\n1. e4 e5 *\n"),
    ] {
        let text = long(head, piece, tail);
        for options in [ReadOptions::default(), ReadOptions::everything()] {
            assert_eq!(
                summary(&read_with(text.as_bytes(), &options)),
                [clean("e4 e5")],
                "{head:?} {piece:?}"
            );
        }
    }
}

#[test]
fn no_byte_of_a_comment_is_searched_again_and_again() {
    let tags = "x\n[a \"b\"]\n".repeat(LONG_BYTES / 10);
    let text = format!("[White \"a\"]\n\n1. e4 {{{} {tags}}} e5 *\n", " ".repeat(16 * LONG_BYTES));
    assert_eq!(summary(&read(&text)), [clean("e4 e5")]);
    // Where the comment is not closed each of these begins a game.
    let records = read(&long("[Event \"x\"]\n\n1. e4 {", "x\n[A \"b\"]\n", ""));
    assert_eq!(records[0].defect.as_ref().map(|defect| defect.reason), Some("unterminated-comment"));
    assert_eq!(records.len(), 1 + LONG_BYTES / "x\n[A \"b\"]\n".len());
}

#[test]
fn games_with_open_comments_are_told_apart_without_looking_to_the_end_from_each() {
    let text = long("[A \"b\"]\n\n", "1. e4 {x\n[A \"b\"]\n", "1. d4 *\n");
    for options in [ReadOptions::default(), prefix_of(2)] {
        let records = read_with(text.as_bytes(), &options);
        assert_eq!(records.len(), 1 + text.matches("{x").count());
        assert_eq!(moves(&records[records.len() - 1]), "d4");
        assert_eq!(records[0].defect.as_ref().map(|defect| defect.reason), Some("unterminated-comment"));
    }
}

#[test]
fn games_on_the_line_of_a_marker_are_told_apart_without_looking_to_the_end_from_each() {
    for piece in ["*[A \"b\"] ", "*[A \"b\"] x\n", "*[A \"{\"]\n\n", "*[A \"{\"] x\n"] {
        let text = long("[Event \"x\"]\n\n1. e4 ", piece, "*");
        let records = read(&text);
        assert!(records.len() > LONG_BYTES / piece.len() / 2, "{piece:?} {}", records.len());
        assert!(
            records.windows(2).all(|pair| pair[0].offset + pair[0].length <= pair[1].offset),
            "{piece:?}"
        );
    }
}

#[test]
fn a_brace_in_a_tag_holds_no_tags_of_the_next_game() {
    let text = "[Event \"a\"]\n\n1. e4 * [White \"{\"] 1. d4 *\n[White \"b\"] {} 1. c4 *\n";
    let found: Vec<_> =
        read(text).iter().map(|record| (record.first_player.to_string(), moves(record))).collect();
    let game = |name: &str, line: &str| (name.to_owned(), line.to_owned());
    assert_eq!(found, [game("", "e4"), game("{", "d4"), game("b", "c4")]);
}

#[test]
fn an_open_variation_is_passed_over_once() {
    for piece in ["; x\n", "(;)\n", "%", "[", "x\n% y\n"] {
        let text = long("[Event \"x\"]\n\n1. e4 (", piece, "\n) *");
        for options in [ReadOptions::default(), prefix_of(1)] {
            assert_eq!(moves(&read_with(text.as_bytes(), &options)[0]), "e4", "{piece:?}");
        }
    }
}

fn prefix_of(max_ply: usize) -> ReadOptions {
    ReadOptions { max_ply: Some(max_ply), full: false, ..ReadOptions::default() }
}

/// Texts of one line in both encodings: their places in the bytes are not found from the line's start each time.
#[test]
fn xiangqi_without_blanks_and_many_games_on_one_line_are_read_in_one_go() {
    for (piece, tail, games) in [
        ("炮二平五", "*", 1),
        ("\u{2026}", " *", 1),
        ("1. 炮二平五 * ", "", LONG_BYTES / "1. 炮二平五 * ".len()),
        ("1.炮二平五马8进7*", "", LONG_BYTES / "1.炮二平五马8进7*".len()),
    ] {
        for tags in ["", "[Red \"x\"]\n\n"] {
            let text = long(tags, piece, tail);
            for bytes in [text.as_bytes(), &GB18030.encode(&text).0] {
                let block = Block::of(Format::XiangqiPgn, bytes.to_vec());
                let mut found = Vec::new();
                Xiangqi::read_block(&block, &ReadOptions::default(), &mut |record| {
                    found.push((record.offset, record.length, record.moves.len()));
                });
                // An ellipsis is not a move: without tags there is not a game.
                let expected = if piece == "\u{2026}" && tags.is_empty() { 0 } else { games };
                assert_eq!(found.len(), expected, "{tags:?} {piece}");
                let ends_at = |(offset, length, _): &(u64, u64, usize)| offset + length;
                assert!(found.windows(2).all(|pair| ends_at(&pair[0]) == pair[1].0), "{piece}");
            }
        }
    }
}
