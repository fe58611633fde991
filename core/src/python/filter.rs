//! Filters and facets for Python: plain values in, a [`GameFilter`] or [`Cells`] out, or the error that names what is
//! wrong.

use pyo3::FromPyObject;
use pyo3::prelude::*;

use super::error::usage;
use crate::filter::{
    Cells, Facets, FilterError, GameFilter, OpeningRange, Part, PartialDate, RatingOf, TagTest, TimeControl,
};
use crate::game::{Outcome, Side};

/// The fields of `bookbuilder.archives.filters.GameFilter`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Filters {
    min_rating: Option<u16>,
    max_rating: Option<u16>,
    rating_of: String,
    since: Option<String>,
    until: Option<String>,
    result: Vec<String>,
    player: Vec<String>,
    player_side: String,
    event: Vec<String>,
    eco: Vec<String>,
    time_control: Vec<String>,
    min_plies: usize,
    tag: Vec<String>,
}

impl Filters {
    /// Returns the filter that the values describe.
    pub fn parse(&self) -> PyResult<GameFilter> {
        self.try_parse().map_err(|error| usage(error.to_string()))
    }

    fn try_parse(&self) -> Result<GameFilter, FilterError> {
        let date = |filter, text: &Option<String>| {
            text.as_ref().map(|text| PartialDate::parse(filter, text)).transpose()
        };
        let parts = |texts: &[String]| texts.iter().map(|text| Part::new(text)).collect();
        Ok(GameFilter {
            min_rating: self.min_rating,
            max_rating: self.max_rating,
            rating_of: named(
                "--rating-of",
                &self.rating_of,
                [("both", RatingOf::Both), ("either", RatingOf::Either), ("mean", RatingOf::Mean)],
            )?,
            since: date("--since", &self.since)?,
            until: date("--until", &self.until)?,
            results: parsed(&self.result, outcome)?,
            players: parts(&self.player),
            player_side: named(
                "--player-side",
                &self.player_side,
                [("any", None), ("first", Some(Side::First)), ("second", Some(Side::Second))],
            )?,
            events: parts(&self.event),
            openings: parsed(&self.eco, OpeningRange::parse)?,
            time_controls: parsed(&self.time_control, TimeControl::parse)?,
            min_plies: self.min_plies,
            tags: parsed(&self.tag, TagTest::parse)?,
        })
    }
}

/// Refuses filters that have no meaning.
#[pyfunction]
pub fn check_filters(filters: Filters) -> PyResult<()> {
    filters.parse().map(drop)
}

/// Returns the facets of these names.
pub fn facets_named(names: &[String]) -> PyResult<Facets> {
    let mut facets = Facets::default();
    for name in names {
        match name.as_str() {
            "year" => facets.year = true,
            "rating" => facets.rating = true,
            "speed" => facets.speed = true,
            "player-side" => facets.side = true,
            _ => {
                let expected = "year, rating, speed or player-side";
                return Err(usage(format!("facet \"{name}\" is unknown: expected {expected}")));
            }
        }
    }
    Ok(facets)
}

/// A question to a store that keeps facets apart: filters, and the facets that it keeps.
#[derive(FromPyObject)]
pub struct Question(Filters, Vec<String>);

impl Question {
    /// Returns the cells that answer it.
    pub fn cells(&self) -> PyResult<Cells> {
        let Question(filters, facets) = self;
        Cells::of(&filters.parse()?, facets_named(facets)?).map_err(|error| usage(error.to_string()))
    }
}

/// Refuses a question that a store cannot answer.
#[pyfunction]
pub fn check_question(question: Question) -> PyResult<()> {
    question.cells().map(drop)
}

fn parsed<T>(texts: &[String], parse: fn(&str) -> Result<T, FilterError>) -> Result<Vec<T>, FilterError> {
    texts.iter().map(|text| parse(text)).collect()
}

fn outcome(text: &str) -> Result<Outcome, FilterError> {
    let names = [
        ("1-0", Outcome::FirstWins),
        ("0-1", Outcome::SecondWins),
        ("1/2-1/2", Outcome::Draw),
        ("*", Outcome::Unknown),
    ];
    named("--result", text, names)
}

fn named<T: Clone, const N: usize>(
    filter: &'static str,
    text: &str,
    names: [(&str, T); N],
) -> Result<T, FilterError> {
    match names.iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value.clone()),
        None => {
            let expected = format!("one of {}", names.map(|(name, _)| name.to_owned()).join(", "));
            Err(FilterError { filter, text: text.to_owned(), expected })
        }
    }
}
