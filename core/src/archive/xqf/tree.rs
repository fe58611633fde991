//! The tree of moves: the bytes behind the header in, one [`Node`] after the other out, in file order.
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
use crate::xiangqi::Token;

/// One record of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// Number of the parent, counted from 0 (the root) in file order; `None` for the root.
    pub(super) parent: Option<u32>,
    /// The move; `None` for the root, and where a square is not on the board.
    pub(super) token: Option<Token>,
    /// Whether the next record is this one's first child.
    pub(super) has_child: bool,
    /// Whether an alternative to this move follows its subtree.
    pub(super) has_sibling: bool,
    /// Whether a comment follows the move.
    pub(super) has_comment: bool,
    /// Offset of the record in the file.
    pub(super) offset: usize,
}

/// Walks a tree with a stack of its own: known trees reach 226,491 nodes.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    keys: Keys,
    position: usize,
    count: u32,
    /// Parent of the next record; outer `None` when the tree is complete.
    next_parent: Option<Option<u32>>,
    /// Parents whose next child follows later.
    pending: Vec<Option<u32>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(bytes: &'a [u8], keys: Keys) -> Walk<'a> {
        let position = HEADER_BYTES.min(bytes.len());
        Walk { bytes, keys, position, count: 0, next_parent: Some(None), pending: Vec::new() }
    }

    /// Returns the offset behind the last record read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Returns the next record, `None` behind the last.
    ///
    /// # Errors
    /// A defect where the file ends in the middle of the tree, goes on behind it, or has an impossible comment length.
    pub(super) fn next_node(&mut self) -> Result<Option<Node>, Defect> {
        let Some(parent) = self.next_parent else {
            return match self.bytes.len() - self.position {
                0 => Ok(None),
                trailing => {
                    Err(self
                        .defect("trailing-bytes", format!("expected the end, found {trailing} more bytes")))
                }
            };
        };
        let offset = self.position;
        let [from, to, flags, _] = self.read::<4>()?;
        let is_plain = self.keys.version < FIRST_ENCIPHERED;
        let (has_child, has_sibling) = match is_plain {
            true => (flags & 0xf0 != 0, flags & 0x0f != 0),
            false => (flags & 0x80 != 0, flags & 0x40 != 0),
        };
        let has_comment = (is_plain || flags & 0x20 != 0) && self.pass_comment()?;
        let origin = square_of(from.wrapping_sub(24).wrapping_sub(self.keys.from));
        let target = square_of(to.wrapping_sub(32).wrapping_sub(self.keys.to));
        let token = match (parent, origin, target) {
            (Some(_), Some(from), Some(to)) => Some(Token::new(from, to)),
            _ => None,
        };
        self.advance(parent, has_child, has_sibling);
        Ok(Some(Node { parent, token, has_child, has_sibling, has_comment, offset }))
    }

    /// Decides whose child the next record is.
    fn advance(&mut self, parent: Option<u32>, has_child: bool, has_sibling: bool) {
        let this = self.count;
        self.count += 1;
        self.next_parent = match (has_child, has_sibling) {
            (true, true) => {
                self.pending.push(parent);
                Some(Some(this))
            }
            (true, false) => Some(Some(this)),
            (false, true) => Some(parent),
            (false, false) => self.pending.pop(),
        };
    }

    /// Passes over a comment; returns whether it has any text.
    fn pass_comment(&mut self) -> Result<bool, Defect> {
        let offset = self.position;
        let length = u32::from_le_bytes(self.read::<4>()?).wrapping_sub(self.keys.comment) as i32;
        let left = self.bytes.len() - self.position;
        match usize::try_from(length) {
            Ok(length) if length <= left => {
                self.position += length;
                Ok(length > 0)
            }
            _ => {
                self.position = offset;
                let message = format!("expected a comment of at most {left} bytes, found {length}");
                Err(self.defect("comment-length", message))
            }
        }
    }

    fn read<const N: usize>(&mut self) -> Result<[u8; N], Defect> {
        let Some(raw) = self.bytes.get(self.position..self.position + N) else {
            let message = "expected a record of the tree, found the end of the file".to_owned();
            return Err(self.defect("truncated", message));
        };
        let start = self.position - HEADER_BYTES;
        self.position += N;
        Ok(std::array::from_fn(|index| self.keys.plain(raw[index], start + index)))
    }

    fn defect(&self, reason: &'static str, message: String) -> Defect {
        Defect { reason, offset: self.position as u64, message }
    }
}
