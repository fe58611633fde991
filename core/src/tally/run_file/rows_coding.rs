//! Sorted rows as bytes, column by column, so that similar bytes lie together.
//!
//! | column | bytes |
//! |---|---|
//! | key | the difference from the key before it, as a number |
//! | columns that look like noise (coding `Plain`) | as they are, little-endian |
//! | other columns | numbers; signed ones by their zigzag code |

use super::coding::{Taker, put};
use crate::tally::rows::row::Row;
use crate::tally::rows::schema::for_tally_columns;

macro_rules! is_fixed {
    (Plain) => {
        true
    };
    ($coding:ident) => {
        false
    };
}

macro_rules! row_coding {
    (
        key $key:literal $key_type:ident $key_coding:ident $key_unit:literal $key_meaning:literal;
        $($field:ident $name:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*
    ) => {
        /// Appends rows.
        pub fn encode_rows(rows: &[Row], bytes: &mut Vec<u8>) {
            let mut last = 0;
            for row in rows {
                put(bytes, row.key.wrapping_sub(last));
                last = row.key;
            }
            $(put_column(rows.iter().map(|row| row.$field), is_fixed!($coding), bytes);)*
            put_column(rows.iter().map(|row| row.cell), false, bytes);
        }

        /// Appends the `count` rows that [`encode_rows`] wrote; `None` for other bytes.
        pub fn decode_rows(bytes: &[u8], count: usize, rows: &mut Vec<Row>) -> Option<()> {
            let mut taker = Taker::new(bytes);
            let mut key = 0u64;
            for _ in 0..count {
                key = key.wrapping_add(taker.number()?);
                rows.push(Row { key, ..Row::default() });
            }
            $(take_column(rows.iter_mut().map(|row| &mut row.$field), is_fixed!($coding), &mut taker)?;)*
            take_column(rows.iter_mut().map(|row| &mut row.cell), false, &mut taker)?;
            taker.is_empty().then_some(())
        }
    };
}

for_tally_columns!(row_coding);

/// A number that a column may hold; `unpack(pack(number))` is the number.
trait Packs: Copy {
    /// Returns a number that is small where this one is near 0.
    fn pack(self) -> u64;
    /// Returns the number that was packed.
    fn unpack(packed: u64) -> Self;
}

macro_rules! unsigned {
    ($($type:ty)*) => {
        $(impl Packs for $type {
            fn pack(self) -> u64 {
                u64::from(self)
            }

            fn unpack(packed: u64) -> $type {
                packed as $type
            }
        })*
    };
}

unsigned!(u8 u16 u32 u64);

/// The sign goes into the last bit, so that small negative numbers stay small.
impl Packs for i64 {
    fn pack(self) -> u64 {
        (self << 1 ^ self >> 63) as u64
    }

    fn unpack(packed: u64) -> i64 {
        (packed >> 1) as i64 ^ -((packed & 1) as i64)
    }
}

fn put_column<T: Packs>(numbers: impl Iterator<Item = T>, is_fixed: bool, bytes: &mut Vec<u8>) {
    for number in numbers {
        match is_fixed {
            true => bytes.extend_from_slice(&number.pack().to_le_bytes()[..size_of::<T>()]),
            false => put(bytes, number.pack()),
        }
    }
}

fn take_column<'a, T: Packs + 'a>(
    numbers: impl Iterator<Item = &'a mut T>,
    is_fixed: bool,
    taker: &mut Taker<'_>,
) -> Option<()> {
    for number in numbers {
        let packed = if is_fixed { taker.fixed(size_of::<T>())? } else { taker.number()? };
        *number = T::unpack(packed);
        if number.pack() != packed {
            return None;
        }
    }
    Some(())
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
        let rest = (-1000..1000i64, any::<u64>(), 0..3000u16, 0..300u64, -30_000..30_000i64);
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
            paired: rest.3,
            surplus: rest.4,
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
