//! The hashes that identify a position.

/// 64-bit Zobrist key of a bare position: pieces, side to move and what else the rules make part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Key(pub u64);

/// 32-bit key from a second, independent table (the "hash lock").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Lock(pub u32);
