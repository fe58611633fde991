//! What games of ChessBase and of Scid have in common: their block, and facts as PGN has them.

use crate::archive::block::DatabaseGame;
use crate::archive::{Block, GameRecord, ReadOptions, Sink};
use crate::chess::Token;

/// Parses a block of games, whose records lie one after the other in the main file.
pub(super) fn read_games(
    block: &Block,
    options: &ReadOptions,
    sink: Sink<'_, Token>,
    read: fn(&DatabaseGame, u64, &ReadOptions) -> GameRecord<Token>,
) {
    let mut offset = block.offset;
    for game in &block.games {
        sink(&read(game, offset, options));
        offset += game.record.len() as u64;
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

/// Adds the tags of a start position.
pub(super) fn add_start_tags(known: &mut Vec<(String, String)>, fen: &str) {
    let tags = [("SetUp", "1"), ("FEN", fen)];
    known.extend(tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
}
