//! What a search finds, and what it tells on its way.

use std::time::Duration;

use super::alpha_beta::Counts;
use super::score::Score;
use crate::game::{Move, Verdict};

/// One line of play with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Score for the side to move at the root.
    pub score: Score,
    /// The moves, legal throughout.
    pub pv: Vec<Move>,
}

/// What an iteration found, one line of it.
#[derive(Debug, Clone, Copy)]
pub struct IterationInfo<'a> {
    /// The iteration, in plies.
    pub depth: u8,
    /// Number of the line, from 1, the best one.
    pub line: usize,
    /// Score for the side to move at the root.
    pub score: Score,
    /// Principal variation.
    pub pv: &'a [Move],
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// How full the table is, per mille.
    pub full_permille: u32,
    /// What else the first thread counted since the search began.
    pub counts: Counts,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; [`Move::NONE`] where there is no legal move.
    pub best: Move,
    /// Score for the side to move.
    pub score: Score,
    /// Last iteration that was finished.
    pub depth: u8,
    /// Principal variation, legal throughout; begins with `best`.
    pub pv: Vec<Move>,
    /// As many lines as were asked for and there are moves, best first; the first is `score` and `pv`. Those that a
    /// broken iteration did not come to are of the one before.
    pub lines: Vec<Line>,
    /// Nodes, interior and quiescence, of all threads.
    pub nodes: u64,
    /// Time taken.
    pub elapsed: Duration,
    /// How full the table is, per mille.
    pub full_permille: u32,
    /// What else the first thread counted.
    pub counts: Counts,
    /// Why play stops at the root, if the rules say so. With insufficient material a move is still given.
    pub verdict: Option<Verdict>,
}
