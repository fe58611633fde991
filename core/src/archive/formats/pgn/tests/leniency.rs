//! Tags that are indented, names in other character sets than UTF-8, and what is glued to moves.

use super::*;

#[test]
fn indented_tags_begin_a_game() {
    for indent in [" ", "\t", "   \t"] {
        for (first, end) in [("1. e4 *", "\n\n"), ("1. e4", "\n\n"), ("1. e4 1-0", "\n"), ("", "\n")] {
            let text = format!(
                "{indent}[Event \"A\"]\n{indent}[Site \"x\"]\n\n{first}{end}\
                 {indent}[Event \"B\"]\n{indent}[White \"w\"]\n{indent}[Result \"*\"]\n\n{indent}1. d4 *\n"
            );
            let records = read(&text);
            let events: Vec<_> = records.iter().map(|record| &*record.event).collect();
            assert_eq!(events, ["A", "B"], "{text}");
            assert_eq!((&*records[1].first_player, moves(&records[1])), ("w", "d4".to_owned()), "{text}");
        }
    }
    // The first tag alone is indented, or all but the first.
    for next in [
        " [Event \"B\"]\n[White \"w\"]\n",
        "[Event \"B\"]\n [White \"w\"]\n",
        " [Site \"s\"]\n[Event \"B\"]\n",
    ] {
        let records = read(&format!("[Event \"A\"]\n\n1. e4 *\n\n{next}\n1. d4 *\n"));
        assert_eq!(records.iter().map(|record| &*record.event).collect::<Vec<_>>(), ["A", "B"], "{next}");
    }
}

#[test]
fn an_indented_tag_in_a_comment_begins_no_game() {
    for (open, close) in [("{", "}"), ("; ", ""), ("(1. d4 {", "})")] {
        let records = read(&format!("[Event \"A\"]\n\n1. e4 {open}see\n [Event \"B\"]\n{close} e5 *\n"));
        let events: Vec<_> = records.iter().map(|record| &*record.event).collect();
        // A comment of a line ends with it.
        assert_eq!(events, if close.is_empty() { vec!["A", "B"] } else { vec!["A"] });
    }
}

#[test]
fn an_aside_among_tags_splits_no_game() {
    for (strange, name) in [
        ("[White Elo \"2300\"]", Some("White Elo")),
        ("[White-Elo \"2300\"]\r", Some("White-Elo")),
        ("[Site]", None),
        ("[Site 'a']", Some("Site")),
        ("[]", None),
        ("; [White \"x\"]", None),
        ("% a", None),
        ("{a}", None),
    ] {
        let game =
            |event: &str, tags: &str| format!("[Event \"{event}\"]\n{tags}[Black \"b\"]\n\n1. e4 *\n\n");
        let text = game("A", "")
            + &game("B", &format!("[White \"w\"]\n{strange}\n[WhiteElo \"2400\"]\n"))
            + &game("C", "");
        let records = read_with(text.as_bytes(), &ReadOptions { tags: true, ..ReadOptions::default() });
        assert_eq!(summary(&records), [clean("e4"), clean("e4"), clean("e4")], "{text}");
        let names: Vec<_> = records[1].tags.iter().map(|(name, _)| name.as_str()).collect();
        let expected = ["Event", "White"].into_iter().chain(name).chain(["WhiteElo", "Black"]);
        assert!(names.into_iter().eq(expected), "{text}");
        assert_eq!((&*records[1].second_player, records[1].ratings), ("b", [2400, 0]), "{text}");
    }
}

#[test]
fn blanks_may_stand_before_the_name_of_a_tag() {
    let records =
        read("[ Event \"A\" ]\n[ White \"w\" ]\n\n1. e4 *\n\n[ Event \"B\" ]\n[\tBlack \"b\"]\n\n1. d4 *\n");
    assert_eq!(summary(&records), [clean("e4"), clean("d4")]);
    assert_eq!((&*records[0].first_player, &*records[1].event, &*records[1].second_player), ("w", "B", "b"));
}

#[test]
fn cyrillic_names_are_read() {
    let text = "[Event \"Чемпионат СССР и мира\"]\n[White \"Карпов, А.\"]\n[Black \"Königs\"]\n\n1. e4 *\n";
    let text_of_windows = text.replace('ö', "o");
    let bytes = encoding_rs::WINDOWS_1251.encode(&text_of_windows).0;
    let record = &read_with(&bytes, &ReadOptions::default())[0];
    assert_eq!((&*record.event, &*record.first_player), ("Чемпионат СССР и мира", "Карпов, А."));
    // UTF-8 stays so, and Western names do, also of many accents.
    let record = &read_with(text.as_bytes(), &ReadOptions::default())[0];
    assert_eq!((&*record.event, &*record.second_player), ("Чемпионат СССР и мира", "Königs"));
    let western =
        "[White \"Müller, Jürgen\"]\n[Black \"Çelik Ağır, Ñúñez, Häßler, Köhl, Coëé\"]\n\n1. e4 *\n";
    let western = western.replace(['ğ', 'ı'], "i");
    let bytes = encoding_rs::WINDOWS_1252.encode(&western).0;
    let record = &read_with(&bytes, &ReadOptions::default())[0];
    assert_eq!(&*record.first_player, "Müller, Jürgen");
    assert!(record.second_player.starts_with("Çelik"));
}

#[test]
fn games_of_one_line_each_are_games() {
    let records =
        read("[Result \"1-0\"] 1. e4 *\n[Result \"0-1\"] 1. d4 1/2-1/2\n[White \"c\"] 1. c4 e5 0-1\n");
    let found: Vec<_> = records.iter().map(|record| (moves(record), record.outcome)).collect();
    assert_eq!(
        found,
        [
            ("e4".to_owned(), Outcome::FirstWins),
            ("d4".to_owned(), Outcome::Draw),
            ("c4 e5".to_owned(), Outcome::SecondWins)
        ]
    );
}

