//! Three ways to find out that a position has occurred before.
//!
//! Each finds the distance to the previous occurrence of the last position. `benches/repetition.rs` measures their cost
//! per node; docs/repetition.md has the figures.
//!
//! | detector | how | answers |
//! |---|---|---|
//! | [`Scan`] | walks back through the keys to the last irreversible move (Moreland) | always right |
//! | [`SmallTable`] | a small table of counts, indexed by the low bits of the key, is asked first (Gerbil) | always right |
//! | [`OpenFlag`] | a flag in a table shared by all threads, up while the position is on the path (Thompson) | never wrong where it finds one; misses one whose flag another position has displaced |

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use crate::game::{Key, Move};

/// A position of the line, with counters up to there.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    pub(super) key: Key,
    /// The move that led here; [`Move::NONE`] at the start and after a pass.
    pub(super) m: Move,
    /// Plies since the last irreversible move.
    pub(super) reversible: u16,
    /// Plies that the move-count rule counts.
    pub(super) clock: u16,
    /// Checks by the moves to even and to odd positions of the line, since the clock began.
    pub(super) checks: [u8; 2],
}

impl Played {
    pub(super) const NOTHING: Played =
        Played { key: Key(0), m: Move::NONE, reversible: 0, clock: 0, checks: [0; 2] };
}

/// Finds the previous occurrence of the last position of a line.
pub trait Detector {
    /// Adds the last position of `line`.
    fn enter(&mut self, line: &[Played]);

    /// Removes the last position of `line`, before it is taken off.
    fn leave(&mut self, line: &[Played]);

    /// Returns the plies from the last position of `line` to its previous occurrence.
    fn cycle(&self, line: &[Played]) -> Option<usize>;
}

/// The kinds of detectors.
#[derive(Debug, Clone, Default)]
pub enum Detection {
    /// [`Scan`].
    Scan,
    /// [`SmallTable`].
    #[default]
    SmallTable,
    /// [`OpenFlag`], in a table that other histories may share.
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
pub(super) fn occurrences(line: &[Played]) -> impl Iterator<Item = usize> {
    let (last, earlier) =
        line.split_last().map_or((Played::NOTHING, line), |(last, earlier)| (*last, earlier));
    let back = earlier.iter().rev().take(usize::from(last.reversible)).enumerate().skip(3).step_by(2);
    back.filter(move |(_, played)| played.key == last.key).map(|(index, _)| index + 1)
}

/// Walks back through the line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scan;

impl Detector for Scan {
    fn enter(&mut self, _line: &[Played]) {}

    fn leave(&mut self, _line: &[Played]) {}

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        occurrences(line).next()
    }
}

/// Slots of [`SmallTable`]: 8 KiB, a part of the first-level cache; chosen.
const SLOTS: usize = 4096;

/// Counts the positions of the line by the low bits of their keys, and walks back only if two share a slot.
#[derive(Debug, Clone)]
pub struct SmallTable(Box<[u16; SLOTS]>);

impl Default for SmallTable {
    fn default() -> SmallTable {
        SmallTable(Box::new([0; SLOTS]))
    }
}

impl SmallTable {
    fn slot(line: &[Played]) -> usize {
        line.last().map_or(0, |last| last.key.0 as usize % SLOTS)
    }
}

impl Detector for SmallTable {
    fn enter(&mut self, line: &[Played]) {
        self.0[SmallTable::slot(line)] += 1;
    }

    fn leave(&mut self, line: &[Played]) {
        self.0[SmallTable::slot(line)] -= 1;
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        if self.0[SmallTable::slot(line)] < 2 { None } else { occurrences(line).next() }
    }
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
pub struct OpenFlag {
    flags: Arc<OpenFlags>,
    path: u16,
    /// The previous content of the slot of each position of the line.
    displaced: Vec<u64>,
}

impl OpenFlag {
    /// Returns the view of a new path.
    pub fn new(flags: Arc<OpenFlags>) -> OpenFlag {
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
}

impl Detector for OpenFlag {
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

/// The detector of a history.
#[derive(Debug)]
pub(super) enum AnyDetector {
    Scan(Scan),
    SmallTable(SmallTable),
    OpenFlag(OpenFlag),
}

impl Default for AnyDetector {
    fn default() -> AnyDetector {
        AnyDetector::new(Detection::default())
    }
}

impl AnyDetector {
    pub fn new(detection: Detection) -> AnyDetector {
        match detection {
            Detection::Scan => AnyDetector::Scan(Scan),
            Detection::SmallTable => AnyDetector::SmallTable(SmallTable::default()),
            Detection::OpenFlag(flags) => AnyDetector::OpenFlag(OpenFlag::new(flags)),
        }
    }

    /// Returns an empty detector of the same kind.
    pub fn fresh(&self) -> AnyDetector {
        AnyDetector::new(match self {
            AnyDetector::Scan(_) => Detection::Scan,
            AnyDetector::SmallTable(_) => Detection::SmallTable,
            AnyDetector::OpenFlag(open) => Detection::OpenFlag(Arc::clone(&open.flags)),
        })
    }
}

impl Detector for AnyDetector {
    fn enter(&mut self, line: &[Played]) {
        match self {
            AnyDetector::Scan(scan) => scan.enter(line),
            AnyDetector::SmallTable(counts) => counts.enter(line),
            AnyDetector::OpenFlag(open) => open.enter(line),
        }
    }

    fn leave(&mut self, line: &[Played]) {
        match self {
            AnyDetector::Scan(scan) => scan.leave(line),
            AnyDetector::SmallTable(counts) => counts.leave(line),
            AnyDetector::OpenFlag(open) => open.leave(line),
        }
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        match self {
            AnyDetector::Scan(scan) => scan.cycle(line),
            AnyDetector::SmallTable(counts) => counts.cycle(line),
            AnyDetector::OpenFlag(open) => open.cycle(line),
        }
    }
}
