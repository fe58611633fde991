//! Time controls by their tag: as written (`300+3`), or by the class of speed that lichess puts them in.
//!
//! Source: the PGN standard, 9.6.1, for the tag; lichess for the classes, by the time that a game of 40 moves takes a
//! player: base + 40 × increment, in seconds.

use super::FilterError;
use crate::archive::GameRecord;
use crate::named::named_enum;

/// Moves of a game as the classes of speed estimate it.
const MOVES: u64 = 40;

named_enum! {
    /// A class of speed.
    pub enum Speed {
        /// Up to 29 seconds.
        UltraBullet => "ultrabullet",
        /// Up to 179 seconds.
        Bullet => "bullet",
        /// Up to 479 seconds.
        Blitz => "blitz",
        /// Up to 1,499 seconds.
        Rapid => "rapid",
        /// 1,500 seconds and more.
        Classical => "classical",
    }
}

impl Speed {
    /// Returns the class of a TimeControl tag; `None` where it says nothing of the kind (`-`, `?`, `*180`).
    /// Of several periods (`40/7200:3600`) the times add up.
    pub fn of_tag(tag: &str) -> Option<Speed> {
        let periods = tag.trim().split(':').map(seconds).collect::<Option<Vec<u64>>>()?;
        Some(match periods.into_iter().fold(0, u64::saturating_add) {
            ..30 => Speed::UltraBullet,
            30..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1_500 => Speed::Rapid,
            1_500.. => Speed::Classical,
        })
    }
}

/// Returns the seconds that a period (`300`, `300+3`, `40/7200`, `40/5400+30`) gives a player.
fn seconds(period: &str) -> Option<u64> {
    let time = match period.split_once('/') {
        Some((moves, time)) => moves.parse::<u64>().ok().and(Some(time))?,
        None => period,
    };
    let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
    let (base, increment) = (base.parse::<u64>().ok()?, increment.parse::<u64>().ok()?);
    Some(base.saturating_add(increment.saturating_mul(MOVES)))
}

/// A time control that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeControl {
    /// This one, as the tag has it.
    Exactly(String),
    /// Any of this class.
    Of(Speed),
}

impl TimeControl {
    /// Returns what is asked for by the name of a class, or by a time control as the tag has it.
    ///
    /// # Errors
    /// [`FilterError`] where the text is neither.
    pub fn parse(text: &str) -> Result<TimeControl, FilterError> {
        if let Some(speed) = Speed::named(text) {
            return Ok(TimeControl::Of(speed));
        }
        let is_control = !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'/' | b':' | b'*' | b'-'));
        if is_control {
            return Ok(TimeControl::Exactly(text.to_owned()));
        }
        let expected =
            format!("{}, or a time control as tags have it, such as 300+3", Speed::NAMES.join(", "));
        Err(FilterError { filter: "--time-control", text: text.to_owned(), expected })
    }

    /// Returns whether the game's time control fits.
    pub fn fits<T>(&self, record: &GameRecord<T>) -> bool {
        let Some(tag) = record.tag("TimeControl") else { return false };
        match self {
            TimeControl::Exactly(text) => text == tag.trim(),
            TimeControl::Of(speed) => Speed::of_tag(tag) == Some(*speed),
        }
    }
}
