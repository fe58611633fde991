//! The clustered book file, byte for byte. Everything is little-endian; sections start at multiples of 64 with zeros
//! between them.
//!
//! | section | bytes | content |
//! |---|---|---|
//! | header | 64 | below |
//! | cluster index | 32,769 × 4 | records of cluster c = key >> 49 are index\[c\] … index\[c + 1\] |
//! | records | n × 12 | `u64` key, `u32` word (see [`super::record`]), ascending by (key, lock) |
//! | lock, wins, draws, losses | n × 4 each | optional columns in the order of the records; counts first side's view, saturating |
//! | values | n × 5 | optional [`Valued`](super::record::Valued) of each record, little-endian; 0 where there is none |
//! | recipe | as the header says | UTF-8 JSON: how the book was made |
//! | checksums | 4 for each block | one for each [`SUM_BLOCK`] bytes from the start to the recipe's end |
//! | trailer | 8 | XXH3-64 of everything before it; follows without a gap |
//!
//! Header:
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 8 bytes | magic `BOOKBLDR` |
//! | 8 | u16 | format version, [`VERSION`] |
//! | 10 | u8 | game: 0 chess, 1 xiangqi |
//! | 11 | u8 | flags: 1 mirrors folded, 2 columns present, 4 values present; the others 0 |
//! | 12 | u32 | bytes of the recipe |
//! | 16 | u64 | key scheme: fingerprint of the game's Zobrist tables |
//! | 24 | u64 | n, the number of records, below 2³² |
//! | 32 | u64 | offset of the records |
//! | 40 | u64 | offset of the columns, 0 if there are none |
//! | 48 | u64 | offset of the recipe |
//! | 56 | u64 | XXH3-64 of bytes 0–55 |
//!
//! A reader compares a block with its checksum, the low 32 bits of its XXH3-64, when it first touches it. With blocks of
//! 4 KiB, the pages that the system reads anyway, they take a thousandth of the file.
//!
//! Later versions keep the magic, the version field, the 64 bytes of header and their checksum, so that an old program
//! can distinguish a newer book from a damaged one.
//!
//! XXH3-64 (crate `xxhash-rust`) runs at the speed of memory, so `verify` is limited by the disk. It detects accidents,
//! not forgery.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::{AGAIN, BookError};
use crate::game::{Game, GameId, MoveList};
use crate::sums::SUM_BYTES;

/// First bytes of every clustered book.
pub const MAGIC: [u8; 8] = *b"BOOKBLDR";
/// The format version that this program reads and writes.
pub const VERSION: u16 = 1;
/// Bytes of a block that has a checksum.
pub const SUM_BLOCK: usize = 4096;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of a record.
pub const RECORD_BYTES: usize = 12;
/// Bytes of a value.
pub const VALUE_BYTES: usize = 5;
/// Clusters of a book: one per value of the top 15 bits of a key.
pub const CLUSTERS: usize = 1 << 15;
/// Bits of a key below those of its cluster.
pub const CLUSTER_SHIFT: u32 = u64::BITS - CLUSTERS.trailing_zeros();
/// Entries of the cluster index: where each cluster starts, and where the last one ends.
pub const INDEX_ENTRIES: usize = CLUSTERS + 1;
/// Bytes of the trailer.
pub const TRAILER_BYTES: usize = 8;

/// Sections start at multiples of this: a cache line, and what Arrow recommends for buffers.
const ALIGNMENT: u64 = 64;

const FOLDED: u8 = 1;
const COLUMNS: u8 = 2;
const VALUES: u8 = 4;

/// The four optional columns, in file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Column {
    /// The second key of each position.
    Lock = 0,
    /// Games through the position that the first side won.
    Wins = 1,
    /// Games drawn.
    Draws = 2,
    /// Games the first side lost.
    Losses = 3,
}

/// Returns the cluster of a key: its top 15 bits.
pub const fn cluster_of(key: u64) -> usize {
    (key >> CLUSTER_SHIFT) as usize
}

/// Turns the counts of clusters, each one place later, into the entries of an index: a running total.
pub(super) fn accumulate(counts: &mut [u64]) {
    let mut total = 0;
    for count in counts {
        total += *count;
        *count = total;
    }
}

/// The fields of the header that do not follow from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Game and fingerprint of the keys.
    pub scheme: Scheme,
    /// Whether left-right mirrors are folded.
    pub is_folded: bool,
    /// Whether the lock and count columns are present.
    pub has_columns: bool,
    /// Whether there are values of an engine.
    pub has_values: bool,
    /// Number of records.
    pub records: u64,
    /// Bytes of the recipe.
    pub recipe_bytes: u32,
}

