//! Reads the tree of moves behind the header, as [`Node`]s in file order.
//!
//! | | version ≤ 10 | version ≥ 11 |
//! |---|---|---|
//! | record | from, to, flags, 0, length (4), text | from, to, flags, noise; length (4) and text if commented |
//! | has child | flags & 0xF0 ≠ 0 | flags & 0x80 |
//! | has sibling | flags & 0x0F ≠ 0 | flags & 0x40 |
//! | has comment | length ≠ 0 | flags & 0x20 |
//!
//! A move's byte is its square (file·10 + rank) plus 24 for the origin, 32 for the target. The first record is a root
//! without a move. A child follows its parent at once; a sibling follows when the subtree before it has ended.

use super::cipher::{FIRST_ENCIPHERED, Keys};
use super::header::square_of;
use super::{Defect, HEADER_BYTES};
use crate::archive::formats::lines::Node;
use crate::archive::text::plain::decode_gb18030;
use crate::xiangqi::Token;

/// Reads the records of a tree, one after the other.
#[derive(Debug)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    keys: Keys,
    position: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], keys: Keys) -> Records<'a> {
        Records { bytes, keys, position: HEADER_BYTES.min(bytes.len()) }
    }

    /// Returns the next record, with its comment if that is of use.
    ///
    /// # Errors
    /// A defect where the file ends in the middle of it, or its comment has an impossible length.
    #[inline]
    pub(super) fn next_node(&mut self, is_collected: bool) -> Result<Node, Defect> {
        let offset = self.position;
        let [from, to, flags, _] = self.read()?;
        let is_plain = self.keys.version < FIRST_ENCIPHERED;
        let (has_child, has_alternative) = match is_plain {
            true => (flags & 0xf0 != 0, flags & 0x0f != 0),
            false => (flags & 0x80 != 0, flags & 0x40 != 0),
        };
        let comment = if is_plain || flags & 0x20 != 0 { self.pass_comment()? } else { 0..0 };
        let origin = square_of(from.wrapping_sub(24).wrapping_sub(self.keys.from));
        let target = square_of(to.wrapping_sub(32).wrapping_sub(self.keys.to));
        let comment = match is_collected && !comment.is_empty() {
            true => decode_gb18030(&self.plain(comment)),
            false => String::new(),
        };
        let token = origin.zip(target).map(|(from, to)| Token::new(from, to));
        Ok(Node { token, has_child, has_alternative, comment, offset: offset as u64 })
    }

    /// Returns an error where the file goes on behind the tree.
    pub(super) fn finish(&self) -> Result<(), Defect> {
        match self.bytes.len() - self.position {
            0 => Ok(()),
            trailing => {
                Err(self.defect("trailing-bytes", format!("expected the end, found {trailing} more bytes")))
            }
        }
    }

    fn plain(&self, comment: std::ops::Range<usize>) -> Vec<u8> {
        let start = comment.start.saturating_sub(HEADER_BYTES);
        let raw = self.bytes.get(comment).unwrap_or_default();
        raw.iter().zip(start..).map(|(byte, index)| byte.wrapping_sub(self.keys.added(index))).collect()
    }

    /// Skips a comment; returns where its bytes lie.
    fn pass_comment(&mut self) -> Result<std::ops::Range<usize>, Defect> {
        let offset = self.position;
        let length = u32::from_le_bytes(self.read()?).wrapping_sub(self.keys.comment) as i32;
        let left = self.bytes.len() - self.position;
        match usize::try_from(length) {
            Ok(length) if length <= left => {
                let start = self.position;
                self.position += length;
                Ok(start..self.position)
            }
            _ => {
                self.position = offset;
                let message = format!("expected a comment of at most {left} bytes, found {length}");
                Err(self.defect("comment-length", message))
            }
        }
    }

    /// Returns the next four bytes, deciphered.
    #[inline]
    fn read(&mut self) -> Result<[u8; 4], Defect> {
        let Some(&raw) = self.bytes.get(self.position..).and_then(<[u8]>::first_chunk) else {
            return Err(self.defect("truncated", "expected a record of the tree, found the end of the file"));
        };
        let start = self.position - HEADER_BYTES;
        self.position += raw.len();
        Ok(self.keys.plain(raw, start))
    }

    fn defect(&self, reason: &'static str, message: impl Into<String>) -> Defect {
        Defect::new(reason, self.position as u64, message)
    }
}
