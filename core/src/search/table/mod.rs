//! Transposition table: results of searched positions, and what a book says of positions, found by key and lock.
//!
//! In goes what a node learnt or what a book record holds, out comes the same for an equal position. Buckets of four
//! entries; the bucket comes from the low bits of the key, never from the top 15, by which books form
//! clusters: a cluster loaded in order spreads over the whole table.
//!
//! An entry is two 64-bit words, written and read without locks. The check word is stored XORed with the data word, so
//! that an entry torn by two writers fails its check instead of mixing two positions.
//!
//! | word | bits | content |
//! |---|---|---|
//! | check | 63–32 | key bits 63–32 |
//! | check | 31–0 | lock |
//! | data | 63–48 | move; 0 = none |
//! | data | 47–32 | score, signed; mates counted from the node. Of a book entry: centipawns, first side's view |
//! | data | 31–16 | static evaluation, signed centipawns. Of a book entry: usage, saturating |
//! | data | 15–8 | depth |
//! | data | 7–2 | generation |
//! | data | 1–0 | 0 book entry, no bound; 1 lower, 2 upper, 3 exact |
//!
//! A data word of 0 is an empty slot; book entries carry a depth byte of 255 to stay apart from it.

use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use super::memory;
use super::score::Score;
use crate::game::{Key, Lock, Move};

/// Entries of a bucket: 64 bytes, one cache line.
const BUCKET: usize = 4;
const GENERATIONS: u8 = 64;
/// Plies of depth that one generation of age weighs when a slot is chosen for replacement; chosen, not tuned.
const AGE_PLIES: i32 = 4;
/// A result of the same position this much shallower does not replace a deeper one; chosen, not tuned.
const KEEP_DEEPER_PLIES: i32 = 3;
/// Plies of depth that an exact result weighs more than a bound when a slot is chosen for replacement; chosen, not tuned.
const EXACT_PLIES: i32 = 2;
const BOOK_DEPTH: u8 = u8::MAX;

/// What a stored score says of the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The true score is at least this.
    Lower = 1,
    /// The true score is at most this.
    Upper = 2,
    /// The true score at this depth.
    Exact = 3,
}

/// What the search learnt of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Best move, [`Move::NONE`] where none stood out. A claim: check that it is legal before playing it.
    pub best: Move,
    /// Score for the side to move, mates counted from the node.
    pub score: Score,
    /// Static evaluation for the side to move.
    pub evaluation: Score,
    /// Plies searched below the position.
    pub depth: u8,
    /// What `score` says.
    pub bound: Bound,
}

/// What a book says of a position; a hint for ordering, never a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// Shrunken result of the counted games in centipawns, first side's view.
    pub first_centipawns: i16,
    /// Games that reached the position, saturating.
    pub usage: u16,
}

/// What the table knows of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The search has been here.
    Searched(Entry),
    /// The book has been here.
    Book(Hint),
}

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; BUCKET]);

const _: () = assert!(size_of::<Slot>() == 16 && size_of::<Bucket>() == 64);

/// There is not the memory for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no memory for a table of {0} MiB: give it less")]
pub struct TableTooLarge(usize);

/// The table. Shared between threads by reference; see the head of the module for its layout.
pub struct Table {
    buckets: Vec<Bucket>,
    generation: u8,
    /// Bits of the check word that are compared: all, but where a test counts collisions.
    checked: u64,
}

impl Table {
    /// Returns an empty table of at most `bytes`, rounded down to a power of two, at least one bucket.
    pub fn new(bytes: usize) -> Table {
        let count = buckets_of(bytes);
        Table::filled(Vec::with_capacity(count), count)
    }

    /// Returns a table that takes positions for the same whose check words agree in the lowest `bits`.
    #[cfg(test)]
    pub(super) fn shrunken(bytes: usize, bits: u32) -> Table {
        Table { checked: (1 << bits) - 1, ..Table::new(bytes) }
    }

    /// Returns a table as [`Table::new`] does, or says that there is no memory for it.
    ///
    /// # Errors
    /// [`TableTooLarge`] where the system does not give the memory.
    pub fn try_new(bytes: usize) -> Result<Table, TableTooLarge> {
        let mut buckets = Vec::new();
        let count = buckets_of(bytes);
        buckets.try_reserve_exact(count).map_err(|_| TableTooLarge(bytes >> 20))?;
        Ok(Table::filled(buckets, count))
    }

    /// Returns the table of so many empty buckets, for which there is room.
    fn filled(mut buckets: Vec<Bucket>, count: usize) -> Table {
        memory::ask_for_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Table { buckets, generation: 0, checked: u64::MAX }
    }

    /// Returns how many entries fit.
    pub fn capacity(&self) -> usize {
        self.buckets.len() * BUCKET
    }

