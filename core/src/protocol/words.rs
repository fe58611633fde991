//! Types that both dialects share: dialect, variant, and results.

use std::time::Duration;

use crate::game::{GameId, Notated, Notation};
use crate::search::Score;

/// The dialect of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Universal chess interface, for both games.
    Uci,
    /// Universal Chinese chess interface.
    Ucci,
}

/// The game and how its moves are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Chess: `g1f3`.
    Chess,
    /// Xiangqi as a variant of UCI, ranks from 1 to 10 as in Fairy-Stockfish: `b1c3`, `a10a9`.
    Xiangqi,
    /// Xiangqi only, ranks from 0 to 9 as in Pikafish and in UCCI: `b0c2`.
    Pikafish,
}

impl Variant {
    /// Returns the game.
    pub const fn game(self) -> GameId {
        match self {
            Variant::Chess => GameId::Chess,
            Variant::Xiangqi | Variant::Pikafish => GameId::Xiangqi,
        }
    }

    /// Returns how moves are spelled. `G` is the variant's game.
    pub fn notation<G: Notated>(self) -> &'static dyn Notation<G> {
        match self {
            Variant::Xiangqi => G::notation("uci").unwrap_or_else(G::coordinates),
            Variant::Chess | Variant::Pikafish => G::coordinates(),
        }
    }
}

/// One line of an iteration, with moves as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Info {
    /// Plies of the iteration.
    pub depth: u8,
    /// Deepest ply.
    pub seldepth: usize,
    /// Number of the line.
    pub line: usize,
    /// Score for the side to move.
    pub score: Score,
    /// Nodes.
    pub nodes: u64,
    /// Time.
    pub elapsed: Duration,
    /// Positions whose score came from an endgame table.
    pub endgame_hits: u64,
    /// Fill of the table.
    pub full_permille: u32,
    /// The line.
    pub pv: Vec<String>,
}

/// The answer to `go`, with moves as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// The move; `None`: there is no legal move.
    pub best: Option<String>,
    /// The expected reply.
    pub ponder: Option<String>,
    /// An offered draw is accepted.
    pub takes_draw: bool,
}

/// The table's entry of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Best move.
    pub best: Option<String>,
    /// Lower bound of the score, with its depth.
    pub lower: Option<(Score, u8)>,
    /// Upper bound of the score, with its depth.
    pub upper: Option<(Score, u8)>,
}
