//! Laws of our own files. Checksums would reject nearly every input, so they are corrected first. A file that is
//! accepted is sound in every part that is read.

use std::fs;
use std::path::Path;

use bookbuilder_core::book::layout::{CLUSTERS, HEADER_BYTES, Header, INDEX_ENTRIES, SUM_BLOCK, Sections};
use bookbuilder_core::book::{Book, Scheme, always};
use bookbuilder_core::chess::Chess;
use bookbuilder_core::endgame::{ChessSpace, EndgameError, Metric, Space, Table, TableFile, XiangqiSpace};
use bookbuilder_core::game::{GameId, Key, Lock};
use bookbuilder_core::xiangqi::Xiangqi;
use xxhash_rust::xxh3::xxh3_64;

use super::files::room;

/// Most men of a table that is taken into memory: four make some hundred megabytes.
const MOST_MEN: usize = 3;

/// Puts a word into a file, if it is so long.
fn put(bytes: &mut [u8], place: usize, word: u64) {
    if let Some(room) = bytes.get_mut(place..place + 8) {
        room.copy_from_slice(&word.to_le_bytes());
    }
}

/// A clustered book: a header; the number of entries (two bytes), then entries of the cluster index that are not 0, each
/// the cluster and its records, two bytes each; all that comes behind the index.
pub fn book(data: &[u8]) {
    let Some((header, rest)) = data.split_at_checked(HEADER_BYTES) else { return };
    let Some((&count, rest)) = rest.split_first_chunk::<2>() else { return };
    let entries = usize::from(u16::from_le_bytes(count)).min(rest.len() / 4);
    let (entries, rest) = rest.split_at(4 * entries);
    let mut sizes = vec![0u64; INDEX_ENTRIES];
    for entry in entries.as_chunks::<4>().0 {
        let cluster = usize::from(u16::from_le_bytes([entry[0], entry[1]])) % CLUSTERS;
        sizes[cluster + 1] += u64::from(u16::from_le_bytes([entry[2], entry[3]]));
    }
    let mut bytes = header.to_vec();
    let mut records = 0u64;
    for size in sizes {
        records += size;
        bytes.extend_from_slice(&(records as u32).to_le_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    bytes.extend_from_slice(rest);
    let sum = xxh3_64(&bytes[..56]);
    put(&mut bytes, 56, sum);
    mend_blocks(&mut bytes);
    let trailer = bytes.len() - 8;
    let sum = xxh3_64(&bytes[..trailer]);
    put(&mut bytes, trailer, sum);
    let file = room().path().join("a.book");
    fs::write(&file, bytes).expect("a file can be written");
    check_book(&file);
}

/// Makes the checksums of a book's blocks fit its bytes.
fn mend_blocks(bytes: &mut [u8]) {
    let word = |place: usize| u64::from_le_bytes(bytes[place..place + 8].try_into().expect("eight bytes"));
    let header = Header {
        scheme: Scheme::of::<Chess>(),
        is_folded: false,
        has_columns: bytes[11] & 2 != 0,
        has_values: bytes[11] & 4 != 0,
        records: word(24),
        recipe_bytes: (word(8) >> 32) as u32,
    };
    let Some(Sections { recipe, sums, .. }) = header.sections() else { return };
    if sums.end + 8 == bytes.len() {
        let (body, rest) = bytes.split_at_mut(sums.start);
        let right =
            body[..recipe.end].chunks(SUM_BLOCK).flat_map(|block| (xxh3_64(block) as u32).to_le_bytes());
        rest.iter_mut().zip(right).for_each(|(byte, right)| *byte = right);
    }
}

fn check_book(file: &Path) {
    let Ok(book) = Book::open(file, &[Scheme::of::<Chess>(), Scheme::of::<Xiangqi>()]) else { return };
    let places = || book.iter().map(|record| (record.key, record.lock.unwrap_or(Lock(0))));
    for (key, lock) in places() {
        // Whether the record is found is for the next check; here nothing may break.
        let _ = (book.probe(key, lock), book.probe(Key(key.0 ^ 1), lock));
    }
    assert_eq!(book.cluster_sizes().sum::<u64>(), book.len() as u64);
    if book.verify(&always).is_ok() {
        assert!(book.recipe().is_ok());
        for (place, (key, lock)) in places().enumerate() {
            assert_eq!(book.find(key, lock).ok(), Some(Some(place)), "{key:?} {lock:?}");
        }
    }
}

/// An endgame table, `.bbtb`.
pub fn endgame_table(data: &[u8]) {
    let mut bytes = data.to_vec();
    mend_table(&mut bytes);
    let file = room().path().join("a.bbtb");
    fs::write(&file, bytes).expect("a file can be written");
    let Ok(table) = TableFile::open(&file) else { return };
    let is_sound = table.check().is_ok();
    if table.header().material.count() > MOST_MEN {
        return;
    }
    match table.header().material.game() {
        GameId::Chess => check_table::<ChessSpace>(table.load(&[]), is_sound, table.header().metric),
        GameId::Xiangqi => check_table::<XiangqiSpace>(table.load(&[]), is_sound, table.header().metric),
    }
}

/// Makes the lengths and checksums of a table fit its bytes.
fn mend_table(bytes: &mut [u8]) {
    const HEADER: usize = 128;
    let length = bytes.len() as u64;
    put(bytes, 104, length);
    // The directory is as long as the blocks that its lengths tell.
    let mut end = HEADER;
    let mut blocks = length.saturating_sub(HEADER as u64);
    while let Some(entry) = bytes.get(end..end + 4) {
        let word = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let Some(left) = blocks.checked_sub(u64::from(word & 0x3fff_ffff) + 8) else { break };
        (blocks, end) = (left, end + 8);
        if left == 0 {
            break;
        }
    }
    let mut start = end;
    for entry in (HEADER..end.min(bytes.len())).step_by(8) {
        let word = u32::from_le_bytes([bytes[entry], bytes[entry + 1], bytes[entry + 2], bytes[entry + 3]]);
        let behind = (start + (word & 0x3fff_ffff) as usize).min(bytes.len());
        let sum = (xxh3_64(&bytes[start.min(behind)..behind]) as u32).to_le_bytes();
        bytes[entry + 4..entry + 8].copy_from_slice(&sum);
        start = behind;
    }
    if let Some(directory) = bytes.get(HEADER..end) {
        let sum = xxh3_64(directory);
        put(bytes, 96, sum);
    }
    if let Some(header) = bytes.get(..HEADER - 8) {
        let sum = xxh3_64(header);
        put(bytes, 120, sum);
    }
}

/// A table that is loaded is of its metric, and no block of it was damaged.
fn check_table<S: Space>(loaded: Result<Table<S>, EndgameError>, is_sound: bool, metric: Metric) {
    let Ok(table) = loaded else { return };
    assert!(is_sound, "damaged and loaded");
    assert_eq!(table.metric(), metric);
    table.stats();
}
