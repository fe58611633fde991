//! read(write(x)) = x, and a probe finds what a map finds.

use std::collections::BTreeMap;

use super::*;
use crate::book::record::{Counts, Record, Word};
use crate::game::{Key, Lock};

fn record_of(row: &Row, has_columns: bool) -> Record {
    let [wins, draws, losses] = row.counts.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    Record {
        key: Key(row.key),
        word: Word::new(row.usage(), row.counts, row.quality),
        lock: has_columns.then_some(Lock(row.lock)),
        counts: has_columns.then_some(Counts { wins, draws, losses }),
        valued: Valued::unpack(row.valued),
    }
}

fn check_against_map(book: &Book, rows: &[Row], strangers: &[(u64, u32)]) {
    let map: BTreeMap<_, _> = rows.iter().map(|row| ((row.key, row.lock), record_of(row, true))).collect();
    let asked = map.keys().copied().chain(strangers.iter().copied());
    let near = map.keys().flat_map(|&(key, lock)| {
        [(key.wrapping_add(1), lock), (key.wrapping_sub(1), lock), (key, lock ^ 1), (key ^ 1 << 63, lock)]
    });
    let positions: Vec<_> = asked.chain(near).map(|(key, lock)| (Key(key), Lock(lock))).collect();
    for &(key, lock) in &positions {
        let place = book.find(key, lock).unwrap();
        let expected = map.get(&(key.0, lock.0)).copied();
        assert_eq!(book.probe(key, lock).unwrap(), expected);
        assert_eq!(place.and_then(|place| book.iter().nth(place)), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_book_gives_back_what_was_written(rows in any_table(300), recipe in ".{0,100}") {
        let (_folder, path) = write_rows(&rows, &options(&recipe));
        let book = open(&path).unwrap();
        book.verify(&always).unwrap();
        prop_assert_eq!(book.recipe().unwrap(), recipe);
        prop_assert_eq!((book.game(), book.len()), (GameId::Xiangqi, rows.len()));
        prop_assert!(book.header().is_folded && book.header().has_columns);
        prop_assert_eq!(book.header().has_values, rows.iter().any(|row| row.valued > 0));
        prop_assert!(book.iter().eq(rows.iter().map(|row| record_of(row, true))));
        let mut sizes = vec![0; CLUSTERS];
        rows.iter().for_each(|row| sizes[cluster_of(row.key)] += 1);
        prop_assert!(book.cluster_sizes().eq(sizes));
    }

    #[test]
    fn a_probe_finds_what_a_map_finds(
        rows in any_table(2000),
        strangers in prop::collection::vec((any_key(), any::<u32>()), 100),
    ) {
        let (_folder, path) = write_rows(&rows, &options("{}"));
        check_against_map(&open(&path).unwrap(), &rows, &strangers);
    }

    #[test]
    fn a_book_without_columns_is_probed_by_key_alone(mut rows in any_table(500)) {
        rows.dedup_by_key(|row| row.key);
        let (_folder, path) = write_rows(&rows, &Options { has_columns: false, ..options("{}") });
        let book = open(&path).unwrap();
        book.verify(&always).unwrap();
        prop_assert!(book.raw_column(Column::Lock).is_none());
        for row in &rows {
            let found = book.probe(Key(row.key), Lock(!row.lock)).unwrap();
            prop_assert_eq!(found, Some(record_of(row, false)));
        }
    }
}

#[test]
fn an_empty_book_opens_verifies_and_finds_nothing() {
    for has_columns in [true, false] {
        let (_folder, path) = write_rows(&[], &Options { has_columns, ..options("") });
        let book = open(&path).unwrap();
        book.verify(&always).unwrap();
        assert!(book.is_empty() && book.iter().next().is_none());
        check_against_map(&book, &[], &[(0, 0), (1 << 49, 1), (u64::MAX, u32::MAX)]);
    }
}

#[test]
fn clusters_at_both_ends_hold_any_number_of_records() {
    for cluster in [0, CLUSTERS as u64 - 1] {
        // Dense, then sparse: the search inside must not rely on an even spread.
        for step in [1, 1 << 33] {
            let rows: Vec<_> =
                (0..5000).map(|place| Row::new((cluster << 49) | (place * step), place as u32)).collect();
            let (_folder, path) = write_rows(&rows, &options("{}"));
            check_against_map(&open(&path).unwrap(), &rows, &[]);
        }
    }
}

#[test]
fn rows_that_cannot_be_records_are_refused_and_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.book");
    let refusal = |rows: &[Row], has_columns| {
        let table = Table::new(rows);
        let error = write(&path, &Options { has_columns, ..options("{}") }, &[table.rows()], &always);
        error.unwrap_err().to_string()
    };
    let good = Row::new(5, 5);
    assert!(refusal(&[good, good], true).contains("row 1: key 0x0000000000000005, lock 0x00000005"));
    assert!(refusal(&[good, Row::new(4, 9)], true).contains("sort by (key, lock)"));
    assert!(refusal(&[good, Row::new(5, 6)], false).contains("store the lock column"));
    assert!(refusal(&[good, Row { quality: 32, ..Row::new(6, 6) }], true).contains("row 1: quality 32"));
    assert!(
        refusal(&[good, Row { valued: 7, ..Row::new(6, 6) }], true)
            .contains("row 1: value 0x7, expected a depth")
    );
    let overflow = Row { counts: [u64::MAX, 0, 0], unknown: 0, ..good };
    let mut table = Table::new(&[overflow]);
    table.usage[0] = 7;
    let error = write(&path, &options("{}"), &[table.rows()], &always).unwrap_err();
    assert!(error.to_string().contains("exceed the usage, 7"), "{error}");
    table.locks.clear();
    let error = write(&path, &options("{}"), &[table.rows()], &always).unwrap_err();
    assert!(error.to_string().contains("differ in length"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}
