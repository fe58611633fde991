//! Writes a clustered book from sorted columns of positions, atomically.
//!
//! The columns are read once per section from the caller's memory, without a copy. The same rows and options give the
//! same bytes.

use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3Default;

use super::layout::{
    CLUSTERS, Header, INDEX_ENTRIES, RECORD_BYTES, SUM_BLOCK, Sections, VALUE_BYTES, accumulate, cluster_of,
};
use super::record::{MATE_VALUE, MAX_QUALITY, Valued, Word};
use super::{BLOCK, BookError, GoOn, Scheme, pause};
use crate::disk::Draft;
use crate::sums::BlockSums;

/// Options of a book.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The game and its keys.
    pub scheme: Scheme,
    /// Whether the keys are of folded positions.
    pub is_folded: bool,
    /// Whether to store the lock and count columns.
    pub has_columns: bool,
    /// UTF-8 JSON that says how the book was made; stored as it is.
    pub recipe: &'a str,
}

/// Some rows of a selection as columns of equal length, ascending by (key, lock). Counts are the first side's view.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Keys.
    pub keys: &'a [u64],
    /// Locks.
    pub locks: &'a [u32],
    /// Games that reached each position.
    pub usage: &'a [u64],
    /// Games the first side won.
    pub wins: &'a [u64],
    /// Games drawn.
    pub draws: &'a [u64],
    /// Games the first side lost.
    pub losses: &'a [u64],
    /// Qualities, 0–31.
    pub quality: &'a [u8],
    /// Values of an engine as the bits of [`Valued`], 0 = none; a book without values has none in any chunk.
    pub values: Option<&'a [u64]>,
}

/// Writes a book of `chunks`, which together ascend by (key, lock), no position twice. An existing file is replaced.
///
/// # Errors
/// [`BookError`]; the target is then unchanged.
pub fn write(path: &Path, options: &Options, chunks: &[Rows], go_on: GoOn) -> Result<(), BookError> {
    let starts = cluster_starts(path, options.has_columns, chunks, go_on)?;
    let records = starts[CLUSTERS];
    let header = Header {
        scheme: options.scheme,
        is_folded: options.is_folded,
        has_columns: options.has_columns,
        has_values: chunks.iter().any(|rows| rows.values.is_some()),
        records,
        recipe_bytes: u32::try_from(options.recipe.len())
            .map_err(|_| BookError::unwritable(path, "the recipe must be below 4 GiB".to_owned()))?,
    };
    let mut out = Draft::of(path).map_err(BookError::io(path))?;
    let body = Body { path, header, starts: &starts, chunks, recipe: options.recipe };
    body.write(&mut out, go_on)?;
    out.publish().map_err(BookError::io(path))
}

impl Rows<'_> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn is_even(&self) -> bool {
        let columns = [self.usage.len(), self.wins.len(), self.draws.len(), self.losses.len()];
        columns.iter().all(|&len| len == self.len())
            && self.locks.len() == self.len()
            && self.quality.len() == self.len()
            && self.values.is_none_or(|values| values.len() == self.len())
    }

    fn counts(&self, row: usize) -> [u64; 3] {
        [self.wins[row], self.draws[row], self.losses[row]]
    }

    fn value(&self, row: usize) -> u64 {
        self.values.map_or(0, |values| values[row])
    }

    /// Returns the defect of a row, if it has one.
    fn flaw(&self, row: usize) -> Option<String> {
        let (usage, quality) = (self.usage[row], self.quality[row]);
        let [wins, draws, losses] = self.counts(row);
        if quality > MAX_QUALITY {
            return Some(format!("quality {quality}, expected 0 to {MAX_QUALITY}"));
        }
        let bits = self.value(row);
        if bits != 0 && Valued::unpack(bits).is_none() {
            return Some(format!(
                "value 0x{bits:x}, expected a depth from 1 to 255, and centipawns up to {MATE_VALUE}"
            ));
        }
        let decided = wins.checked_add(draws).and_then(|sum| sum.checked_add(losses));
        if decided.is_none_or(|decided| decided > usage) {
            return Some(format!("{wins} wins, {draws} draws, {losses} losses exceed the usage, {usage}"));
        }
        None
    }
}

/// Checks every row and returns the index: the number of records before each cluster, and of all records.
fn cluster_starts(path: &Path, has_locks: bool, chunks: &[Rows], go_on: GoOn) -> Result<Vec<u64>, BookError> {
    let mut starts = vec![0; INDEX_ENTRIES];
    let mut previous: Option<(u64, u32)> = None;
    let mut number = 0;
    for rows in chunks {
        let bad_row = |row: u64, reason: String| BookError::unwritable(path, format!("row {row}: {reason}"));
        if !rows.is_even() {
            return Err(bad_row(number, "the columns differ in length".to_owned()));
        }
        for row in 0..rows.len() {
            pause(row, go_on, path)?;
            // Without the lock column two positions of one key would be the same.
            let place = (rows.keys[row], if has_locks { rows.locks[row] } else { 0 });
            if previous.is_some_and(|previous| previous >= place) {
                return Err(bad_row(number, out_of_order(place, has_locks)));
            }
            if let Some(reason) = rows.flaw(row) {
                return Err(bad_row(number, reason));
            }
            previous = Some(place);
            starts[cluster_of(place.0) + 1] += 1;
            number += 1;
        }
    }
    accumulate(&mut starts);
    Ok(starts)
}

