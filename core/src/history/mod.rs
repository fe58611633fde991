//! The history of a position: the moves of the game, followed by the path of the search.
//!
//! It knows the previous occurrence of the last position, the plies of the move-count rule, and the verdict that
//! follows from them ([`judge`]). One of three detectors finds the occurrences ([`Detection`]).

mod detectors;

use detectors::{AnyDetector, Played};

use crate::game::{HistoryRules, Key, Move, RepetitionRule, Verdict};

pub use detectors::{Detection, Detector, OpenFlag, OpenFlags, Scan, SmallTable};

/// The positions from the start of a game to the current one.
#[derive(Debug)]
pub struct History {
    line: Vec<Played>,
    detector: AnyDetector,
}

// Every node of a search writes one, so it should be small.
const _: () = assert!(size_of::<Played>() == 16);

/// Facts about a move that the history needs before it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    m: Move,
    is_irreversible: bool,
    resets_clock: bool,
}

impl Step {
    /// A null move: no earlier position can recur after it.
    pub const PASS: Step = Step { m: Move::NONE, is_irreversible: true, resets_clock: false };

    /// Returns the facts about a legal move.
    pub fn of<G: HistoryRules>(position: &G, m: Move) -> Step {
        let is_irreversible = position.is_irreversible(m);
        Step { m, is_irreversible, resets_clock: is_irreversible && position.resets_clock(m) }
    }
}

impl History {
    /// Returns the history of a game that begins with this position, its clock at zero.
    pub fn new(start: Key) -> History {
        History::starting(start, 0)
    }

    /// Returns the history of a game that begins with this position and its clock.
    pub fn at<G: HistoryRules>(start: &G) -> History {
        History::starting(start.key(), u16::try_from(start.clock()).unwrap_or(u16::MAX))
    }

    fn starting(key: Key, clock: u16) -> History {
        let start = Played { key, m: Move::NONE, reversible: 0, clock, checks: [0; 2] };
        History::of_line(vec![start], AnyDetector::default())
    }

    /// Returns the same history with a detector of this kind.
    pub fn watched_by(&self, detection: &Detection) -> History {
        History::of_line(self.line.clone(), AnyDetector::new(detection.clone()))
    }

    fn of_line(line: Vec<Played>, mut detector: AnyDetector) -> History {
        for end in 1..=line.len() {
            detector.enter(&line[..end]);
        }
        History { line, detector }
    }

    /// Plays a legal move on `position` and records the new position.
    pub fn play_on<G: HistoryRules>(&mut self, position: &mut G, m: Move) {
        let step = Step::of(position, m);
        position.play_unchecked(m);
        self.play(position.key(), step);
        self.note_check::<G>(position.is_check());
    }

    /// Records a position reached by a move.
    pub fn play(&mut self, key: Key, step: Step) {
        let last = self.line.last().copied().unwrap_or(Played::NOTHING);
        let reversible = if step.is_irreversible { 0 } else { last.reversible.saturating_add(1) };
        let (clock, checks) =
            if step.resets_clock { (0, [0; 2]) } else { (last.clock.saturating_add(1), last.checks) };
        self.line.push(Played { key, m: step.m, reversible, clock, checks });
        self.detector.enter(&self.line);
    }

    /// Records whether the last move gave check: the move-count rule does not count checks beyond
    /// [`HistoryRules::COUNTED_CHECKS`]. May be called more than once for a move; without a call the move gave no check.
    pub fn note_check<G: HistoryRules>(&mut self, is_check: bool) {
        let Some(counted) = G::COUNTED_CHECKS else { return };
        let parity = self.line.len() % 2;
        let Some(before) = self.line.len().checked_sub(2).map(|index| self.line[index]) else { return };
        let Some(last) = self.line.last_mut().filter(|last| is_check && last.clock > 0) else { return };
        last.checks[parity] = before.checks[parity].saturating_add(1);
        if last.checks[parity] > counted {
            last.clock = before.clock;
        }
    }

    /// Removes the last position, if there is one.
    pub fn undo(&mut self) {
        if !self.line.is_empty() {
            self.detector.leave(&self.line);
            self.line.pop();
        }
    }

    /// Returns the key of the last position; `None` without positions.
    pub fn key(&self) -> Option<Key> {
        self.line.last().map(|played| played.key)
    }

    /// Returns the plies since the last irreversible move.
    pub fn reversible_plies(&self) -> usize {
        self.line.last().map_or(0, |played| usize::from(played.reversible))
    }

    /// Returns the plies that the move-count rule counts: see [`HistoryRules::CLOCK_LIMIT`].
    pub fn clock(&self) -> usize {
        self.line.last().map_or(0, |played| usize::from(played.clock))
    }

    /// Returns the plies since the last position's previous occurrence; `None` if it occurs for the first time.
    pub fn cycle(&self) -> Option<usize> {
        self.detector.cycle(&self.line)
    }

    /// Returns the plies since the `n`-th previous occurrence of the last position; `None` if there are fewer.
    /// [`History::cycle`] finds the first; the others are found by walking back.
    pub fn span(&self, n: usize) -> Option<usize> {
        match n {
            0 => Some(0),
            1 => self.cycle(),
            _ => self.cycle().and_then(|_| detectors::occurrences(&self.line).nth(n - 1)),
        }
    }

    /// Returns the last `plies` moves.
    pub fn last_moves(&self, plies: usize) -> impl Iterator<Item = Move> {
        self.line[self.line.len().saturating_sub(plies)..].iter().map(|played| played.m)
    }

    /// Returns whether a position with this key, reached by the next move, has occurred since the last
    /// irreversible move.
    pub fn would_repeat(&self, key: Key) -> bool {
        self.line.iter().rev().take(self.reversible_plies() + 1).any(|played| played.key == key)
    }
}

impl Clone for History {
    /// Returns the same line with a new detector: each thread of a search has such a copy.
    fn clone(&self) -> History {
        History::of_line(self.line.clone(), self.detector.fresh())
    }
}

/// The verdict on a line of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Why the game is over; `None`: it goes on.
    pub verdict: Option<Verdict>,
    /// For a repetition, the moves between the first and the last counted occurrence of the last position; else empty.
    pub cycle: Vec<Move>,
}

/// Judges a line that ends in `position`. A repetition counts at the `occurrences`-th occurrence of a position (3 in
/// tournaments, at least 2); all moves since the first of these occurrences are judged together.
///
/// Mate and stalemate take precedence, because they end the game on the board.
pub fn judge<G: HistoryRules>(
    position: &G,
    history: &History,
    rule: RepetitionRule,
    occurrences: usize,
) -> Judgement {
    let ended = |verdict| Judgement { verdict, cycle: Vec::new() };
    if let Some(verdict) = position.verdict() {
        return ended(Some(verdict));
    }
    if let Some(plies) = history.span(occurrences.max(2) - 1) {
        let cycle: Vec<Move> = history.last_moves(plies).collect();
        let ruling = position.rule_on(&cycle, rule);
        return Judgement { verdict: Some(Verdict::Repetition(ruling)), cycle };
    }
    ended((history.clock() >= G::CLOCK_LIMIT).then_some(Verdict::MoveCount))
}

#[cfg(test)]
mod tests;
