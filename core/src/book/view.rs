//! The parts of a book as slices of its bytes, and its checks: when it is opened, touched and verified. The book need not
//! be a file.
//!
//! Search for a key inside a cluster, whose records ascend by key.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3Default;

use super::layout::{
    CLUSTERS, Column, Header, INDEX_ENTRIES, RECORD_BYTES, SUM_BLOCK, Scheme, Sections, VALUE_BYTES,
    accumulate, cluster_of,
};
use super::record::{MATE_VALUE, MAX_USAGE, Valued, Word};
use super::{AGAIN, BLOCK, BookError, GoOn, pause};
use crate::sums::{nth, sum_of};

/// A book whose header has been read: its bytes and where each part lies.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) header: &'a Header,
    pub(super) sections: &'a Sections,
    pub(super) path: &'a Path,
}

impl<'a> View<'a> {
    pub(super) fn records(self) -> &'a [RawRecord] {
        self.bytes[self.sections.records.clone()].as_chunks().0
    }

    /// Returns a column, if the book has columns.
    pub(super) fn column(self, column: Column) -> Option<&'a [[u8; 4]]> {
        let range = self.sections.columns.as_ref()?[column as usize].clone();
        Some(self.bytes[range].as_chunks().0)
    }

    /// Returns the bits of a record's value; `None` in a book without values.
    pub(super) fn value_bits(self, number: usize) -> Option<u64> {
        let values = self.bytes[self.sections.values.clone()].as_chunks::<VALUE_BYTES>().0;
        let mut bits = [0; 8];
        bits[..VALUE_BYTES].copy_from_slice(values.get(number)?);
        Some(u64::from_le_bytes(bits))
    }

    /// Returns an entry of the cluster index, 0–32,768.
    pub(super) fn start_of(self, cluster: usize) -> u64 {
        let index: &[[u8; 4]] = self.bytes[self.sections.index.clone()].as_chunks().0;
        u64::from(u32::from_le_bytes(index[cluster]))
    }

    pub(super) fn recipe(self) -> Result<&'a str, BookError> {
        let recipe = self.sections.recipe.clone();
        std::str::from_utf8(&self.bytes[recipe.clone()]).map_err(|error| {
            let offset = recipe.start + error.valid_up_to();
            BookError::refused(self.path, format!("the recipe is not UTF-8 at offset {offset}; {AGAIN}"))
        })
    }

    /// Returns whether a block is as its checksum says.
    fn has_sum(self, number: usize, block: &[u8]) -> bool {
        nth(&self.bytes[self.sections.sums.clone()], number) == Some(&sum_of(block))
    }

    /// Returns the error for a wrong entry of the cluster index.
    pub(super) fn index_broken(self, entry: usize, expected: &str) -> BookError {
        let (offset, found) = (self.sections.index.start + 4 * entry, self.start_of(entry));
        let place = format!("cluster index entry {entry} at offset {offset}");
        BookError::refused(self.path, format!("{place} is {found}, expected {expected}; {AGAIN}"))
    }

    /// Checks that the index starts at 0, never falls and ends at the number of records, so that no probe leaves the file.
    fn check_index(self) -> Result<(), BookError> {
        if self.start_of(0) != 0 {
            return Err(self.index_broken(0, "0"));
        }
        let falls = |&entry: &usize| self.start_of(entry) < self.start_of(entry - 1);
        if let Some(entry) = (1..INDEX_ENTRIES).find(falls) {
            return Err(self.index_broken(entry, &format!("{} or more", self.start_of(entry - 1))));
        }
        let records = self.header.records;
        if self.start_of(CLUSTERS) != records {
            return Err(self.index_broken(CLUSTERS, &format!("{records}, the number of records")));
        }
        Ok(())
    }
}

/// Checks header, length, game and keys, and the shape of the cluster index.
pub(super) fn check(bytes: &[u8], accepted: &[Scheme], path: &Path) -> Result<(Header, Sections), BookError> {
    let (header, sections) = Header::decode(bytes, bytes.len() as u64, path)?;
    check_scheme(header.scheme, accepted, path)?;
    View { bytes, header: &header, sections: &sections, path }.check_index()?;
    Ok((header, sections))
}

