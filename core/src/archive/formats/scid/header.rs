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

use super::tags::text_of;
use crate::archive::block::DatabaseGame;
use crate::archive::formats::cursor::big_endian as number;
use crate::archive::formats::database;
use crate::game::Outcome;

/// Bytes of a record of the index.
pub(in crate::archive) const RECORD_BYTES: usize = 47;

/// The kinds of names that a game has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::archive) enum Kind {
    White,
    Black,
    Event,
    Site,
    Round,
}

impl Kind {
    /// Number of the names of a game.
    pub(in crate::archive) const COUNT: usize = 5;
}

pub(in crate::archive) const HEAD_BYTES: usize = 182;

/// The version that is read.
pub(in crate::archive) const VERSION: u16 = 400;

const MAGIC: &[u8] = b"Scid.si\0";
const IS_DELETED: u32 = 1 << 3;
/// Codes for subdivisions of an opening.
const ECO_CODES: u16 = 131;
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
    /// Numbers of the names, by their kind.
    pub names: [u32; Kind::COUNT],
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

/// The facts of a record.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) references: References,
    pub(super) outcome: Outcome,
    eco: u16,
    dates: u32,
    /// Ratings of White and Black, with their kinds.
    ratings: [u32; 2],
}

impl Header {
    pub(super) fn read(record: &[u8]) -> Header {
        Header {
            references: References::of(record),
            outcome: match record[21] >> 4 {
                1 => Outcome::FirstWins,
                2 => Outcome::SecondWins,
                3 => Outcome::Draw,
                _ => Outcome::Unknown,
            },
            eco: number(&record[23..25]) as u16,
            dates: number(&record[25..29]),
            ratings: [29, 31].map(|at| number(&record[at..at + 2])),
        }
    }

    pub(super) fn is_deleted(&self) -> bool {
        !self.references.is_game
    }

    /// Returns the Elo ratings; 0 where there is none or one of another kind.
    pub(super) fn ratings(&self) -> [u16; 2] {
        self.ratings.map(|rating| if rating >> 12 == 0 { rating as u16 } else { 0 })
    }

    pub(super) fn date(&self) -> String {
        date_text(self.dates >> 9 & 0x7ff, self.dates)
    }

    /// Returns the date of the event; empty if there is none.
    fn event_date(&self) -> String {
        let date = self.dates >> 20;
        let year = (self.dates >> 9 & 0x7ff) + (date >> 9 & 7);
        let is_known = date >> 9 & 7 != 0 && (year, date & 0x1ff) > (4, 0);
        if is_known { date_text(year - 4, date) } else { String::new() }
    }

    /// Returns the tags that the index has, in the order of Scid.
    pub(super) fn tags(&self, game: &DatabaseGame) -> Vec<(String, String)> {
        let name = |tag: &str, kind: Kind| (tag.to_owned(), text_of(game.name(kind as usize)));
        let mut tags = vec![
            name("Event", Kind::Event),
            name("Site", Kind::Site),
            ("Date".to_owned(), self.date()),
            name("Round", Kind::Round),
            name("White", Kind::White),
            name("Black", Kind::Black),
            ("Result".to_owned(), self.outcome.text().to_owned()),
        ];
        for (side, rating) in ["White", "Black"].into_iter().zip(self.ratings) {
            let kind = RATINGS.get(rating as usize >> 12).unwrap_or(&RATINGS[1]);
            if rating & 0xfff != 0 {
                tags.push((format!("{side}{kind}"), (rating & 0xfff).to_string()));
            }
        }
        for (tag, value) in [("ECO", self.eco()), ("EventDate", self.event_date())] {
            if !value.is_empty() {
                tags.push((tag.to_owned(), value));
            }
        }
        tags
    }

    /// Returns the code of the opening, without Scid's own subdivisions.
    fn eco(&self) -> String {
        database::eco_text(self.eco.checked_sub(1).map(|code| u32::from(code / ECO_CODES)))
    }
}

/// Returns a date; month and day are the low bits of `date`.
fn date_text(year: u32, date: u32) -> String {
    database::date_text(year, date >> 5 & 15, date & 31)
}
