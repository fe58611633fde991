//! Records of a book as hints to the search.
//!
//! A record says how the games that reached its position ended. The search uses it as a *hint*: where it knows no move
//! yet, it tries first the move whose games ended best.
//!
//! Each record has its own entry in the table, under its key in the book and a lock that no result of the search
//! uses. Otherwise the first iteration would overwrite it long before it is of use. The key is the folded one if the
//! book folds mirrors. If the book has no lock column, the lock is computed from the whole key.

use std::sync::Arc;

use super::{splitmix64, stored_form};
use crate::book::record::{BookProbe, Counts, Record};
use crate::game::{Key, Lock, Move, MoveList, Searchable, Side};
use crate::search::table::{Found, Hint, Table};

/// Games added to each record at an even score, so that few games say little; from the range 8–20 that the literature
/// of engine books uses; chosen.
const PRIOR_GAMES: f64 = 12.0;
/// Bound of a hint in centipawns: statistics never outweigh a lost piece.
const MAX_HINT_CENTIPAWNS: f64 = 150.0;
/// Games that a position needs before its record may order a move; chosen.
const MIN_HINT_USAGE: u16 = 3;
/// Distinguishes the locks of the book's entries; chosen at random.
const APART: u32 = 0x9d3c_a5b1;

/// How an engine uses its book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookMode {
    /// Not at all.
    Off,
    /// Its moves are played; the search does not use it.
    Root,
    /// Its moves are played, and all records are loaded into the table to order moves.
    Hints,
}

impl Default for BookMode {
    fn default() -> BookMode {
        BookMode::DEFAULT
    }
}

impl BookMode {
    /// The default: the mode that did best when measured (docs/engine.md).
    pub const DEFAULT: BookMode = BookMode::Root;

    /// All modes.
    pub const ALL: [BookMode; 3] = [BookMode::Off, BookMode::Root, BookMode::Hints];

    /// Returns the mode's name.
    pub const fn name(self) -> &'static str {
        match self {
            BookMode::Off => "off",
            BookMode::Root => "root",
            BookMode::Hints => "hints",
        }
    }

    /// Returns the mode of a name.
    pub fn named(name: &str) -> Option<BookMode> {
        BookMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The book whose records order moves.
#[derive(Clone, Default)]
pub(in crate::search) struct Hints {
    book: Option<Arc<dyn BookProbe>>,
    /// Records were filed with their own locks.
    has_locks: bool,
}

impl Hints {
    /// Returns the hints of a book; nothing is loaded yet.
    pub fn of_book(book: Option<Arc<dyn BookProbe>>, mode: BookMode) -> Hints {
        Hints { book: book.filter(|_| mode == BookMode::Hints), has_locks: true }
    }

    /// Stores the records in the table and returns the number of records that found a place.
    pub fn load(&mut self, table: &Table) -> usize {
        let Some(book) = &self.book else { return 0 };
        let mut stored = 0;
        for record in book.records() {
            self.has_locks &= record.lock.is_some();
            let lock = apart(record.lock.unwrap_or_else(|| lock_of_key(record.key)));
            stored += usize::from(table.store_hint(record.key, lock, hint_of(&record)));
        }
        stored
    }

    /// Returns the book's hint on a position if the table still has it.
    pub fn find<G: Searchable>(&self, table: &Table, position: &G) -> Option<Hint> {
        let book = self.book.as_deref()?;
        let (key, lock) = stored_form(position, book.folds());
        match table.probe(key, apart(if self.has_locks { lock } else { lock_of_key(key) })) {
            Some(Found::Book(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns whether there are hints.
    pub fn are_there(&self) -> bool {
        self.book.is_some()
    }

    /// Returns the move whose games ended best for the side to move; [`Move::NONE`] if no move has a hint.
    pub fn best_move<G: Searchable>(&self, table: &Table, position: &G, moves: &MoveList) -> Move {
        let sign = if position.side() == Side::First { 1 } else { -1 };
        let judged = moves.iter().filter_map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            let hint = self.find(table, &next).filter(|hint| hint.usage >= MIN_HINT_USAGE)?;
            Some((sign * hint.first_centipawns, hint.usage, std::cmp::Reverse(m)))
        });
        judged.max().map_or(Move::NONE, |(_, _, std::cmp::Reverse(m))| m)
    }
}

/// Returns the lock of a book's entry.
fn apart(lock: Lock) -> Lock {
    Lock(lock.0 ^ APART)
}

/// Returns the lock for a record without one, computed from all bits of its key.
fn lock_of_key(key: Key) -> Lock {
    Lock(splitmix64(key.0) as u32)
}

fn hint_of(record: &Record) -> Hint {
    // A record without counts says only that the position is in the book.
    let first_centipawns = record.counts.map_or(0, centipawns_of);
    let usage = u16::try_from(record.word.usage()).unwrap_or(u16::MAX);
    Hint { first_centipawns, usage }
}

/// Returns the shrunken score of the counted games as centipawns, first side's view: s = (W + D/2 + k/2) / (N + k),
/// 400 · log10(s / (1 − s)), inside ±150.
pub(super) fn centipawns_of(counts: Counts) -> i16 {
    let [wins, draws, losses] = [counts.wins, counts.draws, counts.losses].map(f64::from);
    let score = (wins + draws / 2.0 + PRIOR_GAMES / 2.0) / (wins + draws + losses + PRIOR_GAMES);
    let centipawns = 400.0 * (score / (1.0 - score)).log10();
    centipawns.clamp(-MAX_HINT_CENTIPAWNS, MAX_HINT_CENTIPAWNS) as i16
}
