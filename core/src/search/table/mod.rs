//! Transposition table: results of the search and records of a book, by key and lock.
//!
//! A bucket has four entries. The low bits of the key select the bucket, never the top 15, by which books form
//! clusters: a cluster loaded in order spreads over the whole table.
//!
//! An entry is two 64-bit words, written and read without locks. The check word is stored XORed with the data word, so
//! an entry written by two threads at once fails its check instead of mixing two positions.
//!
//! | word | bits | content |
//! |---|---|---|
//! | check | 63–32 | key bits 63–32 |
//! | check | 31–0 | lock |
//! | data | 63–48 | move; 0 = none |
//! | data | 47–32 | score, signed; mates counted from the node. Of a book entry without a value: of the games, first side's view |
//! | data | 31–16 | static evaluation, signed centipawns. Of a book entry: usage, saturating |
//! | data | 15–8 | depth; 255: book entry without a value |
//! | data | 7–2 | generation |
//! | data | 1–0 | 0 book entry; 1 lower, 2 upper, 3 exact |
//!
//! A data word of 0 is an empty slot; book entries have a depth above 0 to differ from it.
//!
//! Hints to the processor and the operating system about the memory of the table.
//!
//! A probe reads a random place of a large table. Its cache line is prefetched when the key is known, some hundred
//! instructions before it is read. With pages of 2 MiB instead of 4 KiB the address is translated faster.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::game::{Key, Lock, Move};
use crate::search::score::Score;

/// Entries of a bucket: 64 bytes, one cache line.
const BUCKET: usize = 4;
const GENERATIONS: u8 = 64;
/// Weight of one generation of age in plies of depth, for replacement; chosen, not tuned.
const AGE_PLIES: i32 = 4;
/// A result that is this number of plies shallower does not replace one of the same position; chosen, not tuned.
const KEEP_DEEPER_PLIES: i32 = 3;
/// Extra weight of an exact result in plies of depth, for replacement; chosen, not tuned.
const EXACT_PLIES: i32 = 2;
/// Depth of a book entry without a value.
const NO_VALUE: u8 = u8::MAX;

/// The relation of a stored score to the true score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The true score is at least this.
    Lower = 1,
    /// The true score is at most this.
    Upper = 2,
    /// The true score at this depth.
    Exact = 3,
}

/// A result of the search for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Best move, or [`Move::NONE`]. Check that it is legal before playing it.
    pub best: Move,
    /// Score for the side to move, mates counted from the node.
    pub score: Score,
    /// Static evaluation for the side to move.
    pub evaluation: Score,
    /// Plies searched below the position.
    pub depth: u8,
    /// The kind of `score`.
    pub bound: Bound,
}

/// What a book says of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// Exact score of an engine for the side to move, if there is a depth. Else the shrunken result of the counted games,
    /// from the first side's view, for move ordering only.
    pub score: Score,
    /// Games that reached the position, saturating.
    pub usage: u16,
    /// Depth of the engine's search, 1 to 254.
    pub depth: Option<u8>,
    /// Its best move in the stored form, or [`Move::NONE`].
    pub best: Move,
}

/// The table's entry for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A result of the search.
    Searched(Entry),
    /// A hint of the book.
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

/// There is not enough memory for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no memory for a table of {0} MiB: give it less")]
pub struct TableTooLarge(usize);

/// The table. Shared between threads by reference; see the head of the module for its layout.
pub struct Table {
    buckets: Vec<Bucket>,
    generation: u8,
    /// Bits of the check word that are compared: all, except in tests that count collisions.
    checked: u64,
}

impl Table {
    /// Returns an empty table of at most `bytes`, rounded down to a power of two, at least one bucket.
    pub fn new(bytes: usize) -> Table {
        let count = buckets_of(bytes);
        Table::filled(Vec::with_capacity(count), count)
    }

    /// Returns a table that compares only the lowest `bits` of check words.
    #[cfg(test)]
    pub(super) fn shrunken(bytes: usize, bits: u32) -> Table {
        Table { checked: (1 << bits) - 1, ..Table::new(bytes) }
    }

    /// Returns a table like [`Table::new`], or an error without memory for it.
    pub fn try_new(bytes: usize) -> Result<Table, TableTooLarge> {
        let mut buckets = Vec::new();
        let count = buckets_of(bytes);
        buckets.try_reserve_exact(count).map_err(|_| TableTooLarge(bytes >> 20))?;
        Ok(Table::filled(buckets, count))
    }

