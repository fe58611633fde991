//! What could not be used: each game, or the rest of one, with its place, its fault and, on request, its bytes.

use crate::archive::{Block, GameRecord};
use crate::replay::Fault;

/// A game, or the rest of one, that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Index of the source file.
    pub source: u32,
    /// Member of a container, if any.
    pub member: String,
    /// Offset of the game in the decompressed member.
    pub offset: u64,
    /// Line of the game; 0 in binary formats.
    pub line: u64,
    /// Number of the game in its source, from 1.
    pub number: u64,
    /// What is wrong and where in the game.
    pub fault: Fault,
    /// The game as it stands in its source; empty unless asked for, and in binary formats.
    pub raw: Vec<u8>,
}

/// Returns the bytes of a game of a text format as they stand in its block; nothing of a binary one.
pub(super) fn raw_bytes<T>(block: &Block, record: &GameRecord<T>) -> Vec<u8> {
    let start = record.offset.saturating_sub(block.offset) as usize;
    let end = start.saturating_add(record.length as usize).min(block.bytes.len());
    let bytes = block.bytes.get(start..end).filter(|_| block.format.is_text());
    bytes.unwrap_or_default().to_vec()
}

/// Returns rejected games of text formats one after the other, as they stand, with a blank line behind each.
pub fn joined(rejects: &[Reject]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(rejects.iter().map(|reject| reject.raw.len() + 2).sum());
    for reject in rejects.iter().filter(|reject| !reject.raw.is_empty()) {
        joined.extend_from_slice(&reject.raw);
        while !joined.ends_with(b"\n\n") && !joined.ends_with(b"\n\r\n") {
            joined.push(b'\n');
        }
    }
    joined
}
