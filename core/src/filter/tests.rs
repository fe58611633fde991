//! Each filter, what it lets stay and what it does with games that do not say.

use super::*;
use crate::archive::Start;

/// A record with the tags `Name=Value`; the fields that readers fill from tags are filled.
fn record(tags: &[(&str, &str)]) -> GameRecord<u8> {
    let mut record = GameRecord { moves: vec![0; 30], marks: vec![0; 30], ..GameRecord::default() };
    for &(name, value) in tags {
        match name {
            "White" => record.first_player = value.to_owned(),
            "Black" => record.second_player = value.to_owned(),
            "WhiteElo" => record.ratings[0] = value.parse().unwrap(),
            "BlackElo" => record.ratings[1] = value.parse().unwrap(),
            "Event" => record.event = value.to_owned(),
            "Date" => {
                record.date = value.to_owned();
                record.year = value.get(..4).and_then(|year| year.parse().ok()).unwrap_or(0);
            }
            _ => {}
        }
        record.tags.push((name.to_owned(), value.to_owned()));
    }
    record
}

fn stays(filter: &GameFilter, tags: &[(&str, &str)]) -> bool {
    filter.reason(&record(tags)).is_none()
}

#[test]
fn an_empty_filter_keeps_every_game() {
    assert!(stays(&GameFilter::default(), &[]));
    assert!(!GameFilter::default().needs_tags());
}

#[test]
fn ratings_are_of_both_players_of_one_or_their_mean() {
    let tags = |first, second| [("WhiteElo", first), ("BlackElo", second)];
    let filter = |rating_of| GameFilter { min_rating: Some(2400), rating_of, ..GameFilter::default() };
    for (ratings, both, either, mean) in [
        (tags("2500", "2400"), true, true, true),
        (tags("2500", "2399"), false, true, true),
        (tags("2500", "2200"), false, true, false),
        (tags("2500", "0"), false, true, true),
        (tags("0", "0"), false, false, false),
    ] {
        let found = [RatingOf::Both, RatingOf::Either, RatingOf::Mean].map(|of| stays(&filter(of), &ratings));
        assert_eq!(found, [both, either, mean], "{ratings:?}");
    }
    let most = GameFilter { max_rating: Some(2400), ..GameFilter::default() };
    assert!(stays(&most, &tags("2400", "1000")) && !stays(&most, &tags("2400", "0")));
}