    /// Returns a table of this number of empty buckets in allocated memory.
    fn filled(mut buckets: Vec<Bucket>, count: usize) -> Table {
        ask_for_huge_pages(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Table { buckets, generation: 0, checked: u64::MAX }
    }

    /// Returns the number of entries.
    pub fn capacity(&self) -> usize {
        self.buckets.len() * BUCKET
    }

    /// Clears the table, hints of a book included.
    pub fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.generation = 0;
    }

    /// Ages all results. Called at the start of each search.
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

    /// Returns the entry of the position with this key and lock.
    pub fn probe(&self, key: Key, lock: Lock) -> Option<Found> {
        let check = self.check_word(key, lock);
        self.bucket(key).0.iter().find_map(|slot| slot.read(check)).map(Data::unpack)
    }

    /// Prefetches the bucket of a key.
    pub(super) fn touch(&self, key: Key) {
        prefetch(self.bucket(key));
    }

    /// Stores a result of the search; replaces the shallowest and oldest result of the bucket.
    pub fn store(&self, key: Key, lock: Lock, mut entry: Entry) {
        let check = self.check_word(key, lock);
        let bucket = &self.bucket(key).0;
        if let Some((slot, old)) = bucket.iter().find_map(|slot| slot.read(check).map(|old| (slot, old))) {
            if let Found::Searched(known) = old.unpack() {
                let is_deeper = i32::from(known.depth) > i32::from(entry.depth) + KEEP_DEEPER_PLIES;
                // An exact result is part of a line: a bound of the same depth or less does not replace it.
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
        let yields = |slot: &&Slot| !slot.keeps(entry.depth);
        if let Some(slot) = bucket.iter().filter(yields).min_by_key(|slot| slot.worth(self.generation)) {
            slot.write(check, Data::from_entry(entry, self.generation));
        }
    }

    /// Stores a hint of a book and returns whether it found a place. It never replaces another hint, nor a result of
    /// the search for the same position.
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

    /// Returns the index of a key's bucket: its low bits.
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

/// Returns the number of buckets that fit in `bytes`, rounded down to a power of two.
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

    /// Returns whether a slot has a value of a book that a result of this depth does not replace.
    fn keeps(&self, depth: u8) -> bool {
        let data = Data(self.data.load(Ordering::Relaxed));
        data.is_book() && data.depth() != NO_VALUE && data.depth() > depth
    }

    /// Returns the value of keeping a slot: empty slots least, then by depth minus age, exact results more. Entries of a
    /// book do not age; without a value they count as depth 0.
    fn worth(&self, generation: u8) -> i32 {
        let data = Data(self.data.load(Ordering::Relaxed));
        match data.0 {
            0 => i32::MIN,
            _ if data.is_book() => i32::from(if data.depth() == NO_VALUE { 0 } else { data.depth() }),
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
            u64::from(hint.best.0) << 48
                | u64::from(hint.score.0 as i16 as u16) << 32
                | u64::from(hint.usage) << 16
                | u64::from(hint.depth.map_or(NO_VALUE, |depth| depth.clamp(1, NO_VALUE - 1))) << 8
                | u64::from(generation) << 2,
        )
    }

    fn unpack(self) -> Found {
        let (best, score) = (Move((self.0 >> 48) as u16), Score(i32::from((self.0 >> 32) as i16)));
        let bound = match self.0 & 3 {
            0 => {
                let depth = Some(self.depth()).filter(|&depth| depth != NO_VALUE);
                return Found::Book(Hint { score, usage: (self.0 >> 16) as u16, depth, best });
            }
            1 => Bound::Lower,
            2 => Bound::Upper,
            _ => Bound::Exact,
        };
        Found::Searched(Entry {
            best,
            score,
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

/// Prefetches the cache line of a value.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has the instruction, and it changes nothing but the cache.
    #[allow(unsafe_code)]
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
}

/// Other processors get no hint.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn prefetch<T>(_value: &T) {}

/// Asks the system to use large pages for memory that is not in use yet. A refusal does no harm.
#[cfg(target_os = "linux")]
pub(super) fn ask_for_huge_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const HUGE_PAGE: usize = 2 << 20;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let before_first = start.align_offset(HUGE_PAGE);
    let whole = bytes.saturating_sub(before_first) / HUGE_PAGE * HUGE_PAGE;
    if whole == 0 {
        return;
    }
    // SAFETY: the range lies inside memory that is borrowed for writing; the advice changes how it is backed, not what it
    // holds.
    #[allow(unsafe_code)]
    unsafe {
        libc::madvise(start.add(before_first).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

/// Other systems get no hint.
#[cfg(not(target_os = "linux"))]
pub(super) fn ask_for_huge_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

#[cfg(test)]
mod tests;
