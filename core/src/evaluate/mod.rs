//! Static evaluation of positions, in centipawns for the side to move.
//!
//! The search is generic over [`Evaluate`]; [`Standard`] is the built-in evaluation, one module per game.

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
    /// Caches of one thread.
    type Memory: Default + Send;

    /// Returns a memory for a search.
    fn memory(&self) -> Self::Memory {
        Self::Memory::default()
    }

    /// Returns the value of the position for the side to move, in centipawns. The memory only saves time.
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

    /// Returns whether zugzwang is likely because the side to move has little material: the search then tries no null
    /// moves.
    fn zugzwang_threatens(&self, position: &G) -> bool;

    /// Returns the probes and hits of the tables of a memory.
    fn uses(_memory: &Self::Memory) -> Uses {
        Uses::default()
    }
}

/// Probes and hits of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableUse {
    /// Number of lookups.
    pub probes: u64,
    /// Number of lookups that found an entry.
    pub hits: u64,
}

/// Probes and hits of the tables of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// The table of pawn structures.
    pub pawns: TableUse,
    /// The table of materials.
    pub materials: TableUse,
}

/// The built-in evaluation. Its numbers are fitted to the results of games by [`tune`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Standard;
