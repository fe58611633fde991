//! A column of a tally, as wide as its largest number.

/// The numbers of one column of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tally) enum PackedColumn {
    /// Only zeros.
    Zeros,
    /// Numbers below 2^8.
    U8(Box<[u8]>),
    /// Numbers below 2^16.
    U16(Box<[u16]>),
    /// Numbers below 2^32.
    U32(Box<[u32]>),
    /// Larger numbers.
    U64(Box<[u64]>),
}

impl PackedColumn {
    pub fn of<T: Packs>(numbers: impl ExactSizeIterator<Item = T> + Clone) -> PackedColumn {
        let bits = numbers.clone().fold(0, |bits, number| bits | number.pack());
        let packed = numbers.map(T::pack);
        match bits {
            0 => PackedColumn::Zeros,
            1..0x100 => PackedColumn::U8(packed.map(|number| number as u8).collect()),
            0x100..0x1_0000 => PackedColumn::U16(packed.map(|number| number as u16).collect()),
            0x1_0000..0x1_0000_0000 => PackedColumn::U32(packed.map(|number| number as u32).collect()),
            _ => PackedColumn::U64(packed.collect()),
        }
    }

    /// Appends the column's `len` numbers.
    pub fn unpack<T: Packs>(&self, len: usize, numbers: &mut Vec<T>) {
        match self {
            PackedColumn::Zeros => numbers.extend(std::iter::repeat_n(T::unpack(0), len)),
            PackedColumn::U8(packed) => numbers.extend(packed.iter().map(|&number| T::unpack(number.into()))),
            PackedColumn::U16(packed) => {
                numbers.extend(packed.iter().map(|&number| T::unpack(number.into())))
            }
            PackedColumn::U32(packed) => {
                numbers.extend(packed.iter().map(|&number| T::unpack(number.into())))
            }
            PackedColumn::U64(packed) => numbers.extend(packed.iter().map(|&number| T::unpack(number))),
        }
    }
}

/// A number that a column may hold; `unpack(pack(number))` is the number.
pub(in crate::tally) trait Packs: Copy {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of every width.
    fn number() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0..=64u32).prop_map(|(number, shift)| number.checked_shr(shift).unwrap_or(0))
    }

    proptest! {
        #[test]
        fn packed_columns_unpack_to_themselves(numbers in prop::collection::vec(number(), 0..50), shift in 0..64) {
            let signed: Vec<i64> = numbers.iter().map(|&number| number as i64 >> shift).collect();
            let mut again: Vec<u64> = Vec::new();
            PackedColumn::of(numbers.iter().copied()).unpack(numbers.len(), &mut again);
            prop_assert_eq!(&again, &numbers);
            let mut again: Vec<i64> = Vec::new();
            PackedColumn::of(signed.iter().copied()).unpack(signed.len(), &mut again);
            prop_assert_eq!(&again, &signed);
        }
    }

    #[test]
    fn a_column_is_as_wide_as_its_largest_number() {
        assert_eq!(PackedColumn::of([0u64, 0].into_iter()), PackedColumn::Zeros);
        assert_eq!(PackedColumn::of([0u64, 255].into_iter()), PackedColumn::U8([0, 255].into()));
        assert_eq!(PackedColumn::of([1u32, 256].into_iter()), PackedColumn::U16([1, 256].into()));
        assert_eq!(PackedColumn::of([-1i64, 1].into_iter()), PackedColumn::U8([1, 2].into()));
        assert_eq!(PackedColumn::of([u64::MAX].into_iter()), PackedColumn::U64([u64::MAX].into()));
    }
}
