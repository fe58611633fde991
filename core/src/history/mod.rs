//! The history of a position: the moves of the game, followed by the path of the search.
//!
//! It knows the previous occurrence of the last position, the plies of the move-count rule, and the verdict that
//! follows from them ([`judge`]). One of three detectors finds the distance to the previous occurrence ([`Detection`]).
//! `benches/repetition.rs` measures their cost per node; docs/repetition.md has the figures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use crate::game::{HistoryRules, Key, Move, RepetitionRule, Verdict};

/// The positions from the start of a game to the current one.
#[derive(Debug)]
pub struct History {
    line: Vec<Played>,
    detection: Detection,
    detector: Detector,
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
    /// Returns the history of a game that begins with this position and its clock.
    pub fn at<G: HistoryRules>(start: &G) -> History {
        let clock = u16::try_from(start.clock()).unwrap_or(u16::MAX);
        let start = Played { key: start.key(), clock, ..Played::NOTHING };
        History::of_line(vec![start], Detection::default())
    }

    /// Returns the same history with a detector of this kind.
    pub fn watched_by(&self, detection: &Detection) -> History {
        History::of_line(self.line.clone(), detection.clone())
    }

    fn of_line(line: Vec<Played>, detection: Detection) -> History {
        let mut detector = match &detection {
            Detection::Scan => Detector::Scan,
            Detection::SmallTable => Detector::SmallTable(Box::new([0; SLOTS])),
            Detection::OpenFlag(flags) => Detector::OpenFlag(OpenFlag::new(Arc::clone(flags))),
        };
        for end in 1..=line.len() {
            detector.enter(&line[..end]);
        }
        History { line, detection, detector }
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
            _ => self.cycle().and_then(|_| occurrences(&self.line).nth(n - 1)),
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
        self.watched_by(&self.detection)
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

/// A position of the line, with counters up to there.
#[derive(Debug, Clone, Copy)]
struct Played {
    key: Key,
    /// The move that led here; [`Move::NONE`] at the start and after a pass.
    m: Move,
    /// Plies since the last irreversible move.
    reversible: u16,
    /// Plies that the move-count rule counts.
    clock: u16,
    /// Checks by the moves to even and to odd positions of the line, since the clock began.
    checks: [u8; 2],
}

impl Played {
    const NOTHING: Played = Played { key: Key(0), m: Move::NONE, reversible: 0, clock: 0, checks: [0; 2] };
}

/// Three ways to find out that a position has occurred before.
#[derive(Debug, Clone, Default)]
pub enum Detection {
    /// Walks back through the keys to the last irreversible move (Moreland). Always right.
    Scan,
    /// Asks a small table of counts first, indexed by the low bits of the key (Gerbil). Always right.
    #[default]
    SmallTable,
    /// Raises a flag in a table shared by all threads while the position is on the path (Thompson). Never wrong where it
    /// finds one; misses one whose flag another position has displaced.
    OpenFlag(Arc<OpenFlags>),
}

/// Slots of a table of flags that no other history shares yet: 8 MiB; chosen.
const FLAGS: usize = 1 << 20;

impl Detection {
    /// The names of all detectors, the default first.
    pub const NAMES: [&str; 3] = ["small-table", "scan", "open-flag"];

    /// Returns the detector of a name, with a new table of flags if it needs one.
    pub fn named(name: &str) -> Option<Detection> {
        match name {
            "small-table" => Some(Detection::SmallTable),
            "scan" => Some(Detection::Scan),
            "open-flag" => Some(Detection::OpenFlag(Arc::new(OpenFlags::new(FLAGS)))),
            _ => None,
        }
    }
}

/// Returns the distances to all earlier occurrences of the last position, the nearest first.
///
/// Only every second position has the same side to move. The first that can be equal is four plies back: both sides
/// must move there and back.
fn occurrences(line: &[Played]) -> impl Iterator<Item = usize> {
    let (last, earlier) =
        line.split_last().map_or((Played::NOTHING, line), |(last, earlier)| (*last, earlier));
    let back = earlier.iter().rev().take(usize::from(last.reversible)).enumerate().skip(3).step_by(2);
    back.filter(move |(_, played)| played.key == last.key).map(|(index, _)| index + 1)
}

/// Slots of a table of counts: 8 KiB, a part of the first-level cache; chosen.
const SLOTS: usize = 4096;

/// Returns the slot of the last position of a line in a table of counts.
fn slot(line: &[Played]) -> usize {
    line.last().map_or(0, |last| last.key.0 as usize % SLOTS)
}

/// A table of open positions, shared by the paths of several threads: the last to open a position holds its slot.
///
/// A slot is one word, written and read without locks:
///
/// | bits | content |
/// |---|---|
/// | 63–32 | key bits 63–32 |
/// | 31–16 | the path whose position it is |
/// | 15–0 | its place on that path, from 1; 0: nothing open |
#[derive(Debug)]
pub struct OpenFlags {
    slots: Vec<AtomicU64>,
    paths: AtomicU16,
}

impl OpenFlags {
    /// Returns a table with at least this number of slots, a power of two.
    pub fn new(slots: usize) -> OpenFlags {
        let slots = std::iter::repeat_with(AtomicU64::default).take(slots.next_power_of_two()).collect();
        OpenFlags { slots, paths: AtomicU16::new(0) }
    }

    fn slot(&self, played: Played) -> &AtomicU64 {
        &self.slots[played.key.0 as usize & (self.slots.len() - 1)]
    }
}

/// The view of one path on [`OpenFlags`]: it ignores the flags of other paths.
#[derive(Debug)]
struct OpenFlag {
    flags: Arc<OpenFlags>,
    path: u16,
    /// The previous content of the slot of each position of the line.
    displaced: Vec<u64>,
}

impl OpenFlag {
    /// Returns the view of a new path.
    fn new(flags: Arc<OpenFlags>) -> OpenFlag {
        let path = flags.paths.fetch_add(1, Ordering::Relaxed);
        OpenFlag { flags, path, displaced: Vec::new() }
    }

    /// The word of the last position of a line; 0 if the line is too long for a word.
    fn word(&self, line: &[Played]) -> u64 {
        let Some(last) = line.last() else { return 0 };
        let Ok(place) = u16::try_from(line.len()) else { return 0 };
        last.key.0 >> 32 << 32 | u64::from(self.path) << 16 | u64::from(place)
    }

    /// Returns the index of the position that a word of this path refers to.
    fn place(&self, word: u64) -> Option<usize> {
        let is_own = (word >> 16) as u16 == self.path;
        usize::from(word as u16).checked_sub(1).filter(|_| is_own)
    }

    fn enter(&mut self, line: &[Played]) {
        let Some(&last) = line.last() else { return };
        let displaced = self.flags.slot(last).swap(self.word(line), Ordering::Relaxed);
        self.displaced.push(displaced);
    }

    fn leave(&mut self, line: &[Played]) {
        let (Some(&last), Some(displaced)) = (line.last(), self.displaced.pop()) else { return };
        // The flag of another path is not restored: it may have been cleared since.
        let restored = if self.place(displaced).is_some() { displaced } else { 0 };
        let slot = self.flags.slot(last);
        // If another path has taken the slot by now, it keeps it.
        let _ = slot.compare_exchange(self.word(line), restored, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        let last = line.last()?;
        let place = self.place(*self.displaced.last()?)?;
        let plies = line.len() - 1 - place.min(line.len() - 1);
        // The flag counts only if the own line confirms it.
        (plies >= 4 && plies <= usize::from(last.reversible) && line[place].key == last.key).then_some(plies)
    }
}

/// Finds the previous occurrence of the last position of a history.
#[derive(Debug)]
enum Detector {
    Scan,
    /// How many positions of the line have the low bits of a slot.
    SmallTable(Box<[u16; SLOTS]>),
    OpenFlag(OpenFlag),
}

impl Detector {
    /// Adds the last position of `line`.
    fn enter(&mut self, line: &[Played]) {
        match self {
            Detector::Scan => {}
            Detector::SmallTable(counts) => counts[slot(line)] += 1,
            Detector::OpenFlag(open) => open.enter(line),
        }
    }

    /// Removes the last position of `line`, before it is taken off.
    fn leave(&mut self, line: &[Played]) {
        match self {
            Detector::Scan => {}
            Detector::SmallTable(counts) => counts[slot(line)] -= 1,
            Detector::OpenFlag(open) => open.leave(line),
        }
    }

    /// Returns the plies from the last position of `line` to its previous occurrence.
    fn cycle(&self, line: &[Played]) -> Option<usize> {
        match self {
            // Only if two positions share a slot is there anything to find.
            Detector::SmallTable(counts) if counts[slot(line)] < 2 => None,
            Detector::Scan | Detector::SmallTable(_) => occurrences(line).next(),
            Detector::OpenFlag(open) => open.cycle(line),
        }
    }
}

#[cfg(test)]
mod tests;
