//! The record of a game in the `.cbh` file.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 1 | bit 1: a text, bit 7: deleted |
//! | 1 | 4 | place of the moves in the `.cbg` file |
//! | 5 | 4 | place of the annotations in the `.cba` file, 0 = none |
//! | 9 | 3 each | numbers of White, Black, tournament, annotator and source |
//! | 24 | 3 | date: 5 bits day, 4 bits month, the rest year |
//! | 27 | 1 | result: 0 Black won, 1 draw, 2 White won; others are lines and games that were not played |
//! | 29 | 2 | round and part of the round |
//! | 31 | 2 each | ratings of White and Black |
//! | 35 | 2 | opening: 7 bits of a subdivision, then 1 = A00 … 500 = E99 |

use encoding_rs::{WINDOWS_1251, WINDOWS_1252};

use crate::archive::block::DatabaseGame;
use crate::archive::formats::cursor::big_endian as number;
use crate::archive::formats::database;
use crate::archive::formats::pgn::chess::looks_cyrillic;
use crate::archive::{Defect, GameRecord};
use crate::chess::Token;
use crate::game::Outcome;

/// Bytes of a record, and of the head of the file.
pub(in crate::archive) const RECORD_BYTES: usize = 46;

/// Largest moves and annotations of a game that are read.
pub(in crate::archive) const MAX_PART_BYTES: usize = 4 << 20;

/// Bytes of the fields of a player, a tournament and an annotator.
pub(in crate::archive) struct Sizes;

impl Sizes {
    pub(in crate::archive) const PLAYER: usize = LAST + FIRST;
    pub(in crate::archive) const TOURNAMENT: usize = TITLE + PLACE;
    pub(in crate::archive) const ANNOTATOR: usize = 45;
}

const LAST: usize = 30;
const FIRST: usize = 20;
const TITLE: usize = 40;
const PLACE: usize = 30;
const IS_TEXT: u8 = 0x02;
const IS_DELETED: u8 = 0x80;

/// Returns whether a file begins as a `.cbh` file does: a zero, and the size of its records.
pub(in crate::archive) fn is_database(head: &[u8]) -> bool {
    head.len() >= RECORD_BYTES && head[0] == 0 && head[3..5] == (RECORD_BYTES as u16).to_be_bytes()
}

/// Where the other files have more about a game.
#[derive(Debug, Clone, Copy)]
pub(in crate::archive) struct References {
    pub white: u32,
    pub black: u32,
    pub tournament: u32,
    pub annotator: u32,
    pub moves: u32,
    pub annotations: u32,
    /// Whether there are moves: it is neither a text nor deleted.
    pub is_game: bool,
}

impl References {
    pub(in crate::archive) fn of(record: &[u8]) -> References {
        References {
            white: number(&record[9..12]),
            black: number(&record[12..15]),
            tournament: number(&record[15..18]),
            annotator: number(&record[18..21]),
            moves: number(&record[1..5]),
            annotations: number(&record[5..9]),
            is_game: record[0] & (IS_TEXT | IS_DELETED) == 0,
        }
    }
}

/// The facts of a record.
#[derive(Debug)]
pub(super) struct Header {
    flags: u8,
    date: u32,
    round: [u8; 2],
    eco: u32,
    pub(super) outcome: Outcome,
    pub(super) ratings: [u16; 2],
    pub(super) moves_offset: u32,
}

impl Header {
    pub(super) fn read(record: &[u8]) -> Header {
        Header {
            flags: record[0],
            date: number(&record[24..27]),
            round: [record[29], record[30]],
            eco: number(&record[35..37]) >> 7,
            outcome: outcome_of(record[27]),
            ratings: [31, 33].map(|at| u16::from_be_bytes([record[at], record[at + 1]])),
            moves_offset: number(&record[1..5]),
        }
    }

    /// Returns why the record is no game, if it is none.
    pub(super) fn defect(&self, offset: u64) -> Option<Defect> {
        let (reason, found) = match self.flags {
            flags if flags & IS_TEXT != 0 => ("guiding-text", "a text of the database"),
            flags if flags & IS_DELETED != 0 => ("deleted", "a game that is marked as deleted"),
            _ => return None,
        };
        Some(Defect::new(reason, offset, format!("expected a game, found {found}")))
    }

    /// Returns the date as PGN has it; empty if nothing of it is known.
    pub(super) fn date(&self) -> String {
        match (self.date >> 9, self.date >> 5 & 15, self.date & 31) {
            (0, 0, 0) => String::new(),
            (year, month, day) => database::date_text(year, month, day),
        }
    }

    pub(super) fn tags(
        &self,
        record: &GameRecord<Token>,
        site: String,
        annotator: String,
    ) -> Vec<(String, String)> {
        let round = match self.round {
            [0, _] => String::new(),
            [round, 0] => round.to_string(),
            [round, part] => format!("{round}.{part}"),
        };
        let rating = |rating: u16| if rating == 0 { String::new() } else { rating.to_string() };
        let all = [
            ("Event", record.event.clone()),
            ("Site", site),
            ("Date", record.date.clone()),
            ("Round", round),
            ("White", record.first_player.clone()),
            ("Black", record.second_player.clone()),
            ("Result", record.outcome.text().to_owned()),
            ("ECO", database::eco_text(self.eco.checked_sub(1))),
            ("WhiteElo", rating(record.ratings[0])),
            ("BlackElo", rating(record.ratings[1])),
            ("Annotator", annotator),
        ];
        all.into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(name, text)| (name.to_owned(), text))
            .collect()
    }
}

/// Returns the result by its number. Games that were won or lost without play say nothing about moves.
const fn outcome_of(code: u8) -> Outcome {
    match code {
        0 => Outcome::SecondWins,
        1 => Outcome::Draw,
        2 => Outcome::FirstWins,
        _ => Outcome::Unknown,
    }
}

pub(super) struct Names {
    pub(super) white: String,
    pub(super) black: String,
    pub(super) event: String,
    pub(super) site: String,
    pub(super) annotator: String,
}

impl Names {
    pub(super) fn of(game: &DatabaseGame) -> Names {
        let field = |index, from, to| {
            let name: &[u8] = game.name(index);
            text_of(name.get(from..name.len().min(to)).unwrap_or_default())
        };
        // Last name, first name.
        let player = |index| match (field(index, 0, LAST), field(index, LAST, Sizes::PLAYER)) {
            (last, first) if last.is_empty() => first,
            (last, first) if first.is_empty() => last,
            (last, first) => format!("{last}, {first}"),
        };
        Names {
            white: player(0),
            black: player(1),
            event: field(2, 0, TITLE),
            site: field(2, TITLE, Sizes::TOURNAMENT),
            annotator: field(3, 0, Sizes::ANNOTATOR),
        }
    }
}

/// Returns the text of a field, which a zero may end, as Windows of Western Europe or, where the words look so, of
/// Russia wrote it.
pub(super) fn text_of(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    let charset = if looks_cyrillic(&field[..end]) { WINDOWS_1251 } else { WINDOWS_1252 };
    let (text, _) = charset.decode_without_bom_handling(&field[..end]);
    text.trim().to_owned()
}
