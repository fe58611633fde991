//! Records of a book as hints to the search.
//!
//! A record says how the games that reached its position ended. The search uses it as a *hint*: where it knows no move
//! yet, it tries first the move whose games ended best.
//!
//! Each record has its own entry in the table, under its key in the book and a lock that no result of the search
//! uses. Otherwise the first iteration would overwrite it long before it is of use. The key is the folded one if the
//! book folds mirrors. If the book has no lock column, the lock is computed from the whole key.
//!
//! The records fill at most a quarter of the table's entries. Of a larger book only the most used records are loaded: all
//! from some usage on. That usage follows from a histogram, which is made once for each book.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
/// One of this number of the table's entries may be a record of the book when it is loaded. A quarter keeps over 99 % of
/// the records that are to be loaded (buckets have four entries) and leaves the search most of the table.
const TABLE_SHARE: usize = 4;
/// Usages that the histogram tells apart: those of hints, which saturate there.
const USAGES: usize = 1 << 16;
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
    /// The default. docs/engine.md has the measurements.
    pub const DEFAULT: BookMode = BookMode::Hints;

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

/// What the last load of a book stored in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loaded {
    /// Records that found a place.
    pub stored: usize,
    /// Records of the book.
    pub records: usize,
    /// Records of less usage were not loaded; 0: all were to be.
    pub least_usage: u32,
    /// Time of the load.
    pub elapsed: Duration,
}

/// The book whose records order moves.
#[derive(Clone, Default)]
pub(in crate::search) struct Hints {
    book: Option<Arc<dyn BookProbe>>,
    /// Number of records of each usage; empty before the first load.
    usages: Vec<usize>,
    /// The last load.
    pub loaded: Option<Loaded>,
    /// Records were filed with their own locks.
    has_locks: bool,
}

impl Hints {
    /// Returns the hints of a book; nothing is loaded yet.
    pub fn of_book(book: Option<Arc<dyn BookProbe>>, mode: BookMode) -> Hints {
        let book = book.filter(|_| mode == BookMode::Hints);
        Hints { book, usages: Vec::new(), loaded: None, has_locks: true }
    }

    /// Stores the most used records in the table and returns the number of records that found a place.
    pub fn load(&mut self, table: &Table) -> usize {
        let Some(book) = &self.book else { return 0 };
        let begun = Instant::now();
        if self.usages.is_empty() {
            self.usages = histogram(book.usages());
        }
        let least_usage = least_usage(&self.usages, table.capacity() / TABLE_SHARE);
        let mut stored = 0;
        for record in book.records(least_usage) {
            self.has_locks &= record.lock.is_some();
            let lock = apart(record.lock.unwrap_or_else(|| lock_of_key(record.key)));
            stored += usize::from(table.store_hint(record.key, lock, hint_of(&record)));
        }
        let records = self.usages.iter().sum();
        self.loaded = Some(Loaded { stored, records, least_usage, elapsed: begun.elapsed() });
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

/// Counts the records of each usage.
fn histogram(usages: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut counts = vec![0; USAGES];
    for usage in usages {
        counts[(usage as usize).min(USAGES - 1)] += 1;
    }
    counts
}

/// Returns the smallest usage from which on the records fit in `room`.
fn least_usage(counts: &[usize], room: usize) -> u32 {
    let mut total = 0;
    let fitting = counts.iter().rev().take_while(|&&count| {
        total += count;
        total <= room
    });
    (counts.len() - fitting.count()) as u32
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