fn check_scheme(found: Scheme, accepted: &[Scheme], path: &Path) -> Result<(), BookError> {
    let Some(expected) = accepted.iter().find(|scheme| scheme.game == found.game) else {
        let names: Vec<_> = accepted.iter().map(|scheme| scheme.game.name()).collect();
        let (found, expected) = (found.game.name(), names.join(" or "));
        let what = format!("a book of {found}, expected {expected}; open the book of the game you play");
        return Err(BookError::refused(path, what));
    };
    if *expected != found {
        let (game, found, expected) = (found.game.name(), found.fingerprint, expected.fingerprint);
        let what = format!(
            "{game} keys of another scheme: 0x{found:016x} at offset 16, expected 0x{expected:016x}; \
             build the book again with this program"
        );
        return Err(BookError::refused(path, what));
    }
    Ok(())
}

/// What is known to be as written; shared by threads.
#[derive(Debug)]
pub(super) struct Touched {
    blocks: Vec<AtomicU64>,
    is_whole: AtomicBool,
}

impl Touched {
    /// Begins with nothing known.
    pub(super) fn new(book: View) -> Touched {
        let blocks = book.sections.recipe.end.div_ceil(SUM_BLOCK).div_ceil(64);
        Touched { blocks: (0..blocks).map(|_| AtomicU64::new(0)).collect(), is_whole: AtomicBool::new(false) }
    }

    /// Returns whether all of a range of bytes is known to be as written: what each probe asks.
    #[inline]
    pub(super) fn knows(&self, range: &Range<usize>) -> bool {
        let is_known = |block: usize| {
            let word = self.blocks.get(block / 64).map_or(0, |word| word.load(Ordering::Relaxed));
            word >> (block % 64) & 1 == 1
        };
        self.is_whole.load(Ordering::Relaxed)
            || (range.start / SUM_BLOCK..range.end.div_ceil(SUM_BLOCK)).all(is_known)
    }

    /// Checks the blocks of a range of bytes that have not been checked yet.
    #[cold]
    pub(super) fn check(&self, book: View, range: Range<usize>) -> Result<(), BookError> {
        if range.is_empty() {
            return Ok(());
        }
        for block in range.start / SUM_BLOCK..range.end.div_ceil(SUM_BLOCK) {
            if !self.knows(&(block * SUM_BLOCK..block * SUM_BLOCK + 1)) {
                self.check_block(book, block)?;
            }
        }
        Ok(())
    }

