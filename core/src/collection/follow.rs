//! Measures how far games follow a book: one row of small numbers for each game.
//!
//! A game follows the book as long as each of its positions has a record; it leaves the book with the first move to a
//! position that has none. Positions after that may be known again, by transposition. Of a book for one side the moves
//! of that side alone are asked for.

use std::collections::BTreeMap;

use super::{Archives, CollectionError, Report, each_game};
use crate::archive::{Archived, GameRecord, ReadOptions, Start};
use crate::book::Book;
use crate::filter::{Filtered, GameFilter};
use crate::game::{Foldable, Replayable, Side};
use crate::graph::stored;
use crate::replay::starting_position;
use crate::tally::Progress;

/// Which games are asked, and for which of their moves.
#[derive(Debug, Clone, Default)]
pub struct FollowOptions {
    /// Which games.
    pub filter: GameFilter,
    /// Ask for moves up to this ply; `None` = all.
    pub max_ply: Option<u16>,
    /// Ask for the moves of this side only.
    pub side: Option<Side>,
    /// Ask games that start from a set-up position too.
    pub custom_starts: bool,
}

/// How far each game follows the book, column by column, all of one length.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// Plies of the game, at most the limit.
    pub plies: Vec<u16>,
    /// Plies before the game left the book; as many as it has if it did not.
    pub exit_ply: Vec<u16>,
    /// Moves that were asked for.
    pub asked: Vec<u16>,
    /// Of those, before the game left the book.
    pub followed: Vec<u16>,
    /// Of those asked for, known at all: also after the game had left.
    pub known: Vec<u16>,
    /// 0 unknown, 1 first side won, 2 draw, 3 second side won.
    pub result: Vec<u8>,
    /// Games skipped on purpose, by the code of the reason.
    pub filtered: BTreeMap<&'static str, u64>,
    /// Games rejected for an illegal move or start.
    pub rejected: u64,
}

/// Follows all games of archives through a book that has been checked whole ([`Book::check_whole`]).
///
/// # Errors
/// [`CollectionError`]: an archive fails, or the run is stopped.
pub fn follow<G: Archived>(
    archives: &Archives,
    book: &Book,
    options: &FollowOptions,
    progress: &Progress,
) -> Result<(Followed, Report), CollectionError> {
    let least = options.filter.min_plies.max(1);
    let reading = ReadOptions {
        max_ply: options.max_ply.map(|limit| usize::from(limit).max(least)),
        tags: options.filter.needs_tags(),
        ..ReadOptions::default()
    };
    let mut found = Followed::default();
    let report = each_game::<G>(archives, &reading, progress, &mut |game| {
        if let Some(reason) = left_out(game.record, options) {
            *found.filtered.entry(reason.name()).or_default() += 1;
            return Ok(false);
        }
        let row = starting_position::<G>(game.record).ok().and_then(|start| {
            let limit = options.max_ply.map_or(usize::from(u16::MAX), usize::from);
            Row::of(start, game.record, book, limit, options.side)
        });
        match &row {
            Some(row) => found.push(row, game.record.outcome as u8),
            None => found.rejected += 1,
        }
        Ok(row.is_some())
    })?;
    Ok((found, report))
}

impl Followed {
    fn push(&mut self, row: &Row, result: u8) {
        self.plies.push(row.plies);
        self.exit_ply.push(row.exit_ply.unwrap_or(row.plies));
        self.asked.push(row.asked);
        self.followed.push(row.followed);
        self.known.push(row.known);
        self.result.push(result);
    }
}

fn left_out<T>(record: &GameRecord<T>, options: &FollowOptions) -> Option<Filtered> {
    if record.variant.is_some() {
        return Some(Filtered::Variant);
    }
    if record.start != Start::Standard && !options.custom_starts {
        return Some(Filtered::CustomStart);
    }
    if record.moves.is_empty() {
        return Some(Filtered::NoMoves);
    }
    options.filter.reason(record)
}

#[derive(Default)]
struct Row {
    plies: u16,
    exit_ply: Option<u16>,
    asked: u16,
    followed: u16,
    known: u16,
}

impl Row {
    /// Returns nothing if a move within the limit is not legal.
    fn of<G: Replayable + Foldable>(
        mut position: G,
        record: &GameRecord<G::Token>,
        book: &Book,
        limit: usize,
        side: Option<Side>,
    ) -> Option<Row> {
        let mut row = Row::default();
        for &token in record.moves.iter().take(limit) {
            let mover = position.side();
            position.play_token(token).ok()?;
            if side.is_none_or(|side| side == mover) {
                let at = stored(&position, book.header().is_folded);
                row.ask(book.seek(at.key, at.lock).is_some());
            }
            row.plies += 1;
        }
        Some(row)
    }

    fn ask(&mut self, is_known: bool) {
        self.asked += 1;
        self.known += u16::from(is_known);
        if self.exit_ply.is_none() {
            if is_known {
                self.followed += 1;
            } else {
                self.exit_ply = Some(self.plies);
            }
        }
    }
}
