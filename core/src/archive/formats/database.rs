//! What games of ChessBase and of Scid have in common: their block, and facts as PGN has them.

use super::facts::Facts;
use super::lines::Lines;
use crate::archive::block::DatabaseGame;
use crate::archive::{Block, Defect, ReadOptions, Sink};
use crate::chess::Token;

/// Reads a game, whose record lies at an offset of the main file.
type Read = fn(&DatabaseGame, u64, &mut Facts, &mut Lines<Token>) -> Result<(), Defect>;

/// Parses a block of games, whose records lie one after the other in the main file.
pub(super) fn read_games(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>, read: Read) {
    let mut offset = block.offset;
    for game in &block.games {
        let mut facts = Facts::default();
        let mut lines = Lines::new(options);
        if let Err(defect) = read(game, offset, &mut facts, &mut lines) {
            facts.fail(defect);
        }
        let length = game.record.len() as u64;
        let mut record = facts.into_record(lines, options, offset, length);
        record.tagged = record.outcome;
        sink(&record);
        offset += length;
    }
}

/// Returns a date; parts that are not known are 0.
pub(super) fn date_text(year: u32, month: u32, day: u32) -> String {
    let part = |value: u32, digits: usize| match value {
        0 => "?".repeat(digits),
        known => format!("{known:0digits$}"),
    };
    format!("{}.{}.{}", part(year, 4), part(month, 2), part(day, 2))
}

/// Returns the code of an opening by its number, 0 = A00; empty if there is none.
pub(super) fn eco_text(number: Option<u32>) -> String {
    match number {
        Some(number @ 0..500) => {
            let letter = char::from(b'A' + (number / 100) as u8);
            format!("{letter}{:02}", number % 100)
        }
        _ => String::new(),
    }
}
