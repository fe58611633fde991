//! Sorted rows as bytes and back.
//!
//! | column | bytes |
//! |---|---|
//! | key | the difference from the key before it, as a number |
//! | lock, sample, mover | 4, 8 and 1 bytes each |
//! | other counts | numbers; marks signed |

use super::coding::{Taker, put, put_signed};
use crate::tally::rows::row::Row;

/// Appends rows, column by column, so that like bytes stand together.
pub fn encode_rows(rows: &[Row], bytes: &mut Vec<u8>) {
    let mut last = 0;
    for row in rows {
        put(bytes, row.key.wrapping_sub(last));
        last = row.key;
    }
    rows.iter().for_each(|row| bytes.extend_from_slice(&row.lock.to_le_bytes()));
    rows.iter().for_each(|row| bytes.extend_from_slice(&row.sample.to_le_bytes()));
    rows.iter().for_each(|row| bytes.push(row.mover));
    for number in NUMBERS {
        rows.iter().for_each(|row| put(bytes, number(row)));
    }
    rows.iter().for_each(|row| put_signed(bytes, row.marks));
}

/// The columns of small numbers, in the order in which [`decode_rows`] takes them.
const NUMBERS: [fn(&Row) -> u64; 12] = [
    |row| u64::from(row.played),
    |row| row.games,
    |row| row.first_wins,
    |row| row.draws,
    |row| row.second_wins,
    |row| u64::from(row.ply),
    |row| row.rating_sum,
    |row| row.rated,
    |row| u64::from(row.year_min),
    |row| u64::from(row.year_max),
    |row| u64::from(row.sample_rating),
    |row| u64::from(row.cell),
];

/// Puts a number of each of [`NUMBERS`] into a row; `None` if it does not fit.
const SETTERS: [fn(&mut Row, u64) -> Option<()>; 12] = [
    |row, value| fit(&mut row.played, value),
    |row, value| fit(&mut row.games, value),
    |row, value| fit(&mut row.first_wins, value),
    |row, value| fit(&mut row.draws, value),
    |row, value| fit(&mut row.second_wins, value),
    |row, value| fit(&mut row.ply, value),
    |row, value| fit(&mut row.rating_sum, value),
    |row, value| fit(&mut row.rated, value),
    |row, value| fit(&mut row.year_min, value),
    |row, value| fit(&mut row.year_max, value),
    |row, value| fit(&mut row.sample_rating, value),
    |row, value| fit(&mut row.cell, value),
];

fn fit<T: TryFrom<u64>>(field: &mut T, value: u64) -> Option<()> {
    *field = value.try_into().ok()?;
    Some(())
}

/// Appends the `count` rows that [`encode_rows`] wrote; `None` if the bytes are others.
pub fn decode_rows(bytes: &[u8], count: usize, rows: &mut Vec<Row>) -> Option<()> {
    let mut taker = Taker::new(bytes);
    let mut key = 0u64;
    for _ in 0..count {
        key = key.wrapping_add(taker.number()?);
        rows.push(Row { key, ..Row::default() });
    }
    for row in rows.iter_mut() {
        row.lock = u32::from_le_bytes(taker.take(4)?.try_into().ok()?);
    }
    for row in rows.iter_mut() {
        row.sample = taker.fixed()?;
    }
    for (row, &mover) in rows.iter_mut().zip(taker.take(count)?) {
        row.mover = mover;
    }
    for set in SETTERS {
        for row in rows.iter_mut() {
            set(row, taker.number()?)?;
        }
    }
    for row in rows.iter_mut() {
        row.marks = taker.signed()?;
    }
    taker.is_empty().then_some(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Any row of few positions, so that rows of two tables meet.
    pub fn row() -> impl Strategy<Value = Row> {
        let identity = (0..30u64, 0..2u32, 0..4u16, 0..3u16);
        let counts = (0..1000u64, 0..300u64, 0..300u64, 0..300u64);
        let known = (any::<u16>(), 0..u64::from(u32::MAX), 0..5u64, any::<[u16; 2]>());
        let rest = (-1000..1000i64, any::<u64>(), 0..3000u16);
        (identity, counts, known, rest).prop_map(|((key, lock, played, cell), counts, known, rest)| Row {
            key: key.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            lock,
            played,
            mover: (key & 1) as u8,
            games: counts.0,
            first_wins: counts.1,
            draws: counts.2,
            second_wins: counts.3,
            ply: known.0,
            rating_sum: known.1,
            rated: known.2,
            year_min: known.3[0].min(known.3[1]),
            year_max: known.3[0].max(known.3[1]),
            marks: rest.0,
            sample: rest.1,
            sample_rating: rest.2,
            cell,
        })
    }

    /// Some rows, sorted, each position, move and cell once.
    pub fn sorted_rows() -> impl Strategy<Value = Vec<Row>> {
        prop::collection::vec(row(), 0..120).prop_map(|mut rows| {
            rows.sort_unstable_by_key(Row::identity);
            rows.dedup_by_key(|row| row.identity());
            rows
        })
    }

    proptest! {
        #[test]
        fn decoding_gives_back_what_was_encoded(rows in sorted_rows()) {
            let mut bytes = Vec::new();
            encode_rows(&rows, &mut bytes);
            let mut found = Vec::new();
            prop_assert_eq!(decode_rows(&bytes, rows.len(), &mut found), Some(()));
            prop_assert_eq!(found, rows);
        }

        #[test]
        fn other_bytes_are_refused_or_are_rows(bytes: Vec<u8>, count in 0..50usize) {
            let mut found = Vec::new();
            if decode_rows(&bytes, count, &mut found).is_some() {
                prop_assert_eq!(found.len(), count);
            }
        }
    }
}
