//! Order of moves: table move, book hint, captures, killers, history.
//!
//! In goes a list of legal moves and what earlier nodes taught; out come the moves, the most promising first. The
//! order decides how much the search can cut, never what it finds.

use arrayvec::ArrayVec;

use super::score::MAX_PLY;
use crate::evaluate::{Evaluate, Exchange};
use crate::game::{Game, MAX_MOVES, Move, MoveList, Side};

const TABLE_MOVE: i32 = 1 << 30;
const HINT_MOVE: i32 = 1 << 29;
const GOOD_CAPTURE: i32 = 1 << 26;
const KILLER: i32 = 1 << 20;
const LOSING_CAPTURE: i32 = 1 << 18;
/// Weight of the captured value against the capturing one: most valuable victim first, among equals the least
/// valuable attacker. Larger than the most valuable piece over the least difference of two; chosen.
const VICTIM_WEIGHT: i32 = 32;
/// Bound of a history counter; chosen.
const HISTORY_BOUND: i32 = 1 << 14;
/// Largest step of a history counter; chosen.
const HISTORY_STEP: i32 = 1 << 11;
/// Counters per side: the low 14 bits of a move code, which hold origin and target in either game.
const HISTORY_CODES: usize = 1 << 14;

/// A move with its rank, and what it exchanges.
#[derive(Clone, Copy)]
pub(super) struct Ranked {
    pub m: Move,
    pub exchange: Option<Exchange>,
    rank: i32,
}

/// What earlier nodes taught: killer moves of each ply, history counters of each side.
pub(super) struct Order {
    killers: [[Move; 2]; MAX_PLY + 1],
    history: [Vec<i16>; 2],
}

/// Moves known to be worth trying first at one node.
#[derive(Clone, Copy)]
pub(super) struct Preferred {
    pub table: Move,
    pub hint: Move,
}

impl Order {
    pub(super) fn new() -> Order {
        let history = [vec![0; HISTORY_CODES], vec![0; HISTORY_CODES]];
        Order { killers: [[Move::NONE; 2]; MAX_PLY + 1], history }
    }

    /// Ranks the moves of a node.
    pub(super) fn rank<G: Game>(
        &self,
        position: &G,
        evaluation: &impl Evaluate<G>,
        moves: &MoveList,
        (ply, preferred): (usize, Preferred),
    ) -> Queue {
        let counters = &self.history[position.side().index()];
        let rank = |m: Move, exchange: Option<Exchange>| match exchange {
            _ if m == preferred.table => TABLE_MOVE,
            _ if m == preferred.hint => HINT_MOVE,
            Some(exchange) => rank_of_exchange(exchange),
            None if m == self.killers[ply][0] => KILLER + 1,
            None if m == self.killers[ply][1] => KILLER,
            None => i32::from(counters[history_code(m)]),
        };
        let ranked = moves.iter().map(|&m| {
            let exchange = evaluation.exchange(position, m);
            Ranked { m, exchange, rank: rank(m, exchange) }
        });
        Queue { moves: ranked.collect(), next: 0 }
    }

    /// Learns that a quiet move refuted a node after the others failed to.
    pub(super) fn reward(&mut self, side: Side, (ply, depth): (usize, i32), m: Move, failed: &[Move]) {
        let killers = &mut self.killers[ply];
        if killers[0] != m {
            *killers = [m, killers[0]];
        }
        let step = (depth * depth).min(HISTORY_STEP);
        let counters = &mut self.history[side.index()];
        nudge(&mut counters[history_code(m)], step);
        for &other in failed {
            nudge(&mut counters[history_code(other)], -step);
        }
    }

    pub(super) fn is_killer(&self, ply: usize, m: Move) -> bool {
        self.killers[ply].contains(&m)
    }
}

fn rank_of_exchange(exchange: Exchange) -> i32 {
    let base = if exchange.is_losing() { LOSING_CAPTURE } else { GOOD_CAPTURE };
    base + VICTIM_WEIGHT * exchange.gain - exchange.risk
}

fn history_code(m: Move) -> usize {
    usize::from(m.0) % HISTORY_CODES
}

/// Moves a counter by `step`, less the nearer it is to its bound.
fn nudge(counter: &mut i16, step: i32) {
    let old = i32::from(*counter);
    *counter = (old + step - old * step.abs() / HISTORY_BOUND) as i16;
}

/// Ranked moves, handed out best first.
pub(super) struct Queue {
    moves: ArrayVec<Ranked, MAX_MOVES>,
    next: usize,
}

impl Queue {
    /// Ranks captures by victim and attacker alone.
    pub(super) fn of_captures<G: Game>(
        position: &G,
        evaluation: &impl Evaluate<G>,
        moves: &MoveList,
    ) -> Queue {
        let ranked = moves.iter().map(|&m| {
            let exchange = evaluation.exchange(position, m);
            Ranked { m, exchange, rank: exchange.map_or(0, |e| VICTIM_WEIGHT * e.gain - e.risk) }
        });
        Queue { moves: ranked.collect(), next: 0 }
    }
}

impl Iterator for Queue {
    type Item = Ranked;

    /// One step of selection sort: cutoffs come early, so most moves never need sorting.
    fn next(&mut self) -> Option<Ranked> {
        let mut best = self.next;
        for index in self.next + 1..self.moves.len() {
            if self.moves[index].rank > self.moves[best].rank {
                best = index;
            }
        }
        let ranked = *self.moves.get(best)?;
        self.moves[best] = self.moves[self.next];
        self.moves[self.next] = ranked;
        self.next += 1;
        Some(ranked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Chess;
    use crate::evaluate::Standard;

    fn texts(position: &Chess, order: &Order, preferred: Preferred) -> Vec<String> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let queue = order.rank(position, &Standard, &moves, (0, preferred));
        queue.map(|ranked| Chess::coordinates().format(position, ranked.m)).collect()
    }

    #[test]
    fn moves_come_by_table_hint_captures_killers_history() {
        // Pawn and queen can take the rook, which is guarded: for the queen a loss.
        let position = Chess::from_fen("4k3/8/2p5/3r4/4P3/8/8/3QK3 w - - 0 1").unwrap();
        let find = |text: &str| Chess::coordinates().parse(&position, text).unwrap();
        let mut order = Order::new();
        order.reward(Side::First, (1, 3), find("e1f2"), &[find("e1e2")]);
        order.reward(Side::First, (0, 1), find("d1d3"), &[]);
        let preferred = Preferred { table: find("e1f1"), hint: find("d1a4") };
        let texts = texts(&position, &order, preferred);
        assert_eq!(texts[..6], ["e1f1", "d1a4", "e4d5", "d1d3", "d1d5", "e1f2"]);
        assert_eq!(texts.last().map(String::as_str), Some("e1e2"));
    }

    #[test]
    fn history_counters_stay_in_bounds() {
        let mut counter = 0;
        for _ in 0..1000 {
            nudge(&mut counter, HISTORY_STEP);
        }
        assert!(i32::from(counter) <= HISTORY_BOUND);
        for _ in 0..1000 {
            nudge(&mut counter, -HISTORY_STEP);
        }
        assert!(i32::from(counter) >= -HISTORY_BOUND);
    }
}
