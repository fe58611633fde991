//! The graph of a tally: for each row, the position that its move leads to.
//!
//! A tally does not store the key of the position after a move, so the moves are played on a board: one walk from the
//! start position through all rows, each position entered once. Rows without a move lead nowhere, and so do rows that
//! only games from set-up positions reach.
//!
//! A book of positions has more moves than its games played: every legal move that leads to a record is one. [`unplayed`]
//! finds the others, in a second walk. A quiet move leaves the opponent's pieces where they are, and one of the own changes
//! its square. So where no more records have them so than the games played moves to, only captures are tried, and the
//! other moves are spared.
//!
//! What belongs to a position lies all over the memory. So a walk takes a block of positions at a time and reads what it
//! needs of all of them, before it needs the first: the processor then waits for memory once and not for each.

mod walk;

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use arrayvec::ArrayVec;
use thiserror::Error;

use walk::{GoOn, walk};

use crate::game::{Foldable, Folded, Key, Lock, MAX_MOVES, Move, MoveList, SearchMoves, Side, Symmetry};

/// In place of a position: none.
pub const NOWHERE: u32 = u32::MAX;

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
    /// For each position where the pieces of the side to move stand, as a hash; 0 = no line from the start leads there.
    pub placements: Vec<u32>,
    /// For each position where those of the other side stand: [`Foldable::squares`].
    pub squares: Vec<u64>,
}

/// Where the pieces of positions stand, as [`Links`] have it.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The pieces of the side to move.
    pub placements: &'a [u32],
    /// Those of the other side.
    pub squares: &'a [u64],
}

/// Returns where the moves of a tally lead. Positions are numbered from 0 in the order of the rows. Each move is checked
/// against the rules.
///
/// # Errors
/// [`GraphError`].
pub fn link<G: Foldable>(
    rows: Rows,
    is_folded: bool,
    threads: usize,
    go_on: GoOn<'_>,
) -> Result<Links, GraphError> {
    let positions = Positions::of(rows)?;
    let column = |len, value| (0..len).map(|_| AtomicU32::new(value)).collect::<Vec<_>>();
    let (children, placements) = (column(rows.keys.len(), NOWHERE), column(positions.count(), 0));
    let squares: Vec<_> = (0..positions.count()).map(|_| AtomicU64::new(0)).collect();
    walk::<G, _>(&positions, is_folded, threads, go_on, |walker| {
        let (mut block, mut nexts, mut found) = (Vec::new(), Vec::new(), Vec::new());
        while walker.take(&mut block)? {
            fetch(block.iter().map(|&(_, number)| positions.starts[number as usize]));
            fetch(block.iter().map(|&(_, number)| rows.moves[positions.starts[number as usize] as usize]));
            for (source, (position, number)) in block.iter().enumerate() {
                let (place, side) = (*number as usize, position.side());
                placements[place].store(placement(position, side), Relaxed);
                squares[place].store(position.squares(side.other()), Relaxed);
                let symmetry = stored(position, is_folded).symmetry;
                for row in positions.rows(*number) {
                    let Some(m) = played(position, symmetry, rows.moves[row]) else { continue };
                    if !position.is_legal(m) {
                        return Err(GraphError::Illegal { row, code: m.0, fen: position.to_fen() });
                    }
                    nexts.push((row, source, m, stored_after(position, m, is_folded)));
                }
            }
            fetch(nexts.iter().map(|&(.., (key, _))| positions.index.bucket(key).start));
            fetch(nexts.iter().map(|&(.., (key, _))| positions.index.first_key(key)));
            for (row, source, m, (key, lock)) in nexts.drain(..) {
                if let Some(child) = positions.index.find(key, Some(lock)) {
                    children[row].store(child, Relaxed);
                    found.push((child, source, m));
                }
            }
            fetch(found.iter().map(|&(child, ..)| walker.has_entered(child)));
            found.drain(..).for_each(|(child, source, m)| walker.enter(child, || block[source].0.after(m)));
            block.clear();
        }
        Ok(())
    })?;
    let numbers = |column: Vec<AtomicU32>| column.into_iter().map(AtomicU32::into_inner).collect();
    let squares = squares.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Links { children: numbers(children), placements: numbers(placements), squares })
}

