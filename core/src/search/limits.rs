//! The limits of a search, and the watch that counts nodes and ends the search.
//!
//! Time management: from a player's clock to the time for one move.
//!
//! No iteration begins after the target; the search is interrupted at the limit. An iteration that began before the
//! target may run on until the limit. All shares are chosen, not tuned.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::game::Move;
use crate::search::score::Score;

/// Nodes between two checks of the clock and the stop flag, about a millisecond; chosen.
const NODES_PER_LOOK: u64 = 1024;

/// The limits of a search; the first one reached ends it. Without limits it runs to the last possible iteration.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Last iteration.
    pub depth: Option<u8>,
    /// Maximum of nodes of all threads, quiescence included.
    pub nodes: Option<u64>,
    /// Wall-clock time after which the search is interrupted.
    pub movetime: Option<Duration>,
    /// Wall-clock time after which no iteration begins; longer if the best move changes, shorter if it is stable.
    pub target: Option<Duration>,
    /// Ends the search when the side to move mates within this number of plies. Mates in up to three moves are searched
    /// without pruning.
    pub mate_plies: Option<u32>,
    /// The moves allowed in the root; empty: all.
    pub moves: Vec<Move>,
    /// Raised by another thread to end the search.
    pub stop: Option<Arc<AtomicBool>>,
    /// Set while the opponent's clock runs; the time limits count from when another thread clears it.
    pub ponder: Option<Arc<AtomicBool>>,
}

/// Returns the plies of a mate in this number of moves.
pub fn plies_to_mate(moves: u32) -> u32 {
    moves.saturating_mul(2).saturating_sub(1)
}

impl Limits {
    /// Returns limits that end a search after iteration `depth`.
    pub fn depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Returns limits that end a search after a number of nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Returns limits that end a search after some time.
    pub fn movetime(movetime: Duration) -> Limits {
        Limits { movetime: Some(movetime), ..Limits::default() }
    }

    /// Returns whether a score is the requested mate, which ends the search.
    pub(super) fn is_mate_found(&self, score: Score) -> bool {
        let found = score.mate_plies().and_then(|plies| u32::try_from(plies).ok());
        self.mate_plies.zip(found).is_some_and(|(asked, found)| found > 0 && found <= asked)
    }
}

/// The state that the threads of one search share.
pub(super) struct Pool {
    /// Raised by the first thread when it is done: its result counts.
    pub halt: AtomicBool,
    /// Nodes of each thread at its last check.
    nodes: Vec<AtomicU64>,
    /// Nodes reserved for the first thread: its equal share of the limit. Its result counts, so the others must not use
    /// up its nodes if they run first.
    share_of_first: u64,
    /// Nodes of the rest of the limit that no thread has taken yet.
    budget: AtomicU64,
}

impl Pool {
    pub(super) fn new(threads: usize, limits: &Limits) -> Pool {
        let nodes = std::iter::repeat_with(AtomicU64::default).take(threads).collect();
        let limit = limits.nodes.unwrap_or(u64::MAX);
        let share_of_first = limit.div_ceil(threads as u64);
        let budget = AtomicU64::new(limit - share_of_first);
        Pool { halt: AtomicBool::new(false), nodes, share_of_first, budget }
    }

    /// Takes the nodes that a thread may search until its next check, 0 at the limit. They are taken before they are
    /// searched, so that all threads together keep the limit.
    fn take_nodes(&self) -> u64 {
        let rest = |left: u64| Some(left.saturating_sub(NODES_PER_LOOK));
        let (Ok(left) | Err(left)) = self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        left.min(NODES_PER_LOOK)
    }
}

/// Counts the nodes of one thread and checks the limits.
pub(super) struct Watch<'a> {
    started: Instant,
    /// Start of the time limits; `None` while the opponent's clock runs.
    clock_started: Option<Instant>,
    limits: Limits,
    pool: &'a Pool,
    thread: usize,
    nodes: u64,
    /// Own nodes at the next check.
    nodes_taken: u64,
    /// Reserved nodes; further nodes come from the pool.
    share: u64,
    /// The target was reached on the opponent's clock: the search ends when our clock starts.
    has_enough: bool,
    is_over: bool,
}

impl<'a> Watch<'a> {
    /// Starts the watch of the first thread, which keeps to the limits.
    pub(super) fn start(limits: &Limits, pool: &'a Pool) -> Watch<'a> {
        Watch::new(limits, pool, 0, pool.share_of_first)
    }

    /// Starts the watch of another thread, which ends when the first does.
    pub(super) fn follow(pool: &'a Pool, thread: usize) -> Watch<'a> {
        Watch::new(&Limits::default(), pool, thread, 0)
    }

    fn new(limits: &Limits, pool: &'a Pool, thread: usize, share: u64) -> Watch<'a> {
        let started = Instant::now();
        let is_pondering = limits.ponder.is_some();
        let mut watch = Watch {
            started,
            clock_started: (!is_pondering).then_some(started),
            limits: limits.clone(),
            pool,
            thread,
            nodes: 0,
            nodes_taken: 0,
            share,
            has_enough: false,
            is_over: false,
        };
        watch.look();
        watch
    }

    /// Counts a node; returns whether the search may go on.
    pub(super) fn enter(&mut self) -> bool {
        if self.nodes == self.nodes_taken && !self.is_over {
            self.look();
        }
        self.nodes += u64::from(!self.is_over);
        !self.is_over
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the nodes of all threads.
    pub(super) fn nodes(&self) -> u64 {
        let others = self.pool.nodes.iter().enumerate().filter(|(thread, _)| *thread != self.thread);
        self.nodes + others.map(|(_, nodes)| nodes.load(Ordering::Relaxed)).sum::<u64>()
    }

    /// Returns the time since the search began, including the opponent's time.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns whether the time for a move is used up, so that no iteration should begin. On the opponent's clock the
    /// search continues, and ends when our clock starts.
    pub(super) fn is_spent(&mut self, target: Duration) -> bool {
        self.has_enough = self.elapsed() >= target;
        self.has_enough && self.clock_started.is_some()
    }

    fn look(&mut self) {
        if let Some(own) = self.pool.nodes.get(self.thread) {
            own.store(self.nodes, Ordering::Relaxed);
        }
        let is_up =
            |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if self.clock_started.is_none() && !is_up(&self.limits.ponder) {
            self.clock_started = Some(Instant::now());
            self.is_over |= self.has_enough;
        }
        let limit = self.limits.movetime.zip(self.clock_started);
        self.is_over |= limit.is_some_and(|(movetime, since)| since.elapsed() >= movetime)
            || is_up(&self.limits.stop)
            || self.pool.halt.load(Ordering::Relaxed);
        let own = self.share.min(NODES_PER_LOOK);
        self.share -= own;
        self.nodes_taken += if own > 0 { own } else { self.pool.take_nodes() };
        self.is_over |= self.nodes == self.nodes_taken;
    }
}

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
        let moves = self.moves_to_go.unwrap_or(EXPECTED_MOVES).clamp(1, MOST_MOVES);
        // Without increments every move to come pays the overhead; nine tenths of the clock are kept for that at most.
        let to_come = if self.increment.is_zero() { moves } else { 1 };
        let reserve = (self.overhead * to_come).min(self.left * 9 / 10).max(self.overhead);
        let left = self.left.saturating_sub(reserve).max(least);
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
mod tests;
