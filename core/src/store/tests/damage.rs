//! Changed bytes of a part: refused, or the same answers; never the end of the program.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::all_rows;
use super::group;
use crate::store::columns::MAKER;
use crate::store::part::PartWriter;
use crate::store::reader::PartRows;
use crate::store::sums::{MARK, read_mark};
use crate::store::{PartLookup, Reach};
use crate::tally::{KeyRange, Row, StorageError};

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

fn part(folder: &TempDir, rows: &[Row]) -> PathBuf {
    let path = folder.path().join("part.parquet");
    let mut writer = PartWriter::create(&path, false, &[("a".into(), "b".into())]).unwrap();
    rows.chunks(1200).for_each(|rows| writer.group(&group(false, rows), 1, || Ok(())).unwrap());
    writer.finish().unwrap();
    path
}

/// Asks a part for some positions: those of the first, a middle and the last row.
fn looked_up(path: &Path, rows: &[Row]) -> Result<Vec<Row>, StorageError> {
    let part = PartLookup::open(path)?;
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

/// Changes one to three bytes from `from` on, `count` times, and returns what each made of a look-up and of a whole read.
fn changed(path: &Path, rows: &[Row], from: usize, count: u64) -> [usize; 2] {
    let whole = fs::read(path).unwrap();
    let expected = looked_up(path, rows).unwrap();
    let (mut refused, mut other) = (0, 0);
    for number in 0..count {
        let mut bytes = whole.clone();
        let state = &mut (number << 20);
        for _ in 0..=random(state) % 3 {
            let place = from + random(state) as usize % (bytes.len() - from);
            bytes[place] = random(state) as u8;
        }
        fs::write(path, &bytes).unwrap();
        let told =
            catch_unwind(|| (looked_up(path, rows), PartRows::open(path, KeyRange::ALL).and_then(all_rows)));
        let Ok((found, read)) = told else { panic!("the reader panics at change {number}") };
        refused += usize::from(found.is_err());
        other +=
            usize::from(found.is_ok_and(|found| found != expected) || read.is_ok_and(|read| read != rows));
    }
    [refused, other]
}

/// Defect 6 of an attack: a changed page gave other numbers.
#[test]
fn changed_bytes_of_a_part_are_refused_or_tell_the_same() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let path = part(&folder, &rows);
    let [refused, other] = changed(&path, &rows, 0, 3000);
    assert_eq!(other, 0);
    assert!(refused > 1000, "{refused} of 3000 changes were seen by three look-ups");
}

/// A changed footer could end the program: "column start and length should not be negative".
#[test]
fn changed_bytes_of_a_footer_are_refused_or_tell_the_same() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let path = part(&folder, &rows);
    let (start, _) = read_mark(&fs::read(&path).unwrap()).unwrap();
    let [refused, other] = changed(&path, &rows, start as usize, 3000);
    assert_eq!(other, 0);
    assert!(refused > 2900, "{refused} of 3000");
}

#[test]
fn a_part_without_checksums_is_read_and_its_changed_footer_never_panics() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let path = part(&folder, &rows);
    let mut bytes = fs::read(&path).unwrap();
    let (start, _) = read_mark(&bytes).unwrap();
    for mark in [MARK, MAKER] {
        let place = memchr::memmem::rfind(&bytes, mark.as_bytes()).unwrap();
        bytes[place] = b'B';
    }
    fs::write(&path, &bytes).unwrap();
    assert_eq!(looked_up(&path, &rows).unwrap().len(), 3);
    let [refused, _] = changed(&path, &rows, start as usize, 8_000);
    assert!(refused > 1000, "{refused} of 8000");
}

#[test]
fn a_part_with_checksums_is_whole_to_other_readers() {
    let folder = TempDir::new().unwrap();
    let rows = rows();
    let path = part(&folder, &rows);
    let bytes = fs::read(&path).unwrap();
    let (start, _) = read_mark(&bytes).unwrap();
    // One checksum of four bytes for each 1024 bytes of pages, and 60 bytes of the footer.
    assert!((start as usize..bytes.len()).contains(&(start as usize + start.div_ceil(1024) as usize * 4)));
    let file = bytes::Bytes::from(bytes);
    let reader = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let metadata = parquet::file::reader::FileReader::metadata(&reader);
    assert_eq!(metadata.file_metadata().num_rows(), rows.len() as i64);
}
