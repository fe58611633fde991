//! One ply of a history.

use crate::game::{Key, Move};

/// A position of the line, with counters up to there.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    pub(super) key: Key,
    /// The move that led here; [`Move::NONE`] at the start and after a pass.
    pub(super) m: Move,
    /// Plies since the last irreversible move.
    pub(super) reversible: u16,
    /// Plies that the move-count rule counts.
    pub(super) clock: u16,
    /// Checks by the moves to even and to odd positions of the line, since the clock began.
    pub(super) checks: [u8; 2],
}

impl Played {
    pub(super) const NOTHING: Played =
        Played { key: Key(0), m: Move::NONE, reversible: 0, clock: 0, checks: [0; 2] };
}
