//! The book inside the search: what its records say of a position, and how the search may use it.
//!
//! A record says that the position is in the book and how its games ended. It serves as a *hint*: the successor that did
//! best is tried first where the search knows no move yet. In mode [`BookMode::Bounds`] it is also a lower bound: what the
//! games brought, less a margin, as of a search of a few plies.
//!
//! A record loaded into the table has an entry of its own, under the key it is stored by in the book and a lock that no
//! result of the search is filed under: the first iteration would overwrite it otherwise, long before it is of use. The
//! search asks for it where its own entry knows no move, under the folded key where the book folds mirrors.
//!
//! A book without the lock column is filed under locks made from its keys: the whole key is then checked on use.

use std::sync::Arc;

use super::{splitmix64, stored_form};
use crate::book::record::{BookProbe, Counts, Record};
use crate::game::{Game, Key, Lock, Move, MoveList, Side};
use crate::search::score::Score;
use crate::search::table::{Bound, Entry, Found, Hint, Table};

/// Games added to each record at an even score, so that few games say little; from the range 8–20 that the literature
/// of engine books uses; chosen.
const PRIOR_GAMES: f64 = 12.0;
/// Bound of a hint in centipawns: statistics never outweigh a lost piece.
const MAX_HINT_CENTIPAWNS: f64 = 150.0;
/// Games that a position needs before its record may order a move; chosen.
const MIN_HINT_USAGE: u16 = 3;
/// Games that a position needs before its record is a bound, what is taken off its score, and the most plies it may
/// stand for; chosen.
const MIN_BOUND_USAGE: u16 = 50;
const BOUND_MARGIN: i32 = 60;
const MOST_BOUND_PLIES: u32 = 6;
/// Sets the locks of the book's entries apart; chosen at random.
const APART: u32 = 0x9d3c_a5b1;

/// How an engine uses its book. In all modes but `Off` its moves are played; the last three also serve the search, for
/// positions that left the book and may come back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookMode {
    /// Not at all.
    Off,
    /// Its moves are played, and the search knows nothing of it.
    Root,
    /// All records are loaded into the table, to order moves.
    Hints,
    /// The same, and records of many games end nodes whose window lies well below what they say.
    Bounds,
    /// Nothing is loaded: where the table knows no move, the book itself is asked, to order moves.
    Lazy,
}

impl Default for BookMode {
    fn default() -> BookMode {
        BookMode::DEFAULT
    }
}

impl BookMode {
    /// The mode of an engine that is told nothing else: what did best when measured (docs/engine.md).
    pub const DEFAULT: BookMode = BookMode::Root;

    /// All modes.
    pub const ALL: [BookMode; 5] =
        [BookMode::Off, BookMode::Root, BookMode::Hints, BookMode::Bounds, BookMode::Lazy];

    /// Returns the mode's name.
    pub const fn name(self) -> &'static str {
        match self {
            BookMode::Off => "off",
            BookMode::Root => "root",
            BookMode::Hints => "hints",
            BookMode::Bounds => "bounds",
            BookMode::Lazy => "lazy",
        }
    }

    /// Returns the mode of a name.
    pub fn named(name: &str) -> Option<BookMode> {
        BookMode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns whether its records are loaded into the table.
    pub fn preloads(self) -> bool {
        matches!(self, BookMode::Hints | BookMode::Bounds)
    }

    /// Returns whether the search below the root knows of the book.
    pub fn serves_search(self) -> bool {
        self.preloads() || self == BookMode::Lazy
    }
}

/// A book and how the search uses it.
#[derive(Clone, Default)]
pub(in crate::search) struct Hints {
    book: Option<Arc<dyn BookProbe>>,
    mode: BookMode,
    /// Records were filed with locks of their own.
    has_locks: bool,
    /// Records tell how games ended.
    has_counts: bool,
}

impl Hints {
    /// Returns the hints of a book; nothing is loaded yet.
    pub fn of_book(book: Option<Arc<dyn BookProbe>>, mode: BookMode) -> Hints {
        let book = book.filter(|_| mode.serves_search());
        Hints { book, mode, has_locks: true, has_counts: true }
    }

    /// Files the records in the table, where the mode wants them there, and returns how many found a place.
    pub fn load(&mut self, table: &Table) -> usize {
        let Some(book) = self.book.as_ref().filter(|_| self.mode.preloads()) else { return 0 };
        let mut stored = 0;
        for record in book.records() {
            self.has_locks &= record.lock.is_some();
            self.has_counts &= record.counts.is_some();
            let lock = apart(record.lock.unwrap_or_else(|| lock_of_key(record.key)));
            stored += usize::from(table.store_hint(record.key, lock, hint_of(&record)));
        }
        stored
    }

    /// Returns what the book says of a position, as far as the table still holds it.
    pub fn find<G: Game>(&self, table: &Table, position: &G) -> Option<Hint> {
        let book = self.book.as_deref()?;
        let (key, lock) = stored_form(position, book.folds());
        if self.mode == BookMode::Lazy {
            return book.probe(key, lock).map(|record| hint_of(&record));
        }
        match table.probe(key, apart(if self.has_locks { lock } else { lock_of_key(key) })) {
            Some(Found::Book(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns whether the search may ask for hints.
    pub fn are_there(&self) -> bool {
        self.book.is_some()
    }

    /// Returns the move to the successor that did best for the side to move, by the book; [`Move::NONE`] where no
    /// successor has a hint.
    pub fn best_move<G: Game>(&self, table: &Table, position: &G, moves: &MoveList) -> Move {
        let sign = if position.side() == Side::First { 1 } else { -1 };
        let judged = moves.iter().filter_map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            let hint = self.find(table, &next).filter(|hint| hint.usage >= MIN_HINT_USAGE)?;
            Some((sign * hint.first_centipawns, hint.usage, std::cmp::Reverse(m)))
        });
        judged.max().map_or(Move::NONE, |(_, _, std::cmp::Reverse(m))| m)
    }

    /// Returns the lower bound that a hint stands for, for the side to move; `None` where the mode has none or the games
    /// are too few. It never stands for as many plies as the iteration has: the book does not end a search at its root.
    pub fn bound(&self, hint: Hint, side: Side, iteration: usize) -> Option<Entry> {
        if self.mode != BookMode::Bounds || !self.has_counts || hint.usage < MIN_BOUND_USAGE {
            return None;
        }
        let sign = if side == Side::First { 1 } else { -1 };
        let score = Score::from_centipawns(sign * i32::from(hint.first_centipawns) - BOUND_MARGIN);
        let plies = (hint.usage.ilog2() - 2).min(MOST_BOUND_PLIES) as usize;
        let depth = plies.min(iteration.saturating_sub(1)) as u8;
        Some(Entry { best: Move::NONE, score, evaluation: score, depth, bound: Bound::Lower })
    }
}

/// Returns the lock of a book's entry.
fn apart(lock: Lock) -> Lock {
    Lock(lock.0 ^ APART)
}

/// Returns the lock under which a record without one is filed: all bits of its key take part.
fn lock_of_key(key: Key) -> Lock {
    Lock(splitmix64(key.0) as u32)
}

fn hint_of(record: &Record) -> Hint {
    // Without counts a record says only that the book knows the position.
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
