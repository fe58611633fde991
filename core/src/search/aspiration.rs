//! One iteration of one line with a narrow window around the score of the iteration before.

use super::alpha_beta::{Node, Worker};
use super::score::Score;
use crate::evaluate::Evaluate;
use crate::game::{Move, Searchable};

/// First half-width of the window around the last score, in centipawns; chosen, not tuned.
pub(super) const ASPIRATION_CENTIPAWNS: i32 = 25;

/// First iteration with a narrow window; chosen, not tuned.
pub(super) const ASPIRATION_MIN_DEPTH: u8 = 5;

/// Searches the root in a window around the last score; widens the window while the score is outside.
pub(super) fn aspire<G: Searchable, E: Evaluate<G>>(
    worker: &mut Worker<G, E>,
    position: &G,
    depth: u8,
    last: Score,
) -> Score {
    let mut width = ASPIRATION_CENTIPAWNS;
    let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
    if depth >= ASPIRATION_MIN_DEPTH && !last.is_mate() {
        (alpha, beta) = (last - width, last + width);
    }
    loop {
        let is_check = position.is_check();
        let root = Node {
            ply: 0,
            depth: i32::from(depth),
            alpha,
            beta,
            is_check,
            may_pass: false,
            without: Move::NONE,
        };
        let score = worker.search(position, root);
        if worker.watch.is_over() || (score > alpha && score < beta) {
            return score;
        }
        width *= 4;
        if score <= alpha {
            alpha = if width > 1000 { -Score::INFINITE } else { score - width };
        } else {
            beta = if width > 1000 { Score::INFINITE } else { score + width };
        }
    }
}
