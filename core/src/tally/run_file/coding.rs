//! Numbers and texts as bytes in run files: LEB128 numbers, and texts with their length.
//!
//! | kind | bytes |
//! |---|---|
//! | number | 7 bits a byte, low bits first; the top bit says that another byte follows |
//! | text, bytes | length as a number, then the bytes |

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a byte string.
pub fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

/// Takes numbers and texts off the front of some bytes; `None` if they end too soon.
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

    /// Takes a number of `count` bytes, at most 8, little-endian.
    pub fn fixed(&mut self, count: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        bytes[..count].copy_from_slice(self.take(count)?);
        Some(u64::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_texts_survive(numbers in prop::collection::vec(any::<u64>(), 0..20), text: String) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put(&mut bytes, number));
            put_bytes(&mut bytes, text.as_bytes());
            let mut taker = Taker::new(&bytes);
            for number in numbers {
                prop_assert_eq!(taker.number(), Some(number));
            }
            prop_assert_eq!(taker.text(), Some(text.as_str()));
            prop_assert!(taker.is_empty());
            prop_assert_eq!(taker.number(), None);
        }
    }
}
