//! Fingerprints of a game's moves, start, result and players, by which duplicates are found.
//!
//! Moves are compared as the rules see them, so it does not matter how a file spells them. A game that the rules or the
//! reader refuse is the same as another only where both are the same byte for byte.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128};

use super::Seen;
use crate::game::Replayable;
use crate::replay::split;

/// When two games are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Start, moves and result are equal.
    Exact,
    /// Start, moves, names of the players and date are equal.
    Players,
    /// The moves of one are the beginning of the other's, or equal.
    Prefix,
}

/// Returns the fingerprints of a line after 1, 2 … plies, the last one of the whole line.
pub(super) fn beginnings(line: &[u8]) -> impl Iterator<Item = u64> {
    let (start, moves) = split(line);
    moves.chunks_exact(2).scan(xxh3_64(start), |print, code| {
        *print = xxh3_64_with_seed(code, *print);
        Some(*print)
    })
}

/// Returns the fingerprint under which a game is the same as another; its line is `None` where it has none by the rules.
pub(super) fn fingerprint<G: Replayable>(
    game: &Seen<'_, G>,
    line: Option<Vec<u8>>,
    sameness: Sameness,
) -> u128 {
    let record = game.record;
    let Some(mut bytes) = line else { return xxh3_128(game.raw().trim_ascii()) };
    match sameness {
        Sameness::Exact => bytes.push(record.outcome as u8),
        Sameness::Prefix => {}
        Sameness::Players => {
            for text in [&record.first_player, &record.second_player, &record.date] {
                bytes.push(0);
                bytes.extend_from_slice(text.trim().as_bytes());
            }
        }
    }
    xxh3_128(&bytes)
}
