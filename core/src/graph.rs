//! The graph of a tally: for each row, the position that its move leads to.
//!
//! A tally does not store the key of the position after a move, so the moves are played on a board: one walk from the
//! start position through all rows, each position entered once. Rows without a move lead nowhere, and so do rows that
//! only games from set-up positions reach.
//!
//! A book of positions has more moves than its games played: every legal move that leads to a record is one. With the
//! records of such a book, the walk finds those moves too, also where a move of the tally leaves its positions.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::game::{Foldable, Folded, Key, Lock, MAX_MOVES, Move, MoveList, Symmetry};

/// In place of a position: none.
pub const NOWHERE: u32 = u32::MAX;

/// Positions between two calls of `go_on`: some milliseconds of work. Not tuned.
const BLOCK: usize = 1 << 14;

/// Columns of a tally, equal in length, ascending by (key, lock, move).
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Key of the position before the move.
    pub keys: &'a [u64],
    /// Its lock.
    pub locks: &'a [u32],
    /// Codes of the moves; 0 = none.
    pub moves: &'a [u16],
}

/// An error of linking rows.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// A row's move is not legal in its position.
    #[error("row {row}: move code {code} is not legal in {fen}; the tally is damaged, make it again")]
    Illegal {
        /// The row.
        row: usize,
        /// The move's code.
        code: u16,
        /// The position.
        fen: String,
    },
    /// Positions are numbered in 32 bits.
    #[error("{positions} positions: a graph has at most {}", NOWHERE - 1)]
    TooLarge {
        /// How many there are.
        positions: usize,
    },
    /// A record is not a position of the tally.
    #[error("record {number}: the tally has {positions} positions")]
    Unknown {
        /// The number of its position.
        number: u32,
        /// How many positions there are.
        positions: usize,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What [`link`] finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// For each row the number of the position that its move leads to, or [`NOWHERE`].
    pub children: Vec<u32>,
    /// Moves to records that no row has: number of the position before, code as the tally would store it, number of the
    /// position after.
    pub others: Vec<(u32, Move, u32)>,
}

/// Returns where the moves of a tally lead. Positions are numbered from 0 in the order of the rows. Each move is checked
/// against the rules.
///
/// `records` are the numbers of the positions that a book has, ascending; then `others` is filled, and each row
/// that leads to a position without rows gets a position of its own, numbered on from the last one. `None` = such rows
/// lead nowhere.
///
/// # Errors
/// [`GraphError`].
pub fn link<G: Foldable>(
    rows: Rows,
    is_folded: bool,
    records: Option<&[u32]>,
    go_on: &dyn Fn() -> ControlFlow<()>,
) -> Result<Links, GraphError> {
    let positions = Positions::of(rows)?;
    let records = records.map(|records| positions.chosen(records)).transpose()?;
    let known = positions.starts.len() - 1;
    let mut links = Links { children: vec![NOWHERE; rows.keys.len()], others: Vec::new() };
    let mut beyond = known as u32;
    let mut entered = vec![false; known];
    let start = G::start();
    let mut waiting = Vec::new();
    if let Some(number) = positions.find(stored(&start, is_folded)) {
        entered[number as usize] = true;
        waiting.push((start, number));
    }
    let mut count = 0usize;
    while let Some((position, number)) = waiting.pop() {
        if count.is_multiple_of(BLOCK) && go_on().is_break() {
            return Err(GraphError::Interrupted);
        }
        count += 1;
        let symmetry = stored(&position, is_folded).symmetry;
        let own = positions.rows(number);
        let mut enter = |next: G, child: u32| {
            if !std::mem::replace(&mut entered[child as usize], true) {
                waiting.push((next, child));
            }
        };
        for row in own.clone() {
            let Some(m) = played(&position, symmetry, rows.moves[row]) else { continue };
            if !position.is_legal(m) {
                return Err(GraphError::Illegal { row, code: m.0, fen: position.to_fen() });
            }
            let mut next = position.clone();
            next.play_unchecked(m);
            let at = stored(&next, is_folded);
            if let Some(child) = positions.find(at) {
                links.children[row] = child;
                enter(next, child);
            } else if let Some(records) = &records {
                links.children[row] = beyond;
                records.moves(&next, at.symmetry, is_folded, &[], |_, code, child| {
                    links.others.push((beyond, code, child));
                });
                beyond += 1;
            }
        }
        let Some(records) = &records else { continue };
        records.moves(&position, symmetry, is_folded, &rows.moves[own], |m, code, child| {
            links.others.push((number, code, child));
            let mut next = position.clone();
            next.play_unchecked(m);
            enter(next, child);
        });
    }
    Ok(links)
}

