//! Facets: properties by which a store keeps games apart, so that it can be filtered later. Each game belongs to a cell,
//! and a filter selects cells.
//!
//! | facet | classes |
//! |---|---|
//! | year | unknown; before 1800; each year; 2056 and later |
//! | rating | of the mean of the known ratings: unknown; below 1000; the bands that begin at [`BANDS`] |
//! | speed | unknown; the classes of [`Speed`] |
//! | player-side | the side of the named player: first, second, or both have such a name |
//!
//! A code is ((year · 14 + rating) · 6 + speed) · 3 + side, with class 0 for facets that are not kept. So a cell is a number
//! of 16 bits, and an observation needs no more room with facets than without.

use std::ops::RangeInclusive;

use thiserror::Error;

use super::{GameFilter, PartialDate, RatingOf, Speed, TimeControl, mean_rating};
use crate::archive::GameRecord;
use crate::game::Side;

/// Years from here on have a class each …
const FIRST_YEAR: u16 = 1800;
/// … up to this one, which stands for all later ones too.
const LAST_YEAR: u16 = 2056;
/// Where bands of ratings begin; the last has no end.
pub const BANDS: [u16; 12] = [1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2500, 2600, 2700, 2800];

const RATINGS: u16 = BANDS.len() as u16 + 2;
const SPEEDS: u16 = Speed::ALL.len() as u16 + 1;
const SIDES: u16 = 3;

const _: () =
    assert!((LAST_YEAR as u32 - FIRST_YEAR as u32 + 3) * (RATINGS * SPEEDS * SIDES) as u32 <= 1 << 16);

/// Why the cells of a store cannot answer a question.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct FacetError(String);

/// What is kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facets {
    /// The year.
    pub year: bool,
    /// The band of the mean rating.
    pub rating: bool,
    /// The class of speed.
    pub speed: bool,
    /// The side of the player that the filter names.
    pub side: bool,
}

impl Facets {
    /// Returns whether anything is kept apart.
    pub fn is_any(self) -> bool {
        self != Facets::default()
    }

    /// Returns the cell of a game; `filter` names the player whose side is kept apart.
    pub fn cell<T>(self, record: &GameRecord<T>, filter: &GameFilter) -> u16 {
        let of = |is_kept: bool, class: &dyn Fn() -> u16| if is_kept { class() } else { 0 };
        let year = of(self.year, &|| year_class(record.year));
        let rating = of(self.rating, &|| rating_class(mean_rating(record.ratings)));
        let speed = of(self.speed, &|| speed_class(record.tag("TimeControl").and_then(Speed::of_tag)));
        let side = of(self.side, &|| side_class(filter.named_sides(record)));
        ((year * RATINGS + rating) * SPEEDS + speed) * SIDES + side
    }
}

fn year_class(year: u16) -> u16 {
    if year == 0 { 0 } else { year.clamp(FIRST_YEAR - 1, LAST_YEAR) + 2 - FIRST_YEAR }
}

fn rating_class(rating: u16) -> u16 {
    if rating == 0 { 0 } else { 1 + BANDS.partition_point(|&band| band <= rating) as u16 }
}

fn speed_class(speed: Option<Speed>) -> u16 {
    speed.map_or(0, |speed| speed as u16 + 1)
}

fn side_class(named: [bool; 2]) -> u16 {
    match named {
        [_, false] => 0,
        [false, true] => 1,
        [true, true] => 2,
    }
}

/// The cells that answer a question; the default is all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    years: RangeInclusive<u16>,
    ratings: RangeInclusive<u16>,
    speeds: [bool; SPEEDS as usize],
    sides: [bool; SIDES as usize],
}

impl Default for Cells {
    fn default() -> Cells {
        let sides = [true; SIDES as usize];
        Cells { years: 0..=u16::MAX, ratings: 0..=u16::MAX, speeds: [true; SPEEDS as usize], sides }
    }
}

