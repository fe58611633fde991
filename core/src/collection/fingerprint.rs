//! What makes two games the same: a record in, fingerprints of its moves, start, result and players out.
//!
//! Moves are compared as the rules see them, so it does not matter how a file spells them. A game that the rules or the
//! reader refuse is the same as another only where both are the same byte for byte.

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

use super::Seen;
use crate::game::{Game, Move};
use crate::replay::starting_position;

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

/// The main line of a game by the rules.
pub(super) struct Line {
    start: u64,
    moves: Vec<Move>,
}

impl Line {
    /// Returns the line of a game; `None` where it is not legal, or not the standard game.
    pub(super) fn of<G: Game>(game: &Seen<'_, G>) -> Option<Line> {
        let record = game.record;
        if record.variant.is_some() || record.defect.is_some() {
            return None;
        }
        let mut position = starting_position::<G>(record).ok()?;
        let start = position.key().0 ^ u64::from(position.lock().0).rotate_left(32);
        let moves = record.moves.iter().map(|&token| position.play_token(token).ok());
        Some(Line { start, moves: moves.collect::<Option<_>>()? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Hands the fingerprints of the line after 1, 2 … plies to `visit`, the last one for the whole line.
    pub(super) fn beginnings(&self, mut visit: impl FnMut(u64)) {
        let mut print = self.start;
        for m in &self.moves {
            print = xxh3_64_with_seed(&m.0.to_le_bytes(), print);
            visit(print);
        }
    }
}

/// Returns the fingerprint under which a game is the same as another.
pub(super) fn fingerprint<G: Game>(game: &Seen<'_, G>, line: Option<&Line>, sameness: Sameness) -> u128 {
    let record = game.record;
    let Some(line) = line else { return xxh3_128(game.raw().trim_ascii()) };
    let mut bytes = line.start.to_le_bytes().to_vec();
    bytes.extend(line.moves.iter().flat_map(|m| m.0.to_le_bytes()));
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