/// The positions of a tally that a book has.
struct Records {
    index: PositionIndex,
    /// Their numbers in the tally.
    numbers: Vec<u32>,
}

impl Records {
    /// Hands on every legal move to a record that no row has: the move, its code as a tally stores it, and the number of
    /// the position after it. Of a move and its mirror at a position that is its own mirror, the stored one is handed on.
    ///
    /// `rows` are the codes of the position's rows, ascending.
    fn moves<G: Foldable>(
        &self,
        position: &G,
        symmetry: Symmetry,
        is_folded: bool,
        rows: &[u16],
        mut found: impl FnMut(Move, Move, u32),
    ) {
        if self.numbers.is_empty() {
            return;
        }
        let is_other = |m| {
            let code = G::fold_move(symmetry, m);
            (symmetry == Symmetry::Mirrored || code == m) && rows.binary_search(&code.0).is_err()
        };
        self.index.successors_by(position, is_folded, is_other, |m, record| {
            found(m, G::fold_move(symmetry, m), self.numbers[record as usize]);
        });
    }
}

/// Returns the form in which a tally or a book stores a position.
pub(crate) fn stored<G: Foldable>(position: &G, is_folded: bool) -> Folded {
    if is_folded {
        return position.folded();
    }
    Folded { key: position.key(), lock: position.lock(), symmetry: Symmetry::Itself }
}

/// Returns key and lock under which the position after a legal move is stored.
pub(crate) fn stored_after<G: Foldable>(position: &G, m: Move, is_folded: bool) -> (Key, Lock) {
    if let Some(hash) = position.hash_after(m).filter(|_| !is_folded) {
        return hash;
    }
    let mut next = position.clone();
    next.play_unchecked(m);
    let at = stored(&next, is_folded);
    (at.key, at.lock)
}

/// Returns the move of a stored code.
fn played<G: Foldable>(position: &G, symmetry: Symmetry, code: u16) -> Option<Move> {
    let m = Move(code);
    (m != Move::NONE).then(|| position.unfold_move(symmetry, m))
}

/// The positions of a tally, and the rows of each.
struct Positions {
    index: PositionIndex,
    /// First row of each position, and the number of rows.
    starts: Vec<u32>,
}

impl Positions {
    fn of(rows: Rows) -> Result<Positions, GraphError> {
        let count = rows.keys.len();
        let is_first = |&row: &usize| {
            row == 0 || (rows.keys[row], rows.locks[row]) != (rows.keys[row - 1], rows.locks[row - 1])
        };
        let mut starts: Vec<u32> = (0..count).filter(is_first).map(|row| row as u32).collect();
        let keys = starts.iter().map(|&row| rows.keys[row as usize]).collect();
        let locks = starts.iter().map(|&row| rows.locks[row as usize]).collect();
        starts.push(count as u32);
        Ok(Positions { index: PositionIndex::new(keys, Some(locks))?, starts })
    }

    fn chosen(&self, numbers: &[u32]) -> Result<Records, GraphError> {
        let count = self.index.keys.len();
        if let Some(&number) = numbers.iter().find(|&&number| number as usize >= count) {
            return Err(GraphError::Unknown { number, positions: count });
        }
        let keys = numbers.iter().map(|&number| self.index.keys[number as usize]).collect();
        let locks = |locks: &Vec<u32>| numbers.iter().map(|&number| locks[number as usize]).collect();
        let index = PositionIndex::new(keys, self.index.locks.as_ref().map(locks))?;
        Ok(Records { index, numbers: numbers.to_vec() })
    }

    fn rows(&self, number: u32) -> std::ops::Range<usize> {
        self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize
    }

