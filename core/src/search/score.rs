//! Scores of the search: centipawns or a distance to mate, as one number in order of preference.

use std::fmt;
use std::ops::{Add, Neg, Sub};

/// Maximum ply of the search, quiescence included.
pub const MAX_PLY: usize = 128;

const MATE: i32 = 32_000;
/// Scores beyond this bound are mates; evaluations are clamped to it.
const MATE_BOUND: i32 = MATE - 2 * MAX_PLY as i32;

/// A score for the side to move: centipawns, or 32,000 minus the plies to mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub(super) i32);

impl Score {
    /// An even position, or a drawn game.
    pub const DRAW: Score = Score(0);
    /// Above every score.
    pub(super) const INFINITE: Score = Score(MATE + 1);

    /// Returns a score of this number of centipawns, clamped below mates.
    pub fn from_centipawns(centipawns: i32) -> Score {
        Score(centipawns.clamp(1 - MATE_BOUND, MATE_BOUND - 1))
    }

    /// Returns the score of a side that mates in `plies` (odd: its own last move mates).
    pub const fn mate_in(plies: usize) -> Score {
        Score(MATE - plies as i32)
    }

    /// Returns the score of a side that is mated in `plies`; 0 = it is mated now.
    pub const fn mated_in(plies: usize) -> Score {
        Score(plies as i32 - MATE)
    }

    /// Returns the centipawns; `None` for a mate.
    pub fn centipawns(self) -> Option<i32> {
        (!self.is_mate()).then_some(self.0)
    }

    /// Returns the plies to mate, positive if the side to move mates, negative or zero if it is mated; `None` without a
    /// mate.
    pub fn mate_plies(self) -> Option<i32> {
        self.is_mate().then(|| if self.0 > 0 { MATE - self.0 } else { -MATE - self.0 })
    }

    pub(super) const fn is_mate(self) -> bool {
        self.0.abs() >= MATE_BOUND
    }

    /// Converts to the table's form: mates counted from the node, not from the root.
    pub(super) fn seen_from_node(self, ply: usize) -> Score {
        self.moved_from_zero(ply as i32)
    }

    /// Converts from the table's form to that of the search at `ply`: mates counted from the root.
    pub(super) fn seen_from_root(self, ply: usize) -> Score {
        self.moved_from_zero(-(ply as i32))
    }

    fn moved_from_zero(self, plies: i32) -> Score {
        if self.is_mate() { Score(self.0 + self.0.signum() * plies) } else { self }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Add<i32> for Score {
    type Output = Score;
    fn add(self, centipawns: i32) -> Score {
        Score(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Score;
    fn sub(self, centipawns: i32) -> Score {
        Score(self.0 - centipawns)
    }
}

impl fmt::Display for Score {
    /// Writes the score as in UCI, but mates in plies: `cp 34`, `mate -4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate_plies() {
            Some(plies) => write!(f, "mate {plies}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests;