/// Returns the legal moves to records that no row has: number of the position before, code as the tally would store it,
/// number of the position after.
///
/// `children` and `placed` are what [`link`] found; rows that lead out of the tally may have numbers beyond its positions,
/// and then the moves from there to records are found too. `records` are the numbers of the positions that a book has,
/// ascending.
///
/// # Errors
/// [`GraphError`].
pub fn unplayed<G: SearchMoves + Foldable>(
    rows: Rows,
    is_folded: bool,
    children: &[u32],
    placed: Placed,
    records: &[u32],
    threads: usize,
    go_on: GoOn<'_>,
) -> Result<Vec<(u32, Move, u32)>, GraphError> {
    let positions = Positions::of(rows)?;
    let records = Records::of(&positions, placed, records)?;
    let first = |number: u32| positions.starts[number as usize] as usize;
    let found = walk::<G, _>(&positions, is_folded, threads, go_on, |walker| {
        let (mut block, mut beyond, mut quiet) = (Vec::new(), Vec::new(), Vec::new());
        let (mut likely, mut found) = (Vec::new(), Vec::new());
        while walker.take(&mut block)? {
            fetch(block.iter().map(|&(_, number)| first(number)));
            fetch(block.iter().map(|&(_, number)| rows.moves[first(number)]));
            fetch(block.iter().map(|&(_, number)| children[first(number)]));
            let inside = || block.iter().map(|&(_, number)| children[first(number)]);
            fetch(inside().map(|child| walker.has_entered(child)));
            fetch(inside().filter_map(|child| records.is_record.get(child as usize).copied()));
            let mut sources = Vec::with_capacity(block.len());
            for (position, number) in &block {
                let symmetry = stored(position, is_folded).symmetry;
                let own = positions.rows(*number);
                for row in own.clone() {
                    let Some(m) = played(position, symmetry, rows.moves[row]) else { continue };
                    let child = children[row];
                    if let Some(&is_record) = records.is_record.get(child as usize) {
                        if is_record && position.capture(m).is_none() {
                            quiet.push(child);
                        }
                        walker.enter(child, || position.after(m));
                    } else if child != NOWHERE {
                        beyond.push((position.after(m), child));
                    }
                }
                // Two moves may lead to mirrors of each other.
                quiet.sort_unstable();
                quiet.dedup();
                let codes = &rows.moves[own];
                sources.push(records.source(position, *number, symmetry, codes, quiet.len()));
                quiet.clear();
            }
            sources.extend(beyond.iter().map(|(position, number)| {
                let symmetry = stored(position, is_folded).symmetry;
                records.source(position, *number, symmetry, &[], 0)
            }));
            fetch(sources.iter().map(|source| records.starts[source.slot]));
            fetch(sources.iter().map(|source| records.of_slot(source.slot).next()));
            for (place, source) in sources.iter().enumerate() {
                records.moves_to_try(source, is_folded, |m, at| likely.push((place, m, at)));
            }
            fetch(likely.iter().map(|(_, _, (key, _))| records.index.may_have(key.0)));
            likely.retain(|(_, _, (key, _))| records.index.may_have(key.0));
            fetch(likely.iter().map(|&(_, _, (key, _))| records.index.bucket(key).start));
            fetch(likely.iter().map(|&(_, _, (key, _))| records.index.first_key(key)));
            for (place, m, (key, lock)) in likely.drain(..) {
                let source = &sources[place];
                if let Some(code) = source.unplayed(m)
                    && let Some(record) = records.index.find(key, Some(lock))
                {
                    let child = records.numbers[record as usize];
                    found.push((source.number, code, child));
                    walker.enter(child, || source.position.after(m));
                }
            }
            block.clear();
            beyond.clear();
        }
        Ok(found)
    })?;
    Ok(found.concat())
}

/// A position from which unplayed moves to records are sought.
struct Source<'a, G> {
    position: &'a G,
    number: u32,
    symmetry: Symmetry,
    /// Codes of its rows, ascending.
    rows: &'a [u16],
    /// The number of records to which rows lead that are quiet moves.
    quiet: usize,
    /// Where the opponent's pieces stand, and the slot of such records.
    placement: u32,
    slot: usize,
}

