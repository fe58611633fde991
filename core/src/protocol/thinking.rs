//! One search on its own thread: the signals that it obeys, its iterations and its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::command::{Go, Refusal, Setup};
use super::dialect::{Best, Channel, Dialect, Variant};
use super::options::{Name, Options};
use super::{ucci, uci};
use crate::evaluate::{Evaluate, Standard};
use crate::game::{HistoryRules, Move, MoveList, Notated, Searchable, Side};
use crate::history::History;
use crate::search::{Clock, Limits, Score, SearchResult, Searcher, plies_to_mate};

/// A position with its history.
#[derive(Clone)]
pub struct Board<G> {
    pub position: G,
    /// The positions before it.
    pub history: History,
    /// Plies since the start of the game, by the FEN's move number.
    pub plies: u64,
}

impl<G: HistoryRules + Notated> Board<G> {
    /// Returns the position of a setup.
    ///
    /// # Errors
    /// [`Refusal`] if the position is invalid or one of the moves is illegal.
    pub fn of(setup: &Setup, variant: Variant) -> Result<Board<G>, Refusal> {
        let mut position = match &setup.fen {
            None => G::start(),
            Some(fen) => G::from_fen(fen).map_err(|why| Refusal(why.to_string()))?,
        };
        let mut history = History::at(&position);
        let notation = variant.notation::<G>();
        for (index, text) in setup.moves.iter().enumerate() {
            let m = notation
                .parse(&position, text)
                .map_err(|why| Refusal(format!("move {}: {why} ({})", index + 1, position.to_fen())))?;
            history.play_on(&mut position, m);
        }
        let plies = setup.fen.as_deref().map_or(0, plies_of) + setup.moves.len() as u64;
        Ok(Board { position, history, plies })
    }
}

/// Returns the plies before a FEN's position, by its move number; 0 without one.
fn plies_of(fen: &str) -> u64 {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let number: u64 = fields.get(5).and_then(|field| field.parse().ok()).unwrap_or(1);
    let is_second = fields.get(1) == Some(&"b");
    number.saturating_sub(1).saturating_mul(2).saturating_add(u64::from(is_second))
}

/// The signals of one search. Clones share them.
#[derive(Clone)]
pub struct Signal {
    /// Set: answer now.
    pub stop: Arc<AtomicBool>,
    /// Set while the opponent's clock runs.
    pub ponder: Arc<AtomicBool>,
    /// The answer waits for `stop`.
    is_infinite: bool,
    changed: Arc<(Mutex<()>, Condvar)>,
}

impl Signal {
    pub fn new(is_ponder: bool, is_infinite: bool) -> Signal {
        Signal {
            stop: Arc::default(),
            ponder: Arc::new(AtomicBool::new(is_ponder)),
            is_infinite,
            changed: Arc::default(),
        }
    }

    pub fn stop(&self) {
        self.change(|| self.stop.store(true, Ordering::Relaxed));
    }

    /// Starts the search's own clock.
    pub fn ponder_hit(&self) {
        self.change(|| self.ponder.store(false, Ordering::Relaxed));
    }

    /// Returns whether the search ends by itself.
    pub fn is_finite(&self) -> bool {
        !self.is_infinite && !self.ponder.load(Ordering::Relaxed)
    }