impl Cells {
    /// Returns the cells of the games that a filter would have let stay, had it been asked of the archives.
    ///
    /// # Errors
    /// [`FacetError`] where `kept` does not tell them apart from others.
    pub fn of(filter: &GameFilter, kept: Facets) -> Result<Cells, FacetError> {
        only_facets(filter)?;
        let mut cells = Cells::default();
        if filter.since.is_some() || filter.until.is_some() {
            require(kept.year, "--since, --until", "year")?;
            let first = filter.since.map_or(Ok(1), first_class)?;
            let last = filter.until.map_or(Ok(u16::MAX), last_class)?;
            cells.years = first..=last;
        }
        if filter.min_rating.is_some() || filter.max_rating.is_some() {
            require(kept.rating, "--min-rating, --max-rating", "rating")?;
            expect(filter.rating_of == RatingOf::Mean, "--rating-of", "mean, of which a store keeps bands")?;
            let first = filter.min_rating.map_or(Ok(1), |least| band_from("--min-rating", least, 0))?;
            let last = match filter.max_rating {
                Some(most) => band_from("--max-rating", most.saturating_add(1), 1)? - 1,
                None => u16::MAX,
            };
            cells.ratings = first..=last;
        }
        if !filter.time_controls.is_empty() {
            require(kept.speed, "--time-control", "speed")?;
            cells.speeds = [false; SPEEDS as usize];
            for control in &filter.time_controls {
                cells.speeds[usize::from(speed_asked(control)?)] = true;
            }
        }
        if let Some(side) = filter.player_side {
            require(kept.side, "--side", "player-side")?;
            cells.sides = [side == Side::First, side == Side::Second, true];
        }
        Ok(cells)
    }

    /// Returns whether a cell is among them.
    pub fn admit(&self, cell: u16) -> bool {
        let (rest, side) = (cell / SIDES, cell % SIDES);
        let (rest, speed) = (rest / SPEEDS, rest % SPEEDS);
        let (year, rating) = (rest / RATINGS, rest % RATINGS);
        self.years.contains(&year)
            && self.ratings.contains(&rating)
            && self.speeds[usize::from(speed)]
            && self.sides[usize::from(side)]
    }
}

/// Refuses a filter that asks for what no store keeps apart.
fn only_facets(filter: &GameFilter) -> Result<(), FacetError> {
    let asked = [
        (filter.results.is_empty(), "--result"),
        (filter.players.is_empty(), "--player"),
        (filter.events.is_empty(), "--event"),
        (filter.openings.is_empty(), "--eco"),
        (filter.min_plies == 0, "--min-plies"),
        (filter.tags.is_empty(), "--tag"),
    ];
    let refused = asked.into_iter().find(|(is_absent, _)| !is_absent);
    refused.map_or(Ok(()), |(_, option)| {
        Err(FacetError(format!("{option}: a store does not keep such games apart; ask it of archives")))
    })
}

fn require(is_kept: bool, options: &str, facet: &str) -> Result<(), FacetError> {
    let error = || FacetError(format!("{options}: the store was counted without --facet {facet}"));
    if is_kept { Ok(()) } else { Err(error()) }
}

fn expect(holds: bool, given: &str, expected: &str) -> Result<(), FacetError> {
    if holds { Ok(()) } else { Err(FacetError(format!("{given}: expected {expected}"))) }
}

/// Returns the class of the first year that is asked for.
fn first_class(date: PartialDate) -> Result<u16, FacetError> {
    let year = whole_year("--since", date)?;
    let expected = format!("a year from {FIRST_YEAR} to {LAST_YEAR}");
    expect((FIRST_YEAR..=LAST_YEAR).contains(&year), &format!("--since {year}"), &expected)?;
    Ok(year_class(year))
}

/// Returns the class of the last year that is asked for.
fn last_class(date: PartialDate) -> Result<u16, FacetError> {
    let year = whole_year("--until", date)?;
    let expected = format!("a year from {} to {}", FIRST_YEAR - 1, LAST_YEAR - 1);
    expect((FIRST_YEAR - 1..LAST_YEAR).contains(&year), &format!("--until {year}"), &expected)?;
    Ok(year_class(year))
}

fn whole_year(option: &str, date: PartialDate) -> Result<u16, FacetError> {
    let error = || FacetError(format!("{option}: expected a year; a store keeps years apart, not days"));
    date.only_year().ok_or_else(error)
}

/// Returns the class of the band that begins at a rating, which the option names `less` lower.
fn band_from(option: &str, rating: u16, less: u16) -> Result<u16, FacetError> {
    if rating <= 1 {
        return Ok(1);
    }
    let edges = BANDS.map(|band| (band - less).to_string()).join(", ");
    let expected = format!("an edge of the bands that a store keeps: {edges}");
    expect(BANDS.contains(&rating), &format!("{option} {}", rating - less), &expected)?;
    Ok(rating_class(rating))
}

fn speed_asked(control: &TimeControl) -> Result<u16, FacetError> {
    match control {
        TimeControl::Of(speed) => Ok(speed_class(Some(*speed))),
        TimeControl::Exactly(text) => {
            let names = Speed::NAMES.join(", ");
            Err(FacetError(format!("--time-control {text}: a store keeps classes; expected one of {names}")))
        }
    }
}

#[cfg(test)]
mod tests;