    /// Forgets everything, what a book loaded included.
    pub fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.generation = 0;
    }

    /// Ages all results: to be called at the start of each search.
    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Returns the per mille of slots that hold a result of the current generation, from a sample.
    pub fn full_permille(&self) -> u32 {
        let sample = self.buckets.len().min(250);
        let slots = self.buckets[..sample].iter().flat_map(|bucket| &bucket.0);
        let is_current = |data: u64| data != 0 && Data(data).age(self.generation) == 0;
        let used = slots.filter(|slot| is_current(slot.data.load(Ordering::Relaxed))).count();
        (used * 1000 / (sample * BUCKET)) as u32
    }

    /// Returns what is known of the position with this key and lock.
    pub fn probe(&self, key: Key, lock: Lock) -> Option<Found> {
        let check = self.check_word(key, lock);
        self.bucket(key).0.iter().find_map(|slot| slot.read(check)).map(Data::unpack)
    }

    /// Asks for a key's bucket ahead of its use: the load is under way while other things are done.
    pub(super) fn touch(&self, key: Key) {
        memory::prefetch(self.bucket(key));
    }

    /// Stores what the search learnt; replaces the shallowest and oldest result of the bucket.
    pub fn store(&self, key: Key, lock: Lock, mut entry: Entry) {
        let check = self.check_word(key, lock);
        let bucket = &self.bucket(key).0;
        if let Some((slot, old)) = bucket.iter().find_map(|slot| slot.read(check).map(|old| (slot, old))) {
            if let Found::Searched(known) = old.unpack() {
                let is_deeper = i32::from(known.depth) > i32::from(entry.depth) + KEEP_DEEPER_PLIES;
                // An exact result is a link of a line: no bound of the same depth or less takes its place.
                let is_link = known.bound == Bound::Exact && known.depth >= entry.depth;
                if (is_deeper || is_link) && entry.bound != Bound::Exact && old.age(self.generation) == 0 {
                    return;
                }
                if entry.best == Move::NONE {
                    entry.best = known.best;
                }
            }
            return slot.write(check, Data::from_entry(entry, self.generation));
        }
        if let Some(slot) = bucket.iter().min_by_key(|slot| slot.worth(self.generation)) {
            slot.write(check, Data::from_entry(entry, self.generation));
        }
    }

    /// Stores what a book says and returns whether it found a place: it never takes one from another book entry, nor
    /// overwrites a result of the search for the same position.
    pub fn store_hint(&self, key: Key, lock: Lock, hint: Hint) -> bool {
        let check = self.check_word(key, lock);
        let bucket = &self.bucket(key).0;
        if let Some((slot, old)) = bucket.iter().find_map(|slot| slot.read(check).map(|old| (slot, old))) {
            let is_book = matches!(old.unpack(), Found::Book(_));
            if is_book {
                slot.write(check, Data::from_hint(hint, self.generation));
            }
            return is_book;
        }
        let is_free = |slot: &&Slot| !Data(slot.data.load(Ordering::Relaxed)).is_book();
        match bucket.iter().filter(is_free).min_by_key(|slot| slot.worth(self.generation)) {
            Some(slot) => {
                slot.write(check, Data::from_hint(hint, self.generation));
                true
            }
            None => false,
        }
    }

    /// Returns the place of a key's bucket: its low bits, as many as the table has buckets.
    fn index(&self, key: Key) -> usize {
        (key.0 & (self.buckets.len() as u64 - 1)) as usize
    }

    fn check_word(&self, key: Key, lock: Lock) -> u64 {
        (key.0 >> 32 << 32 | u64::from(lock.0)) & self.checked
    }

    fn bucket(&self, key: Key) -> &Bucket {
        &self.buckets[self.index(key)]
    }
}

/// Returns how many buckets fit in so many bytes, rounded down to a power of two.
fn buckets_of(bytes: usize) -> usize {
    1 << (bytes / size_of::<Bucket>()).max(1).ilog2()
}

impl Slot {
    fn read(&self, check: u64) -> Option<Data> {
        let data = self.data.load(Ordering::Relaxed);
        (data != 0 && self.check.load(Ordering::Relaxed) ^ data == check).then_some(Data(data))
    }

    fn write(&self, check: u64, data: Data) {
        self.data.store(data.0, Ordering::Relaxed);
        self.check.store(check ^ data.0, Ordering::Relaxed);
    }

    /// Returns how much the slot is worth keeping: empty ones least, then by depth less age, exact ones more. Book entries count
    /// as depth 0 and do not age.
    fn worth(&self, generation: u8) -> i32 {
        let data = Data(self.data.load(Ordering::Relaxed));
        match data.0 {
            0 => i32::MIN,
            _ if data.is_book() => 0,
            _ => {
                let exact = EXACT_PLIES * i32::from(data.is_exact());
                exact + i32::from(data.depth()) - AGE_PLIES * i32::from(data.age(generation))
            }
        }
    }
}

/// The data word of an entry.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn from_entry(entry: Entry, generation: u8) -> Data {
        Data(
            u64::from(entry.best.0) << 48
                | u64::from(entry.score.0 as i16 as u16) << 32
                | u64::from(entry.evaluation.0 as i16 as u16) << 16
                | u64::from(entry.depth) << 8
                | u64::from(generation) << 2
                | entry.bound as u64,
        )
    }

    fn from_hint(hint: Hint, generation: u8) -> Data {
        Data(
            u64::from(hint.first_centipawns as u16) << 32
                | u64::from(hint.usage) << 16
                | u64::from(BOOK_DEPTH) << 8
                | u64::from(generation) << 2,
        )
    }

    fn unpack(self) -> Found {
        let score = (self.0 >> 32) as i16;
        let bound = match self.0 & 3 {
            0 => return Found::Book(Hint { first_centipawns: score, usage: (self.0 >> 16) as u16 }),
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        };
        Found::Searched(Entry {
            best: Move((self.0 >> 48) as u16),
            score: Score(i32::from(score)),
            evaluation: Score(i32::from((self.0 >> 16) as i16)),
            depth: self.depth(),
            bound,
        })
    }

    fn is_book(self) -> bool {
        self.0 != 0 && self.0 & 3 == 0
    }

    fn is_exact(self) -> bool {
        self.0 & 3 == Bound::Exact as u64
    }

    fn depth(self) -> u8 {
        (self.0 >> 8) as u8
    }

    fn age(self, generation: u8) -> u8 {
        let own = (self.0 >> 2) as u8 % GENERATIONS;
        (generation + GENERATIONS - own) % GENERATIONS
    }
}

#[cfg(test)]
mod tests;
