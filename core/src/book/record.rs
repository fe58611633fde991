//! One record of a clustered book: the position *reached by* a move, and a 32-bit word about it.
//!
//! | bits of the word | meaning |
//! |---|---|
//! | 31 / 30 / 29 | first side has won / drawn / second side has won at least one counted game through this position |
//! | 28–24 | quality 0–31 |
//! | 23–0 | usage: games that reached the position, saturating at 16,777,215 |

use crate::game::{Key, Lock, Move};

/// Largest usage a word can hold.
pub const MAX_USAGE: u32 = (1 << 24) - 1;
/// Largest quality a word can hold.
pub const MAX_QUALITY: u8 = 31;

/// The 32-bit word of a record; layout at the head of this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(pub u32);

impl Word {
    /// Packs counts of games, first side's view, and a quality (capped at [`MAX_QUALITY`]).
    pub fn new(usage: u64, counts: [u64; 3], quality: u8) -> Word {
        let [wins, draws, losses] = counts.map(|count| u32::from(count > 0));
        let usage = usage.min(u64::from(MAX_USAGE)) as u32;
        Word(wins << 31 | draws << 30 | losses << 29 | u32::from(quality.min(MAX_QUALITY)) << 24 | usage)
    }

    /// Returns the number of games that reached the position, saturating at [`MAX_USAGE`].
    pub const fn usage(self) -> u32 {
        self.0 & MAX_USAGE
    }

    /// Returns the quality, 0–31.
    pub const fn quality(self) -> u8 {
        (self.0 >> 24) as u8 & MAX_QUALITY
    }

    /// Returns the weight of the move that reaches the position: usage × (quality + 1)³. Every pick from a book uses it.
    pub const fn weight(self) -> u64 {
        self.usage() as u64 * (self.quality() as u64 + 1).pow(3)
    }

    /// Returns whether the first side won, drew, lost at least one counted game through the position.
    pub const fn seen(self) -> [bool; 3] {
        [self.0 >> 31 & 1 == 1, self.0 >> 30 & 1 == 1, self.0 >> 29 & 1 == 1]
    }
}

/// Wins, draws, losses of the first side, saturating at `u32::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Games the first side won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games the first side lost.
    pub losses: u32,
}

/// Largest value; mates are this number of centipawns less their plies.
pub const MATE_VALUE: i16 = 30_000;
/// Values beyond this bound are mates.
const LEAST_MATE: i16 = MATE_VALUE - 1000;

/// What an engine says of a position, as 40 bits: depth, best move, value from the highest to the lowest. The deeper of
/// two is the larger number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Valued {
    /// Plies searched, at least 1.
    pub depth: u8,
    /// The best move in the stored form; [`Move::NONE`] if it is unknown.
    pub best: Move,
    /// Centipawns for the side to move.
    pub value: i16,
}

impl Valued {
    /// Returns the bits.
    pub fn pack(self) -> u64 {
        u64::from(self.depth) << 32 | u64::from(self.best.0) << 16 | u64::from(self.value as u16)
    }

    /// Returns what the bits say; `None` for 0 and for bits that no value has.
    pub fn unpack(bits: u64) -> Option<Valued> {
        let depth = u8::try_from(bits >> 32).ok().filter(|&depth| depth > 0)?;
        let valued = Valued { depth, best: Move((bits >> 16) as u16), value: bits as u16 as i16 };
        (valued.value.unsigned_abs() <= MATE_VALUE as u16).then_some(valued)
    }

    /// Returns the plies to a mate, negative if the side to move is mated; `None` without a mate.
    pub fn mate_plies(self) -> Option<i16> {
        (self.value.abs() > LEAST_MATE).then(|| self.value.signum() * MATE_VALUE - self.value)
    }
}

/// The record of one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    /// Key of the position, folded if the book folds.
    pub key: Key,
    /// The 32-bit word.
    pub word: Word,
    /// Second key, if the book has the lock column.
    pub lock: Option<Lock>,
    /// Results, if the book has the count columns.
    pub counts: Option<Counts>,
    /// The value of an engine, if the book has one.
    pub valued: Option<Valued>,
}

/// Looks positions up in a book.
pub trait BookProbe: Send + Sync {
    /// Returns the record stored under `key`, if any; if the book has locks, `lock` must match too.
    /// The caller folds both if the book folds.
    fn probe(&self, key: Key, lock: Lock) -> Option<Record>;
    /// Returns whether the book stores left-right mirrors as one position (see [`crate::game::Folded`]).
    fn folds(&self) -> bool;
    /// Returns the records of at least this usage, always in the same order.
    fn records(&self, least_usage: u32) -> Box<dyn Iterator<Item = Record> + '_>;
    /// Returns the usage of each record, in any order.
    fn usages(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new(self.records(0).map(|record| record.word.usage()))
    }
}