impl<G: Foldable> Source<'_, G> {
    /// Returns the code of a move as a tally stores it, if no row has it. Of a move and its mirror at a position that is
    /// its own mirror, only the stored one has a code.
    fn unplayed(&self, m: Move) -> Option<Move> {
        let code = G::fold_move(self.symmetry, m);
        let is_stored = self.symmetry == Symmetry::Mirrored || code == m;
        (is_stored && self.rows.binary_search(&code.0).is_err()).then_some(code)
    }
}

/// Has the processor read values that lie far apart, all at once.
fn fetch<T>(values: impl Iterator<Item = T>) {
    values.for_each(|value| {
        std::hint::black_box(value);
    });
}

/// Returns where a side's pieces stand as a hash that is not 0.
fn placement<G: Foldable>(position: &G, side: Side) -> u32 {
    (position.placement(side) >> 32) as u32 | 1
}

/// The positions of a tally that a book has.
struct Records {
    index: PositionIndex,
    /// Their numbers in the tally.
    numbers: Vec<u32>,
    /// Of each position of the tally, whether it is one.
    is_record: Vec<bool>,
    /// First record of each slot of placements, and the number of records.
    starts: Vec<u32>,
    /// Of the records by slot: the placement of the side to move, and the squares of the other.
    placed: Vec<(u32, u64)>,
    /// Whether the placements of all records are known.
    are_placed: bool,
}

impl Records {
    fn of(positions: &Positions, at: Placed, numbers: &[u32]) -> Result<Records, GraphError> {
        let count = positions.count();
        if let Some(&number) = numbers.iter().find(|&&number| number as usize >= count) {
            return Err(GraphError::Unknown { number, positions: count });
        }
        let all = &positions.index;
        let keys = numbers.iter().map(|&number| all.keys[number as usize]).collect();
        let locks = |locks: &Vec<u32>| numbers.iter().map(|&number| locks[number as usize]).collect();
        let mut is_record = vec![false; count];
        numbers.iter().for_each(|&number| is_record[number as usize] = true);
        let slots = numbers.len().next_power_of_two().max(2);
        let slot_of = |number: u32| slot(at.placements[number as usize], slots);
        let mut starts = vec![0; slots + 1];
        numbers.iter().for_each(|&number| starts[slot_of(number)] += 1);
        let mut total = 0;
        starts.iter_mut().for_each(|start| (*start, total) = (total, total + *start));
        let (mut free, mut placed) = (starts.clone(), vec![(0, 0); numbers.len()]);
        for &number in numbers {
            let place = &mut free[slot_of(number)];
            placed[*place as usize] = (at.placements[number as usize], at.squares[number as usize]);
            *place += 1;
        }
        Ok(Records {
            index: PositionIndex::new(keys, all.locks.as_ref().map(locks))?,
            numbers: numbers.to_vec(),
            is_record,
            starts,
            are_placed: placed.iter().all(|&(placement, _)| placement != 0),
            placed,
        })
    }

    fn source<'a, G: Foldable>(
        &self,
        position: &'a G,
        number: u32,
        symmetry: Symmetry,
        rows: &'a [u16],
        quiet: usize,
    ) -> Source<'a, G> {
        let placement = placement(position, position.side().other());
        let slot = slot(placement, self.starts.len() - 1);
        Source { position, number, symmetry, rows, quiet, placement, slot }
    }

    fn of_slot(&self, slot: usize) -> impl Iterator<Item = &(u32, u64)> {
        self.placed[self.starts[slot] as usize..self.starts[slot + 1] as usize].iter()
    }

    /// Returns whether a quiet move that is not a row of the source may lead to a record.
    fn may_be_quiet<G: Foldable>(&self, source: &Source<'_, G>) -> bool {
        let squares = source.position.squares(source.position.side());
        let is_one = |&&(placement, other): &&(u32, u64)| {
            placement == source.placement && G::may_change(squares ^ other)
        };
        !self.are_placed || self.of_slot(source.slot).filter(is_one).nth(source.quiet).is_some()
    }

    /// Hands on the moves at a position among which those to records are, with key and lock of the position after them.
    fn moves_to_try<G: SearchMoves + Foldable>(
        &self,
        source: &Source<'_, G>,
        is_folded: bool,
        mut found: impl FnMut(Move, (Key, Lock)),
    ) {
        let position = source.position;
        if self.may_be_quiet(source) {
            return nexts(position, is_folded, found);
        }
        let mut moves = MoveList::new();
        position.noisy_moves(&mut moves);
        moves.iter().for_each(|&m| found(m, stored_after(position, m, is_folded)));
    }
}

