//! Moves, results and tags in the signs of typographers and input methods, and words that are no moves.

use super::*;

/// Returns the moves and the defect's message of a game with this movetext.
fn read_moves(movetext: &str) -> (String, Option<String>, Outcome) {
    let records = read(&format!("[Event \"x\"]\n\n{movetext}\n"));
    assert_eq!(records.len(), 1, "{movetext}");
    let defect = records[0].defect.as_ref().map(|defect| defect.message.clone());
    (moves(&records[0]), defect, records[0].outcome)
}

#[test]
fn signs_that_mean_one_thing_are_read() {
    let castled = "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O d3";
    let short = "0–0,0\u{2011}0,0−0,0 - 0,0.0,00,OO,O.O,O-o,oo,0--0,О-О,Ο-Ο,Ｏ-Ｏ,0 – 0,O-0";
    for castling in short.split(',') {
        let text = format!("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. {castling} {castling} 5. d3 1–0");
        assert_eq!(read_moves(&text), (castled.to_owned(), None, Outcome::FirstWins), "{text}");
    }
    let long = "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O";
    for castling in ["0–0–0", "OOO", "0 - 0 - 0", "O-O–O"] {
        let text = format!("1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. {castling} {castling} *");
        assert_eq!(read_moves(&text).0, long, "{text}");
    }
    for (text, expected) in [
        ("1. е4 с5 2. Nf3 *", "e4 c5 Nf3"),
        ("1. ｅ４ ｅ５ *", "e4 e5"),
        ("1. E4 E5 2. NF3 nc6 *", "e4 e5 Nf3 Nc6"),
        ("1. N f3 N f6 2. ♘ c3 *", "Nf3 Nf6 Nc3"),
        ("1. 5254 5755 *", "e2e4 e7e5"),
        ("1. e2–e4 e7—e5 *", "e2e4 e7e5"),
        ("1. e4 d5 2. e×d5 *", "e4 d5 exd5"),
        ("1.\u{a0}e4\u{a0}e5 2.\u{2009}Nf3\u{202f}Nc6\u{200b} 3\u{2024}Bb5 *", "e4 e5 Nf3 Nc6 Bb5"),
        ("1. e4± e5… 2. Nf3，Nc6 *", "e4 e5 Nf3 Nc6"),
        ("1. a8 =Q b8 Q c8 Qd7 *", "a8=Q b8=Q c8 Qd7"),
    ] {
        assert_eq!(read_moves(text), (expected.to_owned(), None, Outcome::Unknown), "{text}");
    }
}

#[test]
fn results_are_read_in_any_dashes() {
    for (marker, outcome) in [
        ("1–0", Outcome::FirstWins),
        ("0—1", Outcome::SecondWins),
        ("1−0", Outcome::FirstWins),
        ("1-O", Outcome::FirstWins),
        ("l-0", Outcome::FirstWins),
        ("1⁄2-1⁄2", Outcome::Draw),
        ("½–½", Outcome::Draw),
        ("(1-0)", Outcome::FirstWins),
    ] {
        assert_eq!(
            read_moves(&format!("1. e4 e5 {marker}")),
            ("e4 e5".to_owned(), None, outcome),
            "{marker}"
        );
        let record = &read(&format!("[Result \"{marker}\"]\n\n1. e4 e5 *\n"))[0];
        assert_eq!((record.outcome, record.tagged), (outcome, outcome), "{marker}");
    }
}

#[test]
fn what_comes_behind_a_word_in_the_place_of_a_move_is_not_counted() {
    for (text, kept, word) in [
        ("1. e4 e5 2. castles Nc6 3. d4 *", "e4 e5", "castles"),
        ("1. e4 pass 2. d4 *", "e4", "pass"),
        ("1. e4 foo d4 *", "e4", "foo"),
        ("1. e4 e5 2. ... ... 3. Nf3 *", "e4 e5", "..."),
        ("1. e4 e5 2. ? ? 3. Nf3 *", "e4 e5", "?"),
        ("1. e4 e5 2. Сf4 *", "e4 e5", "Сf4"),
        ("1. b3 BXC3 1-0", "b3", "BXC3"),
    ] {
        let (moves, defect, _) = read_moves(text);
        assert_eq!(moves, kept, "{text}");
        assert!(defect.as_ref().is_some_and(|defect| defect.contains(word)), "{text}: {defect:?}");
    }
    for (text, kept) in [
        ("1. e4 e5 novelty 2. Nf3 Nc6 3. Bb5 Black resigns 1-0", "e4 e5 Nf3 Nc6 Bb5"),
        ("1. e4 {a} 1... e5 +- 2. Nf3 Nc6 1-0", "e4 e5 Nf3 Nc6"),
        ("1. e4 {a} 1. ... e5 2. Nf3 *", "e4 e5 Nf3"),
        ("1. e4 ch e5 mate Nf3 *", "e4 e5 Nf3"),
        ("Opening: Spanish 1. e4 e5 *", "e4 e5"),
        ("1. e4 e5 (better is 1... c5 2. Nf3) 2. Nf3 *", "e4 e5 Nf3"),
    ] {
        assert_eq!((read_moves(text).0.as_str(), read_moves(text).1), (kept, None), "{text}");
    }
    let defect = read_moves("1. e4 e5 2. Сf4 *").1.unwrap();
    assert!(defect.contains("(U+0421)"), "{defect}");
    let record = &read("[Event \"x\"]\n\n1. e4 novelty e5 2. Nf3 Black resigns *\n")[0];
    assert_eq!(record.ignored, 3);
}