    fn find(&self, stored: Folded) -> Option<u32> {
        self.index.find(stored.key, Some(stored.lock))
    }
}

/// Positions in ascending order of (key, lock), found by them.
#[derive(Debug)]
pub struct PositionIndex {
    keys: Vec<u64>,
    /// `None` = unknown: a position is found by its key alone.
    locks: Option<Vec<u32>>,
    /// First position of each bucket of keys that share their top bits, and the number of positions.
    buckets: Vec<u32>,
    /// Bits by which a key is shifted right to give its bucket.
    shift: u32,
    /// A bit for each range of keys that holds one: most keys that are not there are told apart by one small read.
    present: Vec<u64>,
}

/// The maximum average number of positions in a bucket. Their keys share a cache line or two, so a search waits for
/// memory once for the bucket and once for the keys.
const BUCKET: usize = 4;

/// Ranges of keys that `present` tells apart, in bits of the key below its bucket: 256 for 4 positions. With 64 a look-up
/// of moves takes a fifth longer.
const RANGES: u32 = 8;

impl PositionIndex {
    /// Indexes positions; keys, and locks of equal keys, ascend.
    ///
    /// # Errors
    /// [`GraphError::TooLarge`].
    pub fn new(keys: Vec<u64>, locks: Option<Vec<u32>>) -> Result<PositionIndex, GraphError> {
        if keys.len() >= NOWHERE as usize {
            return Err(GraphError::TooLarge { positions: keys.len() });
        }
        let bits = (keys.len() / BUCKET).next_power_of_two().trailing_zeros().max(1);
        let shift = u64::BITS - bits;
        let mut buckets = vec![0; (1 << bits) + 1];
        let mut present = vec![0; 1 << (bits + RANGES - 6)];
        for key in &keys {
            buckets[(key >> shift) as usize + 1] += 1;
            let range = key >> (shift - RANGES);
            present[(range >> 6) as usize] |= 1 << (range & 63);
        }
        let mut total = 0;
        for first in &mut buckets {
            total += *first;
            *first = total;
        }
        Ok(PositionIndex { keys, locks, buckets, shift, present })
    }

    /// Returns the number of a position, the first one where a lock is unknown; `None` if it is not there.
    pub fn find(&self, Key(key): Key, lock: Option<Lock>) -> Option<u32> {
        let bucket = (key >> self.shift) as usize;
        let (first, end) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        let place = first + self.keys[first..end].partition_point(|&other| other < key);
        let is_it = |&place: &usize| match (&self.locks, lock) {
            (Some(locks), Some(Lock(lock))) => locks[place] == lock,
            _ => true,
        };
        let mut same = (place..end).take_while(|&place| self.keys[place] == key);
        same.find(is_it).map(|place| place as u32)
    }

    fn may_have(&self, key: u64) -> bool {
        let range = key >> (self.shift - RANGES);
        self.present[(range >> 6) as usize] >> (range & 63) & 1 == 1
    }

    /// Hands on every legal move that leads to a position of the index, with that position's number.
    pub fn successors<G: Foldable>(&self, position: &G, is_folded: bool, found: impl FnMut(Move, u32)) {
        self.successors_by(position, is_folded, |_| true, found);
    }

    /// Like [`PositionIndex::successors`], for the moves that are wanted.
    fn successors_by<G: Foldable>(
        &self,
        position: &G,
        is_folded: bool,
        is_wanted: impl Fn(Move) -> bool,
        mut found: impl FnMut(Move, u32),
    ) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let after: ArrayVec<(Key, Lock), MAX_MOVES> =
            moves.iter().map(|&m| stored_after(position, m, is_folded)).collect();
        // Without branches, so that the processor waits for the memory of all moves at once.
        let (mut likely, mut count) = ([0u8; MAX_MOVES], 0);
        for (place, (key, _)) in after.iter().enumerate() {
            likely[count] = place as u8;
            count += usize::from(self.may_have(key.0));
        }
        for &place in &likely[..count] {
            let (m, (key, lock)) = (moves[usize::from(place)], after[usize::from(place)]);
            if is_wanted(m)
                && let Some(number) = self.find(key, Some(lock))
            {
                found(m, number);
            }
        }
    }
}

#[cfg(test)]
mod tests;
