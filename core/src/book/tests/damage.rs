//! A damaged, truncated, foreign or newer file is refused, and a write that fails leaves what was there.

use std::fs;
use std::ops::ControlFlow;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::*;
use crate::book::layout::{HEADER_BYTES, MAGIC, RECORD_BYTES, VERSION};
use crate::book::record::Record;
use crate::book::view::{View, check, verify};
use crate::game::{Key, Lock};

/// Looks up every key of the small book, and one that it lacks, in bytes as if they were a file.
fn looked_up(path: &Path) -> Result<Vec<Option<Record>>, BookError> {
    let book = open(path)?;
    let mut found = vec![book.probe(Key(6), Lock(0))?];
    for row in small_rows() {
        found.push(book.probe(Key(row.key), Lock(row.lock))?);
    }
    book.recipe()?;
    Ok(found)
}

#[test]
fn every_changed_byte_is_refused_by_look_ups_or_gives_the_same() {
    let folder = TempDir::new().unwrap();
    let whole = small_book();
    let path = folder.path().join("small.book");
    fs::write(&path, &whole).unwrap();
    let expected = looked_up(&path).unwrap();
    // Opening a book checks the index. Some of its bytes are enough.
    let index = HEADER_BYTES..HEADER_BYTES + 4 * INDEX_ENTRIES;
    let mut refused = 0;
    for place in (0..whole.len()).filter(|place| !index.contains(place) || place % 977 == 0) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, &bytes).unwrap();
        match looked_up(&path) {
            Ok(found) => assert_eq!(found, expected, "byte {place}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn a_changed_byte_is_refused_by_those_who_read_the_whole_book() {
    let folder = TempDir::new().unwrap();
    let whole = small_book();
    let path = folder.path().join("small.book");
    fs::write(&path, &whole).unwrap();
    open(&path).unwrap().check_whole(&always).unwrap();
    for place in HEADER_BYTES + 4 * INDEX_ENTRIES..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        let read = open(&path).and_then(|book| book.check_whole(&always));
        assert!(read.is_err(), "byte {place}");
    }
}

fn small_rows() -> Vec<Row> {
    [3, 4, 5 << 49, (5 << 49) + 1, u64::MAX].map(|key| Row::new(key, key as u32 ^ 9)).to_vec()
}

fn small_book() -> Vec<u8> {
    let (_folder, path) = write_rows(&small_rows(), &options("{\"version\": \"1\"}"));
    fs::read(path).unwrap()
}

/// Opens and verifies bytes as if they were a file.
fn examine(bytes: &[u8]) -> Result<(), BookError> {
    let path = Path::new("small.book");
    let (header, sections) = check(bytes, &[SCHEME], path)?;
    verify(View { bytes, header: &header, sections: &sections, path }, &always)
}