#[test]
fn an_incomplete_date_stays_if_it_may_lie_between_the_bounds() {
    let bound = |text| Some(PartialDate::parse("--since", text).unwrap());
    let filter = GameFilter { since: bound("2010-5-17"), until: bound("2012"), ..GameFilter::default() };
    for (date, expected) in [
        ("2010.05.17", true),
        ("2010.05.16", false),
        ("2010.05.??", true),
        ("2010.04.??", false),
        ("2010.??.??", true),
        ("2010.??.01", true),
        ("2012.12.31", true),
        ("2013.01.01", false),
        ("20100516", false),
        ("2010年6月1日", true),
        ("????.??.??", false),
        ("", false),
    ] {
        assert_eq!(stays(&filter, &[("Date", date)]), expected, "{date}");
    }
    let short = |text| PartialDate::of_record(text, 2003).map(PartialDate::first_day);
    assert_eq!((short("03-02-17"), short("17/02/2003")), (Some(20_030_217), Some(20_030_000)));
    for wrong in ["", "10", "2010-13", "2010-1-32", "2010-1-1-1", "May"] {
        assert!(PartialDate::parse("--since", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn players_and_events_are_found_in_names_whatever_their_case() {
    let tags = [("White", "Carlsen, Magnus"), ("Black", "Müller"), ("Event", "Open")];
    let by =
        |name, player_side| GameFilter { players: vec![Part::new(name)], player_side, ..Default::default() };
    assert!(stays(&by("CARLSEN", None), &tags));
    assert!(stays(&by("MÜLL", Some(Side::Second)), &tags));
    assert!(!stays(&by("carlsen", Some(Side::Second)), &tags));
    assert!(!stays(&by("anand", None), &tags));
    let events = GameFilter { events: vec![Part::new("OPEN")], ..GameFilter::default() };
    assert!(stays(&events, &tags) && !stays(&events, &[]));
}

#[test]
fn openings_lie_in_ranges_of_codes() {
    for (text, code, expected) in [
        ("B20-B99", "B20", true),
        ("B20-B99", "B99/07", true),
        ("B20-B99", "B19", false),
        ("B20-C", "C99", true),
        ("b2", "B29", true),
        ("B2", "B30", false),
        ("C42", "C42", true),
        ("E", "E00", true),
        ("E", "?", false),
    ] {
        let filter =
            GameFilter { openings: vec![OpeningRange::parse(text).unwrap()], ..GameFilter::default() };
        assert!(filter.needs_tags());
        assert_eq!(stays(&filter, &[("ECO", code)]), expected, "{text} {code}");
        assert_eq!(stays(&filter, &[("ECCO", code)]), expected, "{text} {code}");
        assert!(!stays(&filter, &[]));
    }
    for wrong in ["", "B200", "20", "B99-B20", "B20-B30-B40"] {
        assert!(OpeningRange::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn speeds_follow_the_time_of_forty_moves() {
    for (tag, speed) in [
        ("15+0", Some(Speed::UltraBullet)),
        ("30+0", Some(Speed::Bullet)),
        ("60+2", Some(Speed::Bullet)),
        ("180", Some(Speed::Blitz)),
        ("300+3", Some(Speed::Blitz)),
        ("300+5", Some(Speed::Rapid)),
        ("900+15", Some(Speed::Classical)),
        ("40/7200:3600", Some(Speed::Classical)),
        ("-", None),
        ("?", None),
        ("*180", None),
        ("", None),
        ("99999999999999999999", None),
    ] {
        assert_eq!(Speed::of_tag(tag), speed, "{tag}");
    }
    let filter =
        |text| GameFilter { time_controls: vec![TimeControl::parse(text).unwrap()], ..GameFilter::default() };
    assert!(stays(&filter("Blitz"), &[("TimeControl", "300+3")]));
    assert!(stays(&filter("300+3"), &[("TimeControl", "300+3")]));
    assert!(stays(&filter("-"), &[("TimeControl", "-")]));
    assert!(!stays(&filter("300"), &[("TimeControl", "300+3")]));
    assert!(!stays(&filter("blitz"), &[]));
    assert!(TimeControl::parse("fast").is_err() && TimeControl::parse("").is_err());
}

#[test]
fn tags_are_tested_by_their_operator() {
    let tags = [("Round", "9"), ("Site", "Paris FRA"), ("EventDate", "2010.05.17")];
    for (text, expected) in [
        ("Round=9", true),
        ("round=9", true),
        ("Round=10", false),
        ("Round!=10", true),
        ("Annotator=", true),
        ("Annotator!=X", true),
        ("Round>=10", false),
        ("Round<=10", true),
        ("Annotator<=10", false),
        ("EventDate>=2010.05", true),
        ("EventDate<=2010.05.17", true),
        ("Site~^Paris", true),
        ("Site~(?i)PARIS", true),
        ("Site~PARIS", false),
        ("Annotator~.*", false),
    ] {
        let filter = GameFilter { tags: vec![TagTest::parse(text).unwrap()], ..GameFilter::default() };
        assert_eq!(stays(&filter, &tags), expected, "{text}");
    }
    for wrong in ["Round", "=9", "Site~(", "A B=1", ""] {
        assert!(TagTest::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_game_is_counted_under_the_first_reason_that_holds() {
    let filter = GameFilter {
        min_rating: Some(1),
        results: vec![Outcome::Draw],
        min_plies: 31,
        ..GameFilter::default()
    };
    let mut game = record(&[]);
    assert_eq!(filter.reason(&game), Some(Filtered::Rating));
    game.ratings = [1, 1];
    assert_eq!(filter.reason(&game), Some(Filtered::Result));
    game.outcome = Outcome::Draw;
    assert_eq!(filter.reason(&game), Some(Filtered::Plies));
    game.moves.push(0);
    game.start = Start::Fen(String::new());
    assert_eq!(filter.reason(&game), None, "starts and variants are the replay's matter");
    for (place, filtered) in Filtered::ALL.into_iter().enumerate() {
        assert_eq!(filtered as usize, place);
    }
}
