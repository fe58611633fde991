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
    /// Games rejected for a start or move that is illegal or cannot be read.
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
        let is_legal = found.add::<G>(game.record, book, options);
        found.rejected += u64::from(!is_legal);
        Ok(is_legal)
    })?;
    Ok((found, report))
}

impl Followed {
    /// Adds the row of a game; returns whether its start and its moves within the limit can be read and are legal.
    fn add<G: Replayable + Foldable>(
        &mut self,
        record: &GameRecord<G::Token>,
        book: &Book,
        options: &FollowOptions,
    ) -> bool {
        if record.defect.is_some() {
            return false;
        }
        let Ok(mut position) = starting_position::<G>(record) else { return false };
        let (mut plies, mut exit_ply, mut asked, mut followed, mut known) = (0, None, 0, 0, 0);
        for &token in record.moves.iter().take(usize::from(options.max_ply.unwrap_or(u16::MAX))) {
            let mover = position.side();
            if position.play_token(token).is_err() {
                return false;
            }
            if options.side.is_none_or(|side| side == mover) {
                let at = stored(&position, book.header().is_folded);
                let is_known = book.seek(at.key, at.lock).is_some();
                exit_ply = exit_ply.or((!is_known).then_some(plies));
                asked += 1;
                known += u16::from(is_known);
                followed += u16::from(exit_ply.is_none());
            }
            plies += 1;
        }
        self.plies.push(plies);
        self.exit_ply.push(exit_ply.unwrap_or(plies));
        self.asked.push(asked);
        self.followed.push(followed);
        self.known.push(known);
        self.result.push(record.outcome as u8);
        true
    }
}

fn left_out<T>(record: &GameRecord<T>, options: &FollowOptions) -> Option<Filtered> {
    if record.variant.is_some() {
        return Some(Filtered::Variant);
    }
    if record.start != Start::Standard && !options.custom_starts {
        return Some(Filtered::CustomStart);
    }
    if record.moves.is_empty() && record.defect.is_none() {
        return Some(Filtered::NoMoves);
    }
    options.filter.reason(record)
}
