//! Receivers of evaluation terms.
//!
//! An evaluation adds its terms one by one, each with its count for the first side minus its count for the second.
//! [`Sum`] adds up their values; [`Trace`] records the terms, for tuning.

use super::tapered::{Pair, pair};

/// Takes note of the terms of a position.
pub(super) trait Ledger {
    /// Notes that a term holds `count` times for the first side; below zero: for the second.
    fn add(&mut self, term: usize, count: i32);
}

/// What the terms are worth.
pub(super) struct Sum {
    numbers: &'static [Pair],
    pub total: Pair,
}

impl Sum {
    pub fn new(numbers: &'static [Pair]) -> Sum {
        Sum { numbers, total: pair(0, 0) }
    }
}

impl Ledger for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.total += self.numbers[term] * count;
    }
}

/// The terms themselves.
#[derive(Default)]
pub(super) struct Trace(pub Vec<(u16, i16)>);

impl Ledger for Trace {
    fn add(&mut self, term: usize, count: i32) {
        if count != 0 {
            self.0.push((term as u16, count as i16));
        }
    }
}

/// A run of terms that belong together, and how many of them a line of the file of numbers shows.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// What the terms are.
    pub name: &'static str,
    /// How many there are.
    pub size: usize,
    /// How many a line shows.
    pub width: usize,
}

pub(super) const fn group(name: &'static str, size: usize, width: usize) -> Group {
    Group { name, size, width }
}

/// Returns the first term of a group: as many as the groups before it hold.
pub(super) const fn first_of(groups: &[Group], index: usize) -> usize {
    let (mut first, mut i) = (0, 0);
    while i < index {
        first += groups[i].size;
        i += 1;
    }
    first
}
