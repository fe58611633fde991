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

use crate::archive::Defect;
use crate::archive::block::DatabaseGame;
use crate::archive::formats::cursor::big_endian as number;
use crate::archive::formats::database;
use crate::archive::formats::facts::Facts;
use crate::archive::formats::pgn::chess::looks_cyrillic;
use crate::game::Outcome;

/// Bytes of a record, and of the head of the file.
pub(in crate::archive) const RECORD_BYTES: usize = 46;

/// Largest moves and annotations of a game that are read.
pub(in crate::archive) const MAX_PART_BYTES: usize = 4 << 20;

/// Bytes of the fields of a player, a tournament and an annotator.
pub(in crate::archive) const PLAYER_BYTES: usize = LAST + FIRST;
pub(in crate::archive) const TOURNAMENT_BYTES: usize = TITLE + PLACE;
pub(in crate::archive) const ANNOTATOR_BYTES: usize = 45;

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
    /// Numbers of White, Black, the tournament and the annotator.
    pub names: [u32; 4],
    pub moves: u32,
    pub annotations: u32,
    /// Whether there are moves: it is neither a text nor deleted.
    pub is_game: bool,
}

impl References {
    pub(in crate::archive) fn of(record: &[u8]) -> References {
        References {
            names: [9, 12, 15, 18].map(|at| number(&record[at..at + 3])),
            moves: number(&record[1..5]),
            annotations: number(&record[5..9]),
            is_game: record[0] & (IS_TEXT | IS_DELETED) == 0,
        }
    }
}

/// Fills in the facts of a game that are known, or says why the record is none.
pub(super) fn fill(game: &DatabaseGame, offset: u64, facts: &mut Facts) -> Result<(), Defect> {
    let head = &game.record;
    let no_game = |reason, found| Err(Defect::new(reason, offset, format!("expected a game, found {found}")));
    if head[0] & IS_TEXT != 0 {
        return no_game("guiding-text", "a text of the database");
    }
    if head[0] & IS_DELETED != 0 {
        return no_game("deleted", "a game that is marked as deleted");
    }
    let field = |index, from, to| {
        let name: &[u8] = game.name(index);
        text_of(name.get(from..name.len().min(to)).unwrap_or_default())
    };
    facts.add("Event", field(2, 0, TITLE));
    facts.add("Site", field(2, TITLE, TOURNAMENT_BYTES));
    let date = number(&head[24..27]);
    if date != 0 {
        facts.add("Date", database::date_text(date >> 9, date >> 5 & 15, date & 31));
    }
    match (head[29], head[30]) {
        (0, _) => {}
        (round, 0) => facts.add("Round", round.to_string()),
        (round, part) => facts.add("Round", format!("{round}.{part}")),
    }
    for (index, (player, elo)) in [("White", "WhiteElo"), ("Black", "BlackElo")].into_iter().enumerate() {
        // Last name, first name.
        facts.add(
            player,
            match (field(index, 0, LAST), field(index, LAST, PLAYER_BYTES)) {
                (last, first) if last.is_empty() => first,
                (last, first) if first.is_empty() => last,
                (last, first) => format!("{last}, {first}"),
            },
        );
        let rating = number(&head[31 + 2 * index..][..2]);
        if rating != 0 {
            facts.add(elo, rating.to_string());
        }
    }
    facts.add("ECO", database::eco_text((number(&head[35..37]) >> 7).checked_sub(1)));
    facts.add("Annotator", field(3, 0, ANNOTATOR_BYTES));
    // Games that were won or lost without play say nothing about moves.
    facts.outcome = match head[27] {
        0 => Outcome::SecondWins,
        1 => Outcome::Draw,
        2 => Outcome::FirstWins,
        _ => Outcome::Unknown,
    };
    Ok(())
}

/// Returns the text of a field, which a zero may end, as Windows of Western Europe or, where the words look so, of
/// Russia wrote it.
pub(super) fn text_of(field: &[u8]) -> String {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    let charset = if looks_cyrillic(&field[..end]) { WINDOWS_1251 } else { WINDOWS_1252 };
    let (text, _) = charset.decode_without_bom_handling(&field[..end]);
    text.trim().to_owned()
}
