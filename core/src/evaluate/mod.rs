//! Static judgement of positions: a position comes in, centipawns for the side to move go out.
//!
//! The search is generic over [`Evaluate`]; [`Standard`] is the evaluation that ships, one file per game.

mod chess;
mod ledger;
mod material;
mod tapered;
pub mod tune;
mod xiangqi;

use crate::game::{Game, Move};

pub use ledger::Group;
pub use tapered::Pair;

/// Judges positions of game `G` without searching.
pub trait Evaluate<G: Game>: Send + Sync {
    /// What one thread remembers from one position to the next; the default remembers nothing.
    type Memory: Default + Send;

    /// Returns a memory for a search.
    fn memory(&self) -> Self::Memory {
        Self::Memory::default()
    }

    /// Returns what the position is worth to the side to move, in centipawns. The memory spares work and changes nothing.
    fn judge(&self, position: &G, memory: &mut Self::Memory) -> i32;

    /// Returns what [`Evaluate::judge`] does, from scratch.
    fn centipawns(&self, position: &G) -> i32 {
        self.judge(position, &mut Self::Memory::default())
    }

    /// Returns what a legal move captures and gains by promotion, in centipawns; `None` for a quiet move.
    fn gain(&self, position: &G, m: Move) -> Option<i32>;

    /// Returns whether a legal move gains at least `least` centipawns, with all captures on its target that follow, both
    /// sides taking with their least valuable piece first and stopping when it pays (static exchange evaluation).
    fn holds(&self, position: &G, m: Move, least: i32) -> bool;

    /// Returns whether the side to move has so little left that having to move may be its ruin: the search then
    /// never asks what passing would bring.
    fn zugzwang_threatens(&self, position: &G) -> bool;

    /// Returns how often the tables of a memory were asked and knew; never, for one that remembers nothing.
    fn uses(_memory: &Self::Memory) -> Uses {
        Uses::default()
    }
}

/// How often a table was asked, and how often it knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableUse {
    /// Times it was asked.
    pub probes: u64,
    /// Times it held the answer.
    pub hits: u64,
}

/// How the tables of an evaluation were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// The one of pawn structures.
    pub pawns: TableUse,
    /// The one of materials.
    pub materials: TableUse,
}

/// The evaluation that ships: own numbers, fitted to the results of games by [`tune`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;
