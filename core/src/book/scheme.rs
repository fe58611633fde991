//! The identity of a key scheme: which game, and a fingerprint of its Zobrist tables.
//!
//! Keys of one scheme mean nothing under another, so a book carries the fingerprint and a reader with other tables
//! refuses it.

use xxhash_rust::xxh3::Xxh3Default;

use crate::game::{Game, GameId, MoveList};

/// A game and the fingerprint of the tables that hash its positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// The game.
    pub game: GameId,
    /// Fingerprint of the keys and locks of some of the game's positions.
    pub fingerprint: u64,
}

/// Plies of the walk. Tables of another seed differ in the first position; the walk detects tables that differ in part.
/// With this number the first open of a process takes well under a millisecond.
const WALK_PLIES: u64 = 256;

impl Scheme {
    /// Returns the scheme of a game: XXH3-64 over the keys and locks along a fixed walk through legal moves.
    ///
    /// Stable as long as keys, locks, move codes and rules do not change; the order of generated moves does not matter.
    /// Takes some 100 µs: callers that open many books keep the value.
    pub fn of<G: Game>() -> Scheme {
        let mut hash = Xxh3Default::new();
        let mut position = G::start();
        let mut moves = MoveList::new();
        // MMIX's linear congruential generator (Knuth, TAOCP 2, 3.3.4); the high half picks the move.
        let mut state = 1u64;
        for _ in 0..WALK_PLIES {
            hash.update(&position.key().0.to_le_bytes());
            hash.update(&position.lock().0.to_le_bytes());
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                position = G::start();
                continue;
            }
            moves.sort_unstable();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play_unchecked(moves[(state >> 33) as usize % moves.len()]);
        }
        Scheme { game: G::ID, fingerprint: hash.digest() }
    }
}
