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
        let speed_of = || record.tag("TimeControl").and_then(Speed::of_tag);
        let speed = of(self.speed, &|| speed_of().map_or(0, |speed| speed as u16 + 1));
        let side = of(self.side, &|| match filter.named_sides(record) {
            [_, false] => 0,
            [false, true] => 1,
            [true, true] => 2,
        });
        ((year * RATINGS + rating) * SPEEDS + speed) * SIDES + side
    }
}

fn year_class(year: u16) -> u16 {
    if year == 0 { 0 } else { year.clamp(FIRST_YEAR - 1, LAST_YEAR) + 2 - FIRST_YEAR }
}

fn rating_class(rating: u16) -> u16 {
    if rating == 0 { 0 } else { 1 + BANDS.partition_point(|&band| band <= rating) as u16 }
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
    /// Why not, in words, where `kept` does not tell them apart from others.
    pub fn of(filter: &GameFilter, kept: Facets) -> Result<Cells, String> {
        let asked = [
            (filter.results.is_empty(), "--result"),
            (filter.players.is_empty(), "--player"),
            (filter.events.is_empty(), "--event"),
            (filter.openings.is_empty(), "--eco"),
            (filter.min_plies == 0, "--min-plies"),
            (filter.tags.is_empty(), "--tag"),
        ];
        if let Some((_, option)) = asked.into_iter().find(|(is_absent, _)| !is_absent) {
            return Err(format!("{option}: a store does not keep such games apart; ask it of archives"));
        }
        let require = |is_kept: bool, options: &str, facet: &str| {
            let message = format!("{options}: the store was counted without --facet {facet}");
            if is_kept { Ok(()) } else { Err(message) }
        };
        let mut cells = Cells::default();
        if filter.since.is_some() || filter.until.is_some() {
            require(kept.year, "--since, --until", "year")?;
            let first =
                filter.since.map_or(Ok(1), |date| year_asked("--since", date, FIRST_YEAR..=LAST_YEAR))?;
            let last = filter
                .until
                .map_or(Ok(u16::MAX), |date| year_asked("--until", date, FIRST_YEAR - 1..=LAST_YEAR - 1))?;
            cells.years = first..=last;
        }
        if filter.min_rating.is_some() || filter.max_rating.is_some() {
            require(kept.rating, "--min-rating, --max-rating", "rating")?;
            if filter.rating_of != RatingOf::Mean {
                return Err("--rating-of: expected mean, of which a store keeps bands".to_owned());
            }
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
                match control {
                    TimeControl::Of(speed) => cells.speeds[*speed as usize + 1] = true,
                    TimeControl::Exactly(text) => {
                        let names = Speed::NAMES.join(", ");
                        let kept = "a store keeps classes; expected one of";
                        return Err(format!("--time-control {text}: {kept} {names}"));
                    }
                }
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

/// Returns the class of the year that an option names, one of those that a store tells apart.
fn year_asked(option: &str, date: PartialDate, known: RangeInclusive<u16>) -> Result<u16, String> {
    let year = date.only_year();
    let year =
        year.ok_or_else(|| format!("{option}: expected a year; a store keeps years apart, not days"))?;
    match known.contains(&year) {
        true => Ok(year_class(year)),
        false => Err(format!("{option} {year}: expected a year from {} to {}", known.start(), known.end())),
    }
}

/// Returns the class of the band that begins at a rating, which the option names `less` lower.
fn band_from(option: &str, rating: u16, less: u16) -> Result<u16, String> {
    if rating <= 1 {
        return Ok(1);
    }
    if BANDS.contains(&rating) {
        return Ok(rating_class(rating));
    }
    let edges = BANDS.map(|band| (band - less).to_string()).join(", ");
    Err(format!("{option} {}: expected an edge of the bands that a store keeps: {edges}", rating - less))
}

#[cfg(test)]
mod tests;
