//! The index: the head of the `.si4` file, and the record of a game.
//!
//! | offset | size | field of the head |
//! |---|---|---|
//! | 0 | 8 | `Scid.si` and a zero |
//! | 8 | 2 | version: 400 |
//! | 10 | 4 | kind of database |
//! | 14 | 3 | number of games |
//! | 17 | 165 | game to begin with, description, names of flags |
//!
//! | offset | size | field of a record |
//! |---|---|---|
//! | 0 | 4 | place of the game in the `.sg4` file |
//! | 4 | 2 | length of the game; bit 16 of it is bit 7 of the next byte |
//! | 6 | 1 | more flags |
//! | 7 | 2 | flags; bit 3: deleted |
//! | 9 | 1 + 2 × 2 | numbers of White and Black: the high 4 bits of both, then the low 16 bits of each |
//! | 14 | 1 + 3 × 2 | numbers of event, site and round: the high 3, 3 and 2 bits, then the low 16 bits of each |
//! | 21 | 2 | bits 12–15: result, 1 White won, 2 Black won, 3 draw |
//! | 23 | 2 | opening: 0 none, then 131 codes for each of A00 … E99 |
//! | 25 | 4 | bits 0–19: date (year, 4 bits month, 5 bits day); bits 20–31: date of the event, its year less that of the game plus 4 |
//! | 29 | 2 × 2 | ratings of White and Black; bits 12–15: kind of rating |
//! | 33 | 14 | material, number of moves, pawns |

use super::tags::known;
use crate::archive::Defect;
use crate::archive::block::DatabaseGame;
use crate::archive::formats::cursor::big_endian as number;
use crate::archive::formats::database;
use crate::archive::formats::facts::{Facts, outcome_of};

/// Bytes of a record of the index.
pub(in crate::archive) const RECORD_BYTES: usize = 47;

/// Names of a game: White, Black, event, site and round.
pub(in crate::archive) const NAMES: usize = 5;

pub(in crate::archive) const HEAD_BYTES: usize = 182;

/// The version that is read.
pub(in crate::archive) const VERSION: u16 = 400;

const MAGIC: &[u8] = b"Scid.si\0";
const IS_DELETED: u32 = 1 << 3;
/// Codes for subdivisions of an opening.
const ECO_CODES: u32 = 131;
const RATINGS: [&str; 7] = ["Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF"];

/// Returns the version of an index, if it is one: 0 where the head ends before it.
pub(in crate::archive) fn version_of(head: &[u8]) -> Option<u16> {
    let rest = head.strip_prefix(MAGIC)?;
    Some(rest.get(..2).map_or(0, |version| number(version) as u16))
}

/// Returns the number of games that the head of an index names, and its offset.
pub(in crate::archive) fn games_of(head: &[u8]) -> (u32, u64) {
    (number(&head[14..17]), 14)
}

/// Where the other files have more about a game.
#[derive(Debug, Clone, Copy)]
pub(in crate::archive) struct References {
    /// Numbers of the names.
    pub names: [u32; NAMES],
    /// Place of the game in its file.
    pub game: u32,
    /// Bytes of the game, at most 2¹⁷ − 1.
    pub length: u32,
    /// Whether the game is not marked as deleted.
    pub is_game: bool,
}

impl References {
    pub(in crate::archive) fn of(record: &[u8]) -> References {
        let low = |at: usize| number(&record[at..at + 2]);
        let (players, others) = (u32::from(record[9]), u32::from(record[14]));
        let names = [
            (players >> 4) << 16 | low(10),
            (players & 15) << 16 | low(12),
            (others >> 5) << 16 | low(15),
            (others >> 2 & 7) << 16 | low(17),
            (others & 3) << 16 | low(19),
        ];
        References {
            names,
            game: number(&record[..4]),
            length: u32::from(record[6] >> 7) << 16 | low(4),
            is_game: low(7) & IS_DELETED == 0,
        }
    }
}

/// Fills in the facts of a game that are known, or says why the record is none.
pub(super) fn fill(game: &DatabaseGame, offset: u64, facts: &mut Facts) -> Result<(), Defect> {
    let head = &game.record;
    if !References::of(head).is_game {
        let message = "expected a game, found a game that is marked as deleted";
        return Err(Defect::new("deleted", offset, message));
    }
    for (index, name) in ["White", "Black", "Event", "Site", "Round"].into_iter().enumerate() {
        facts.add(name, known(game.name(index)));
    }
    let dates = number(&head[25..29]);
    facts.add("Date", known(date_text(dates >> 9 & 0x7ff, dates).as_bytes()));
    facts.add("EventDate", event_date(dates));
    facts.outcome = outcome_of(head[21] >> 4);
    for (side, at) in [("White", 29), ("Black", 31)] {
        let rating = number(&head[at..at + 2]);
        let kind = RATINGS.get((rating >> 12) as usize).unwrap_or(&RATINGS[1]);
        if rating & 0xfff != 0 {
            facts.add(format!("{side}{kind}"), (rating & 0xfff).to_string());
        }
    }
    // Without Scid's own subdivisions.
    let eco = number(&head[23..25]).checked_sub(1).map(|code| code / ECO_CODES);
    facts.add("ECO", database::eco_text(eco));
    Ok(())
}

/// Returns the date of the event; empty if there is none.
fn event_date(dates: u32) -> String {
    let date = dates >> 20;
    let year = (dates >> 9 & 0x7ff) + (date >> 9 & 7);
    let is_known = date >> 9 & 7 != 0 && (year, date & 0x1ff) > (4, 0);
    if is_known { date_text(year - 4, date) } else { String::new() }
}

/// Returns a date; month and day are the low bits of `date`.
fn date_text(year: u32, date: u32) -> String {
    database::date_text(year, date >> 5 & 15, date & 31)
}
