//! Results of games, and the reasons why a game is over.

use super::{GameId, Ruling, Side};
use crate::named::named_enum;

named_enum! {
    /// How a recorded game ended; its name is the result as PGN writes it.
    #[derive(Default)]
    #[repr(u8)]
    pub enum Outcome {
        /// Not recorded.
        #[default]
        Unknown = 0 => "*",
        /// The first side won.
        FirstWins = 1 => "1-0",
        /// Drawn.
        Draw = 2 => "1/2-1/2",
        /// The second side won.
        SecondWins = 3 => "0-1",
    }
}

/// Why a game is over, by its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The side to move is in check and has no legal move: it has lost.
    Mate,
    /// No legal move and not in check: a draw in chess, a loss for the side to move in xiangqi.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// Too many moves without progress: see [`crate::game::HistoryRules::CLOCK_LIMIT`].
    MoveCount,
    /// The position has occurred too often. The ruling says who wins.
    Repetition(Ruling),
}

impl Verdict {
    /// Returns the winner if the game ends with `side` to move; `None` for a draw.
    pub fn winner(self, game: GameId, side: Side) -> Option<Side> {
        match (self, game) {
            (Verdict::Mate, _) | (Verdict::Stalemate, GameId::Xiangqi) => Some(side.other()),
            (Verdict::Stalemate, GameId::Chess) | (Verdict::InsufficientMaterial | Verdict::MoveCount, _) => {
                None
            }
            (Verdict::Repetition(ruling), _) => ruling.loser.map(Side::other),
        }
    }
}
