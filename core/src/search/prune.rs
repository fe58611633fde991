//! Margins of pruning and reductions, with one small function each.
//!
//! All numbers are chosen, not tuned, unless noted. Margins are in centipawns.

use super::score::Score;
use super::table::{Bound, Entry};

/// Null move: reduction in plies, plies of depth per further ply, centipawns above beta per further ply, and maximum of
/// the latter.
const PASS_REDUCTION: i32 = 3;
const PASS_DEPTH_PER_PLY: i32 = 3;
const PASS_MARGIN_PER_PLY: i32 = 200;
const PASS_MARGIN_PLIES: i32 = 3;
const PASS_MIN_DEPTH: i32 = 3;
/// Minimum depth at which a null move that holds beta is verified by a search without null moves.
const PASS_VERIFY_DEPTH: i32 = 12;
/// Minimum margin per ply of a static evaluation above beta.
const STATIC_MARGIN: i32 = 80;
const STATIC_MAX_DEPTH: i32 = 8;
/// Margin below alpha at which shallow nodes go straight to quiescence.
const RAZOR_BASE: i32 = 180;
const RAZOR_PER_PLY: i32 = 160;
const RAZOR_MAX_DEPTH: i32 = 2;
/// Possible gain of a quiet move over the static evaluation, by its search depth.
const FUTILITY_BASE: i32 = 110;
const FUTILITY_PER_PLY: i32 = 90;
const FUTILITY_MAX_DEPTH: i32 = 5;
/// Number of quiet moves that shallow nodes search: base plus depth squared, half of it if the position gets worse.
const LATE_BASE: i32 = 4;
const LATE_MAX_DEPTH: i32 = 8;
/// Material that a move may lose by exchanges: quiet moves by depth squared, captures by depth.
const QUIET_LOSS: i32 = 25;
const CAPTURE_LOSS: i32 = 100;
const LOSS_MAX_DEPTH: i32 = 8;
/// History per ply below which quiet moves are pruned.
const HISTORY_PER_PLY: i32 = 4000;
const HISTORY_MAX_DEPTH: i32 = 4;
/// Possible gain of a capture in quiescence beyond the captured piece.
const DELTA_MARGIN: i32 = 150;
/// Late move reductions: first reduced move, and minimum depth.
const REDUCE_FROM_MOVE: usize = 3;
const REDUCE_MIN_DEPTH: i32 = 3;
/// Reduction = base + ln(depth) · ln(move number) / divisor.
const REDUCTION_BASE: f32 = 0.7;
const REDUCTION_DIVISOR: f32 = 2.2;
/// History that changes a reduction by one ply.
const HISTORY_PER_REDUCTION: i32 = 3500;
/// Minimum depth at which nodes without a table move are searched a ply less deeply, because their move order is poor.
const UNKNOWN_MIN_DEPTH: i32 = 4;

/// Returns the static evaluation, corrected by the table's score.
pub(super) fn refined(evaluation: Score, entry: Option<Entry>, ply: usize) -> Score {
    let Some(entry) = entry else { return evaluation };
    let score = entry.score.seen_from_root(ply);
    let corrects = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > evaluation,
        Bound::Upper => score < evaluation,
    };
    if corrects && !score.is_mate() { score } else { evaluation }
}

/// Returns the search depth after a null move; `None` if it is not worth trying.
pub(super) fn depth_after_pass(depth: i32, evaluation: Score, beta: Score) -> Option<i32> {
    let is_promising = depth >= PASS_MIN_DEPTH && evaluation >= beta && !beta.is_mate();
    let surplus = (evaluation.0 - beta.0) / PASS_MARGIN_PER_PLY;
    is_promising
        .then(|| depth - 1 - PASS_REDUCTION - depth / PASS_DEPTH_PER_PLY - surplus.min(PASS_MARGIN_PLIES))
}

/// Returns whether a null move that held beta must be verified by a search without null moves.
pub(super) fn doubts_pass(depth: i32) -> bool {
    depth >= PASS_VERIFY_DEPTH
}

