//! Checks a whole book and reports the first defect.
//!
//! Contents are checked before the checksum, so that damage is reported at its place if possible.

use xxhash_rust::xxh3::Xxh3Default;

use super::error::AGAIN;
use super::layout::{Column, INDEX_ENTRIES, RECORD_BYTES, SUM_BLOCK, accumulate, cluster_of};
use super::probe::{key_of, word_of};
use super::record::{MAX_USAGE, Word};
use super::view::View;
use super::{BLOCK, BookError, GoOn};
use crate::sums::{nth, sum_of};

/// Checks order of records, words against counts, every index entry, recipe and checksum.
pub(super) fn verify(book: View, go_on: GoOn) -> Result<(), BookError> {
    let starts = check_order(book, go_on)?;
    check_index(book, &starts)?;
    check_counts(book, go_on)?;
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
        pause(book, go_on, number)?;
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

fn check_index(book: View, starts: &[u64]) -> Result<(), BookError> {
    let index = book.index();
    match starts.iter().enumerate().find(|&(entry, &start)| index.at(entry) != start) {
        None => Ok(()),
        Some((entry, start)) => Err(book.index_broken(entry, &start.to_string())),
    }
}

fn check_counts(book: View, go_on: GoOn) -> Result<(), BookError> {
    let [Some(wins), Some(draws), Some(losses)] =
        [Column::Wins, Column::Draws, Column::Losses].map(|column| book.column(column))
    else {
        return Ok(());
    };
    for (number, record) in book.records().iter().enumerate() {
        pause(book, go_on, number)?;
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

/// Checks that the checksums of blocks are right: those that a reader compares.
fn check_sums(book: View) -> Result<(), BookError> {
    let Some(sums) = book.sums() else { return Ok(()) };
    let blocks = book.bytes[..book.sections.recipe.end].chunks(SUM_BLOCK);
    match blocks.zip(0..).find(|(block, number)| nth(sums, *number) != Some(&sum_of(block))) {
        None => Ok(()),
        Some((block, number)) => Err(sum_differs(book, number, block.len())),
    }
}

/// Returns the error for a block that does not fit its checksum.
pub(super) fn sum_differs(book: View, block: usize, length: usize) -> BookError {
    let start = block * SUM_BLOCK;
    let what = format!("the {length} bytes at offset {start} do not fit their checksum; {AGAIN}");
    BookError::refused(book.path, what)
}

/// Checks the checksum of the whole file.
pub(super) fn check_checksum(book: View, go_on: GoOn) -> Result<(), BookError> {
    let (body, trailer) = book.bytes.split_at(book.sections.trailer.start);
    let mut hash = Xxh3Default::new();
    for block in body.chunks(BLOCK * RECORD_BYTES) {
        pause(book, go_on, 0)?;
        hash.update(block);
    }
    let expected = hash.digest();
    let found = trailer.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    if expected == found {
        return Ok(());
    }
    let what = format!(
        "checksum 0x{found:016x} at offset {}, but the bytes before it give 0x{expected:016x}; {AGAIN}",
        book.sections.trailer.start
    );
    Err(BookError::refused(book.path, what))
}

/// Stops at the first record of a block if the caller asks to.
fn pause(book: View, go_on: GoOn, number: usize) -> Result<(), BookError> {
    if number.is_multiple_of(BLOCK) && go_on().is_break() {
        return Err(BookError::Interrupted { path: book.path.to_owned() });
    }
    Ok(())
}

/// Returns whether a word fits these counts; usage and counts saturate.
fn fits(word: Word, counts: [u32; 3]) -> bool {
    let decided: u64 = counts.iter().copied().map(u64::from).sum();
    let usage = word.usage();
    word.seen() == counts.map(|count| count > 0) && (usage == MAX_USAGE || decided <= u64::from(usage))
}

/// Returns the error for a wrong record.
fn broken(book: View, number: usize, what: &str) -> BookError {
    BookError::refused(book.path, format!("record {number} at offset {}: {what}", book.record_offset(number)))
}

fn format_place((key, lock): (u64, Option<u32>)) -> String {
    match lock {
        Some(lock) => format!("key 0x{key:016x}, lock 0x{lock:08x}"),
        None => format!("key 0x{key:016x}"),
    }
}