    /// Waits until the answer is allowed: in analysis after `stop`, never on the opponent's time.
    pub fn await_answer_time(&self) {
        let (mutex, condition) = &*self.changed;
        let mut guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_finite() && !self.stop.load(Ordering::Relaxed) {
            guard = condition.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, set: impl FnOnce()) {
        let (mutex, condition) = &*self.changed;
        let guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
        set();
        drop(guard);
        condition.notify_all();
    }
}

/// The time of a search whose `go` has nothing that can be used.
const SHORT: Duration = Duration::from_millis(100);

/// The task of a search thread.
#[derive(Clone)]
pub(super) struct Work<G> {
    pub board: Board<G>,
    pub limits: Limits,
    /// The book's move, if there is one.
    pub chosen: Option<Move>,
    pub offers_draw: bool,
    /// Stop and ponderhit.
    pub signal: Signal,
    pub channel: Channel,
}

impl<G: Searchable + Notated> Work<G>
where
    Standard: Evaluate<G>,
{
    /// Finds a move and reports it. If the search crashes, a legal move is played all the same.
    pub(super) fn run_guarded(&self, searcher: &mut Searcher<G>) {
        // Entries that a crashed search left in the table are checked on use.
        if catch_unwind(AssertUnwindSafe(|| self.run(searcher))).is_err() {
            self.channel
                .report("the search crashed: played a legal move instead; please report the position");
            self.answer_at_once();
        }
    }

    pub(super) fn answer_at_once(&self) {
        let mut moves = MoveList::new();
        self.board.position.legal_moves(&mut moves);
        moves.truncate(1);
        self.channel.answer(&Best { best: self.spell(&moves).pop(), ..Best::default() });
    }

    /// Finds a move and reports it when the answer is allowed.
    fn run(&self, searcher: &mut Searcher<G>) {
        let best = match self.chosen {
            Some(m) => self.report_book(m),
            None => self.search(searcher),
        };
        self.signal.await_answer_time();
        self.channel.answer(&best);
    }

    /// A book move has a line but no score.
    fn report_book(&self, m: Move) -> Best {
        let best = self.spell(&[m]).pop();
        if let Some(text) = &best {
            self.channel.output.write_line(&format!("info depth 0 nodes 0 time 0 pv {text}"));
        }
        Best { best, ..Best::default() }
    }

    fn search(&self, searcher: &mut Searcher<G>) -> Best {
        let Board { position, history, .. } = &self.board;
        let result = searcher.search(position, history, &self.limits, &mut |info| {
            let pv = self.spell(info.pv);
            self.channel.output.write_line(&match self.channel.dialect {
                Dialect::Uci => uci::info(info, &pv),
                Dialect::Ucci => ucci::info(info, &pv),
            });
        });
        let mut line = result.pv.clone();
        line.truncate(2);
        if line.len() == 1 {
            line.extend(reply(searcher, position, &result));
        }
        let mut spelled = self.spell(&line).into_iter();
        // Even or worse: accept the draw.
        let takes_draw = self.offers_draw && result.score <= Score::DRAW;
        Best { best: spelled.next(), ponder: spelled.next(), takes_draw }
    }

    fn spell(&self, line: &[Move]) -> Vec<String> {
        self.channel.variant.notation::<G>().spell(&self.board.position, line)
    }
}

/// Returns the expected reply to the best move, from the table if the line is too short.
fn reply<G: Searchable>(searcher: &Searcher<G>, position: &G, result: &SearchResult) -> Option<Move>
where
    Standard: Evaluate<G>,
{
    let next = position.after(result.best);
    searcher.recall(&next).map(|entry| entry.best).filter(|&m| next.is_legal(m))
}

/// Returns whether a `go` has words that were skipped, and none that says when to answer.
pub(super) fn is_useless(go: &Go, side: Side) -> bool {
    !(go.skipped.is_empty() || go.is_bounded(side) || go.is_infinite || go.mate.is_some())
}

pub(super) fn limits(go: &Go, side: Side, options: &Options, signal: &Signal, moves: Vec<Move>) -> Limits {
    let mut limits = Limits {
        depth: go.depth,
        nodes: go.nodes,
        mate_plies: go.mate.map(plies_to_mate),
        moves,
        stop: Some(Arc::clone(&signal.stop)),
        ponder: go.is_ponder.then(|| Arc::clone(&signal.ponder)),
        ..Limits::default()
    };
    let scale = if options.flag(Name::Milliseconds) { 1 } else { 1000 };
    if let Some(movetime) = go.movetime {
        limits.movetime = Some(movetime);
    } else if is_useless(go, side) {
        limits.movetime = Some(SHORT);
    } else if let Some(left) = go.clocks[side.index()].filter(|_| !go.is_infinite) {
        let clock = Clock {
            left: left * scale,
            increment: go.increments[side.index()] * scale,
            moves_to_go: go.moves_to_go,
            overhead: Duration::from_millis(options.number(Name::MoveOverhead)),
        };
        let allotted = clock.allot();
        (limits.target, limits.movetime) = (Some(allotted.target), Some(allotted.limit));
    }
    limits
}
