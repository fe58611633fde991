use super::*;
use proptest::prelude::*;

const ALL: Facets = Facets { year: true, rating: true, speed: true, side: true };

fn record() -> impl Strategy<Value = GameRecord<u8>> {
    let year = prop_oneof![Just(0), 1795..1803u16, 1995..2005u16, 2050..2060u16];
    let rating = || prop_oneof![Just(0), 900..3000u16];
    let speed = prop::sample::select(vec!["", "-", "60", "180+2", "600", "5400+30", "15+0", "40/7200:3600"]);
    let name = || prop::sample::select(vec!["Anna", "Bert", "Anna-Maria"]);
    (year, rating(), rating(), speed, name(), name()).prop_map(|(year, one, two, speed, first, second)| {
        GameRecord {
            year,
            date: year.to_string(),
            ratings: [one, two],
            first_player: first.to_owned(),
            second_player: second.to_owned(),
            tags: vec![("TimeControl".to_owned(), speed.to_owned())],
            ..GameRecord::default()
        }
    })
}

/// Filters that cells can answer.
fn question() -> impl Strategy<Value = GameFilter> {
    let date = |text: &str| PartialDate::parse("--since", text).unwrap();
    let since = prop::option::of(prop::sample::select(vec!["1800", "1801", "2000", "2056"]));
    let until = prop::option::of(prop::sample::select(vec!["1799", "1802", "2001", "2055"]));
    let band = || prop::option::of(prop::sample::select(BANDS.to_vec()));
    let speed = prop::collection::vec(prop::sample::select(Speed::ALL.to_vec()), 0..3);
    let side = prop::sample::select(vec![None, Some(Side::First), Some(Side::Second)]);
    (since, until, band(), band(), speed, side).prop_map(move |(since, until, least, most, speeds, side)| {
        GameFilter {
            since: since.map(date),
            until: until.map(date),
            min_rating: least,
            max_rating: most.map(|band| band - 1),
            rating_of: RatingOf::Mean,
            time_controls: speeds.into_iter().map(TimeControl::Of).collect(),
            player_side: side,
            ..GameFilter::default()
        }
    })
}

proptest! {
    #[test]
    fn cells_answer_as_the_filter_does(record in record(), question in question()) {
        let named = GameFilter { players: vec![super::super::Part::new("anna")], ..GameFilter::default() };
        prop_assume!(named.reason_by_tags(&record).is_none());
        let asked = GameFilter { players: named.players.clone(), ..question.clone() };
        let cells = Cells::of(&question, ALL).unwrap();
        let cell = ALL.cell(&record, &named);
        prop_assert_eq!(cells.admit(cell), asked.reason_by_tags(&record).is_none());
        prop_assert!(Cells::default().admit(cell));
    }

    #[test]
    fn games_of_one_cell_differ_in_no_class(one in record(), two in record()) {
        let filter = GameFilter { players: vec![super::super::Part::new("anna")], ..GameFilter::default() };
        let classes = |record: &GameRecord<u8>| {
            [Facets { year: true, ..Facets::default() }, Facets { rating: true, ..Facets::default() },
             Facets { speed: true, ..Facets::default() }, Facets { side: true, ..Facets::default() }]
            .map(|facets| facets.cell(record, &filter))
        };
        prop_assert_eq!(ALL.cell(&one, &filter) == ALL.cell(&two, &filter), classes(&one) == classes(&two));
        prop_assert_eq!(Facets::default().cell(&one, &filter), 0);
    }
}

fn refused(filter: GameFilter, kept: Facets, expected: &str) {
    let found = Cells::of(&filter, kept).unwrap_err().to_string();
    assert!(found.contains(expected), "{found} … {expected}");
}

#[test]
fn finer_questions_than_the_cells_are_refused() {
    let date = |text| Some(PartialDate::parse("--since", text).unwrap());
    let since = |text| GameFilter { since: date(text), ..GameFilter::default() };
    refused(since("2010"), Facets::default(), "without --facet year");
    refused(since("2010-05"), ALL, "--since: expected a year;");
    let until = GameFilter { until: date("1700"), ..GameFilter::default() };
    refused(until, ALL, "--until 1700: expected a year from 1799");
    let mean = GameFilter { rating_of: RatingOf::Mean, ..GameFilter::default() };
    let edges = "--min-rating 2450: expected an edge of the bands that a store keeps: 1000, 1200";
    refused(GameFilter { min_rating: Some(2450), ..mean.clone() }, ALL, edges);
    let edges = "--max-rating 2400: expected an edge of the bands that a store keeps: 999, 1199";
    refused(GameFilter { max_rating: Some(2400), ..mean.clone() }, ALL, edges);
    let both = GameFilter { min_rating: Some(2450), rating_of: RatingOf::Both, ..mean };
    refused(both, ALL, "--rating-of: expected mean");
    let controls = vec![TimeControl::Exactly("300+3".to_owned())];
    let control = GameFilter { time_controls: controls, ..GameFilter::default() };
    refused(control, ALL, "--time-control 300+3: a store keeps classes");
    let result = GameFilter { results: vec![crate::game::Outcome::Draw], ..GameFilter::default() };
    refused(result, ALL, "--result: a store");
}
