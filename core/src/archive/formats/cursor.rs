//! Reads binary formats field by field. A defect names the missing field and its place.

use crate::archive::Defect;

/// A place in a piece of a member.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Offset of the first byte in the member.
    base: u64,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor at the start of bytes that lie at offset `base` in their member.
    pub(super) fn new(bytes: &'a [u8], base: u64) -> Cursor<'a> {
        Cursor { bytes, position: 0, base }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Reads `count` bytes; where they are not there, the defect says that `expected` was expected.
    pub(super) fn take(&mut self, count: usize, expected: &str) -> Result<&'a [u8], Defect> {
        let Some(taken) = self.rest().get(..count) else {
            let message = format!("expected {expected}, found {} bytes", self.rest().len());
            return Err(self.defect("truncated", message));
        };
        self.position += count;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], Defect> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, expected)?);
        Ok(array)
    }

    pub(super) fn u32(&mut self, expected: &str) -> Result<u32, Defect> {
        self.array(expected).map(u32::from_le_bytes)
    }

    /// Reads bytes that a number of four bytes counts.
    pub(super) fn counted(&mut self, expected: &str) -> Result<&'a [u8], Defect> {
        let count = self.u32(expected)?;
        self.take(usize::try_from(count).unwrap_or(usize::MAX), expected)
    }

    /// Reads text that a byte counts.
    pub(super) fn pascal(&mut self, expected: &str) -> Result<&'a [u8], Defect> {
        let [count] = self.array(expected)?;
        self.take(usize::from(count), expected)
    }

    /// Returns an error where bytes are left.
    pub(super) fn end(&self) -> Result<(), Defect> {
        match self.rest().len() {
            0 => Ok(()),
            left => Err(self.defect("trailing-bytes", format!("expected the end, found {left} more bytes"))),
        }
    }

    pub(super) fn defect(&self, reason: &'static str, message: impl Into<String>) -> Defect {
        Defect::new(reason, self.offset(), message)
    }
}

pub(in crate::archive) fn big_endian(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