#[test]
fn a_percent_sign_behind_blanks_is_no_comment() {
    for text in ["[Event \"a\"]\n\n % 1. e4 *\n", "[Event \"a\"] % 1. e4 *\n"] {
        let records = read(text);
        assert_eq!(records.iter().map(moves).collect::<Vec<_>>(), ["e4"], "{text}");
    }
    assert_eq!(moves(&read("[Event \"a\"]\n\n% 1. e4 *\n1. d4 *\n")[0]), "d4");
}

#[test]
fn tags_behind_a_marker_begin_the_next_game_on_the_line() {
    let tagged = |event: &str, result: &str, moves: &str| {
        format!("[Event \"{event}\"] [Result \"{result}\"] {moves} {result} ")
    };
    let line =
        ["A", "B", "C"].map(|event| tagged(event, "1-0", "1. e4 {[%eval 0.1] \"quoted\"} e5")).concat();
    for (text, events) in [
        (line.clone(), vec!["A", "B", "C"]),
        (format!("{line}\n\n[Event \"D\"]\n\n1. c4 *\n"), vec!["A", "B", "C", "D"]),
        // The game that a marker ends may be the last of its file, joined with the next one.
        (
            "[Event \"A\"]\n\n1. e4 *[Event \"B\"]\n[Site \"b\"]\n\n1. d4 * [Event \"C\"] [Site \"c\"]\r\n[White \"c\"]\r\n\r\n1. c4 *\r\n".into(),
            vec!["A", "B", "C"],
        ),
        // Comments, blank lines and prose may stand before the tags.
        ("[Event \"A\"]\n\n1. e4 * {over} [White \"w\"] 1. d4 *\n".into(), vec!["A", ""]),
        ("[Event \"A\"]\n\n1. e4\n\n1... e5 * [Event \"B\"]\n\n1. d4 *\n".into(), vec!["A", "B"]),
        // What looks like tags elsewhere is no game.
        ("[Event \"A\"]\n\n1. e4 [White \"w\"] e5 *\n".into(), vec!["A"]),
        ("[Event \"A\"]\n\n1. e4 {* [White \"w\"]} e5 *\n".into(), vec!["A"]),
        ("[Event \"A\"]\n\n1. e4 (1. d4 * [White \"w\"]) e5 *\n".into(), vec!["A"]),
    ] {
        for max_ply in [None, Some(0), Some(1)] {
            let options = ReadOptions { max_ply, full: false, ..ReadOptions::default() };
            let records = read_with(text.as_bytes(), &options);
            let found: Vec<_> = records.iter().map(|record| &*record.event).collect();
            assert_eq!(found, events, "{text} {max_ply:?}");
            assert!(records.iter().all(|record| record.defect.is_none()), "{text}");
            // Every game lies where its record says, one behind the other.
            let first = records[0].offset;
            let mut upto = first;
            for record in &records {
                assert!(record.offset >= upto);
                upto = record.offset + record.length;
            }
            assert!(upto - first <= text.len() as u64);
        }
    }
}

#[test]
fn a_result_glued_to_the_last_move_is_a_result() {
    for (text, played, outcome) in [
        ("1. e4 e5 2. Qh5 Ke7 3. Qxe51-0", "e4 e5 Qh5 Ke7 Qxe5", Outcome::FirstWins),
        ("1. f3 e5 2. g4 Qh40-1", "f3 e5 g4 Qh4", Outcome::SecondWins),
        ("1. e4 R8xg20-1", "e4 R8xg2", Outcome::SecondWins),
        ("1. e4 e51/2-1/2", "e4 e5", Outcome::Draw),
        ("1. e4 O-O1-0", "e4 O-O", Outcome::FirstWins),
        ("1. e4 e51/2", "e4 e5", Outcome::Draw),
        ("1. e4 e51:0", "e4 e5", Outcome::FirstWins),
    ] {
        let records = read(&format!("[Event \"glued\"]\n\n{text}\n\n[Event \"next\"]\n\n1. d4 *\n"));
        assert_eq!(summary(&records), [clean(played), clean("d4")], "{text}");
        assert_eq!(records[0].outcome, outcome, "{text}");
    }
}

#[test]
fn a_number_glued_to_the_move_before_it_is_a_number() {
    for (text, played) in [
        ("1. e4 e52. Nf3 Nc63. Bb5 *", "e4 e5 Nf3 Nc6 Bb5"),
        ("1.e4 e52.Nf3 Nc63.Bb5 Nf64.O-O5. *", "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O"),
        ("22. Qxe6 Qc1+23. Bxc1 *", "Qxe6 Qc1 Bxc1"),
        ("17. Bxd8 exf1=Q+18. Kxf1 Rd119. Rc1d110. *", "Bxd8 exf1=Q Kxf1 Rd1 Rc1d1"),
        ("1. e41... e5 2. d42\u{2026}d5 *", "e4 e5 d4 d5"),
    ] {
        assert_eq!(summary(&read(&format!("[Event \"glued\"]\n\n{text}\n"))), [clean(played)], "{text}");
    }
    // Without a point the digits may be anything.
    for text in ["1. e4 e55 2. d4 *", "1. e4 Nc69 2. d4 *", "1. e4 e50. d4 *"] {
        assert_eq!(
            read(text)[0].defect.as_ref().map(|defect| defect.reason),
            Some("bad-move-text"),
            "{text}"
        );
    }
}