/// Returns the slot of a placement, of a power of two.
fn slot(placement: u32, slots: usize) -> usize {
    (placement >> (u32::BITS - slots.trailing_zeros())) as usize
}

/// Returns the form in which a tally or a book stores a position.
pub(crate) fn stored<G: Foldable>(position: &G, is_folded: bool) -> Folded {
    if is_folded {
        return position.folded();
    }
    Folded { key: position.key(), lock: position.lock(), symmetry: Symmetry::Itself }
}

/// Returns the legal moves at a position of this symmetry, of two mirrored ones only the usual one.
pub(crate) fn usual_moves<G: Foldable>(position: &G, symmetry: Symmetry) -> MoveList {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    if symmetry == Symmetry::SelfMirrored {
        moves.retain(|m| position.usual_move(*m) == *m);
    }
    moves
}

/// Returns key and lock under which the position after a legal move is stored.
pub(crate) fn stored_after<G: Foldable>(position: &G, m: Move, is_folded: bool) -> (Key, Lock) {
    stored_as(position, m, position.hash_after(m), is_folded)
}

/// As [`stored_after`], with what [`Game::hash_after`](crate::game::Game::hash_after) says of the move.
fn stored_as<G: Foldable>(position: &G, m: Move, hash: Option<(Key, Lock)>, is_folded: bool) -> (Key, Lock) {
    hash.filter(|_| !is_folded).unwrap_or_else(|| {
        let at = stored(&position.after(m), is_folded);
        (at.key, at.lock)
    })
}

/// Hands on each legal move, with key and lock under which the position after it is stored.
fn nexts<G: Foldable>(position: &G, is_folded: bool, mut found: impl FnMut(Move, (Key, Lock))) {
    position.hashed_moves(|m, hash| found(m, stored_as(position, m, hash, is_folded)));
}

/// Returns the move of a stored code.
pub(crate) fn played<G: Foldable>(position: &G, symmetry: Symmetry, code: u16) -> Option<Move> {
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

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn rows(&self, number: u32) -> Range<usize> {
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

/// Ranges of keys that `present` tells apart, in bits of the key below its bucket: 64 for 4 positions, 16 bits for each. With
/// 256 the table is larger than the caches, and a search for unplayed moves takes an eighth longer; 32 gain nothing.
const RANGES: u32 = 6;

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
        let Range { start: first, end } = self.bucket(Key(key));
        let place = first + self.keys[first..end].partition_point(|&other| other < key);
        let is_it = |&place: &usize| match (&self.locks, lock) {
            (Some(locks), Some(Lock(lock))) => locks[place] == lock,
            _ => true,
        };
        let mut same = (place..end).take_while(|&place| self.keys[place] == key);
        same.find(is_it).map(|place| place as u32)
    }

    fn bucket(&self, Key(key): Key) -> Range<usize> {
        let bucket = (key >> self.shift) as usize;
        self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize
    }

    fn first_key(&self, key: Key) -> Option<u64> {
        self.keys.get(self.bucket(key).start).copied()
    }

    fn may_have(&self, key: u64) -> bool {
        let range = key >> (self.shift - RANGES);
        self.present[(range >> 6) as usize] >> (range & 63) & 1 == 1
    }

    /// Hands on every legal move that leads to a position of the index, with that position's number.
    pub fn successors<G: Foldable>(&self, position: &G, is_folded: bool, mut found: impl FnMut(Move, u32)) {
        let mut after: ArrayVec<(Move, (Key, Lock)), MAX_MOVES> = ArrayVec::new();
        nexts(position, is_folded, |m, at| after.push((m, at)));
        // Without branches, so that the processor waits for the memory of all moves at once.
        let (mut likely, mut count) = ([0u8; MAX_MOVES], 0);
        for (place, (_, (key, _))) in after.iter().enumerate() {
            likely[count] = place as u8;
            count += usize::from(self.may_have(key.0));
        }
        for &place in &likely[..count] {
            let (m, (key, lock)) = after[usize::from(place)];
            if let Some(number) = self.find(key, Some(lock)) {
                found(m, number);
            }
        }
    }
}

#[cfg(test)]
mod tests;
