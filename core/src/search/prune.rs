//! What the search leaves out or looks at less deeply: the margins, and one small function for each.
//!
//! All numbers are chosen, not tuned, unless they say otherwise.

use super::score::Score;
use crate::evaluate::Exchange;

/// Plies by which a null move is searched less deeply, and how many plies of depth add one more.
const PASS_REDUCTION: i32 = 3;
const PASS_DEPTH_PER_PLY: i32 = 4;
const PASS_MIN_DEPTH: i32 = 3;
/// Margin per ply below which a static evaluation above beta is not trusted, in centipawns.
const STATIC_MARGIN: i32 = 90;
const STATIC_MAX_DEPTH: i32 = 6;
/// Margin above the static evaluation that a quiet move may add, at depth 1, 2, 3, in centipawns.
const FUTILITY_MARGINS: [i32; 3] = [150, 280, 420];
/// What a capture may bring beyond the captured value in quiescence, in centipawns.
const DELTA_MARGIN: i32 = 150;
/// First move that late move reductions reach, and the least depth.
const REDUCE_FROM_MOVE: usize = 4;
const REDUCE_MIN_DEPTH: i32 = 3;
/// Reduction = ln(depth) · ln(move number) / this.
const REDUCTION_DIVISOR: f32 = 2.1;
/// Nodes without a table move are searched a ply less deeply from this depth on: their order is poor.
const UNKNOWN_MIN_DEPTH: i32 = 5;

/// Returns the depth left for the reply to a null move; `None` where it is not worth trying.
pub(super) fn depth_after_pass(depth: i32, evaluation: Score, beta: Score) -> Option<i32> {
    let is_promising = depth >= PASS_MIN_DEPTH && evaluation >= beta && !beta.is_mate();
    is_promising.then(|| depth - 1 - PASS_REDUCTION - depth / PASS_DEPTH_PER_PLY)
}

/// Returns whether the evaluation is so far above beta that a shallow search would not bring it down.
pub(super) fn stands_above(depth: i32, evaluation: Score, beta: Score) -> bool {
    depth <= STATIC_MAX_DEPTH && !beta.is_mate() && evaluation - STATIC_MARGIN * depth >= beta
}

/// Returns whether quiet moves can hardly reach alpha at this depth.
pub(super) fn is_futile(depth: i32, evaluation: Score, alpha: Score) -> bool {
    let margin = usize::try_from(depth - 1).ok().and_then(|index| FUTILITY_MARGINS.get(index));
    margin.is_some_and(|&margin| !alpha.is_mate() && evaluation + margin <= alpha)
}

/// Returns whether a capture loses material, or gains too little to reach alpha.
pub(super) fn is_poor_capture(exchange: Option<Exchange>, standing: Score, alpha: Score) -> bool {
    let Some(exchange) = exchange else { return true };
    exchange.is_losing() || standing + exchange.gain + DELTA_MARGIN <= alpha
}

/// Returns the depth of a node whose best move nobody knows yet.
pub(super) fn depth_without_table_move(depth: i32) -> i32 {
    if depth >= UNKNOWN_MIN_DEPTH { depth - 1 } else { depth }
}

/// Plies by which late quiet moves are searched less deeply first, by depth and move number.
pub(super) struct Reductions([[u8; 64]; 64]);

impl Reductions {
    pub(super) fn new() -> Reductions {
        let mut plies = [[0; 64]; 64];
        for (depth, row) in plies.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f32).ln() * (number as f32).ln();
                *plies = (0.6 + product / REDUCTION_DIVISOR) as u8;
            }
        }
        Reductions(plies)
    }

    /// Returns the reduction of the `number`-th move (from 1) of a node, leaving at least one ply.
    pub(super) fn plies(&self, depth: i32, number: usize, is_pv: bool) -> i32 {
        if depth < REDUCE_MIN_DEPTH || number < REDUCE_FROM_MOVE {
            return 0;
        }
        let plies = i32::from(self.0[depth.min(63) as usize][number.min(63)]);
        (plies - i32::from(is_pv)).clamp(0, depth - 2)
    }
}
