//! Time management: from a player's clock to the time for one move.
//!
//! No iteration begins after the target; the search is interrupted at the limit. An iteration that began before the
//! target may run on until the limit. All shares are chosen, not tuned.

use std::time::Duration;

use super::score::Score;
use crate::game::Move;

/// Expected number of moves left in a game without a time control.
const EXPECTED_MOVES: u32 = 30;
/// Maximum number of moves to a time control to plan for.
const MOST_MOVES: u32 = 50;
/// The limit as a multiple of the target.
const LIMIT_PER_TARGET: u32 = 4;
/// Maximum share of the remaining time for one move, in per cent, unless it is the last before a time control.
const MOST_PERCENT: u32 = 50;
/// Share of the target, in per cent, after which a stable search begins no iteration: the next one takes several times
/// as long as all before it.
const SETTLED_PERCENT: u32 = 55;
/// Per cent of the target that each recent change of the best move adds.
const CHANGE_PERCENT: u32 = 45;
/// Drop of the score between iterations, in centipawns, that adds time, and the time added.
const FALL_CENTIPAWNS: i32 = 30;
const FALL_PERCENT: u32 = 45;

/// The clock of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Increment per move.
    pub increment: Duration,
    /// Moves to the next time control; `None`: one control for the whole game.
    pub moves_to_go: Option<u32>,
    /// Overhead between clock and engine per move.
    pub overhead: Duration,
}

/// The time for one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allotment {
    /// No iteration begins after this.
    pub target: Duration,
    /// The search is interrupted after this.
    pub limit: Duration,
}

impl Clock {
    /// Returns the time for the next move, never more than the clock has.
    pub fn allot(&self) -> Allotment {
        let least = Duration::from_millis(1);
        let left = self.left.saturating_sub(self.overhead).max(least);
        let moves = self.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, MOST_MOVES);
        let roof = if moves == 1 { left } else { (left * MOST_PERCENT / 100).max(least) };
        let target = (left / moves + self.increment * 3 / 4).min(roof);
        Allotment { target, limit: (target * LIMIT_PER_TARGET).min(roof) }
    }
}

/// How stable a search is; changes the target.
#[derive(Default)]
pub(super) struct Pacing {
    last: Option<(Move, Score)>,
    /// Recent changes of the best move, in per cent of one, halved with every iteration.
    changes_percent: u32,
    is_falling: bool,
}

impl Pacing {
    /// Adds the result of an iteration.
    pub(super) fn learn(&mut self, best: Move, score: Score) {
        self.changes_percent /= 2;
        if let Some((last_best, last_score)) = self.last.replace((best, score)) {
            self.changes_percent += if last_best == best { 0 } else { 100 };
            self.is_falling = score < last_score - FALL_CENTIPAWNS;
        }
    }

    /// Returns the target for a search of this stability.
    pub(super) fn target(&self, target: Duration) -> Duration {
        let fall = if self.is_falling { FALL_PERCENT } else { 0 };
        let percent = SETTLED_PERCENT + self.changes_percent * CHANGE_PERCENT / 100 + fall;
        target * percent / 100
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock(left_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            left: Duration::from_millis(left_ms),
            increment: Duration::from_millis(increment_ms),
            moves_to_go,
            overhead: Duration::from_millis(30),
        }
    }

    proptest! {
        #[test]
        fn a_move_never_takes_more_than_the_clock_shows(
            left in 0..10_000_000_u64, increment in 0..100_000_u64, moves in prop::option::of(0..200_u32),
        ) {
            let allotment = clock(left, increment, moves).allot();
            prop_assert!(allotment.target <= allotment.limit);
            prop_assert!(allotment.limit <= Duration::from_millis(left.saturating_sub(30).max(1)));
        }

        #[test]
        fn a_whole_time_control_is_survived(left in 1_000..600_000_u64, moves in 1..80_u32) {
            let mut left = left;
            for to_go in (1..=moves).rev() {
                let taken = clock(left, 0, Some(to_go)).allot().limit.as_millis() as u64;
                prop_assert!(taken < left, "{taken} of {left} ms with {to_go} moves to go");
                left -= taken;
                // With less time than the overhead, no move is in time.
                if left <= 40 { break; }
            }
        }
    }

    #[test]
    fn a_change_of_mind_and_a_falling_score_are_given_time() {
        let (one, other) = (Move(1), Move(2));
        let mut pacing = Pacing::default();
        pacing.learn(one, Score::from_centipawns(20));
        pacing.learn(one, Score::from_centipawns(25));
        let target = Duration::from_millis(1000);
        let settled = pacing.target(target);
        assert!(settled < target);
        pacing.learn(other, Score::from_centipawns(24));
        let changed = pacing.target(target);
        assert!(changed > settled);
        pacing.learn(other, Score::from_centipawns(-80));
        assert!(pacing.target(target) > settled);
        for _ in 0..8 {
            pacing.learn(other, Score::from_centipawns(-80));
        }
        assert_eq!(pacing.target(target), settled);
    }
}
