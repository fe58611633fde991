//! Ply limits: which moves, variations and games come out where not all of a game is wanted.

use super::*;

#[test]
fn a_ply_limit_cuts_the_moves_and_keeps_the_result() {
    for (text, outcome) in [
        (GAME.replace("Nc6 $5 1-0", "Nc6 0-1"), Outcome::SecondWins),
        (GAME.replace("Nc6 $5 1-0", "Nc6"), Outcome::FirstWins),
        (GAME.replace("Nc6 $5 1-0", "Nc6 {flag} *"), Outcome::FirstWins),
        (GAME.replace("Nc6 $5 1-0", "Nc6 1/2-1/2 {agreed}").replace("\"1-0\"", "\"*\""), Outcome::Draw),
        (GAME.replace("Nc6 $5 1-0", "Nc6 0-1 ; not 1-0").replace("\"1-0\"", "\"?\""), Outcome::SecondWins),
    ] {
        let text = format!("{text}\n{GAME}");
        let (records, whole) = (prefix(&text, 3), read(&text));
        assert_eq!(summary(&records), [clean("e4 e5 Nf3"), clean("e4 e5 Nf3")]);
        assert_eq!((records[0].outcome, records[0].marks.len()), (outcome, 3), "{text}");
        assert_eq!((whole[0].outcome, records[1].outcome), (outcome, Outcome::FirstWins), "{text}");
        assert_eq!(prefix(&text, 0)[0].outcome, outcome);
    }
    let full = ReadOptions { max_ply: Some(1), full: true, ..ReadOptions::default() };
    assert_eq!(read_with(GAME.as_bytes(), &full)[0].moves.len(), 4);
}

/// Everything of each game, of the moves the first ones.
fn cut(text: &str, max_ply: usize) -> Vec<GameRecord<Token>> {
    let options = ReadOptions { max_ply: Some(max_ply), full: false, ..ReadOptions::everything() };
    read_with(text.as_bytes(), &options)
}

#[test]
fn a_variation_of_what_a_limit_cut_off_is_cut_off() {
    let text = "[A \"b\"]\n\n1. e4 (1. d4 d5! 2. c4?? (2. Nf3 Nf6) 2... e6) e5 2. Nf3 *\n";
    let record = &cut(text, 2)[0];
    let line_moves = |moves: &[Token]| moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let lines: Vec<_> =
        record.variations.iter().map(|line| (line.leaves, line.ply, line_moves(&line.moves))).collect();
    assert_eq!(lines, [(0, 0, "d4 d5".to_owned())]);
    assert_eq!((moves(record), &*record.variations[0].marks), ("e4 e5".to_owned(), &[0, 2][..]));
}

#[test]
fn a_ply_limit_loses_no_game_of_the_same_paragraph() {
    for between in [" ", "\n", "\n \n", "\n\t\r\n", "\n\0\n"] {
        for first in ["1-0", "1/2", "\u{bd}-\u{bd}", "1:0", "0.5-0.5"] {
            let text = format!("[Event \"a\"]\n\n1. e4 e5 2. Nf3 {first}{between}1. d4 d5 2. c4 0-1\n");
            let outcomes = |records: Vec<GameRecord<Token>>| {
                records.iter().map(|record| (record.offset, record.outcome)).collect::<Vec<_>>()
            };
            let whole = outcomes(read(&text));
            assert_eq!((whole.len(), whole[1].1), (2, Outcome::SecondWins), "{text}");
            assert_eq!(outcomes(cut(&text, 1)), whole, "{text}");
        }
    }
}

#[test]
fn a_variation_ends_at_the_same_place_whether_it_is_wanted_or_not() {
    for variation in
        ["(1. d4 [a) b] d5)", "(1. d4 ;)\n d5)", "(1. d4\n%)\n d5)", "(1. d4 {)} d5)", "(1. d8(Qe8))"]
    {
        let text = format!("[A \"b\"]\n\n1. e4 {variation} e5 2. Nf3 *\n");
        for records in [read(&text), cut(&text, 3), read_with(text.as_bytes(), &ReadOptions::everything())] {
            assert_eq!(summary(&records), [clean("e4 e5 Nf3")], "{text}");
        }
    }
}

#[test]
fn a_glyph_of_an_unreadable_move_marks_no_other() {
    let text = "[A \"b\"]\n\n1. e4 Nz6?? (1... e5 2. Nz3!) 2. d4 *\n";
    let record = &read_with(text.as_bytes(), &ReadOptions::everything())[0];
    assert_eq!((moves(record), &*record.marks), ("e4".to_owned(), &[0][..]));
}

#[test]
fn a_form_feed_ends_a_word_with_and_without_a_limit() {
    let text = "[Event \"x\"]\n\n1. e4\u{c}e5\u{b}2. x\u{c}0-1\n";
    for limit in [None, Some(1)] {
        let options = ReadOptions { max_ply: limit, full: false, ..ReadOptions::default() };
        let record = &read_with(text.as_bytes(), &options)[0];
        assert_eq!(
            (moves(record), record.outcome),
            (["e4", "e4 e5"][usize::from(limit.is_none())].into(), Outcome::SecondWins)
        );
    }
}
