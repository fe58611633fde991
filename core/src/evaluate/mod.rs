//! Static evaluation of positions, in centipawns for the side to move.
//!
//! The search is generic over [`Evaluate`]; [`Standard`] is the built-in evaluation, one module per game.
//!
//! An evaluation adds its terms one by one to a [`Sum`], each with its count for the first side minus its count for the
//! second. [`MaterialTable`] caches the facts that depend on the numbers of men alone.

/// Declares the index of the first number of each group of terms, and the number of all.
macro_rules! groups {
    (@$first:expr;) => {
        /// The number of terms.
        pub(super) const COUNT: usize = $first;
    };
    (@$first:expr; $(#[$doc:meta])* $name:ident: $size:expr, $($rest:tt)*) => {
        $(#[$doc])*
        pub(super) const $name: usize = $first;
        groups!(@$first + $size; $($rest)*);
    };
    ($($groups:tt)*) => { groups!(@0; $($groups)*); };
}

mod chess;
mod xiangqi;

use std::ops::{AddAssign, Mul};

use crate::game::{Game, Move};

/// Judges positions of game `G` without searching.
pub trait Evaluate<G: Game>: Send + Sync {
    /// Caches of one thread.
    type Memory: Default + Send;

    /// Returns a memory for a search.
    fn memory(&self) -> Self::Memory {
        Self::Memory::default()
    }

    /// Returns the value of the position for the side to move, in centipawns. The memory only saves time.
    fn judge(&self, position: &G, memory: &mut Self::Memory) -> i32;

    /// Returns what [`Evaluate::judge`] does, from scratch.
    fn centipawns(&self, position: &G) -> i32 {
        self.judge(position, &mut Self::Memory::default())
    }

    /// Returns what a legal move captures and gains by promotion, in centipawns; `None` for a quiet move.
    fn gain(&self, position: &G, m: Move) -> Option<i32>;

    /// Returns whether a legal move gains at least `least` centipawns, with all captures on its target that follow, both
    /// sides taking with their least valuable piece first and stopping when it pays (static exchange evaluation).
    fn holds(&self, position: &G, m: Move, least: i32) -> bool;

    /// Returns whether zugzwang is likely because the side to move has little material: the search then tries no null
    /// moves.
    fn zugzwang_threatens(&self, position: &G) -> bool;
}

/// The built-in evaluation. Its numbers are fitted to the results of games by logistic regression.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;

/// The value of the terms of a position.
struct Sum {
    numbers: &'static [Pair],
    total: Pair,
}

impl Sum {
    fn new(numbers: &'static [Pair]) -> Sum {
        Sum { numbers, total: pair(0, 0) }
    }

    /// Adds a term that holds `count` times for the first side; below zero: for the second.
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.total += self.numbers[term] * count;
    }
}

/// A value in the middlegame and in the endgame, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// In the middlegame.
    pub middle: i32,
    /// In the endgame.
    pub end: i32,
}

const fn pair(middle: i32, end: i32) -> Pair {
    Pair { middle, end }
}

impl Pair {
    /// Returns the value at `phase`: `full` = all pieces on the board, 0 = the barest endgame.
    fn at(self, phase: i32, full: i32) -> i32 {
        (self.middle * phase + self.end * (full - phase)) / full
    }
}

impl AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.middle += other.middle;
        self.end += other.end;
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    fn mul(self, count: i32) -> Pair {
        pair(self.middle * count, self.end * count)
    }
}

/// Materials remembered, a power of two; chosen.
const SLOTS: usize = 1 << 12;
/// The key of an empty slot: no kind has fifteen men on both sides.
const NONE: u64 = u64::MAX;

/// Materials met before, one slot for all that share an index. By default it has no slot.
#[derive(Default)]
pub struct MaterialTable<T> {
    slots: Vec<(u64, T)>,
}

impl<T: Copy + Default> MaterialTable<T> {
    fn new() -> MaterialTable<T> {
        MaterialTable { slots: vec![(NONE, T::default()); SLOTS] }
    }

    /// Returns the facts of these numbers of men; calls `judge` if the table does not have them.
    fn look_up(&mut self, men: impl Iterator<Item = u64>, judge: impl FnOnce() -> T) -> T {
        let key = men.fold(0, |key, count| key << 4 | count);
        // The golden ratio's odd constant spreads the bits; the top ones are the index.
        let index = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.ilog2());
        let Some(slot) = self.slots.get_mut(index as usize) else { return judge() };
        if slot.0 != key {
            *slot = (key, judge());
        }
        slot.1
    }
}

#[cfg(test)]
mod tests;
