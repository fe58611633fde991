//! Keys and locks of xiangqi positions. Each piece on a point has a word of 96 bits in a `u128`.
//!
//! | bits | part |
//! |---|---|
//! | 95–32 | key |
//! | 31–0 | lock |
//!
//! The key stands above the lock, so that comparing two hashes compares (key, lock). A position's hash is the XOR of
//! the words of its pieces, and of [`SECOND_TO_MOVE`] where the second side is to move.
//!
//! **Generator.** Key words are the outputs of SplitMix64 (Steele, Lea, Flood 2014) from the state [`KEY_SEED`], in the
//! order: side (first, second), kind (in the order of [`Kind`]), point (a0 … i9), and last the side to move. Lock
//! words are the upper halves of the outputs from [`LOCK_SEED`], in the same order. The words are part of every
//! tally and book: they never change.

use super::piece::{KINDS, Kind};
use super::square::{SQUARES, Square};
use crate::game::{Key, Lock, Side};

/// Where the stream of keys begins: the letters `xqgikeys`.
const KEY_SEED: u64 = u64::from_be_bytes(*b"xqgikeys");
/// Where the stream of locks begins: the letters `xqgilock`.
const LOCK_SEED: u64 = u64::from_be_bytes(*b"xqgilock");

/// The word of the second side being to move.
pub(super) const SECOND_TO_MOVE: u128 = TABLE.1;

static WORDS: [[[u128; SQUARES]; KINDS]; 2] = TABLE.0;

const TABLE: ([[[u128; SQUARES]; KINDS]; 2], u128) = table();

/// Returns the word of a piece on a point.
#[inline]
pub(super) fn word(side: Side, kind: Kind, square: Square) -> u128 {
    WORDS[side.index()][kind as usize][square.index()]
}

pub(super) const fn key(hash: u128) -> Key {
    Key((hash >> 32) as u64)
}

pub(super) const fn lock(hash: u128) -> Lock {
    Lock(hash as u32)
}

const fn table() -> ([[[u128; SQUARES]; KINDS]; 2], u128) {
    let mut words = [[[0; SQUARES]; KINDS]; 2];
    let mut n = 0;
    while n < 2 * KINDS * SQUARES {
        words[n / (KINDS * SQUARES)][n / SQUARES % KINDS][n % SQUARES] = nth_word(n as u64);
        n += 1;
    }
    (words, nth_word(n as u64))
}

const fn nth_word(n: u64) -> u128 {
    (split_mix(KEY_SEED, n) as u128) << 32 | split_mix(LOCK_SEED, n) as u128 >> 32
}

/// The output number `n` (from 0) of SplitMix64 from state `seed`.
const fn split_mix(seed: u64, n: u64) -> u64 {
    let state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(n + 1));
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
