//! What both dialects speak of: which dialect, which game, and what was found.

use std::time::Duration;

use crate::game::{Game, GameId, Notation};
use crate::search::Score;

/// In which dialect the two sides talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Universal chess interface, for both games.
    Uci,
    /// Universal Chinese chess interface.
    Ucci,
}

/// Which game is played and how its moves are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Chess: `g1f3`.
    Chess,
    /// Xiangqi as a variant of UCI, ranks from 1 to 10 as in Fairy-Stockfish: `b1c3`, `a10a9`.
    Xiangqi,
    /// Xiangqi alone, ranks from 0 to 9 as in Pikafish and in UCCI: `b0c2`.
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
    pub fn notation<G: Game>(self) -> &'static dyn Notation<G> {
        match self {
            Variant::Xiangqi => G::notation("uci").unwrap_or_else(G::coordinates),
            Variant::Chess | Variant::Pikafish => G::coordinates(),
        }
    }
}

/// What an iteration found, one line of it, moves spelled out.
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
    /// How full the table is.
    pub full_permille: u32,
    /// The line.
    pub pv: Vec<String>,
}

/// The answer to `go`, moves spelled out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// The move; `None`: there is no legal one.
    pub best: Option<String>,
    /// The move expected in reply.
    pub ponder: Option<String>,
    /// A draw that was offered is taken.
    pub takes_draw: bool,
}

/// What the table holds of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Best move.
    pub best: Option<String>,
    /// The score is at least this at this depth.
    pub lower: Option<(Score, u8)>,
    /// The score is at most this at this depth.
    pub upper: Option<(Score, u8)>,
}
