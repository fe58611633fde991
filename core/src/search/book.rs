//! The book in the search: records into the table as hints, and the policy that plays from the book at the root.
//!
//! A record describes the position *reached by* a move, so it holds no move. Loaded into the table it says that the
//! position is in the book and how its games ended; the book move of a position is found by asking for each successor.
//!
//! Two forms of key meet here. The search files positions under their bare key; a book that folds mirrors stores the
//! smaller of the two (key, lock) pairs. Records are loaded under the key they are stored by, and the search asks for
//! the folded form only after it missed the bare one: results of the search stay under bare keys, one position one
//! entry, and every position of a folded book is still found, at the price of one more probe on a miss.
//!
//! A book without the lock column is filed under locks made from its keys: the whole key is then checked on use.

use super::table::{Found, Hint, Table};
use crate::book::record::{BookProbe, Counts, Record};
use crate::game::{Game, Key, Lock, Move, MoveList, Side, Symmetry};
use crate::history::History;

/// Games added to each record at an even score, so that few games say little; from the range 8–20 that the literature
/// of engine books uses; chosen.
const PRIOR_GAMES: f64 = 12.0;
/// Bound of a hint in centipawns: statistics never outweigh a lost piece.
const MAX_HINT_CENTIPAWNS: f64 = 150.0;
/// Games that a position needs before its record may order a move; chosen.
const MIN_HINT_USAGE: u16 = 3;

/// How the records now in the table were filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum BookHints {
    /// No book is loaded.
    #[default]
    Absent,
    /// A book is loaded.
    Loaded {
        /// Under folded keys.
        folds: bool,
        /// With locks of its own.
        has_locks: bool,
    },
}

impl BookHints {
    /// Files records as hints in the table and returns how many found a place.
    pub(super) fn load(
        table: &Table,
        records: impl IntoIterator<Item = Record>,
        folds: bool,
    ) -> (BookHints, usize) {
        let (mut has_locks, mut stored) = (true, 0);
        for record in records {
            has_locks &= record.lock.is_some();
            let lock = record.lock.unwrap_or_else(|| lock_of_key(record.key));
            stored += usize::from(table.store_hint(record.key, lock, hint_of(&record)));
        }
        (BookHints::Loaded { folds, has_locks }, stored)
    }

    /// Returns whether a book is loaded.
    pub(super) fn are_loaded(self) -> bool {
        self != BookHints::Absent
    }

    /// Returns what the book said of a position that the table does not hold under its bare key and lock.
    pub(super) fn of<G: Game>(self, table: &Table, position: &G) -> Option<Hint> {
        let BookHints::Loaded { folds, has_locks } = self else { return None };
        let (key, lock) = stored_form(position, folds);
        let is_bare = key == position.key();
        if is_bare && has_locks {
            return None;
        }
        match table.probe(key, if has_locks { lock } else { lock_of_key(key) }) {
            Some(Found::Book(hint)) => Some(hint),
            _ => None,
        }
    }

    /// Returns the move to the successor that did best for the side to move, by the book; [`Move::NONE`] where no
    /// successor has a hint.
    pub(super) fn best_move<G: Game>(self, table: &Table, position: &G, moves: &MoveList) -> Move {
        if self == BookHints::Absent {
            return Move::NONE;
        }
        let judged = moves.iter().filter_map(|&m| {
            let mut next = position.clone();
            next.play_unchecked(m);
            let hint = match table.probe(next.key(), next.lock()) {
                Some(Found::Book(hint)) => Some(hint),
                _ => self.of(table, &next),
            };
            let hint = hint.filter(|hint| hint.usage >= MIN_HINT_USAGE)?;
            let sign = if position.side() == Side::First { 1 } else { -1 };
            Some((sign * hint.first_centipawns, hint.usage, std::cmp::Reverse(m)))
        });
        judged.max().map_or(Move::NONE, |(_, _, std::cmp::Reverse(m))| m)
    }
}

/// What to play where the book knows a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookPolicy {
    /// The move of the highest quality, then the most used, then the smaller code.
    Best,
    /// A move drawn with probability proportional to usage × (quality + 1); the same seed draws the same move.
    Weighted {
        /// Where the draw starts.
        seed: u64,
    },
    /// Never a book move.
    Off,
}

/// A move from the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub m: Move,
    /// The record of the position it reaches.
    pub record: Record,
}

/// Returns the book's moves in a position, by ascending code: every legal move to a position with a record that has
/// been used. Of a move and its mirror in a position that is its own mirror, a folding book has the smaller one.
pub fn book_moves<G: Game>(position: &G, book: &dyn BookProbe) -> Vec<BookMove> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.sort_unstable();
    let symmetry = if book.folds() { position.folded().symmetry } else { Symmetry::Itself };
    let is_pair = symmetry == Symmetry::SelfMirrored;
    let known = moves.iter().filter(|&&m| !is_pair || G::fold_move(symmetry, m) == m).filter_map(|&m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        let (key, lock) = stored_form(&next, book.folds());
        let record = book.probe(key, lock).filter(|record| record.word.usage() > 0)?;
        Some(BookMove { m, record })
    });
    known.collect()
}

/// Returns the move that the policy plays from the book; `None` where it has none that leads to a new position of
/// the game. `history` ends in `position`.
pub fn choose<G: Game>(
    position: &G,
    history: &History,
    book: &dyn BookProbe,
    policy: BookPolicy,
) -> Option<BookMove> {
    if policy == BookPolicy::Off {
        return None;
    }
    let mut known = book_moves(position, book);
    known.retain(|choice| {
        let mut next = position.clone();
        next.play_unchecked(choice.m);
        position.is_irreversible(choice.m) || !history.would_repeat(next.key())
    });
    match policy {
        BookPolicy::Weighted { seed } => draw(&known, seed ^ position.key().0),
        BookPolicy::Best | BookPolicy::Off => known.into_iter().max_by_key(|choice| {
            (choice.record.word.quality(), choice.record.word.usage(), std::cmp::Reverse(choice.m))
        }),
    }
}

fn draw(known: &[BookMove], seed: u64) -> Option<BookMove> {
    let weight = |choice: &BookMove| {
        u64::from(choice.record.word.usage()) * (u64::from(choice.record.word.quality()) + 1)
    };
    let total: u64 = known.iter().map(weight).sum();
    // The high half of a 128-bit product maps the draw onto 0 .. total without a division's bias.
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

/// Returns the key and lock under which a book stores the position.
fn stored_form<G: Game>(position: &G, folds: bool) -> (Key, Lock) {
    if folds {
        let folded = position.folded();
        (folded.key, folded.lock)
    } else {
        (position.key(), position.lock())
    }
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
fn centipawns_of(counts: Counts) -> i16 {
    let [wins, draws, losses] = [counts.wins, counts.draws, counts.losses].map(f64::from);
    let score = (wins + draws / 2.0 + PRIOR_GAMES / 2.0) / (wins + draws + losses + PRIOR_GAMES);
    let centipawns = 400.0 * (score / (1.0 - score)).log10();
    centipawns.clamp(-MAX_HINT_CENTIPAWNS, MAX_HINT_CENTIPAWNS) as i16
}

#[cfg(test)]
mod tests;
