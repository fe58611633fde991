//! The book at the root: which of its moves is played. `hints` is its use inside the search.
//!
//! A record describes the position *reached by* a move. The book moves of a position are found by looking up each
//! successor, which includes transpositions.
//!
//! Records of a book as hints to the search.
//!
//! A record says how the games that reached its position ended. The search uses it as a *hint*: where it knows no move
//! yet, it tries first the move whose games ended best. A record with an engine's value is used as a result of the search
//! of that depth: it cuts, and its best move is tried first.
//!
//! Each record has its own entry in the table, under its key in the book and a lock that no result of the search
//! uses. Otherwise the first iteration would overwrite it long before it is of use. The key is the folded one if the
//! book folds mirrors. If the book has no lock column, the lock is computed from the whole key.
//!
//! The records fill at most a quarter of the table's entries. Of a larger book only the most used records are loaded: all
//! from some usage on. That usage follows from a histogram, which is made once for each book.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::book::Lines;
use crate::book::record::{BookProbe, Counts, Record, Word};
use crate::game::{Key, Lock, Move, MoveList, Searchable, Side};
use crate::graph::{played, stored, stored_after, usual_moves};
use crate::history::History;
use crate::named::named_enum;
use crate::search::score::Score;
use crate::search::table::{Bound, Entry, Found, Hint, Table};

named_enum! {
    /// How a move of the book is chosen. The same seed draws the same move.
    pub enum BookPolicy {
        /// The heaviest move ([`Word::weight`](crate::book::record::Word::weight)), then the most used, then the smaller
        /// code.
        Best => "best",
        /// A move drawn with probability proportional to its weight.
        Weighted => "weighted",
        /// A move drawn with every book move equally likely.
        Uniform => "uniform",
        /// Never a book move.
        Off => "off",
    }
}

/// A move from the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub m: Move,
    /// The record of the position it reaches.
    pub record: Record,
}

/// Returns the book's moves in a position by ascending code: every legal move to a position whose record has been used.
/// In a position that is its own mirror, a folding book has only the usual one of a move and its mirror.
pub fn book_moves<G: Searchable>(position: &G, book: &dyn BookProbe) -> Vec<BookMove> {
    let mut moves = usual_moves(position, stored(position, book.folds()).symmetry);
    moves.sort_unstable();
    let known = moves.into_iter().filter_map(|m| {
        let (key, lock) = stored_after(position, m, book.folds());
        let record = book.probe(key, lock).filter(|record| record.word.usage() > 0)?;
        Some(BookMove { m, record })
    });
    known.collect()
}

/// Returns the moves of a book of another format in a position, each with a record that has its weight.
pub fn listed_moves<G: Searchable>(position: &G, lines: &Lines) -> Vec<BookMove> {
    let (listed, symmetry) = lines.at(position);
    let known = usual_moves(position, symmetry).into_iter().filter_map(|m| {
        let code = G::fold_move(symmetry, m);
        let (_, weight) = listed.iter().find(|(known, weight)| *known == code && *weight > 0)?;
        let word = Word::new(*weight, [0; 3], 0);
        Some(BookMove {
            m,
            record: Record { key: position.key(), word, lock: None, counts: None, valued: None },
        })
    });
    known.collect()
}

/// Returns the move that the policy plays of those of a book; `None` if none leads to a new position of the game.
/// `history` ends in `position`.
pub fn choose<G: Searchable>(
    position: &G,
    history: &History,
    mut known: Vec<BookMove>,
    (policy, seed): (BookPolicy, u64),
) -> Option<BookMove> {
    if policy == BookPolicy::Off {
        return None;
    }
    known.retain(|choice| {
        let mut next = position.clone();
        next.play_unchecked(choice.m);
        position.is_irreversible(choice.m) || !history.would_repeat(next.key())
    });
    let weight = |choice: &BookMove| choice.record.word.weight();
    match policy {
        BookPolicy::Weighted => draw(&known, seed ^ position.key().0, weight),
        BookPolicy::Uniform => draw(&known, seed ^ position.key().0, |_| 1),
        BookPolicy::Best | BookPolicy::Off => known
            .into_iter()
            .max_by_key(|choice| (weight(choice), choice.record.word.usage(), std::cmp::Reverse(choice.m))),
    }
}

/// Draws a move with probability proportional to `weight`.
fn draw(known: &[BookMove], seed: u64, weight: impl Fn(&BookMove) -> u64) -> Option<BookMove> {
    let total: u64 = known.iter().map(&weight).sum();
    // The high half of a 128-bit product maps the draw to 0 .. total without the bias of a division.
    let mut left = ((u128::from(splitmix64(seed)) * u128::from(total)) >> 64) as u64;
    known.iter().copied().find(|choice| {
        let own = weight(choice);
        let is_drawn = left < own;
        left = left.saturating_sub(own);
        is_drawn
    })
}

