//! The book at the root: which of its moves is played. `hints` is its use inside the search.
//!
//! A record describes the position *reached by* a move. The book moves of a position are found by looking up each
//! successor, which includes transpositions.

mod hints;

use crate::book::Lines;
use crate::book::record::{BookProbe, Record, Word};
use crate::game::{Key, Lock, Move, MoveList, Searchable, Symmetry};
use crate::history::History;

pub(super) use hints::Hints;
pub use hints::{BookMode, Loaded};

/// How a move of the book is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookPolicy {
    /// The heaviest move ([`Word::weight`](crate::book::record::Word::weight)), then the most used, then the smaller
    /// code.
    Best,
    /// A move drawn with probability proportional to its weight; the same seed draws the same move.
    Weighted {
        /// Seed of the draw.
        seed: u64,
    },
    /// A move drawn with every book move equally likely; the same seed draws the same move.
    Uniform {
        /// Seed of the draw.
        seed: u64,
    },
    /// Never a book move.
    Off,
}

impl BookPolicy {
    /// All policies, with seed 0.
    pub const ALL: [BookPolicy; 4] = [
        BookPolicy::Best,
        BookPolicy::Weighted { seed: 0 },
        BookPolicy::Uniform { seed: 0 },
        BookPolicy::Off,
    ];

    /// Returns the policy's name.
    pub const fn name(self) -> &'static str {
        match self {
            BookPolicy::Best => "best",
            BookPolicy::Weighted { .. } => "weighted",
            BookPolicy::Uniform { .. } => "uniform",
            BookPolicy::Off => "off",
        }
    }

    /// Returns the policy of a name, with seed 0.
    pub fn named(name: &str) -> Option<BookPolicy> {
        BookPolicy::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Returns the same policy with another seed, if it has one.
    #[must_use]
    pub const fn seeded(self, seed: u64) -> BookPolicy {
        match self {
            BookPolicy::Weighted { .. } => BookPolicy::Weighted { seed },
            BookPolicy::Uniform { .. } => BookPolicy::Uniform { seed },
            BookPolicy::Best | BookPolicy::Off => self,
        }
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
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.sort_unstable();
    let symmetry = if book.folds() { position.folded().symmetry } else { Symmetry::Itself };
    let is_pair = symmetry == Symmetry::SelfMirrored;
    let known = moves.iter().filter(|&&m| !is_pair || position.usual_move(m) == m).filter_map(|&m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        let (key, lock) = stored_form(&next, book.folds());
        let record = book.probe(key, lock).filter(|record| record.word.usage() > 0)?;
        Some(BookMove { m, record })
    });
    known.collect()
}

/// Returns the moves of a book of another format in a position, each with a record that has its weight.
pub fn listed_moves<G: Searchable>(position: &G, lines: &Lines) -> Vec<BookMove> {
    let (listed, symmetry) = lines.at(position);
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let is_pair = symmetry == Symmetry::SelfMirrored;
    let known = moves.iter().filter(|&&m| !is_pair || position.usual_move(m) == m).filter_map(|&m| {
        let code = G::fold_move(symmetry, m);
        let (_, weight) = listed.iter().find(|(known, weight)| *known == code && *weight > 0)?;
        let word = Word::new(*weight, [0; 3], 0);
        Some(BookMove { m, record: Record { key: position.key(), word, lock: None, counts: None } })
    });
    known.collect()
}

/// Returns the move that the policy plays of those of a book; `None` if none leads to a new position of the game.
/// `history` ends in `position`.
pub fn choose<G: Searchable>(
    position: &G,
    history: &History,
    mut known: Vec<BookMove>,
    policy: BookPolicy,
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
        BookPolicy::Weighted { seed } => draw(&known, seed ^ position.key().0, weight),
        BookPolicy::Uniform { seed } => draw(&known, seed ^ position.key().0, |_| 1),
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

/// Returns the key and lock under which a book stores the position.
fn stored_form<G: Searchable>(position: &G, folds: bool) -> (Key, Lock) {
    if folds {
        let folded = position.folded();
        (folded.key, folded.lock)
    } else {
        (position.key(), position.lock())
    }
}

#[cfg(test)]
mod tests;