/// Returns whether the evaluation is too far above beta for a shallow search to change the result.
pub(super) fn stands_above(depth: i32, evaluation: Score, beta: Score, is_improving: bool) -> bool {
    let margin = STATIC_MARGIN * (depth - i32::from(is_improving));
    depth <= STATIC_MAX_DEPTH && !beta.is_mate() && !evaluation.is_mate() && evaluation - margin >= beta
}

/// Returns whether the evaluation is too far below alpha for quiet moves to help.
pub(super) fn stands_below(depth: i32, evaluation: Score, alpha: Score) -> bool {
    depth <= RAZOR_MAX_DEPTH && !alpha.is_mate() && evaluation + RAZOR_BASE + RAZOR_PER_PLY * depth <= alpha
}

/// Returns whether quiet moves, searched to this depth, can hardly reach alpha.
pub(super) fn is_futile(depth: i32, evaluation: Score, alpha: Score) -> bool {
    depth <= FUTILITY_MAX_DEPTH
        && !alpha.is_mate()
        && evaluation + FUTILITY_BASE + FUTILITY_PER_PLY * depth.max(0) <= alpha
}

/// Returns whether enough moves have been searched to skip the remaining quiet moves.
pub(super) fn is_late(depth: i32, number: usize, is_improving: bool) -> bool {
    let most = LATE_BASE + depth * depth;
    let most = if is_improving { most } else { most / 2 };
    depth <= LATE_MAX_DEPTH && number as i32 > most
}

/// Returns the maximum loss by exchanges at this depth; `None`: no limit.
pub(super) fn least_exchange(depth: i32, is_noisy: bool) -> Option<i32> {
    let loss = if is_noisy { CAPTURE_LOSS * depth } else { QUIET_LOSS * depth * depth };
    (depth <= LOSS_MAX_DEPTH).then_some(-loss)
}

/// Returns whether shallow nodes skip a quiet move with this history.
pub(super) fn has_failed(depth: i32, history: i32) -> bool {
    depth <= HISTORY_MAX_DEPTH && history < -HISTORY_PER_PLY * depth
}

/// Returns the maximum score that a capture can reach in quiescence.
pub(super) fn most_from_capture(standing: Score, gain: Option<i32>) -> Score {
    standing + gain.unwrap_or(0) + DELTA_MARGIN
}

/// Returns the depth of a node without a table move.
pub(super) fn depth_without_table_move(depth: i32) -> i32 {
    if depth >= UNKNOWN_MIN_DEPTH { depth - 1 } else { depth }
}

/// The facts that change a reduction besides depth and move number.
#[derive(Clone, Copy)]
pub(super) struct Late {
    pub is_pv: bool,
    pub is_improving: bool,
    pub is_noisy: bool,
    pub gives_check: bool,
    pub is_special: bool,
    pub history: i32,
}

/// Reductions of late moves in plies, by depth and move number.
pub(super) struct Reductions([[u8; 64]; 64]);

impl Reductions {
    pub(super) fn new() -> Reductions {
        let mut plies = [[0; 64]; 64];
        for (depth, row) in plies.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f32).ln() * (number as f32).ln();
                *plies = (REDUCTION_BASE + product / REDUCTION_DIVISOR) as u8;
            }
        }
        Reductions(plies)
    }

    /// Returns the usual reduction of the `number`-th move, from 1.
    pub(super) fn usual(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }

    /// Returns the reduction of a move, leaving at least one ply.
    pub(super) fn plies(&self, depth: i32, number: usize, late: Late) -> i32 {
        let is_early = number < REDUCE_FROM_MOVE + usize::from(late.is_pv);
        if depth < REDUCE_MIN_DEPTH || is_early || late.gives_check {
            return 0;
        }
        let mut plies = self.usual(depth, number) + i32::from(!late.is_improving) - i32::from(late.is_pv);
        if late.is_noisy {
            plies /= 2;
        } else {
            plies -= late.history / HISTORY_PER_REDUCTION + i32::from(late.is_special);
        }
        plies.clamp(0, depth - 2)
    }
}

/// Whether the search may prune.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selectivity {
    /// Quiescence, extensions, reductions and pruning: for playing.
    #[default]
    Full,
    /// Every line to the same depth, with static evaluation at its end: alpha-beta that equals minimax.
    None,
    /// Every line; only mates have a value.
    Mates,
}
