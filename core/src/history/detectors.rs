//! Three ways to find out that a position has occurred before.
//!
//! In goes the line as it grows and shrinks; out comes the distance to the last position's previous occurrence. What
//! each costs a node, `benches/repetition.rs` measures; docs/repetition.md has the figures.
//!
//! | detector | how | answers |
//! |---|---|---|
//! | [`Scan`] | walks back through the keys to the last irreversible move (Moreland) | always right |
//! | [`Counts`] | a small table of counts, indexed by the low bits of the key, is asked first (Gerbil) | always right |
//! | [`OpenFlag`] | a flag in a table shared by all threads, up while the position is on the path (Thompson) | never wrong where it finds one; misses one whose flag another position has displaced |

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use super::Played;

/// Finds the previous occurrence of the last position of a line.
pub trait Detector {
    /// Takes note of the last position of `line`, which has just been added.
    fn enter(&mut self, line: &[Played]);

    /// Forgets the last position of `line`, which is about to be taken off.
    fn leave(&mut self, line: &[Played]);

    /// Returns the plies from the last position of `line` to its previous occurrence.
    fn cycle(&self, line: &[Played]) -> Option<usize>;
}

/// Which detector watches a line.
#[derive(Debug, Clone, Default)]
pub enum Detection {
    /// [`Scan`].
    Scan,
    /// [`Counts`].
    #[default]
    Counts,
    /// [`OpenFlag`], in a table that other histories may share.
    OpenFlag(Arc<OpenFlags>),
}

/// Returns the distances to all earlier occurrences of the last position, the nearest first.
///
/// Only positions with the same side to move are compared, every second one. The first that can be equal lies four
/// plies back: both sides have to go and come back.
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

/// Slots of [`Counts`]: 8 KiB, which leaves the first cache room for other things; chosen.
const SLOTS: usize = 4096;

/// Counts the positions of the line by the low bits of their keys, and walks back only where two share a slot.
#[derive(Debug, Clone)]
pub struct Counts(Box<[u16; SLOTS]>);

impl Default for Counts {
    fn default() -> Counts {
        Counts(Box::new([0; SLOTS]))
    }
}

impl Counts {
    fn slot(line: &[Played]) -> usize {
        line.last().map_or(0, |last| last.key.0 as usize % SLOTS)
    }
}

impl Detector for Counts {
    fn enter(&mut self, line: &[Played]) {
        self.0[Counts::slot(line)] += 1;
    }

    fn leave(&mut self, line: &[Played]) {
        self.0[Counts::slot(line)] -= 1;
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        if self.0[Counts::slot(line)] < 2 { None } else { occurrences(line).next() }
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
    /// Returns a table of at least so many slots, a power of two.
    pub fn new(slots: usize) -> OpenFlags {
        let slots = std::iter::repeat_with(AtomicU64::default).take(slots.next_power_of_two()).collect();
        OpenFlags { slots, paths: AtomicU16::new(0) }
    }

    fn slot(&self, played: Played) -> &AtomicU64 {
        &self.slots[played.key.0 as usize & (self.slots.len() - 1)]
    }
}

/// One path's view of [`OpenFlags`]: it takes no other path's flags for its own.
#[derive(Debug)]
pub struct OpenFlag {
    flags: Arc<OpenFlags>,
    path: u16,
    /// What stood in the slot of each position of the line before it was opened.
    displaced: Vec<u64>,
}

impl OpenFlag {
    /// Returns the view of a new path.
    pub fn new(flags: Arc<OpenFlags>) -> OpenFlag {
        let path = flags.paths.fetch_add(1, Ordering::Relaxed);
        OpenFlag { flags, path, displaced: Vec::new() }
    }

    /// The word of the last position of a line; 0 where the line is longer than a word can say.
    fn word(&self, line: &[Played]) -> u64 {
        let Some(last) = line.last() else { return 0 };
        let Ok(place) = u16::try_from(line.len()) else { return 0 };
        last.key.0 >> 32 << 32 | u64::from(self.path) << 16 | u64::from(place)
    }

    /// Returns the place, from 0, of the position that a word of this path tells of.
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
        // Another path's flag is not put back: it may have been taken down since.
        let restored = if self.place(displaced).is_some() { displaced } else { 0 };
        let slot = self.flags.slot(last);
        // Where another path holds the slot by now, it keeps it.
        let _ = slot.compare_exchange(self.word(line), restored, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        let last = line.last()?;
        let place = self.place(*self.displaced.last()?)?;
        let plies = line.len() - 1 - place.min(line.len() - 1);
        // The flag is believed only where the own line bears it out.
        (plies >= 4 && plies <= usize::from(last.reversible) && line[place].key == last.key).then_some(plies)
    }
}

/// The detector of a history.
#[derive(Debug)]
pub(super) enum AnyDetector {
    Scan(Scan),
    Counts(Counts),
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
            Detection::Counts => AnyDetector::Counts(Counts::default()),
            Detection::OpenFlag(flags) => AnyDetector::OpenFlag(OpenFlag::new(flags)),
        }
    }

    /// Returns a detector of the same kind that has seen nothing.
    pub fn fresh(&self) -> AnyDetector {
        AnyDetector::new(match self {
            AnyDetector::Scan(_) => Detection::Scan,
            AnyDetector::Counts(_) => Detection::Counts,
            AnyDetector::OpenFlag(open) => Detection::OpenFlag(Arc::clone(&open.flags)),
        })
    }
}

impl Detector for AnyDetector {
    fn enter(&mut self, line: &[Played]) {
        match self {
            AnyDetector::Scan(scan) => scan.enter(line),
            AnyDetector::Counts(counts) => counts.enter(line),
            AnyDetector::OpenFlag(open) => open.enter(line),
        }
    }

    fn leave(&mut self, line: &[Played]) {
        match self {
            AnyDetector::Scan(scan) => scan.leave(line),
            AnyDetector::Counts(counts) => counts.leave(line),
            AnyDetector::OpenFlag(open) => open.leave(line),
        }
    }

    fn cycle(&self, line: &[Played]) -> Option<usize> {
        match self {
            AnyDetector::Scan(scan) => scan.cycle(line),
            AnyDetector::Counts(counts) => counts.cycle(line),
            AnyDetector::OpenFlag(open) => open.cycle(line),
        }
    }
}
