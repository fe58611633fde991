//! The result of a search, and its reports on the way.

use std::time::Duration;

use super::alpha_beta::Counts;
use super::score::Score;
use crate::game::{Move, Verdict};

/// One line of play with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Score for the side to move at the root.
    pub score: Score,
    /// The moves, all legal.
    pub pv: Vec<Move>,
}

/// One line of an iteration.
#[derive(Debug, Clone, Copy)]
pub struct IterationInfo<'a> {
    /// The iteration, in plies.
    pub depth: u8,
    /// Number of the line; 1 is the best.
    pub line: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Principal variation.
    pub pv: &'a [Move],
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Fill of the table, per mille.
    pub full_permille: u32,
    /// Counters of the first thread since the search began.
    pub counts: Counts,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; [`Move::NONE`] without legal moves.
    pub best: Move,
    /// Score for the side to move.
    pub score: Score,
    /// Last finished iteration.
    pub depth: u8,
    /// Principal variation, all legal; begins with `best`.
    pub pv: Vec<Move>,
    /// The requested number of lines, or one per legal move, best first; the first is `score` and `pv`. Lines missing
    /// from an interrupted iteration come from the iteration before.
    pub lines: Vec<Line>,
    /// Nodes, interior and quiescence, of all threads.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// Fill of the table, per mille.
    pub full_permille: u32,
    /// Counters of the first thread.
    pub counts: Counts,
    /// The verdict of the rules at the root, if the game is over. With insufficient material a move is still returned.
    pub verdict: Option<Verdict>,
}
