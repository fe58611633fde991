//! Derives the keys of enciphered files from their header: offsets and the key stream.
//!
//! ```text
//! g(k)  = (54·k² + 221) mod 256
//! P = g(KeyXY)·KeyXY   F = g(KeyXYf)·P   T = g(KeyXYt)·F   (mod 256)    offsets of placement, origin, target
//! R = (KeySum·256 + KeyXY) mod 32000 + 767                              offset of comment lengths
//! K = KeySum, KeyXY, KeyXYf, KeyXYt, each (· & KeyMask) | its KeyOr
//! stream[i] = K[i mod 4] & MASK[i],  i = 0 … 31                         subtracted from the body, from 0x400 on
//! ```
//!
//! Files of version 10 and below use none of it: all keys are 0.

use crate::archive::Defect;

/// Version from which on files are enciphered.
pub(super) const FIRST_ENCIPHERED: u8 = 11;

/// Newest version known.
const LAST_VERSION: u8 = 18;

const MASK: &[u8; 32] = b"[(C) Copyright Mr. Dong Shiwei.]";

/// Offsets and key stream of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) version: u8,
    /// P: added to the squares of the placement.
    pub(super) placement: u8,
    /// F: added to the origin of moves.
    pub(super) from: u8,
    /// T: added to the target of moves.
    pub(super) to: u8,
    /// R: added to the length of comments.
    pub(super) comment: u32,
    /// Added to the bytes of the tree, repeatedly.
    pub(super) stream: [u8; MASK.len()],
}

impl Keys {
    /// Returns the keys that a header of at least 16 bytes at offset `base` holds.
    pub(super) fn of(head: &[u8], base: u64) -> Result<Keys, Defect> {
        let version = head[2];
        if version > LAST_VERSION {
            let message = format!("expected version {LAST_VERSION} or below, found {version}");
            return Err(Defect::new("version", base + 2, message));
        }
        if version < FIRST_ENCIPHERED {
            return Ok(Keys { version, placement: 0, from: 0, to: 0, comment: 0, stream: [0; _] });
        }
        let parts = [head[12], head[13], head[14], head[15]];
        if parts.into_iter().fold(0, u8::wrapping_add) != 0 {
            let message = "expected key bytes that add up to 0 modulo 256";
            return Err(Defect::new("key-sum", base + 12, message));
        }
        let [key_sum, key_xy, key_from, key_to] = parts;
        let factor = |key: u8| key.wrapping_mul(key).wrapping_mul(54).wrapping_add(221);
        let placement = factor(key_xy).wrapping_mul(key_xy);
        let from = factor(key_from).wrapping_mul(placement);
        let to = factor(key_to).wrapping_mul(from);
        let comment = (u32::from(key_sum) * 256 + u32::from(key_xy)) % 32000 + 767;
        let key = |index: usize| parts[index % 4] & head[3] | head[8 + index % 4];
        let stream = std::array::from_fn(|index| key(index) & MASK[index]);
        Ok(Keys { version, placement, from, to, comment, stream })
    }

    /// Returns the bytes of the tree without what was added to them.
    pub(super) fn deciphered(&self, tree: &[u8]) -> Vec<u8> {
        let mut plain = tree.to_vec();
        for bytes in plain.chunks_mut(MASK.len()) {
            bytes.iter_mut().zip(self.stream).for_each(|(byte, added)| *byte = byte.wrapping_sub(added));
        }
        plain
    }
}

#[cfg(test)]
mod tests;
