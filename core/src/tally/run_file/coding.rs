//! Numbers and texts as bytes, for the files of a run: little-endian, LEB128 where small numbers are frequent.
//!
//! | kind | bytes |
//! |---|---|
//! | number | 7 bits a byte, low bits first; the top bit says that another byte follows |
//! | signed number | its zigzag code as a number |
//! | text, bytes | length as a number, then the bytes |

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a signed number.
pub fn put_signed(bytes: &mut Vec<u8>, value: i64) {
    put(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends a byte string.
pub fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

/// Takes numbers and texts off the front of some bytes; `None` where they end too soon.
#[derive(Debug, Clone, Copy)]
pub struct Taker<'a> {
    bytes: &'a [u8],
}

impl<'a> Taker<'a> {
    /// Returns a taker that stands at the first byte.
    pub fn new(bytes: &'a [u8]) -> Taker<'a> {
        Taker { bytes }
    }

    /// Returns whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Takes a number that fits in fewer bits.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    /// Takes a signed number.
    pub fn signed(&mut self) -> Option<i64> {
        let code = self.number()?;
        Some((code >> 1) as i64 ^ -((code & 1) as i64))
    }

    /// Takes `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Takes a byte string.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.small()?;
        self.take(count)
    }

    /// Takes a text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Takes a fixed 64-bit number.
    pub fn fixed(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_put_is_taken(numbers in prop::collection::vec(any::<u64>(), 0..20), signed: i64, text: String) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put(&mut bytes, number));
            put_signed(&mut bytes, signed);
            put_bytes(&mut bytes, text.as_bytes());
            let mut taker = Taker::new(&bytes);
            for number in numbers {
                prop_assert_eq!(taker.number(), Some(number));
            }
            prop_assert_eq!(taker.signed(), Some(signed));
            prop_assert_eq!(taker.text(), Some(text.as_str()));
            prop_assert!(taker.is_empty());
            prop_assert_eq!(taker.number(), None);
        }
    }
}