/// Where each section lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections {
    /// The cluster index.
    pub index: Range<usize>,
    /// The records.
    pub records: Range<usize>,
    /// The columns, in the order of [`Column`].
    pub columns: Option<[Range<usize>; 4]>,
    /// The values of an engine; empty if there are none.
    pub values: Range<usize>,
    /// The recipe.
    pub recipe: Range<usize>,
    /// The checksums of the blocks before it.
    pub sums: Range<usize>,
    /// The trailer, which ends the file.
    pub trailer: Range<usize>,
}

impl Header {
    /// Returns the sections, or `None` if they are too large for this machine.
    pub fn sections(&self) -> Option<Sections> {
        // Entries of the index have 32 bits.
        u32::try_from(self.records).ok()?;
        let (index, end) = section(HEADER_BYTES as u64, INDEX_ENTRIES as u64 * 4)?;
        let (records, mut end) = section(end, self.records.checked_mul(RECORD_BYTES as u64)?)?;
        let mut columns = None;
        if self.has_columns {
            let bytes = self.records.checked_mul(4)?;
            let mut ranges = [const { 0..0 }; 4];
            for range in &mut ranges {
                (*range, end) = section(end, bytes)?;
            }
            columns = Some(ranges);
        }
        let values = if self.has_values { self.records.checked_mul(VALUE_BYTES as u64)? } else { 0 };
        let (values, end) = section(end, values)?;
        let (recipe, end) = section(end, u64::from(self.recipe_bytes))?;
        let (sums, _) = section(end, (recipe.end.div_ceil(SUM_BLOCK) * SUM_BYTES) as u64)?;
        let trailer = sums.end..sums.end.checked_add(TRAILER_BYTES)?;
        Some(Sections { index, records, columns, values, recipe, sums, trailer })
    }

    /// Returns the 64 bytes of the header of a book with these sections.
    pub fn encode(&self, sections: &Sections) -> [u8; HEADER_BYTES] {
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        let flags =
            flag(self.is_folded, FOLDED) | flag(self.has_columns, COLUMNS) | flag(self.has_values, VALUES);
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = self.scheme.game as u8;
        bytes[11] = flags;
        bytes[12..16].copy_from_slice(&self.recipe_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.scheme.fingerprint.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.records.to_le_bytes());
        for (place, offset) in sections.offsets().into_iter().enumerate() {
            bytes[32 + 8 * place..40 + 8 * place].copy_from_slice(&offset.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Parses the header of a file of `file_bytes` bytes that starts with `start`, and checks every field.
    pub fn decode(start: &[u8], file_bytes: u64, path: &Path) -> Result<(Header, Sections), BookError> {
        let raw = RawHeader { bytes: header_bytes(start, file_bytes, path)?, path };
        let (expected, found) = (xxh3_64(&raw.bytes[..56]), raw.u64_at(56));
        if found != expected {
            let [expected, found] = [expected, found].map(|checksum| format!("0x{checksum:016x}"));
            return Err(raw.damaged(56, "checksum of the header", &expected, &found));
        }
        let version = u16::from_le_bytes([raw.bytes[8], raw.bytes[9]]);
        if version != VERSION {
            let reads = format!("this program reads {VERSION}; update bookbuilder, or build the book again");
            return Err(BookError::refused(path, format!("book format {version} at offset 8, {reads}")));
        }
        let header = raw.fields()?;
        let sections = header.sections().ok_or_else(|| {
            let expected = "less than 2³², and what can be addressed";
            raw.damaged(24, "number of records", expected, &header.records.to_string())
        })?;
        raw.check_offsets(&sections)?;
        check_length(sections.trailer.end as u64, file_bytes, path)?;
        Ok((header, sections))
    }
}

/// The header as bytes.
struct RawHeader<'a> {
    bytes: &'a [u8; HEADER_BYTES],
    path: &'a Path,
}

impl RawHeader<'_> {
    fn fields(&self) -> Result<Header, BookError> {
        let game = match self.bytes[10] {
            0 => GameId::Chess,
            1 => GameId::Xiangqi,
            other => return Err(self.damaged(10, "game", "0 (chess) or 1 (xiangqi)", &other.to_string())),
        };
        let flags = self.bytes[11];
        let header = Header {
            scheme: Scheme { game, fingerprint: self.u64_at(16) },
            is_folded: flags & FOLDED != 0,
            has_columns: flags & COLUMNS != 0,
            has_values: flags & VALUES != 0,
            records: self.u64_at(24),
            // The upper half of the word at 8.
            recipe_bytes: (self.u64_at(8) >> 32) as u32,
        };
        if flags & !(FOLDED | COLUMNS | VALUES) != 0 {
            return Err(self.damaged(11, "flags", "at most 0x07", &format!("0x{flags:02x}")));
        }
        Ok(header)
    }

    fn check_offsets(&self, sections: &Sections) -> Result<(), BookError> {
        let fields = ["offset of the records", "offset of the columns", "offset of the recipe"];
        for ((field, expected), place) in fields.into_iter().zip(sections.offsets()).zip([32, 40, 48]) {
            let found = self.u64_at(place);
            if found != expected {
                return Err(self.damaged(place, field, &expected.to_string(), &found.to_string()));
            }
        }
        Ok(())
    }

    fn u64_at(&self, offset: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[offset..offset + 8]);
        u64::from_le_bytes(word)
    }

