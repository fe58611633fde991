//! Move order learnt from earlier nodes: killers, counter-moves, and history counters.
//!
//! A move that refutes a node is rewarded; those tried before it are penalized. The ranks order the moves of other
//! nodes. The order decides how much the search can cut, never what it finds.
//!
//! The moves of a node, most promising first, generated in stages when needed.
//!
//! The order is: the table's move, the book's move, captures that do not lose material, killers, the counter-move,
//! other quiet moves by history, losing captures.

use arrayvec::ArrayVec;

use crate::evaluate::Evaluate;
use crate::game::{Capture, MAX_MOVES, Move, MoveList, Searchable, Side};
use crate::search::score::MAX_PLY;

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
    learning: Learning,
}

/// What the move order learns from the nodes of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learning {
    /// History counters.
    pub history: bool,
    /// Killers and counter-moves.
    pub killers: bool,
}

impl Default for Learning {
    fn default() -> Learning {
        Learning { history: true, killers: true }
    }
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
    pub(super) fn new<G: Searchable>(learning: Learning) -> Order {
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
            learning,
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
        if self.learning.killers {
            let killers = &mut self.killers[context.ply];
            if killers[0] != best.0 {
                *killers = [best.0, killers[0]];
            }
            self.counters[usize::from(context.before[0])] = best.0;
        }
        if !self.learning.history {
            return;
        }
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
        if !self.learning.history {
            return;
        }
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

/// A move with the facts found when it was picked.
#[derive(Clone, Copy)]
pub(super) struct Picked {
    pub m: Move,
    pub arrival: Arrival,
    /// A capture or a promotion.
    pub is_noisy: bool,
    /// Loses material by static exchange evaluation.
    pub is_losing: bool,
}

/// A move on the list. It has eight bytes, because every ply has a list and all of them should stay in the cache.
#[derive(Clone, Copy)]
struct Listed {
    m: Move,
    arrival: Arrival,
    rank: i32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Preferred,
    ListNoisy,
    Noisy,
    ListQuiet,
    Quiet,
    Losing,
}

/// The moves that a picker returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// All legal moves.
    All,
    /// Captures and promotions.
    Noisy,
}

/// Picks the moves of one node.
pub(super) struct Picker {
    stage: Stage,
    scope: Scope,
    preferred: ArrayVec<Move, 2>,
    asked: usize,
    /// Postponed captures, then the moves of the stage.
    moves: ArrayVec<Listed, MAX_MOVES>,
    next: usize,
    /// Number of postponed captures, which lose material; they are first in `moves`.
    losing: usize,
    passes_quiets: bool,
    refused: u64,
}

impl Picker {
    /// Returns the picker of a node. `preferred` moves come first if they are legal.
    pub(super) fn new(scope: Scope, preferred: [Move; 2]) -> Picker {
        let wanted = preferred.into_iter().enumerate();
        let preferred = wanted.filter(|&(i, m)| m != Move::NONE && !preferred[..i].contains(&m));
        Picker {
            stage: Stage::Preferred,
            scope,
            preferred: preferred.map(|(_, m)| m).collect(),
            asked: 0,
            moves: ArrayVec::new(),
            next: 0,
            losing: 0,
            passes_quiets: false,
            refused: 0,
        }
    }

    /// Returns the number of illegal preferred moves, which belong to another position.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Skips the remaining quiet moves.
    pub(super) fn pass_quiets(&mut self) {
        self.passes_quiets = true;
    }

    pub(super) fn next<G: Searchable, E: Evaluate<G>>(
        &mut self,
        position: &G,
        evaluation: &E,
        (order, context): (&Order, &Context),
    ) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Preferred => match self.next_preferred(position, evaluation, order) {
                    Some(picked) => return Some(picked),
                    None => self.stage = Stage::ListNoisy,
                },
                Stage::ListNoisy => {
                    self.list_noisy(position, evaluation, order);
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best() {
                    Some(listed) if evaluation.holds(position, listed.m, 0) => {
                        return Some(listed.picked(true));
                    }
                    Some(listed) => {
                        // It has been picked, so its place and those before it are free.
                        self.moves[self.losing] = listed;
                        self.losing += 1;
                    }
                    None if self.scope == Scope::Noisy => return None,
                    None => self.stage = Stage::ListQuiet,
                },
                Stage::ListQuiet => {
                    self.list_quiet(position, order, context);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.best().filter(|_| !self.passes_quiets) {
                    Some(listed) => return Some(listed.picked(false)),
                    None => {
                        self.start_over(0);
                        self.stage = Stage::Losing;
                    }
                },
                Stage::Losing => {
                    return self.best().map(|listed| Picked { is_losing: true, ..listed.picked(true) });
                }
            }
        }
    }

    fn next_preferred<G: Searchable, E: Evaluate<G>>(
        &mut self,
        position: &G,
        evaluation: &E,
        order: &Order,
    ) -> Option<Picked> {
        loop {
            let m = *self.preferred.get(self.asked)?;
            let is_noisy = evaluation.gain(position, m).is_some();
            if is_noisy || self.scope == Scope::All {
                if position.is_legal(m) {
                    self.asked += 1;
                    let arrival = order.arrival(position, m);
                    return Some(Picked { m, arrival, is_noisy, is_losing: false });
                }
                self.refused += 1;
            }
            self.preferred.remove(self.asked);
        }
    }

    fn list_noisy<G: Searchable, E: Evaluate<G>>(&mut self, position: &G, evaluation: &E, order: &Order) {
        let mut moves = MoveList::new();
        position.noisy_moves(&mut moves);
        for m in moves {
            if self.preferred.contains(&m) {
                continue;
            }
            let arrival = order.arrival(position, m);
            let gain = evaluation.gain(position, m).unwrap_or(0);
            let rank = order.rank_capture(gain, position.capture(m), arrival);
            self.moves.push(Listed { m, arrival, rank });
        }
    }

    /// Lists the quiet moves, unless they are skipped.
    fn list_quiet<G: Searchable>(&mut self, position: &G, order: &Order, context: &Context) {
        self.start_over(self.losing);
        if self.passes_quiets {
            return;
        }
        let mut moves = MoveList::new();
        position.quiet_moves(&mut moves);
        for m in moves {
            if self.preferred.contains(&m) {
                continue;
            }
            let arrival = order.arrival(position, m);
            let rank = order.rank_quiet(context, m, arrival);
            self.moves.push(Listed { m, arrival, rank });
        }
    }

    /// Continues with the moves from `first` on; only postponed ones are left.
    fn start_over(&mut self, first: usize) {
        self.moves.truncate(self.losing);
        self.next = first;
    }

    /// One step of selection sort: cutoffs come early, so most moves never need sorting.
    fn best(&mut self) -> Option<Listed> {
        let mut best = self.next;
        for index in self.next + 1..self.moves.len() {
            if self.moves[index].rank > self.moves[best].rank {
                best = index;
            }
        }
        let listed = *self.moves.get(best)?;
        self.moves[best] = self.moves[self.next];
        self.moves[self.next] = listed;
        self.next += 1;
        Some(listed)
    }
}

impl Listed {
    fn picked(self, is_noisy: bool) -> Picked {
        Picked { m: self.m, arrival: self.arrival, is_noisy, is_losing: false }
    }
}

#[cfg(test)]
mod tests;
