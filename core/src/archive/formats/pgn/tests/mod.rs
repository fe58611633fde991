//! PGN texts, clean and hostile, and the games that come out.

mod leniency;
mod limits;
mod long_texts;
mod odd_words;
mod variations;
mod xiangqi;

use proptest::prelude::*;

use super::*;
use crate::archive::tests::records;
use crate::archive::{Archived, Format, GameRecord, Note, NoteKind, Start};
use crate::chess::{Chess, Token};
use crate::game::Outcome;

fn read_with(text: &[u8], options: &ReadOptions) -> Vec<GameRecord<Token>> {
    let block = Block { offset: 1000, line: 10, ..Block::of(Format::Pgn, text.to_vec()) };
    records::<Chess>(&block, options)
}

fn read(text: &str) -> Vec<GameRecord<Token>> {
    read_with(text.as_bytes(), &ReadOptions::default())
}

fn prefix(text: &str, max_ply: usize) -> Vec<GameRecord<Token>> {
    read_with(text.as_bytes(), &ReadOptions { max_ply: Some(max_ply), full: false, ..ReadOptions::default() })
}

fn moves(record: &GameRecord<Token>) -> String {
    record.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Moves of each game, and the reason where it has a defect.
fn summary(records: &[GameRecord<Token>]) -> Vec<(String, Option<&'static str>)> {
    records.iter().map(|record| (moves(record), record.defect.as_ref().map(|defect| defect.reason))).collect()
}

fn clean(moves: &str) -> (String, Option<&'static str>) {
    (moves.to_owned(), None)
}

const GAME: &str = "[Event \"Open \\\"A\\\"\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2650\"]\n[BlackElo \"-\"]\n\
                    [Date \"1987.??.??\"]\n[Result \"1-0\"]\n\n1. e4! $14 e5?? 2. Nf3 (2. f4 exf4 $1) Nc6 $5 1-0\n\n";

#[test]
fn tags_moves_marks_and_result_come_out() {
    let records = read(GAME);
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((&*record.first_player, &*record.second_player, &*record.event), ("Ann", "Bob", "Open \"A\""));
    assert_eq!((record.ratings, record.year, record.outcome), ([2650, 0], 1987, Outcome::FirstWins));
    assert_eq!((moves(record), &*record.marks), ("e4 e5 Nf3 Nc6".to_owned(), &[2, -3, 0, 1][..]));
    assert_eq!((record.offset, record.line, &record.start), (1000, 11, &Start::Standard));
    assert_eq!((&record.variant, &record.defect), (&None, &None));
}

#[test]
fn offsets_and_lines_point_at_each_game() {
    let text = format!("\u{feff}{GAME}\r\n{GAME}\n\n\n{GAME}");
    for options in
        [ReadOptions::default(), ReadOptions { max_ply: Some(1), full: false, ..ReadOptions::default() }]
    {
        let records = read_with(text.as_bytes(), &options);
        let starts: Vec<_> = text.match_indices("[Event").map(|(place, _)| place).collect();
        assert_eq!(records.len(), 3);
        for (record, start) in records.iter().zip(starts) {
            assert_eq!(record.offset, 1000 + start as u64);
            assert_eq!(record.line, 11 + text[..start].matches('\n').count() as u64);
        }
    }
}

#[test]
fn starts_and_variants_are_told() {
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 5 9";
    let tagged = |fen: &str, variant: &str| {
        let text = format!("[Event \"?\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n[Variant \"{variant}\"]\n\n*\n");
        let record = read(&text).remove(0);
        (record.start, record.variant)
    };
    assert_eq!(tagged(standard, "standard"), (Start::Standard, None));
    assert_eq!(tagged(standard, "Atomic"), (Start::Standard, Some("Atomic".to_owned())));
    let other = "8/8/8/8/8/8/8/K1k5 w - - 0 1";
    assert_eq!(tagged(other, "From Position"), (Start::Fen(other.to_owned()), None));
}

#[test]
fn the_utc_date_serves_where_the_date_is_missing() {
    let record = &read("[Event \"?\"]\n[UTCDate \"2014.02.03\"]\n[Date \"????.??.??\"]\n\n1. e4 *\n")[0];
    assert_eq!((&*record.date, record.year, &*record.event), ("2014.02.03", 2014, ""));
}

#[test]
fn an_open_comment_costs_its_own_game_alone() {
    for open in ["1. e4 {open e5 2. Nf3 1-0", "1. e4 (1. d4 {open d5) 1-0", "1. e4 {open\n\n\n{ 2. d4 *"] {
        let text = format!(
            "{GAME}[Event \"bad\"]\n[Result \"1-0\"]\n\n{open}\n\n{GAME}[Event \"c\"]\n\n1. c4 {{x}} *\n"
        );
        let records = read(&text);
        assert_eq!(records.len(), 4, "{open}");
        assert_eq!((moves(&records[1]), moves(&records[2])), ("e4".to_owned(), "e4 e5 Nf3 Nc6".to_owned()));
        let defect = records[1].defect.as_ref().unwrap();
        assert!(["unterminated-comment", "unterminated-variation"].contains(&defect.reason));
        let place = text[GAME.len() + 30..].find(['{', '(']).unwrap() + GAME.len() + 30;
        assert_eq!(defect.offset, 1000 + place as u64);
        assert_eq!((&records[2].defect, &*records[3].event), (&None, "c"));
        assert_eq!(
            records[2].line,
            11 + text[..text.rfind("[Event \"O").unwrap()].matches('\n').count() as u64
        );
        // With a ply limit before the defect the game is whole as far as it was asked for.
        assert_eq!(prefix(&text, 0).len(), 4);
    }
}

#[test]
fn an_open_comment_reaches_over_no_tags_that_it_does_not_close_behind() {
    for (first, next, expected) in [
        ("1. e4 {open", "1. d4 *", ["e4", "d4"]),
        ("1. e4 {open", "1. d4 {x} *", ["e4", "d4"]),
        ("1. e4 {x} e5 {open", "{y} 1. d4 *", ["e4 e5", "d4"]),
    ] {
        let text = format!("[White \"a\"]\n\n{first}\n\n[White \"b\"]\n[Black \"c\"]\n\n{next}\n");
        let records = read(&text);
        assert_eq!(records.iter().map(moves).collect::<Vec<_>>(), expected, "{text}");
        assert_eq!(records[0].defect.as_ref().unwrap().reason, "unterminated-comment");
        assert_eq!(records[1].defect, None);
    }
}

#[test]
fn a_second_event_tag_begins_a_game_behind_an_indented_one() {
    let records = read(" [Event \"A\"]\n[Site \"B\"]\n[Event \"C\"]\n\n1. e4 *\n");
    let events: Vec<_> = records.iter().map(|record| (&*record.event, record.length)).collect();
    assert_eq!(events, [("A", 23), ("C", 21)]);
    let broken = read(" [Event \"A\"]\n[Site \"B\"]\n[Event C]\n\n1. e4 *\n");
    let events: Vec<_> = broken.iter().map(|record| (&*record.event, record.length)).collect();
    assert_eq!(events[0], ("A", 23));
    assert_eq!(summary(&broken).last(), Some(&clean("e4")));
}

#[test]
fn what_looks_like_a_tag_and_is_none_is_passed_over() {
    for odd in ["[Event x]", "[Event ", "[e4 \n\"", "[e4\r\n\"x\"]", "[Event \n\"x\"]"] {
        for before in ["", "\n", "1. d4 *\n\n", GAME] {
            let records = read(&format!("{before}{odd}\n\n{GAME}"));
            assert_eq!(records.last().unwrap().event, "Open \"A\"", "{odd}");
            assert_eq!(summary(&records).last(), Some(&clean("e4 e5 Nf3 Nc6")));
        }
    }
}

#[test]
fn a_game_without_tags_begins_in_no_comment_of_the_prose_before_it() {
    for prose in [
        "4 {\n\n[White \"x\"\n\n1. e4}",
        "x {a} ; {\n[Black \"b\"]\n\n",
        "x\n% {\n[Black \"b\"]\n\n",
        // A brace within a bracket, as the lexer has it, opens no comment.
        "\n[Re{t]\n[Site \"x\"]\n\n1. e4 * }",
        // An Event tag cuts the comment off, so that the brace behind it does not close it.
        "{\n[Site \"x\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. Nf3 } *",
    ] {
        let text = format!("[Event \"a\"]\n\n1. c4 *{prose}\n\n1. d4 *\n");
        let records = read(&text);
        let found = summary(&records);
        assert_eq!((found.first(), found.last()), (Some(&clean("c4")), Some(&clean("d4"))), "{text}");
        // Each game is the same on its own.
        for record in records {
            let start = record.offset as usize - 1000;
            let copies = read(&text[start..start + record.length as usize]);
            assert_eq!(summary(&copies), [(moves(&record), None)], "{text}");
        }
    }
    for open in ["{ open\n\n1. e4 e5 *\n", "prose { open\n\n1. e4 {x} e5 *\n"] {
        assert_eq!(summary(&read(open)), [clean("e4 e5")], "{open}");
    }
}

#[test]
fn an_open_variation_is_told() {
    let text = format!("[Event \"x\"]\n[Black \"B (2)\"]\n\n1. e4 (1. d4 (1. c4) d5 1-0\n\n{GAME}");
    let records = read(&text);
    assert_eq!(
        summary(&records),
        [("e4".to_owned(), Some("unterminated-variation")), clean("e4 e5 Nf3 Nc6")]
    );
    assert_eq!(records[0].defect.as_ref().unwrap().offset, 1000 + text.find("(1. d4").unwrap() as u64);
}

#[test]
fn comments_may_hold_brackets_and_blank_lines() {
    let text = "[Event \"x\"]\n\n1. e4 { [Site \"y\"]\n\n[%clk 1]\n[Site \"z\"]\n } e5 *\n\n[Event \"y\"]\n\n1. d4 *\n";
    assert_eq!(summary(&read(text)), [clean("e4 e5"), clean("d4")]);
}

#[test]
fn games_without_moves_stay_apart() {
    let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n[Event \"b\"]\n[Result \"0-1\"]\n[Event \"c\"]\n\n*\n";
    let records = read(text);
    let outcomes: Vec<_> = records.iter().map(|record| (&*record.event, record.outcome)).collect();
    assert_eq!(outcomes, [("a", Outcome::FirstWins), ("b", Outcome::SecondWins), ("c", Outcome::Unknown)]);
}

#[test]
fn a_brace_in_prose_is_not_hidden_by_a_bracket_behind_another() {
    let text = "[A \"x\"]\n\n1. e4 0-1\n} { [b { [c\"]\n[d \"1\"]\n\n1. a4 } 1. d4 *\n";
    assert_eq!(summary(&read(text)), [clean("e4")]);
}

#[test]
fn the_last_of_several_quality_glyphs_is_the_mark() {
    let records = read("1. e4! $2 e5 $14 $4 $18 2. d4 $2 ! *");
    assert_eq!(records[0].marks[..], [-2, -3, 2]);
}

#[test]
fn games_without_tags_are_told_apart_by_their_markers() {
    let text = "1. e4 e5 1-0\n1. d4 d5 2. c4 0-1 1. c4 *\n\n1. b4 1/2-1/2\n";
    let expected = [clean("e4 e5"), clean("d4 d5 c4"), clean("c4"), clean("b4")];
    assert_eq!(summary(&read(text)), expected);
    assert_eq!(prefix(text, 1).len(), 4);
    assert_eq!(summary(&prefix(text, 2))[1], clean("d4 d5"));
}

#[test]
fn blank_lines_within_a_game_do_not_end_it() {
    for text in ["1. e4 e5\n\n2. Nf3 Nc6 1-0", "1. e4\n\n1... e5 {\n\n} 2. Nf3\n\n{x} Nc6\n\n1-0"] {
        let records = read(&format!("[Event \"x\"]\n\n{text}\n"));
        assert_eq!(summary(&records), [clean("e4 e5 Nf3 Nc6")]);
        assert_eq!(records[0].outcome, Outcome::FirstWins);
        assert_eq!(prefix(text, 1)[0].outcome, Outcome::FirstWins);
    }
}

#[test]
fn prose_behind_a_blank_line_ends_a_game_and_move_1_begins_another() {
    let text = "[Event \"x\"]\n\n1. e4 e5\n\nWhite played Nf3 here.\n\n1. d4 d5\n\n1. c4 *\n";
    assert_eq!(summary(&read(text)), [clean("e4 e5"), clean("d4 d5"), clean("c4")]);
    assert_eq!(summary(&prefix(text, 1)), [clean("e4"), clean("d4"), clean("c4")]);
}

#[test]
fn the_rest_of_a_game_without_its_beginning_is_told() {
    let records = read("Annotated by Bob\n\n12. Nf3 Nc6 1-0\n");
    assert_eq!(summary(&records), [("Nf3 Nc6".to_owned(), Some("no-beginning"))]);
    assert_eq!(records[0].offset, 1000 + 18);
}

#[test]
fn an_escaped_line_may_be_the_last() {
    for text in ["1. e4\n\n%x", "1. e4\n%x", "1. e4 e5\n\n%x\n%", "%", "%x\n\n%"] {
        assert!(read(text).iter().all(|game| game.defect.is_none()), "{text}");
    }
}

#[test]
fn prose_and_comments_are_no_games() {
    assert_eq!(
        summary(&read(&format!("% made by us\n\n; a collection\n\nHeading e4\n----\n\n{GAME}\n1-0\n\n"))),
        [clean("e4 e5 Nf3 Nc6")]
    );
}

#[test]
fn a_garbled_move_is_told_and_what_stands_before_it_kept() {
    for garbled in ["Nf9", "Sf3", "e9", "Kxx", "P-K4", "0-0-0-0", "Nf3xx"] {
        let text = format!("[Event \"x\"]\n\n1. e4 e5 2. {garbled} Nc6 3. Bb5 1-0\n");
        let record = &read(&text)[0];
        let defect = record.defect.as_ref().unwrap();
        assert_eq!((moves(record), defect.reason), ("e4 e5".to_owned(), "bad-move-text"), "{garbled}");
        assert_eq!(defect.offset, 1000 + text.find(garbled).unwrap() as u64);
        assert_eq!(record.outcome, Outcome::FirstWins);
        assert_eq!(prefix(&text, 2)[0].defect, None);
    }
    assert_eq!(moves(&read("[Event \"x\"]\n\n1. e4 -- 2. Nf3 *\n")[0]), "e4 -- Nf3");
}

#[test]
fn moves_are_read_in_all_their_spellings() {
    let text =
        "1e4 e7e5 2. Ng1-f3 \u{2658}c6 3\u{2026} a6 +- 0-0 ch exd4 [%clk 0:01] e.p. bxa8Q+ (=) N Z0 1/2";
    let records = read(&format!("[White \"a\"]\n{text}\n"));
    assert_eq!(moves(&records[0]), "e4 e7e5 Ng1f3 Nc6 a6 O-O exd4 bxa8=Q --");
    assert_eq!((records[0].outcome, &records[0].defect), (Outcome::Draw, &None));
}

fn text_of_pieces() -> impl Strategy<Value = String> {
    const PIECES: &str = "[Event \"a\"]\n|[White \"b\"]\n|[FEN \"|\n|\n\n|\r\n|1. |e4 |Nf3 |{|}|(|)|;|%|1-0|*|$1|\
                          !?|\"|]|[|\\|--|\u{feff}|½-½|0-0|12...| ";
    let piece = prop::sample::select(PIECES.split('|').collect::<Vec<_>>());
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_with(&bytes, &ReadOptions::default());
    }

    #[test]
    fn a_sound_game_survives_any_neighbour(text in text_of_pieces(), max_ply in prop::option::of(0usize..4)) {
        let whole = format!("{text}\n\n{GAME}");
        let records = read_with(whole.as_bytes(), &ReadOptions { max_ply, full: false, ..ReadOptions::default() });
        let last = records.last().unwrap();
        prop_assert_eq!(last.offset, 1000 + whole.rfind("[Event").unwrap() as u64);
        prop_assert_eq!(last.moves.len(), max_ply.unwrap_or(4));
        prop_assert!(records.windows(2).all(|pair| pair[0].offset < pair[1].offset));
    }

    #[test]
    fn a_ply_limit_changes_no_other_game(text in text_of_pieces()) {
        let whole = format!("{GAME}{text}\n\n{GAME}");
        let bounds = |records: Vec<GameRecord<Token>>| {
            records.iter().map(|record| (record.offset, record.event.clone())).filter(|(_, event)| !event.is_empty()).collect::<Vec<_>>()
        };
        prop_assert_eq!(bounds(prefix(&whole, 1)), bounds(read(&whole)));
    }
}
