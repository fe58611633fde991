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

use super::Defect;

/// Version from which on files are enciphered.
pub(super) const FIRST_ENCIPHERED: u8 = 11;

/// Newest version known.
const LAST_VERSION: u8 = 18;

/// Period of the key stream in bytes.
const STREAM_BYTES: usize = 32;

const MASK: &[u8; STREAM_BYTES] = b"[(C) Copyright Mr. Dong Shiwei.]";

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
    /// Added to the bytes of the tree, repeatedly. The beginning is stored twice, so that four bytes lie together from
    /// anywhere.
    stream: [u8; STREAM_BYTES + 3],
}

impl Keys {
    /// Returns the keys that a header of at least 16 bytes holds.
    pub(super) fn of(head: &[u8]) -> Result<Keys, Defect> {
        let version = head[2];
        let defect = |reason, offset, message| Err(Defect { reason, offset, message });
        if version > LAST_VERSION {
            return defect(
                "version",
                2,
                format!("expected version {LAST_VERSION} or below, found {version}"),
            );
        }
        if version < FIRST_ENCIPHERED {
            return Ok(Keys { version, placement: 0, from: 0, to: 0, comment: 0, stream: [0; _] });
        }
        let [key_sum, key_xy, key_from, key_to] = [head[12], head[13], head[14], head[15]];
        if [key_sum, key_xy, key_from, key_to].into_iter().fold(0, u8::wrapping_add) != 0 {
            let message = "expected key bytes that add up to 0 modulo 256".to_owned();
            return defect("key-sum", 12, message);
        }
        let factor = |key: u8| key.wrapping_mul(key).wrapping_mul(54).wrapping_add(221);
        let placement = factor(key_xy).wrapping_mul(key_xy);
        let from = factor(key_from).wrapping_mul(placement);
        let to = factor(key_to).wrapping_mul(from);
        let comment = (u32::from(key_sum) * 256 + u32::from(key_xy)) % 32000 + 767;
        let parts = [key_sum, key_xy, key_from, key_to];
        let key = |index: usize| parts[index % 4] & head[3] | head[8 + index % 4];
        let stream = std::array::from_fn(|index| key(index) & MASK[index % STREAM_BYTES]);
        Ok(Keys { version, placement, from, to, comment, stream })
    }

    /// Returns what was added to the byte of the tree that lies `index` bytes behind its start.
    pub(super) fn added(&self, index: usize) -> u8 {
        self.stream[index % STREAM_BYTES]
    }

    /// Deciphers four bytes of the tree, of which the first lies `index` bytes behind its start.
    #[inline]
    pub(super) fn plain(&self, raw: [u8; 4], index: usize) -> [u8; 4] {
        let added = &self.stream[index % STREAM_BYTES..][..4];
        std::array::from_fn(|byte| raw[byte].wrapping_sub(added[byte]))
    }
}

#[cfg(test)]
mod tests;
