//! Filters: which games a run counts, decided from a [`GameRecord`] before any move is resolved.
//!
//! | filter | a game stays if | a game without this information |
//! |---|---|---|
//! | ratings | both players', one player's or their mean rating lies between the bounds | is skipped |
//! | dates | its date, as far as it is known, may lie between the bounds | is skipped |
//! | results | its result is one of the given results | has the result "unknown" |
//! | players | a name contains a given text, ignoring case; optionally on one side only | is skipped |
//! | events | its event contains a given text, ignoring case | is skipped |
//! | openings | its ECO or ECCO code lies in one of the ranges | is skipped |
//! | time controls | its time control, or its class, is one of the given ones | is skipped |
//! | plies | it has at least the given number of recorded plies, legal or not | |
//! | tags | all tests are true (see `tag`) | depends on the test |
//!
//! Only openings, time controls and tags need all tags of a game; the reader collects them only then.
//!
//! Facets, by which a store can be filtered without its archives, are in `facet`.

mod date;
mod facet;
mod opening;
mod tag;
mod time_control;

#[cfg(test)]
mod tests;

use thiserror::Error;

use crate::archive::GameRecord;
use crate::game::{Outcome, Side};
use crate::named::named_enum;

pub use date::PartialDate;
pub use facet::{Cells, Facets};
pub use opening::OpeningRange;
pub use tag::TagTest;
pub use time_control::{Speed, TimeControl};

/// Why a filter was refused: it has no meaning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{filter} \"{text}\": expected {expected}")]
pub struct FilterError {
    /// The filter, as the command line names it.
    pub filter: &'static str,
    /// The text as given.
    pub text: String,
    /// What was expected, in words.
    pub expected: String,
}

named_enum! {
    /// Why a game is skipped on purpose, not for a fault, in the order in which it is asked: a game is counted under the
    /// first reason that holds.
    pub enum Filtered {
        /// A rating is out of bounds, or unknown.
        Rating => "rating",
        /// The date is out of bounds, or unknown.
        Date => "date",
        /// Another result.
        Result => "result",
        /// Other players.
        Player => "player",
        /// Another event.
        Event => "event",
        /// Another opening, or none named.
        Opening => "eco",
        /// Another time control, or none named.
        TimeControl => "time-control",
        /// Too few plies.
        Plies => "plies",
        /// A test of a tag fails.
        Tag => "tag",
        /// A variant other than the standard game.
        Variant => "variant",
        /// A start from a set-up position.
        CustomStart => "custom-start",
        /// No move was recorded.
        NoMoves => "no-moves",
        /// A game that its database marks as deleted.
        Deleted => "deleted",
        /// A text of a database.
        GuidingText => "guiding-text",
    }
}

/// Whose rating the bounds are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RatingOf {
    /// Both players'.
    #[default]
    Both,
    /// One player's at least.
    Either,
    /// The mean of the known ratings.
    Mean,
}

/// Text that is looked for in other text, whatever the case of its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part(String);

impl Part {
    /// Returns what looks for `text`.
    pub fn new(text: &str) -> Part {
        Part(text.to_lowercase())
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.0)
    }
}

/// Which games a run is about; the default is all. An empty list asks for nothing.
#[derive(Debug, Clone, Default)]
pub struct GameFilter {
    /// Least rating.
    pub min_rating: Option<u16>,
    /// Largest rating.
    pub max_rating: Option<u16>,
    /// Whose rating.
    pub rating_of: RatingOf,
    /// First date.
    pub since: Option<PartialDate>,
    /// Last date.
    pub until: Option<PartialDate>,
    /// Results; games with one of them stay.
    pub results: Vec<Outcome>,
    /// Names of players; games of one of them stay.
    pub players: Vec<Part>,
    /// The side that a named player must have; `None` = either.
    pub player_side: Option<Side>,
    /// Names of events; games of one of them stay.
    pub events: Vec<Part>,
    /// Openings; those in one of the ranges stay.
    pub openings: Vec<OpeningRange>,
    /// Time controls; games that match one of them stay.
    pub time_controls: Vec<TimeControl>,
    /// Least number of recorded plies.
    pub min_plies: usize,
    /// Tests of tags; all must hold.
    pub tags: Vec<TagTest>,
}

