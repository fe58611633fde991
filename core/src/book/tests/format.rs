//! The pinned bytes of a book of three records. A change here is a change of the format: raise the version.

use xxhash_rust::xxh3::xxh3_64;

use super::*;

const RECIPE: &str = "{\"moves\":\"馬\"}";

/// One position, then two that share a key; a count above `u32::MAX`, a usage above 24 bits.
const ROWS: [Row; 3] = [
    Row {
        key: 0x0001_0203_0405_0607,
        lock: 0x0a0b_0c0d,
        counts: [2, 1, 0],
        unknown: 1,
        quality: 17,
        valued: 0,
    },
    Row { key: 0x8000_0000_0000_0001, lock: 7, counts: [0, 0, 1 << 33], unknown: 0, quality: 31, valued: 0 },
    Row { key: 0x8000_0000_0000_0001, lock: 8, counts: [0, 5, 0], unknown: 0, quality: 0, valued: 0 },
];

#[rustfmt::skip]
const HEADER: [u8; 64] = [
    b'B', b'O', b'O', b'K', b'B', b'L', b'D', b'R',
    1, 0, 1, 3, 15, 0, 0, 0,                        // version 1, xiangqi, folded with columns, 15 bytes of recipe
    0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, // key scheme
    3, 0, 0, 0, 0, 0, 0, 0,                         // records
    0x80, 0, 2, 0, 0, 0, 0, 0,                      // offset of the records, 131,200
    0xc0, 0, 2, 0, 0, 0, 0, 0,                      // of the columns, 131,264
    0xc0, 1, 2, 0, 0, 0, 0, 0,                      // of the recipe, 131,520
    0xce, 0xd1, 0x00, 0xb3, 0xef, 0x45, 0x5f, 0x7b, // checksum
];

#[rustfmt::skip]
const RECORDS: [u8; 36] = [
    7, 6, 5, 4, 3, 2, 1, 0,    0x04, 0, 0, 0xd1, // won, drawn, quality 17, usage 4
    1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x3f,
    1, 0, 0, 0, 0, 0, 0, 0x80, 0x05, 0, 0, 0x40,
];

#[rustfmt::skip]
const COLUMNS: [[u8; 12]; 4] = [
    [0x0d, 0x0c, 0x0b, 0x0a, 7, 0, 0, 0, 8, 0, 0, 0],
    [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0],
    [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
];

const TRAILER: [u8; 8] = [0xc7, 0xe5, 0x64, 0xb7, 0xfb, 0x2a, 0x1d, 0x5f];

#[test]
fn three_records_have_the_pinned_bytes() {
    let mut expected = HEADER.to_vec();
    // The first key lies in cluster 0, the others in 0x4000.
    for entry in 0..=32_768u32 {
        let start: u32 = match entry {
            0 => 0,
            1..=0x4000 => 1,
            _ => 3,
        };
        expected.extend(start.to_le_bytes());
    }
    let section = |expected: &mut Vec<u8>, bytes: &[u8]| {
        expected.resize(expected.len().next_multiple_of(64), 0);
        expected.extend(bytes);
    };
    section(&mut expected, &RECORDS);
    COLUMNS.iter().for_each(|column| section(&mut expected, column));
    section(&mut expected, RECIPE.as_bytes());
    let sums: Vec<u8> =
        expected.chunks(4096).flat_map(|block| (xxh3_64(block) as u32).to_le_bytes()).collect();
    section(&mut expected, &sums);
    expected.extend(TRAILER);

    let (_folder, path) = write_rows(&ROWS, &options(RECIPE));
    assert!(std::fs::read(path).unwrap() == expected, "the bytes of a book have changed");
}
