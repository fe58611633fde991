//! Laws of the clustered book, what damage does to it, and the pinned bytes of a small one.

mod damage;
mod format;
mod laws;
mod probe;

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::layout::{CLUSTERS, INDEX_ENTRIES, cluster_of};
use super::record::{MATE_VALUE, Valued};
use super::write::Body;
use super::*;
use crate::game::{GameId, Move};

/// A scheme of no real game: the file does not care.
const SCHEME: Scheme = Scheme { game: GameId::Xiangqi, fingerprint: 0x1234_5678_9abc_def0 };

/// One row as a tuple would be unreadable; this is what a table of the tests holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    key: u64,
    lock: u32,
    counts: [u64; 3],
    unknown: u64,
    quality: u8,
    /// The bits of an engine's value.
    valued: u64,
}

impl Row {
    fn new(key: u64, lock: u32) -> Row {
        Row {
            key,
            lock,
            counts: [key % 5, key % 3, key % 2],
            unknown: 1,
            quality: (key % 32) as u8,
            valued: 0,
        }
    }

    fn usage(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.unknown
    }
}

/// The columns of a table, owned.
struct Table {
    keys: Vec<u64>,
    locks: Vec<u32>,
    usage: Vec<u64>,
    counts: [Vec<u64>; 3],
    quality: Vec<u8>,
    values: Option<Vec<u64>>,
}

impl Table {
    fn new(rows: &[Row]) -> Table {
        Table {
            keys: rows.iter().map(|row| row.key).collect(),
            locks: rows.iter().map(|row| row.lock).collect(),
            usage: rows.iter().map(Row::usage).collect(),
            counts: [0, 1, 2].map(|which| rows.iter().map(|row| row.counts[which]).collect()),
            quality: rows.iter().map(|row| row.quality).collect(),
            values: (rows.iter().any(|row| row.valued > 0))
                .then(|| rows.iter().map(|row| row.valued).collect()),
        }
    }

    fn rows(&self) -> Rows<'_> {
        let [wins, draws, losses] = &self.counts;
        Rows {
            keys: &self.keys,
            locks: &self.locks,
            usage: &self.usage,
            wins,
            draws,
            losses,
            quality: &self.quality,
            values: self.values.as_deref(),
        }
    }
}

fn options(recipe: &str) -> Options<'_> {
    Options { scheme: SCHEME, is_folded: true, has_columns: true, recipe }
}

/// Writes rows as a book into a new folder.
fn write_rows(rows: &[Row], options: &Options) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.book");
    let table = Table::new(rows);
    // Two chunks, so that the seam is always crossed.
    let (front, back) = rows.split_at(rows.len() / 2);
    let (front, back) = (Table::new(front), Table::new(back));
    write(&path, options, &[front.rows(), back.rows()], &always).unwrap();
    let whole = folder.path().join("whole.book");
    write(&whole, options, &[table.rows()], &always).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&whole).unwrap(), "chunks leave no trace");
    (folder, path)
}

fn open(path: &Path) -> Result<Book, BookError> {
    Book::open(path, &[SCHEME])
}

/// Keys that gather: anywhere, in the first or last cluster, or a handful of values with many locks.
fn any_key() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0u64..1 << 49),
        any::<u64>().prop_map(|key| key | (CLUSTERS as u64 - 1) << 49),
        prop::sample::select(vec![0, 1, 1 << 49, u64::MAX - 1, u64::MAX]),
        (7u64 << 49..(7 << 49) + 50),
    ]
}

fn any_row() -> impl Strategy<Value = Row> {
    let count = prop_oneof![Just(0u64), 0u64..1000, Just(u64::from(u32::MAX) + 7), Just(1 << 24)];
    let lock = prop_oneof![any::<u32>(), 0u32..3];
    let value = (1..=u8::MAX, any::<u16>(), -MATE_VALUE..=MATE_VALUE);
    let valued = value.prop_map(|(depth, best, value)| Valued { depth, best: Move(best), value }.pack());
    // Most tables have no value, or few.
    let valued = prop_oneof![200 => Just(0), 1 => valued];
    (any_key(), lock, [count.clone(), count.clone(), count], 0u64..3, 0u8..32, valued).prop_map(
        |(key, lock, counts, unknown, quality, valued)| Row { key, lock, counts, unknown, quality, valued },
    )
}

/// A sorted table without doubles.
fn any_table(rows: usize) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(any_row(), 0..rows).prop_map(|mut rows| {
        rows.sort_by_key(|row| (row.key, row.lock));
        rows.dedup_by_key(|row| (row.key, row.lock));
        rows
    })
}
