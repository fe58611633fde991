//! Threats of mate, which the CXA counts among forbidden moves.
//!
//! A threat of mate: the side that has just moved would mate by a series of checks if the other side passed.

use super::super::Xiangqi;
use crate::game::{Game as _, MoveList, SearchMoves};

/// Longest series of checks looked for; chosen: the threats of real perpetuals mate in one or two.
const MOST_CHECKS: usize = 3;

/// Returns whether the side not to move would mate by checks, were it to move now. Not asked where the side to move
/// is in check: that is a check, not a threat.
pub(super) fn threatens_mate(position: &Xiangqi) -> bool {
    position.pass().is_some_and(|passed| mates_by_checks(&passed, MOST_CHECKS))
}

/// Returns whether the side to move mates by at most this number of checks.
fn mates_by_checks(position: &Xiangqi, checks: usize) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().any(|&m| {
        let mut checked = position.clone();
        checked.play_unchecked(m);
        checked.is_check() && every_reply_is_mated(&checked, checks - 1)
    })
}

fn every_reply_is_mated(checked: &Xiangqi, checks: usize) -> bool {
    let mut replies = MoveList::new();
    checked.legal_moves(&mut replies);
    if checks == 0 {
        return replies.is_empty();
    }
    replies.iter().all(|&reply| {
        let mut next = checked.clone();
        next.play_unchecked(reply);
        mates_by_checks(&next, checks)
    })
}
