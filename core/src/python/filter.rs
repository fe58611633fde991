//! Filters and facets of Python, parsed into a [`GameFilter`] or [`Cells`].

use pyo3::FromPyObject;
use pyo3::prelude::*;

use super::error::usage;
use crate::filter::{
    Cells, Facets, FilterError, GameFilter, OpeningRange, Part, PartialDate, RatingOf, TagTest, TimeControl,
};
use crate::game::{Outcome, Side};

/// The attributes of `bookbuilder.archives.filters.GameFilter`.
#[derive(FromPyObject)]
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
        let date = |filter, text: &Option<String>| {
            text.as_ref().map(|text| PartialDate::parse(filter, text)).transpose().map_err(refused)
        };
        let parts = |texts: &[String]| texts.iter().map(|text| Part::new(text)).collect();
        let ratings = [("both", RatingOf::Both), ("either", RatingOf::Either), ("mean", RatingOf::Mean)];
        let sides = [("any", None), ("first", Some(Side::First)), ("second", Some(Side::Second))];
        Ok(GameFilter {
            min_rating: self.min_rating,
            max_rating: self.max_rating,
            rating_of: named("--rating-of", &self.rating_of, ratings)?,
            since: date("--since", &self.since)?,
            until: date("--until", &self.until)?,
            results: self.result.iter().map(|text| outcome(text)).collect::<PyResult<_>>()?,
            players: parts(&self.player),
            player_side: named("--side", &self.player_side, sides)?,
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

fn parsed<T>(texts: &[String], parse: fn(&str) -> Result<T, FilterError>) -> PyResult<Vec<T>> {
    texts.iter().map(|text| parse(text).map_err(refused)).collect()
}

fn refused(error: FilterError) -> PyErr {
    usage(error.to_string())
}

fn outcome(text: &str) -> PyResult<Outcome> {
    let names = [
        ("1-0", Outcome::FirstWins),
        ("0-1", Outcome::SecondWins),
        ("1/2-1/2", Outcome::Draw),
        ("*", Outcome::Unknown),
    ];
    named("--result", text, names)
}

/// Returns the value that a name stands for; the error names the option and its known values.
pub fn named<T, const N: usize>(option: &'static str, text: &str, names: [(&str, T); N]) -> PyResult<T> {
    let expected = names.each_ref().map(|(name, _)| *name).join(", ");
    match names.into_iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value),
        None => Err(usage(format!("{option} \"{text}\": expected one of {expected}"))),
    }
}