#[test]
fn a_variation_ends_before_a_word_in_the_place_of_a_move() {
    let text =
        "[Event \"x\"]\n\n1. e4 e5 (1... castles 2. Nf3 (2. d4) Nc6 3. Bb5) 2. Nf3 (2. foo 2. d4) Nc6 *\n";
    let record = &read_with(text.as_bytes(), &ReadOptions::everything())[0];
    assert_eq!((moves(record), &record.defect), ("e4 e5 Nf3 Nc6".to_owned(), &None));
    let lines: Vec<_> = record.variations.iter().map(|line| (line.ply, line.moves.len())).collect();
    assert_eq!(lines, [(1, 0), (1, 0), (2, 1)]);
}

#[test]
fn each_line_of_a_list_is_a_game() {
    for (text, games) in [
        ("e2e4 e7e5 g1f3\nd2d4 d7d5\n", &["e2e4 e7e5 g1f3", "d2d4 d7d5"][..]),
        ("1. e4 e5 2. Nf3\n1. d4 d5\n1. c4\n", &["e4 e5 Nf3", "d4 d5", "c4"]),
        ("e4 e5\nd4\n\nc4 c5 *\n", &["e4 e5", "d4", "c4 c5"]),
        // The second line goes on with the first.
        ("e2e4 e7e5\ng8f6 g1f3\n", &["e2e4 e7e5 g8f6 g1f3"]),
        ("1. e4 e5 2. Nf3 Nc6 1. d4 d5\n", &["e4 e5 Nf3 Nc6", "d4 d5"]),
    ] {
        let records = read(text);
        assert_eq!(records.iter().map(moves).collect::<Vec<_>>(), games, "{text}");
        assert!(records.iter().all(|record| record.defect.is_none()), "{text}");
    }
}

#[test]
fn starts_that_say_nothing_are_the_usual_one() {
    for tags in [
        "[FEN \"\"]",
        "[FEN \"?\"]",
        "[SetUp \"0\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]",
        "[Variant \"?\"]",
        "[Variant \"Classical\"]",
        "[Variant \"Najdorf Variation\"]",
    ] {
        let record = &read(&format!("[Event \"x\"]\n{tags}\n\n1. e4 *\n"))[0];
        assert_eq!((&record.start, &record.variant), (&Start::Standard, &None), "{tags}");
    }
    let record = &read("[FEN \"bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1\"]\n\n1. b3 *\n")[0];
    assert_eq!(record.variant.as_deref(), Some("Chess960"));
    let record = &read("[FEN \"4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1\"]\n\n1. O-O *\n")[0];
    assert_eq!(record.start, Start::Fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_owned()));
}

#[test]
fn values_of_tags_may_stand_in_other_quotes_or_in_none() {
    for quotes in ["“”", "„“", "«»", "＂＂", "‘’", "''"] {
        let (open, close) = quotes.split_at(quotes.char_indices().nth(1).map_or(0, |(place, _)| place));
        let text = format!(
            "[Event {open}Club Open{close}]\n[White {open}O'Neil, A.{close}]\n[WhiteElo &quot;2400&quot;]\n[Result 1-0]\n\n1. e4\n\n\
             [Event {open}next{close}]\n\n1. d4 *\n"
        );
        let records = read(&text);
        assert_eq!(summary(&records), [clean("e4"), clean("d4")], "{text}");
        let record = &records[0];
        let found = (&*record.event, &*record.first_player, record.ratings[0], record.outcome);
        assert_eq!(found, ("Club Open", "O'Neil, A.", 2400, Outcome::FirstWins), "{text}");
    }
}

#[test]
fn a_double_forfeit_is_no_castling() {
    let records = read("[Result \"0-0\"]\n\n0-0\n\n[Event \"next\"]\n\n1. d4 d5 1-0\n");
    assert_eq!(summary(&records), [clean(""), clean("d4 d5")]);
}