    fn damaged(&self, offset: usize, field: &str, expected: &str, found: &str) -> BookError {
        let place = format!("damaged header: {field} at offset {offset}");
        BookError::refused(self.path, format!("{place} is {found}, expected {expected}; {AGAIN}"))
    }
}

impl Sections {
    /// Returns the offsets in the header: of records, columns (0 if there are none) and recipe.
    fn offsets(&self) -> [u64; 3] {
        let columns = self.columns.as_ref().map_or(0, |columns| columns[0].start);
        [self.records.start, columns, self.recipe.start].map(|offset| offset as u64)
    }
}

/// Returns the range of a section of `bytes` bytes that starts at or after `from`, and where the next may start.
fn section(from: u64, bytes: u64) -> Option<(Range<usize>, u64)> {
    let start = from.checked_next_multiple_of(ALIGNMENT)?;
    let end = start.checked_add(bytes)?;
    Some((usize::try_from(start).ok()?..usize::try_from(end).ok()?, end))
}

/// Returns the bytes of the header if the magic is right and the file is long enough.
fn header_bytes<'a>(
    start: &'a [u8],
    file_bytes: u64,
    path: &Path,
) -> Result<&'a [u8; HEADER_BYTES], BookError> {
    let known = start.len().min(MAGIC.len());
    if start[..known] != MAGIC[..known] {
        let what = format!(
            "not a clustered book: expected \"{}\" at offset 0, found \"{}\"; \
             convert books of other formats first",
            MAGIC.escape_ascii(),
            start[..known].escape_ascii()
        );
        return Err(BookError::refused(path, what));
    }
    start.first_chunk().ok_or_else(|| truncated(HEADER_BYTES as u64, file_bytes, path))
}

fn check_length(expected: u64, found: u64, path: &Path) -> Result<(), BookError> {
    match found.cmp(&expected) {
        Ordering::Less => Err(truncated(expected, found, path)),
        Ordering::Equal => Ok(()),
        Ordering::Greater => {
            let what = "something was appended after the book; copy it again";
            Err(BookError::refused(path, format!("{found} bytes, expected {expected}: {what}")))
        }
    }
}

/// Returns the error for a file that ends too early.
pub(super) fn truncated(expected: u64, found: u64, path: &Path) -> BookError {
    BookError::refused(path, format!("truncated: {found} bytes, expected {expected}; {AGAIN}"))
}

/// A game and the fingerprint of the tables that hash its positions.
///
/// Keys of one scheme mean nothing under another, so a book carries the fingerprint and a reader with other tables
/// refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// The game.
    pub game: GameId,
    /// Fingerprint of the keys and locks of some of the game's positions.
    pub fingerprint: u64,
}

/// Plies of the walk. Tables of another seed differ in the first position; the walk detects tables that differ in part.
/// With this number the first open of a process takes well under a millisecond.
const WALK_PLIES: u64 = 256;

impl Scheme {
    /// Returns the scheme of a game: XXH3-64 over the keys and locks along a fixed walk through legal moves.
    ///
    /// Stable as long as keys, locks, move codes and rules do not change; the order of generated moves does not matter.
    /// Takes some 100 µs: callers that open many books keep the value.
    pub fn of<G: Game>() -> Scheme {
        let mut hash = Xxh3Default::new();
        let mut position = G::start();
        let mut moves = MoveList::new();
        // MMIX's linear congruential generator (Knuth, TAOCP 2, 3.3.4); the high half picks the move.
        let mut state = 1u64;
        for _ in 0..WALK_PLIES {
            hash.update(&position.key().0.to_le_bytes());
            hash.update(&position.lock().0.to_le_bytes());
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                position = G::start();
                continue;
            }
            moves.sort_unstable();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play_unchecked(moves[(state >> 33) as usize % moves.len()]);
        }
        Scheme { game: G::ID, fingerprint: hash.digest() }
    }
}
