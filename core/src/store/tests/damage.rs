//! Changed bytes of a part: refused, or the same answers; never the end of the program.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use tempfile::TempDir;

use super::group;
use crate::store::{Checksums, PartLookup, PartWriter, Reach};
use crate::tally::{Row, StorageError};

/// Rows of two pages and two row groups.
fn rows() -> Vec<Row> {
    let row = |number: u64| Row {
        key: number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        lock: number as u32,
        games: 3 + number % 5,
        first_wins: 1,
        draws: number % 2,
        year_max: 2000,
        ..Row::default()
    };
    let mut rows: Vec<Row> = (0..1500).map(row).collect();
    rows.sort_by_key(Row::identity);
    rows
}

fn part(folder: &TempDir, rows: &[Row]) -> (PathBuf, Checksums) {
    let path = folder.path().join("part.parquet");
    let mut writer = PartWriter::create(&path, false, &[("a".into(), "b".into())], 1).unwrap();
    rows.chunks(1200).for_each(|rows| writer.group(&group(false, rows), || Ok(())).unwrap());
    let checksums = writer.finish().unwrap();
    (path, checksums)
}

/// Asks a part for some positions: those of the first, a middle and the last row.
fn looked_up(path: &Path, checksums: Checksums, rows: &[Row]) -> Result<Vec<Row>, StorageError> {
    let part = PartLookup::open(path, checksums)?;
    let mut found = Vec::new();
    for row in [&rows[0], &rows[1100], &rows[rows.len() - 1]] {
        part.rows((row.key, row.lock), Reach::Whole, &mut found)?;
    }
    part.rows((7, 7), Reach::Counts, &mut found)?;
    Ok(found)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

/// Changes one to three bytes from `from` on, 3,000 times, and returns how many look-ups refused the part and how many
/// gave other rows.
fn changed(path: &Path, checksums: Checksums, rows: &[Row], from: usize) -> [usize; 2] {
    let whole = fs::read(path).unwrap();
    let expected = looked_up(path, checksums, rows).unwrap();
    let (mut refused, mut other) = (0, 0);
    for number in 0..3000u64 {
        let mut bytes = whole.clone();
        let state = &mut (number << 20);
        for _ in 0..=random(state) % 3 {
            let place = from + random(state) as usize % (bytes.len() - from);
            bytes[place] = random(state) as u8;
        }
        fs::write(path, &bytes).unwrap();
        let Ok(found) = catch_unwind(|| looked_up(path, checksums, rows)) else {
            panic!("the reader panics at change {number}")
        };
        refused += usize::from(found.is_err());
        other += usize::from(found.is_ok_and(|found| found != expected));
    }
    fs::write(path, &whole).unwrap();
    [refused, other]
}

#[test]
fn changed_bytes_of_a_part_are_refused_or_give_the_same_rows() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let (path, checksums) = part(&folder, &rows);
    let [refused, other] = changed(&path, checksums, &rows, 0);
    assert_eq!(other, 0);
    assert!(refused > 1000, "{refused} of 3000 changes were seen by three look-ups");
    let [refused, other] = changed(&path, checksums, &rows, checksums.start as usize);
    assert_eq!(other, 0);
    assert!(refused > 2900, "{refused} of 3000 changes of checksums, page index and footer");
}

#[test]
fn a_part_with_checksums_is_whole_to_other_readers() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let (path, _) = part(&folder, &rows);
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), rows.len() as i64);
}