/// Sets the header's checksum right after a change to it, as a program that writes nonsense would.
fn seal(bytes: &mut [u8]) {
    let checksum = xxh3_64(&bytes[..56]);
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn every_flipped_byte_is_noticed() {
    let book = small_book();
    examine(&book).unwrap();
    let unnoticed: Vec<_> = (0..book.len())
        .into_par_iter()
        .map_with(book.clone(), |bytes, place| {
            let mut flips = [1u8 << (place % 8), 0xff].into_iter();
            let missed = flips.find(|&flip| {
                bytes[place] ^= flip;
                let is_missed = examine(bytes).is_ok();
                bytes[place] ^= flip;
                is_missed
            });
            missed.map(|flip| (place, flip))
        })
        .flatten()
        .collect();
    assert_eq!(unnoticed, []);
}

#[test]
fn a_false_checksum_of_a_block_is_noticed_where_the_file_s_is_right() {
    let mut book = small_book();
    let (_, sections) = check(&book, &[SCHEME], Path::new("small.book")).unwrap();
    book[sections.sums.start + 4] ^= 1;
    let trailer = sections.trailer.start;
    let checksum = xxh3_64(&book[..trailer]);
    book[trailer..].copy_from_slice(&checksum.to_le_bytes());
    let error = examine(&book).unwrap_err().to_string();
    assert!(error.contains("the 4096 bytes at offset 4096 do not fit their checksum"), "{error}");
}

#[test]
fn every_truncation_is_noticed() {
    let book = small_book();
    for length in 0..book.len() {
        let error = examine(&book[..length]).unwrap_err();
        assert!(error.to_string().contains(&format!("truncated: {length} bytes, expected")), "{error}");
    }
    let longer = [book.as_slice(), &[0]].concat();
    let error = examine(&longer).unwrap_err().to_string();
    assert!(error.contains("something was appended after the book"), "{error}");
}

#[test]
fn foreign_files_are_refused_by_name() {
    let book = small_book();
    let foreign = examine(b"PK\x03\x04 an archive of some kind").unwrap_err();
    assert!(foreign.to_string().contains("not a clustered book"), "{foreign}");
    assert!(foreign.to_string().contains("PK\\x03\\x04"), "{foreign}");

    for version in [0, VERSION + 1] {
        let mut other = book.clone();
        other[8..10].copy_from_slice(&version.to_le_bytes());
        seal(&mut other);
        let error = examine(&other).unwrap_err();
        assert!(error.to_string().contains(&format!("book format {version} at offset 8")), "{error}");
    }

    let chess = Scheme { game: GameId::Chess, ..SCHEME };
    let error = check(&book, &[chess], Path::new("small.book")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "small.book: a book of xiangqi, expected chess; open the book of the game you play"
    );
    let other = Scheme { fingerprint: 1, ..SCHEME };
    let error = check(&book, &[chess, other], Path::new("small.book")).unwrap_err();
    assert!(error.to_string().contains("xiangqi keys of another scheme"), "{error}");
    assert!(error.to_string().contains("expected 0x0000000000000001"), "{error}");
}

#[test]
fn damage_is_named_where_it_lies() {
    let book = small_book();
    let (_, sections) = check(&book, &[SCHEME], Path::new("small.book")).unwrap();
    let [lock, wins, ..] = sections.columns.clone().unwrap();
    let damaged = |offset: usize, value: u8| {
        let mut bytes = book.clone();
        bytes[offset] = value;
        examine(&bytes).unwrap_err().to_string()
    };
    let error = damaged(sections.records.start, 9);
    let offset = sections.records.start + RECORD_BYTES;
    assert!(error.contains(&format!("record 1 at offset {offset}: key")), "{error}");
    assert!(error.contains("does not come after key"), "{error}");
    let error = damaged(sections.index.start + 4 * 5, 5);
    assert!(error.contains("cluster index entry 6 at offset"), "{error}");
    let error = damaged(sections.index.start + 4 * 5, 3);
    let offset = sections.index.start + 4 * 5;
    assert!(error.contains(&format!("cluster index entry 5 at offset {offset} is 3, expected")), "{error}");
    let error = damaged(wins.start, 0);
    assert!(error.contains("record 0 at offset") && error.contains("contradicts its 0 wins"), "{error}");
    let error = damaged(sections.recipe.start + 2, 0xff);
    let offset = sections.recipe.start + 2;
    assert!(error.contains(&format!("the recipe is not UTF-8 at offset {offset}")), "{error}");
    let error = damaged(lock.start + 1, 0xff);
    let offset = sections.trailer.start;
    assert!(error.contains("checksum 0x") && error.contains(&format!("at offset {offset}")), "{error}");
}

#[test]
fn an_interrupted_write_leaves_the_old_book() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.book");
    fs::write(&path, b"the old book").unwrap();
    let table = Table::new(&small_rows());
    // One question when the rows are checked, one per section: each is the last once.
    for patience in 0..6 {
        let asked = std::cell::Cell::new(0);
        let go_on = || {
            asked.set(asked.get() + 1);
            if asked.get() > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let error = write(&path, &options("{}"), &[table.rows()], &go_on).unwrap_err();
        assert!(matches!(error, BookError::Interrupted { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"the old book");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }
    write(&path, &options("{}"), &[table.rows()], &always).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(&MAGIC), "a finished write replaces it");
    let book = open(&path).unwrap();
    let error = book.verify(&|| ControlFlow::Break(())).unwrap_err();
    assert!(matches!(error, BookError::Interrupted { .. }), "{error}");
}

#[test]
fn a_full_disk_is_an_error() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let rows = small_rows();
    let (table, bytes) = (Table::new(&rows), small_book());
    let (header, _) = check(&bytes, &[SCHEME], Path::new("small.book")).unwrap();
    let starts = vec![0; INDEX_ENTRIES];
    let chunks = [table.rows()];
    let recipe = "{\"version\": \"1\"}";
    let body = Body { path: Path::new("full.book"), header, starts: &starts, chunks: &chunks, recipe };
    for room in [0, 63, 64, 131_139, 131_140, bytes.len() - 8, bytes.len() - 1] {
        let error = body.write(&mut Full(room), &always).unwrap_err();
        assert!(matches!(error, BookError::Io { .. }), "{room}: {error}");
    }
    body.write(&mut Full(bytes.len()), &always).unwrap();
}