fn out_of_order((key, lock): (u64, u32), has_locks: bool) -> String {
    if has_locks {
        format!("key 0x{key:016x}, lock 0x{lock:08x} does not come after the row before; sort by (key, lock)")
    } else {
        format!("key 0x{key:016x} does not come after the row before; sort by key, or store the lock column")
    }
}

/// The content of the file.
pub(super) struct Body<'a> {
    pub(super) path: &'a Path,
    pub(super) header: Header,
    pub(super) starts: &'a [u64],
    pub(super) chunks: &'a [Rows<'a>],
    pub(super) recipe: &'a str,
}

impl Body<'_> {
    /// Writes the file's bytes from first to last.
    pub(super) fn write(&self, out: &mut impl Write, go_on: GoOn) -> Result<(), BookError> {
        let sections = self.header.sections().ok_or_else(|| {
            let records = self.header.records;
            let what = format!("{records} records are more than a book on this machine can hold");
            BookError::unwritable(self.path, what)
        })?;
        let mut out = Hashed { out, hash: Xxh3Default::new(), sums: BlockSums::new(SUM_BLOCK), position: 0 };
        out.write_all(&self.header.encode(&sections)).map_err(BookError::io(self.path))?;
        // There are sections only if the number of records fits 32 bits.
        let index = self.starts.iter().map(|&start| (start as u32).to_le_bytes()).collect::<Vec<_>>();
        out.write_all(index.as_flattened()).map_err(BookError::io(self.path))?;
        self.write_records(&mut out, &sections, go_on)?;
        let end = |out: &mut Hashed<_>| -> io::Result<()> {
            out.pad_to(sections.recipe.start)?;
            out.write_all(self.recipe.as_bytes())?;
            let sums = std::mem::replace(&mut out.sums, BlockSums::new(SUM_BLOCK)).finish();
            out.pad_to(sections.sums.start)?;
            out.write_all(&sums)?;
            let checksum = out.hash.digest();
            out.write_all(&checksum.to_le_bytes())
        };
        end(&mut out).map_err(BookError::io(self.path))
    }

    fn write_records(
        &self,
        out: &mut Hashed<impl Write>,
        sections: &Sections,
        go_on: GoOn,
    ) -> Result<(), BookError> {
        self.write_section(out, sections.records.start, go_on, |rows, row| {
            let word = Word::new(rows.usage[row], rows.counts(row), rows.quality[row]);
            let mut record = [0; RECORD_BYTES];
            record[..8].copy_from_slice(&rows.keys[row].to_le_bytes());
            record[8..].copy_from_slice(&word.0.to_le_bytes());
            record
        })?;
        if let Some([lock, wins, draws, losses]) = &sections.columns {
            self.write_section(out, lock.start, go_on, |rows, row| rows.locks[row].to_le_bytes())?;
            self.write_section(out, wins.start, go_on, |rows, row| saturated(rows.wins[row]))?;
            self.write_section(out, draws.start, go_on, |rows, row| saturated(rows.draws[row]))?;
            self.write_section(out, losses.start, go_on, |rows, row| saturated(rows.losses[row]))?;
        }
        if self.header.has_values {
            self.write_section(out, sections.values.start, go_on, |rows, row| {
                let [bytes @ .., _, _, _]: [u8; VALUE_BYTES + 3] = rows.value(row).to_le_bytes();
                bytes
            })?;
        }
        Ok(())
    }

    /// Writes `N` bytes per row from offset `start` on.
    fn write_section<const N: usize>(
        &self,
        out: &mut Hashed<impl Write>,
        start: usize,
        go_on: GoOn,
        encode: impl Fn(&Rows, usize) -> [u8; N],
    ) -> Result<(), BookError> {
        out.pad_to(start).map_err(BookError::io(self.path))?;
        let mut bytes = Vec::with_capacity(BLOCK * N);
        for rows in self.chunks {
            for first in (0..rows.len()).step_by(BLOCK) {
                pause(first, go_on, self.path)?;
                bytes.clear();
                let block = first..rows.len().min(first + BLOCK);
                block.for_each(|row| bytes.extend_from_slice(&encode(rows, row)));
                out.write_all(&bytes).map_err(BookError::io(self.path))?;
            }
        }
        Ok(())
    }
}

fn saturated(count: u64) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes()
}

/// A writer that hashes and counts its bytes, in whole and by blocks.
struct Hashed<W> {
    out: W,
    hash: Xxh3Default,
    sums: BlockSums,
    position: usize,
}

impl<W: Write> Hashed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.sums.add(bytes);
        self.position += bytes.len();
        self.out.write_all(bytes)
    }

    /// Writes zeros up to an offset; sections are less than an alignment step apart.
    fn pad_to(&mut self, offset: usize) -> io::Result<()> {
        let zeros = [0; 64];
        let gap = offset.saturating_sub(self.position);
        self.write_all(&zeros[..gap.min(zeros.len())])
    }
}