impl GameFilter {
    /// Returns whether the filter can only be asked of records that hold all tags.
    pub fn needs_tags(&self) -> bool {
        !(self.openings.is_empty() && self.time_controls.is_empty() && self.tags.is_empty())
    }

    /// Returns why a game is skipped, if it is.
    pub fn reason<T>(&self, record: &GameRecord<T>) -> Option<Filtered> {
        match record.defect.as_ref().map(|defect| defect.reason) {
            Some("deleted") => return Some(Filtered::Deleted),
            Some("guiding-text") => return Some(Filtered::GuidingText),
            _ => {}
        }
        self.reason_by_tags(record).or_else(|| self.reason_by_moves(record))
    }

    /// Returns why a game is skipped by its tags, if it is; moves and result need not be read for that.
    pub fn reason_by_tags<T>(&self, record: &GameRecord<T>) -> Option<Filtered> {
        // Asked one after the other: a game that the first leaves out costs the others nothing.
        let asked: [(&dyn Fn() -> bool, Filtered); 7] = [
            (&|| self.is_rated(record.ratings), Filtered::Rating),
            (&|| self.is_dated(record), Filtered::Date),
            (&|| self.players.is_empty() || self.named_sides(record) != [false; 2], Filtered::Player),
            (&|| any(&self.events, |part| part.is_in(&record.event)), Filtered::Event),
            (&|| any(&self.openings, |range| range.holds(record)), Filtered::Opening),
            (&|| any(&self.time_controls, |control| control.fits(record)), Filtered::TimeControl),
            (&|| self.tags.iter().all(|test| test.holds(record)), Filtered::Tag),
        ];
        asked.into_iter().find(|(stays, _)| !stays()).map(|(_, reason)| reason)
    }

    fn reason_by_moves<T>(&self, record: &GameRecord<T>) -> Option<Filtered> {
        if !any(&self.results, |&result| result == record.outcome) {
            return Some(Filtered::Result);
        }
        (record.moves.len() < self.min_plies).then_some(Filtered::Plies)
    }

    fn is_rated(&self, ratings: [u16; 2]) -> bool {
        if self.min_rating.is_none() && self.max_rating.is_none() {
            return true;
        }
        let (least, most) = (self.min_rating.unwrap_or(0), self.max_rating.unwrap_or(u16::MAX));
        // Rating 0 is "unknown".
        let fits = |rating: u16| rating > 0 && (least..=most).contains(&rating);
        match self.rating_of {
            RatingOf::Both => ratings.into_iter().all(fits),
            RatingOf::Either => ratings.into_iter().any(fits),
            RatingOf::Mean => fits(mean_rating(ratings)),
        }
    }

    fn is_dated<T>(&self, record: &GameRecord<T>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some(date) = PartialDate::of_record(&record.date, record.year) else { return false };
        self.since.is_none_or(|since| date.last_day() >= since.first_day())
            && self.until.is_none_or(|until| date.first_day() <= until.last_day())
    }

    /// Returns on which of the wanted sides of a game a named player is.
    fn named_sides<T>(&self, record: &GameRecord<T>) -> [bool; 2] {
        [(Side::First, &record.first_player), (Side::Second, &record.second_player)].map(|(side, name)| {
            self.player_side.is_none_or(|asked| asked == side)
                && self.players.iter().any(|part| part.is_in(name))
        })
    }
}

/// Returns whether something is asked for by one of the tests, or nothing is asked for.
fn any<T>(tests: &[T], holds: impl Fn(&T) -> bool) -> bool {
    tests.is_empty() || tests.iter().any(holds)
}

/// Returns the mean of the known ratings, 0 if none is known.
pub fn mean_rating(ratings: [u16; 2]) -> u16 {
    match ratings {
        [0, rating] | [rating, 0] => rating,
        [first, second] => ((u32::from(first) + u32::from(second)) / 2) as u16,
    }
}
