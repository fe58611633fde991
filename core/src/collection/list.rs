//! Lists the games of a collection as rows of a table, some thousand at a time. Moves are read, but only played as far as
//! openings have names, so a game with illegal moves is listed like any other.

use super::{Archives, CollectionError, NamedPositions, Report, Seen, each_game};
use crate::archive::{Archived, ReadOptions};
use crate::tally::{Progress, TextColumn};

/// Rows that are handed over at once.
const ROWS: usize = 4096;

/// Rows of the list, column by column, all of one length.
#[derive(Debug, Clone, Default)]
pub struct Listed {
    /// Number of the game among all games of the run, from 1.
    pub number: Vec<u64>,
    /// Index of the source file.
    pub source: Vec<u32>,
    /// Member of a container; empty for a bare file.
    pub member: TextColumn,
    /// Offset of the game in the decompressed member.
    pub offset: Vec<u64>,
    /// Bytes of the game.
    pub length: Vec<u64>,
    /// Player of the first side.
    pub first_player: TextColumn,
    /// Player of the second side.
    pub second_player: TextColumn,
    /// Rating of the first side's player, 0 = unknown.
    pub first_rating: Vec<u16>,
    /// Rating of the second side's player, 0 = unknown.
    pub second_rating: Vec<u16>,
    /// Date as written.
    pub date: TextColumn,
    /// Event as written.
    pub event: TextColumn,
    /// 0 unknown, 1 first side won, 2 draw, 3 second side won.
    pub result: Vec<u8>,
    /// Plies of the main line, as read.
    pub plies: Vec<u32>,
    /// Opening code by its tag, ECO or ECCO.
    pub eco: TextColumn,
    /// Name of the opening by its tag.
    pub opening: TextColumn,
    /// Number of the name of the last named position that the game meets.
    pub named: Vec<Option<u32>>,
    /// Why the game could not be read to its end; empty if it could.
    pub defect: TextColumn,
}

impl Listed {
    fn push<G: Archived>(&mut self, game: &Seen<'_, G>, names: &NamedPositions) {
        let record = game.record;
        let tag = |names: &[&str]| {
            let is_one = |name: &str| names.contains(&name);
            record.tags.iter().find(|(name, _)| is_one(name)).map_or("", |(_, value)| value)
        };
        self.number.push(game.number);
        self.source.push(game.source);
        self.member.push(game.block.member.as_deref().unwrap_or_default());
        self.offset.push(record.offset);
        self.length.push(record.length);
        self.first_player.push(&record.first_player);
        self.second_player.push(&record.second_player);
        self.first_rating.push(record.ratings[0]);
        self.second_rating.push(record.ratings[1]);
        self.date.push(&record.date);
        self.event.push(&record.event);
        self.result.push(record.outcome as u8);
        self.plies.push(u32::try_from(record.moves.len()).unwrap_or(u32::MAX));
        self.eco.push(tag(&["ECO", "ECCO"]));
        self.opening.push(tag(&["Opening"]));
        self.named.push(names.name_of::<G>(record));
        self.defect.push(record.defect.as_ref().map_or("", |defect| defect.reason));
    }
}

/// Lists all games of archives; `hand` takes the rows, some thousand at a time.
///
/// # Errors
/// [`CollectionError`]: an archive fails, or `hand`.
pub fn list<G: Archived>(
    archives: &Archives,
    names: &NamedPositions,
    progress: &Progress,
    hand: &mut dyn FnMut(Listed) -> Result<(), CollectionError>,
) -> Result<Report, CollectionError> {
    let reading = ReadOptions { full: true, tags: true, ..ReadOptions::default() };
    let mut rows = Listed::default();
    let report = each_game::<G>(archives, &reading, progress, &mut |game| {
        rows.push(game, names);
        if rows.number.len() >= ROWS {
            hand(std::mem::take(&mut rows))?;
        }
        Ok(true)
    });
    // What was read of an archive that breaks off is listed all the same.
    if !rows.number.is_empty() && !matches!(report, Err(CollectionError::Stopped)) {
        hand(rows)?;
    }
    report
}
