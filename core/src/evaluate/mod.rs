//! Static judgement of positions: a position comes in, centipawns for the side to move go out.
//!
//! The search is generic over [`Evaluate`]; [`Standard`] is the evaluation that ships, one file per game.

mod chess;
mod chess_tables;
mod tapered;
mod xiangqi;
mod xiangqi_tables;

use crate::game::{Game, Move};

/// Judges positions of game `G` without searching.
pub trait Evaluate<G: Game>: Send + Sync {
    /// Returns what the position is worth to the side to move, in centipawns.
    fn centipawns(&self, position: &G) -> i32;

    /// Returns what a legal move wins and risks at once; `None` for a quiet move.
    fn exchange(&self, position: &G, m: Move) -> Option<Exchange>;

    /// Returns whether the side to move has so little left that having to move may be its ruin: the search then
    /// never asks what passing would bring.
    fn zugzwang_threatens(&self, position: &G) -> bool;
}

/// Material that changes hands, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Value captured, and gained by promotion.
    pub gain: i32,
    /// Value of the moving piece; 0 where nothing can take back, which is looked at only where it is worth more than
    /// it gains.
    pub risk: i32,
}

/// A capture that risks more than it gains by more than this loses material, in centipawns; chosen.
const EVEN_CENTIPAWNS: i32 = 60;

impl Exchange {
    /// Returns whether the moving piece is worth clearly more than what it takes from a guarded square.
    pub fn is_losing(self) -> bool {
        self.risk > self.gain + EVEN_CENTIPAWNS
    }
}

/// The evaluation that ships: own numbers, chosen, not tuned.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;