/// Returns the first number of the splitmix64 generator (Steele, Lea, Flood 2014) with this seed.
fn splitmix64(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

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

named_enum! {
    /// How an engine uses its book. docs/engine.md has the measurements of the default.
    #[derive(Default)]
    pub enum BookMode {
        /// Not at all.
        Off => "off",
        /// Its moves are played; the search does not use it.
        Root => "root",
        /// Its moves are played, and all records are loaded into the table to order moves.
        #[default]
        Hints => "hints",
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
pub(super) struct Hints {
    book: Option<Arc<dyn BookProbe>>,
    /// Number of records of each usage; empty before the first load.
    usages: Vec<usize>,
    /// The last load.
    pub loaded: Option<Loaded>,
    /// Records were filed with their own locks.
    has_locks: bool,
    /// Some records have values.
    has_values: bool,
}

impl Hints {
    /// Returns the hints of a book; nothing is loaded yet.
    pub fn of_book(book: Option<Arc<dyn BookProbe>>, mode: BookMode) -> Hints {
        let book = book.filter(|_| mode == BookMode::Hints);
        Hints { book, usages: Vec::new(), loaded: None, has_locks: true, has_values: false }
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
            self.has_values |= record.valued.is_some();
            let lock = apart(record.lock.unwrap_or_else(|| lock_of_key(record.key)));
            stored += usize::from(table.store_hint(record.key, lock, hint_of(&record)));
        }
        let records = self.usages.iter().sum();
        self.loaded = Some(Loaded { stored, records, least_usage, elapsed: begun.elapsed() });
        stored
    }

    /// Returns the book's hint on a position if the table still has it.
    pub fn find<G: Searchable>(&self, table: &Table, position: &G) -> Option<Hint> {
        let at = stored(position, self.book.as_deref()?.folds());
        match table.probe(at.key, apart(if self.has_locks { at.lock } else { lock_of_key(at.key) })) {
            Some(Found::Book(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns whether some records have values.
    pub fn have_values(&self) -> bool {
        self.has_values
    }

    /// Returns the value in a hint on a position as a result of the search.
    pub fn result<G: Searchable>(&self, position: &G, hint: Hint) -> Option<Entry> {
        let depth = hint.depth?;
        let symmetry = stored(position, self.book.as_ref()?.folds()).symmetry;
        let best = played(position, symmetry, hint.best.0).unwrap_or(Move::NONE);
        Some(Entry { best, score: hint.score, evaluation: Score::DRAW, depth, bound: Bound::Exact })
    }

    /// Returns whether there are hints.
    pub fn are_there(&self) -> bool {
        self.book.is_some()
    }

    /// Returns the move whose games ended best for the side to move; [`Move::NONE`] if no move has a hint.
    pub fn best_move<G: Searchable>(&self, table: &Table, position: &G, moves: &MoveList) -> Move {
        let first_moves = position.side() == Side::First;
        let judged = moves.iter().filter_map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            let hint = self.find(table, &next)?;
            let is_valued = hint.depth.is_some();
            let score = if is_valued || !first_moves { -hint.score } else { hint.score };
            (is_valued || hint.usage >= MIN_HINT_USAGE).then_some((score, hint.usage, std::cmp::Reverse(m)))
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
    let usage = u16::try_from(record.word.usage()).unwrap_or(u16::MAX);
    let Some(valued) = record.valued else {
        // A record without counts says only that the position is in the book.
        let score = Score::from_centipawns(record.counts.map_or(0, centipawns_of));
        return Hint { score, usage, depth: None, best: Move::NONE };
    };
    let score = match valued.mate_plies() {
        Some(plies) if plies > 0 => Score::mate_in(plies as usize),
        Some(plies) => Score::mated_in(plies.unsigned_abs().into()),
        None => Score::from_centipawns(valued.value.into()),
    };
    Hint { score, usage, depth: Some(valued.depth), best: valued.best }
}

/// Returns the shrunken score of the counted games as centipawns, first side's view: s = (W + D/2 + k/2) / (N + k),
/// 400 · log10(s / (1 − s)), inside ±150.
fn centipawns_of(counts: Counts) -> i32 {
    let [wins, draws, losses] = [counts.wins, counts.draws, counts.losses].map(f64::from);
    let score = (wins + draws / 2.0 + PRIOR_GAMES / 2.0) / (wins + draws + losses + PRIOR_GAMES);
    let centipawns = 400.0 * (score / (1.0 - score)).log10();
    centipawns.clamp(-MAX_HINT_CENTIPAWNS, MAX_HINT_CENTIPAWNS) as i32
}

#[cfg(test)]
mod tests;