    /// Checks the whole file by its checksum, once.
    pub(super) fn check_whole(&self, book: View, go_on: GoOn) -> Result<(), BookError> {
        if !self.is_whole.load(Ordering::Relaxed) {
            check_checksum(book, go_on)?;
            self.is_whole.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn check_block(&self, book: View, block: usize) -> Result<(), BookError> {
        let start = block * SUM_BLOCK;
        let found = &book.bytes[start..book.sections.recipe.end.min(start + SUM_BLOCK)];
        if !book.has_sum(block, found) {
            return Err(sum_differs(book, block, found.len()));
        }
        if let Some(word) = self.blocks.get(block / 64) {
            word.fetch_or(1 << (block % 64), Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Checks order of records, words against counts, every index entry, recipe and checksum. Contents come before the
/// checksum, so that damage is reported at its place if possible.
pub(super) fn verify(book: View, go_on: GoOn) -> Result<(), BookError> {
    let starts = check_order(book, go_on)?;
    if let Some((entry, start)) =
        starts.iter().enumerate().find(|&(entry, &start)| book.start_of(entry) != start)
    {
        return Err(book.index_broken(entry, &start.to_string()));
    }
    check_counts(book, go_on)?;
    check_values(book, go_on)?;
    book.recipe()?;
    check_checksum(book, go_on)?;
    check_sums(book)
}

/// Checks that records ascend by (key, lock), and returns the index that fits them.
fn check_order(book: View, go_on: GoOn) -> Result<Vec<u64>, BookError> {
    let locks = book.column(Column::Lock);
    let mut starts = vec![0; INDEX_ENTRIES];
    let mut previous = None;
    for (number, record) in book.records().iter().enumerate() {
        pause(number, go_on, book.path)?;
        let place = (key_of(record), locks.map(|locks| u32::from_le_bytes(locks[number])));
        if let Some(previous) = previous.filter(|&previous| previous >= place) {
            let (found, previous) = (format_place(place), format_place(previous));
            let order = "records must ascend by key, then lock, none twice";
            return Err(broken(book, number, &format!("{found} does not come after {previous}; {order}")));
        }
        previous = Some(place);
        starts[cluster_of(place.0) + 1] += 1;
    }
    accumulate(&mut starts);
    Ok(starts)
}

fn check_counts(book: View, go_on: GoOn) -> Result<(), BookError> {
    let [Some(wins), Some(draws), Some(losses)] =
        [Column::Wins, Column::Draws, Column::Losses].map(|column| book.column(column))
    else {
        return Ok(());
    };
    for (number, record) in book.records().iter().enumerate() {
        pause(number, go_on, book.path)?;
        let word = Word(word_of(record));
        let [wins, draws, losses] = [wins, draws, losses].map(|column| u32::from_le_bytes(column[number]));
        if !fits(word, [wins, draws, losses]) {
            let (word, counts) = (word.0, format!("{wins} wins, {draws} draws, {losses} losses"));
            let what = format!("word 0x{word:08x} contradicts its {counts}; {AGAIN}");
            return Err(broken(book, number, &what));
        }
    }
    Ok(())
}

fn check_values(book: View, go_on: GoOn) -> Result<(), BookError> {
    for number in 0..book.records().len() {
        pause(number, go_on, book.path)?;
        if let Some(bits) =
            book.value_bits(number).filter(|&bits| bits != 0 && Valued::unpack(bits).is_none())
        {
            let offset = book.sections.values.start + VALUE_BYTES * number;
            let what = format!(
                "value of record {number} at offset {offset} is 0x{bits:010x}, expected a depth, and centipawns up to \
                 {MATE_VALUE}; {AGAIN}"
            );
            return Err(BookError::refused(book.path, what));
        }
    }
    Ok(())
}

/// Checks that the checksums of blocks are right: those that a reader compares.
fn check_sums(book: View) -> Result<(), BookError> {
    let blocks = book.bytes[..book.sections.recipe.end].chunks(SUM_BLOCK);
    match blocks.zip(0..).find(|(block, number)| !book.has_sum(*number, block)) {
        None => Ok(()),
        Some((block, number)) => Err(sum_differs(book, number, block.len())),
    }
}

/// Returns the error for a block that does not fit its checksum.
fn sum_differs(book: View, block: usize, length: usize) -> BookError {
    let start = block * SUM_BLOCK;
    let what = format!("the {length} bytes at offset {start} do not fit their checksum; {AGAIN}");
    BookError::refused(book.path, what)
}

/// Checks the checksum of the whole file.
fn check_checksum(book: View, go_on: GoOn) -> Result<(), BookError> {
    let (body, trailer) = book.bytes.split_at(book.sections.trailer.start);
    let mut hash = Xxh3Default::new();
    for block in body.chunks(BLOCK * RECORD_BYTES) {
        pause(0, go_on, book.path)?;
        hash.update(block);
    }
    let expected = hash.digest();
    let found = trailer.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    if expected == found {
        return Ok(());
    }
    let offset = body.len();
    let what = format!(
        "checksum 0x{found:016x} at offset {offset}, but the bytes before it give 0x{expected:016x}; {AGAIN}"
    );
    Err(BookError::refused(book.path, what))
}

/// Returns whether a word fits these counts; usage and counts saturate.
fn fits(word: Word, counts: [u32; 3]) -> bool {
    let decided: u64 = counts.iter().copied().map(u64::from).sum();
    let usage = word.usage();
    word.seen() == counts.map(|count| count > 0) && (usage == MAX_USAGE || decided <= u64::from(usage))
}

/// Returns the error for a wrong record.
fn broken(book: View, number: usize, what: &str) -> BookError {
    let offset = book.sections.records.start + RECORD_BYTES * number;
    BookError::refused(book.path, format!("record {number} at offset {offset}: {what}"))
}

fn format_place((key, lock): (u64, Option<u32>)) -> String {
    match lock {
        Some(lock) => format!("key 0x{key:016x}, lock 0x{lock:08x}"),
        None => format!("key 0x{key:016x}"),
    }
}

/// A record as it stands in the file: `u64` key, `u32` word.
pub(super) type RawRecord = [u8; RECORD_BYTES];

pub(super) fn key_of(record: &RawRecord) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

pub(super) fn word_of(record: &RawRecord) -> u32 {
    let [.., w0, w1, w2, w3] = *record;
    u32::from_le_bytes([w0, w1, w2, w3])
}

/// Returns the place of the first record whose key is `key` or above.
///
/// Keys are hashes, so their lower 49 bits are evenly distributed and predict the place up to a few records. A stretch
/// around that place is read first, without branches that depend on a key: its loads wait for memory together. If the
/// answer is outside, or the cluster is shorter, steps of doubling length find a stretch for a binary search. Keys that
/// are not evenly distributed, or do not even ascend, cost about twice a binary search.
pub(super) fn lower_bound(cluster: &[RawRecord], key: u64) -> usize {
    if cluster.len() <= SMALL {
        return cluster.partition_point(|record| key_of(record) < key);
    }
    let guess = guess(cluster.len(), key);
    let start = guess.saturating_sub(STRETCH / 2).min(cluster.len().saturating_sub(STRETCH));
    let found = cluster[start..].first_chunk().and_then(|stretch| lower_bound_near(stretch, key));
    found.map_or_else(|| lower_bound_from(cluster, key, guess), |place| start + place)
}

/// Returns the place of the first record at `key` or above, if the stretch contains it and the record before it.
fn lower_bound_near(stretch: &[RawRecord; STRETCH], key: u64) -> Option<usize> {
    let below = |record: &RawRecord| usize::from(key_of(record) < key);
    let (groups, _) = stretch.as_chunks::<GROUP>();
    let group: usize = groups.iter().map(|group| below(&group[GROUP - 1])).sum();
    let place = group * GROUP + groups.get(group)?.iter().map(below).sum::<usize>();
    (place > 0).then_some(place)
}

/// Returns the place of the first record at `key` or above, searching outwards from a guess.
fn lower_bound_from(cluster: &[RawRecord], key: u64, guess: usize) -> usize {
    let below = |place: usize| cluster.get(place).is_some_and(|record| key_of(record) < key);
    let (mut low, mut high);
    let mut step = FIRST_STEP;
    if below(guess) {
        (low, high) = (guess + 1, guess + step);
        while below(high) {
            low = high + 1;
            step *= 2;
            high = low + step;
        }
        high = high.min(cluster.len());
    } else {
        (low, high) = (guess.saturating_sub(step), guess);
        while low > 0 && !below(low) {
            high = low;
            step *= 2;
            low = low.saturating_sub(step);
        }
    }
    low + cluster[low..high].partition_point(|record| key_of(record) < key)
}

/// Returns the place at which a key is expected in a cluster of `records` records.
pub(super) fn guess(records: usize, key: u64) -> usize {
    ((u128::from(key << 15) * records as u128) >> 64) as usize
}

/// Clusters up to this number of records, a few cache lines, are searched without a guess.
const SMALL: usize = 8;
/// First step of the search, in records: five of them share a cache line.
const FIRST_STEP: usize = 4;
/// Records of a group of the stretch: a cache line's worth.
const GROUP: usize = 5;
/// Records of the stretch. In a book of 10⁷ records the guess is off by 7 on average (√(n/8) for clusters of n). All
/// four as measured by `benches/cluster_index.rs` on books of 10⁵ to 10⁷ records.
const STRETCH: usize = 6 * GROUP;
