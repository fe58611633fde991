//! Move order learnt from earlier nodes: killers, counter-moves, and history counters.
//!
//! A move that refutes a node is rewarded; those tried before it are penalized. The ranks order the moves of other
//! nodes. The order decides how much the search can cut, never what it finds.

use super::score::MAX_PLY;
use crate::game::{Capture, Move, Searchable, Side};

/// Maximum of a history counter; chosen.
const BOUND: i32 = 1 << 14;
/// Step of a history counter: factor per ply of depth, fixed deduction, maximum; chosen.
const STEP_PER_PLY: i32 = 170;
const STEP_LESS: i32 = 90;
const LARGEST_STEP: i32 = 1700;
/// Counters per side: the low 14 bits of a move code, which are origin and target in both games.
const CODES: usize = 1 << 14;
/// Rank of the killers and of the counter-move among quiet moves: above any sum of counters.
const KILLER: i32 = 1 << 20;
const COUNTER_MOVE: i32 = 1 << 19;
/// Weight of a centipawn gained against a point of a capture's counter; chosen.
const GAIN: i32 = 16;

/// A kind of piece and its target square as one number. See [`Order::arrival`].
pub(super) type Arrival = u16;

/// The learnt move order.
pub(super) struct Order {
    killers: [[Move; 2]; MAX_PLY + 2],
    /// The reply that last refuted an arrival.
    counters: Vec<Move>,
    /// By side and move code.
    quiets: [Vec<i16>; 2],
    /// By arrival and captured kind.
    captures: Vec<i16>,
    /// By the arrival of the last move, and of the own move before it, and the arrival of a move.
    replies: [Vec<i16>; 2],
    /// Number of arrivals; the last one means "no move".
    arrivals: usize,
    kinds: usize,
    squares: usize,
}

/// The facts about a node by which its moves are ranked.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub side: Side,
    pub ply: usize,
    /// The last move and the side's own move before it.
    pub before: [Arrival; 2],
}

impl Order {
    pub(super) fn new<G: Searchable>() -> Order {
        let arrivals = G::KINDS * G::SQUARES + 1;
        Order {
            killers: [[Move::NONE; 2]; MAX_PLY + 2],
            counters: vec![Move::NONE; arrivals],
            quiets: [vec![0; CODES], vec![0; CODES]],
            captures: vec![0; arrivals * G::KINDS],
            replies: [vec![0; arrivals * arrivals], vec![0; arrivals * arrivals]],
            arrivals,
            kinds: G::KINDS,
            squares: G::SQUARES,
        }
    }

    /// Returns the arrival that means "no move": a null move, or a ply before the root.
    pub(super) fn nothing(&self) -> Arrival {
        (self.arrivals - 1) as Arrival
    }

    /// Returns the arrival of a legal move.
    pub(super) fn arrival<G: Searchable>(&self, position: &G, m: Move) -> Arrival {
        let (kind, target) = position.arrival(m);
        (kind * self.squares + target) as Arrival
    }

    /// Returns the counters of a quiet move, summed.
    pub(super) fn history(&self, context: &Context, m: Move, arrival: Arrival) -> i32 {
        let own = self.quiets[context.side.index()][code(m)];
        let replies = [0, 1].map(|i| i32::from(self.replies[i][self.reply(context.before[i], arrival)]));
        i32::from(own) + replies[0] + replies[1]
    }

    /// Returns the rank of a quiet move.
    pub(super) fn rank_quiet(&self, context: &Context, m: Move, arrival: Arrival) -> i32 {
        let [first, second] = self.killers[context.ply];
        match m {
            _ if m == first => KILLER + 1,
            _ if m == second => KILLER,
            _ if m == self.counters[usize::from(context.before[0])] => COUNTER_MOVE,
            _ => self.history(context, m, arrival),
        }
    }

    /// Returns the rank of a capture or promotion by its gain and its history.
    pub(super) fn rank_capture(&self, gain: i32, capture: Option<Capture>, arrival: Arrival) -> i32 {
        let Some(capture) = capture else { return GAIN * gain };
        let counter = i32::from(self.captures[self.capture(capture, arrival)]);
        GAIN * gain + counter - i32::from(capture.attacker)
    }

    /// Returns whether a move is ranked above all history.
    pub(super) fn is_special(&self, context: &Context, m: Move) -> bool {
        self.killers[context.ply].contains(&m) || m == self.counters[usize::from(context.before[0])]
    }

    /// Clears all killers, which belong to the plies of another search.
    pub(super) fn forget_all_killers(&mut self) {
        self.killers = [[Move::NONE; 2]; MAX_PLY + 2];
    }

    /// Clears the killers of a ply, which belong to the subtree of another node.
    pub(super) fn forget_killers(&mut self, ply: usize) {
        self.killers[ply] = [Move::NONE; 2];
    }

    /// Rewards a quiet move that refuted a node, and penalizes the quiet moves tried before.
    pub(super) fn reward_quiet(
        &mut self,
        context: &Context,
        depth: i32,
        best: (Move, Arrival),
        failed: &[(Move, Arrival)],
    ) {
        let killers = &mut self.killers[context.ply];
        if killers[0] != best.0 {
            *killers = [best.0, killers[0]];
        }
        self.counters[usize::from(context.before[0])] = best.0;
        self.teach(context, best, step(depth));
        for &other in failed {
            self.teach(context, other, -step(depth));
        }
    }

    fn teach(&mut self, context: &Context, (m, arrival): (Move, Arrival), step: i32) {
        nudge(&mut self.quiets[context.side.index()][code(m)], step);
        for (i, &before) in context.before.iter().enumerate() {
            let index = self.reply(before, arrival);
            nudge(&mut self.replies[i][index], step);
        }
    }

    /// Penalizes captures that failed, and rewards the one that refuted the node, if any.
    pub(super) fn reward_captures(
        &mut self,
        depth: i32,
        best: Option<(Capture, Arrival)>,
        failed: &[(Capture, Arrival)],
    ) {
        let changes = best
            .iter()
            .map(|taken| (taken, step(depth)))
            .chain(failed.iter().map(|taken| (taken, -step(depth))));
        for (&(capture, arrival), step) in changes {
            let index = self.capture(capture, arrival);
            nudge(&mut self.captures[index], step);
        }
    }

    fn reply(&self, before: Arrival, arrival: Arrival) -> usize {
        usize::from(before) * self.arrivals + usize::from(arrival)
    }

    fn capture(&self, capture: Capture, arrival: Arrival) -> usize {
        usize::from(arrival) * self.kinds + usize::from(capture.victim)
    }
}

fn code(m: Move) -> usize {
    usize::from(m.0) % CODES
}

fn step(depth: i32) -> i32 {
    (STEP_PER_PLY * depth - STEP_LESS).clamp(0, LARGEST_STEP)
}

/// Moves a counter by `step`; the step shrinks near the maximum.
fn nudge(counter: &mut i16, step: i32) {
    let old = i32::from(*counter);
    *counter = (old + step - old * step.abs() / BOUND) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_counters_stay_in_bounds() {
        let mut counter = 0;
        for _ in 0..1000 {
            nudge(&mut counter, LARGEST_STEP);
        }
        assert!(i32::from(counter) <= BOUND);
        for _ in 0..1000 {
            nudge(&mut counter, -LARGEST_STEP);
        }
        assert!(i32::from(counter) >= -BOUND);
    }
}
