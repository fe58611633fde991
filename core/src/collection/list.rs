//! Lists the games of a collection as rows of a table, some thousand at a time. Moves are read, but only played as far as
//! openings have names, so a game with illegal moves is listed like any other.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, StringBuilder, UInt8Builder, UInt16Builder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};

use super::{Archives, CollectionError, NamedPositions, Report, Seen, each_game};
use crate::archive::{Archived, ReadOptions};
use crate::tally::Progress;

/// Rows that are handed over at once.
const ROWS: usize = 4096;

/// Declares the columns of the list: of each its name, its builder, and what it says of a game.
macro_rules! columns {
    (|$game:ident, $tag:ident, $names:ident| $($name:ident: $Builder:ident.$append:ident($value:expr),)*) => {
        #[derive(Default)]
        struct Rows {
            $($name: $Builder,)*
        }

        impl Rows {
            fn push<G: Archived>(&mut self, $game: &Seen<'_, G>, $names: &NamedPositions) {
                let $tag = |name: &str| $game.record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| &**value);
                $(self.$name.$append($value);)*
            }

            fn take(&mut self) -> Result<RecordBatch, CollectionError> {
                let columns = [$((stringify!($name), Arc::new(self.$name.finish()) as ArrayRef)),*];
                RecordBatch::try_from_iter(columns).map_err(|error| io::Error::other(error).into())
            }
        }
    };
}

columns! { |game, tag, names|
    number: UInt64Builder.append_value(game.number),
    source: StringBuilder.append_value(game.path.to_string_lossy()),
    // Empty for a bare file.
    member: StringBuilder.append_value(game.block.member.as_deref().unwrap_or_default()),
    offset: UInt64Builder.append_value(game.record.offset),
    length: UInt64Builder.append_value(game.record.length),
    first_player: StringBuilder.append_value(&game.record.first_player),
    second_player: StringBuilder.append_value(&game.record.second_player),
    // 0 where it is unknown.
    first_rating: UInt16Builder.append_value(game.record.ratings[0]),
    second_rating: UInt16Builder.append_value(game.record.ratings[1]),
    date: StringBuilder.append_value(&game.record.date),
    event: StringBuilder.append_value(&game.record.event),
    // 0 unknown, 1 first side won, 2 draw, 3 second side won.
    result: UInt8Builder.append_value(game.record.outcome as u8),
    plies: UInt32Builder.append_value(u32::try_from(game.record.moves.len()).unwrap_or(u32::MAX)),
    eco: StringBuilder.append_value(tag("ECO").or(tag("ECCO")).unwrap_or_default()),
    opening: StringBuilder.append_value(tag("Opening").unwrap_or_default()),
    // Number of the name of the last named position that the game meets.
    named: UInt32Builder.append_option(names.name_of::<G>(game.record)),
    // Why the game could not be read to its end; empty if it could.
    defect: StringBuilder.append_value(game.record.defect.as_ref().map_or("", |defect| defect.reason)),
}

/// Lists all games of archives; `hand` takes the rows, some thousand at a time.
///
/// # Errors
/// [`CollectionError`]: an archive fails, or `hand`.
pub fn list<G: Archived>(
    archives: &Archives,
    names: &NamedPositions,
    progress: &Progress,
    hand: &mut dyn FnMut(RecordBatch) -> Result<(), CollectionError>,
) -> Result<Report, CollectionError> {
    let reading = ReadOptions { full: true, tags: true, ..ReadOptions::default() };
    let mut rows = Rows::default();
    let report = each_game::<G>(archives, &reading, progress, &mut |game| {
        rows.push(game, names);
        if rows.number.len() >= ROWS {
            hand(rows.take()?)?;
        }
        Ok(true)
    });
    // What was read of an archive that breaks off is listed all the same.
    if !rows.number.is_empty() && !matches!(report, Err(CollectionError::Stopped)) {
        hand(rows.take()?)?;
    }
    report
}
