//! Values of Python, parsed here and nowhere else: games by name, what is counted and how, filters and facets.

use pyo3::FromPyObject;
use pyo3::prelude::*;

use super::error::usage;
use crate::filter::{
    Cells, Facets, FilterError, GameFilter, OpeningRange, Part, PartialDate, RatingOf, TagTest, TimeControl,
};
pub(super) use crate::game::{Either, of_game, with};
use crate::game::{GameId, Outcome, Side};
use crate::replay::{OnError, ReplayOptions};
use crate::tally::{Dedupe, TallyOptions};

/// The attributes of `bookbuilder.tally.options.TallyOptions`.
#[derive(FromPyObject)]
pub struct Counting {
    game: String,
    max_ply: Option<u16>,
    check: String,
    on_error: String,
    custom_starts: bool,
    variations: bool,
    fold: bool,
    filters: Filters,
    facets: Vec<String>,
    dedupe: String,
    limit: Option<u64>,
}

/// The attributes of `bookbuilder.tally.options.RunLimits` that the core needs.
#[derive(Default, FromPyObject)]
pub struct Limits {
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
    /// Bytes that a file's compressed data may become.
    pub max_inflate: Option<u64>,
    keep_rejected: bool,
    /// Called some times a second with bytes read, games and rejects.
    pub progress: Option<Py<PyAny>>,
}

impl Counting {
    pub fn parse(&self, limits: &Limits) -> PyResult<(GameId, TallyOptions)> {
        let &Counting { max_ply, variations, custom_starts, fold, limit, .. } = self;
        let full_check = named("--check", &self.check, [("prefix", false), ("full", true)])?;
        let on_error =
            named("--on-error", &self.on_error, [("drop", OnError::Drop), ("prefix", OnError::Prefix)])?;
        let options = TallyOptions {
            filter: self.filters.parse()?,
            replay: ReplayOptions { max_ply, full_check, on_error, variations, custom_starts, fold },
            facets: facets_named(&self.facets)?,
            dedupe: dedupe_named(&self.dedupe)?,
            keep_rejected: limits.keep_rejected,
            digests: false,
            observe: false,
            jobs: limits.threads,
            limit,
            max_inflate: limits.max_inflate,
        };
        Ok((game_id(&self.game)?, options))
    }
}

pub fn dedupe_named(name: &str) -> PyResult<Dedupe> {
    value_of("duplicates policy", name, Dedupe::named, Dedupe::NAMES)
}

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
        Cells::of(&filters.parse()?, facets_named(facets)?).map_err(usage)
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
    named("--result", text, Outcome::ALL.map(|outcome| (outcome.name(), outcome)))
}

/// Returns the value of a name; the error says what it is a name of.
pub fn value_of<T>(what: &str, name: &str, named: impl Fn(&str) -> Option<T>, names: &[&str]) -> PyResult<T> {
    let unknown = || usage(format!("unknown {what} \"{name}\": expected one of {}", names.join(", ")));
    named(name).ok_or_else(unknown)
}

/// Returns the value that a name stands for; the error names the option and its known values.
pub fn named<T, const N: usize>(option: &'static str, text: &str, names: [(&str, T); N]) -> PyResult<T> {
    let expected = names.each_ref().map(|(name, _)| *name).join(", ");
    match names.into_iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(value),
        None => Err(usage(format!("{option} \"{text}\": expected one of {expected}"))),
    }
}

/// Runs `$body` with `$game` naming the type of the game that `$id` is.
macro_rules! for_game {
    ($id:expr, $game:ident => $body:expr) => {
        match $id {
            $crate::game::GameId::Chess => {
                type $game = $crate::chess::Chess;
                $body
            }
            $crate::game::GameId::Xiangqi => {
                type $game = $crate::xiangqi::Xiangqi;
                $body
            }
        }
    };
}

/// Runs `$body` on the value of whichever game it is, and wraps what it makes.
macro_rules! mapped {
    ($value:expr, $name:ident => $body:expr) => {
        match $value {
            $crate::game::Either::Chess($name) => $crate::game::Either::Chess($body),
            $crate::game::Either::Xiangqi($name) => $crate::game::Either::Xiangqi($body),
        }
    };
}

/// Returns a dict of keys and values.
macro_rules! dict {
    ($py:expr, $($key:literal: $value:expr),* $(,)?) => {{
        let dict = pyo3::types::PyDict::new($py);
        $(pyo3::types::PyDictMethods::set_item(&dict, $key, $value)?;)*
        dict
    }};
}

pub(super) use {dict, for_game, mapped};

pub(super) fn game_id(name: &str) -> PyResult<GameId> {
    let unknown = || usage(format!("unknown game \"{name}\": expected \"chess\" or \"xiangqi\""));
    GameId::ALL.into_iter().find(|game| game.name() == name).ok_or_else(unknown)
}
