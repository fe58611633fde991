//! Walks through a record and yields legal moves, notes and variations in the order of PGN: a move, its notes, the
//! variations in its place, the next move.

use std::ops::Range;

use super::WriteOptions;
use crate::archive::{GameRecord, NoteKind, Variation};
use crate::game::{Move, Replayable};
use crate::replay::{Fault, move_fault, reader_fault};

/// Most variations within each other. Real trees have far fewer; without a bound a hostile one would fill the memory.
pub const MAX_NESTING: usize = 10_000;

pub(super) enum Step<'a, G> {
    /// A legal move, `ply` plies after the start of the game.
    Play { before: &'a G, played: Move, ply: u32 },
    /// A comment or glyph on what came before it.
    Note(&'a NoteKind),
    /// A variation begins: its first move stands in place of the move before.
    Begin,
    /// The variation ends.
    End,
}

/// Walks through a record from its start position, already known to be legal. Returns the number of variations that
/// were cut before a move that is not legal, with what leaves them behind it; nothing is left of one that begins so.
/// What leaves them in place of that very move stays: the first such variation goes on where the line was cut, the
/// others leave it there.
///
/// # Errors
/// The first fault in what is to be written. The steps before it were handed to `sink`.
pub(super) fn walk<G: Replayable>(
    record: &GameRecord<G::Token>,
    start: G,
    options: &WriteOptions,
    sink: &mut dyn FnMut(Step<'_, G>),
) -> Result<u64, Fault> {
    reader_fault(record, record.moves.len()).map_or(Ok(()), Err)?;
    let index = Index::new(record, options)?;
    let (mut frames, mut cut) = (vec![index.frame(0, start)], 0);
    index.notes_at(&mut frames[0], 0, sink);
    while let Some(frame) = frames.last_mut() {
        if let Some(line) = index.next_variation(frame) {
            if !options.strict && !index.begins_well(line, frame) {
                cut += 1;
                index.adopt(frame, line, 0);
            } else if let Some(inner) = index.begin(line, frame, sink) {
                if frames.len() > MAX_NESTING {
                    let most = format!("at most {MAX_NESTING} variations within each other");
                    let message = format!("expected {most}; drop the variations");
                    return Err(fault("too-deep", index.first_ply(line), message));
                }
                frames.push(inner);
            }
            continue;
        }
        if let Some(&token) = index.moves(frame.line).get(frame.played) {
            match index.play(frame, token, sink) {
                Ok(()) => continue,
                Err(fault) if frame.line == 0 || options.strict => return Err(fault),
                Err(_) => cut += 1,
            }
            index.adopt(frame, frame.line, frame.played);
        }
        if !index.goes_on(frame, sink) {
            frames.pop();
            if !frames.is_empty() {
                sink(Step::End);
            }
        }
    }
    Ok(cut)
}

/// A line that is being walked.
struct Frame<G> {
    line: u32,
    /// Moves of the line that were played.
    played: usize,
    position: G,
    /// The position before the last move, kept where variations leave it.
    before: Option<G>,
    /// Its variations and notes that are still to come, as ranges of the index.
    variations: Range<usize>,
    notes: Range<usize>,
    /// Variations that left a line where it was cut, the next one last. They stand in place of the last move, or of the
    /// next one where none of the line was played.
    adopted: Vec<u32>,
}

impl<G> Frame<G> {
    /// The position that variations in place of the last move leave.
    fn left(&self) -> &G {
        self.before.as_ref().unwrap_or(&self.position)
    }
}

/// Where in a record each line's variations and notes are.
struct Index<'a, G: Replayable> {
    record: &'a GameRecord<G::Token>,
    /// Numbers of variations, by the line and the ply that they leave.
    variations: Vec<u32>,
    /// Places of notes, by line and ply.
    notes: Vec<u32>,
}

impl<'a, G: Replayable> Index<'a, G> {
    fn new(record: &'a GameRecord<G::Token>, options: &WriteOptions) -> Result<Index<'a, G>, Fault> {
        let mut index = Index { record, variations: Vec::new(), notes: Vec::new() };
        if options.variations {
            check_variations(record)?;
            let mut lines: Vec<u32> = (1..=record.variations.len() as u32).collect();
            lines.sort_by_key(|&line| index.left_at(line));
            index.variations = lines;
        }
        if options.comments {
            index.notes = (0..record.notes.len() as u32).collect();
            index.notes.sort_by_key(|&place| {
                let note = &record.notes[place as usize];
                (note.line, note.ply)
            });
        }
        Ok(index)
    }

    /// The line that a variation leaves, and the ply.
    fn left_at(&self, line: u32) -> (u32, u32) {
        let Variation { leaves, ply, .. } = self.record.variations[line as usize - 1];
        (leaves, ply)
    }

    fn frame(&self, line: u32, position: G) -> Frame<G> {
        Frame {
            line,
            played: 0,
            position,
            before: None,
            variations: range(&self.variations, line, |number| self.left_at(number).0),
            notes: range(&self.notes, line, |place| self.record.notes[place as usize].line),
            adopted: Vec::new(),
        }
    }

    fn moves(&self, line: u32) -> &'a [G::Token] {
        self.record.line(line).1
    }

    /// Plies of the game before a line's first move.
    fn first_ply(&self, line: u32) -> u32 {
        self.record.line(line).0
    }

    /// Returns whether the first move of a variation, if it has one, is legal in place of a line's last.
    fn begins_well(&self, line: u32, left: &Frame<G>) -> bool {
        self.moves(line).first().is_none_or(|&first| left.left().resolve(first).is_ok())
    }

    /// Begins a variation in place of a line's last move; `None` where there is nothing to put in parentheses, and what
    /// it says stands beside that move.
    fn begin(&self, line: u32, left: &Frame<G>, sink: &mut dyn FnMut(Step<'_, G>)) -> Option<Frame<G>> {
        let mut frame = self.frame(line, left.left().clone());
        if self.moves(line).is_empty() {
            self.notes_at(&mut frame, self.first_ply(line), sink);
            return None;
        }
        sink(Step::Begin);
        Some(frame)
    }

    /// Takes the next variation in place of the line's last move.
    fn next_variation(&self, frame: &mut Frame<G>) -> Option<u32> {
        let line = self.next_leaving(frame)?;
        if frame.adopted.pop().is_none() {
            frame.variations.start += 1;
        }
        Some(line)
    }

    fn next_leaving(&self, frame: &Frame<G>) -> Option<u32> {
        if frame.played > 0 && !frame.adopted.is_empty() {
            return frame.adopted.last().copied();
        }
        let &line = self.variations.get(frame.variations.clone())?.first()?;
        let passed = self.first_ply(frame.line) + frame.played as u32;
        (self.first_ply(line) < passed).then_some(line)
    }

    /// Adds the variations that replace a given move of a line, before the variations that were added earlier; returns
    /// their number.
    fn adopt(&self, frame: &mut Frame<G>, line: u32, played: usize) -> usize {
        let left = (line, self.first_ply(line) + played as u32);
        let leaving = range(&self.variations, left, |number| self.left_at(number));
        frame.adopted.extend(self.variations[leaving.clone()].iter().rev());
        leaving.len()
    }

    /// Goes on with a variation taken over, where the line has ended; returns whether there is one.
    fn goes_on(&self, frame: &mut Frame<G>, sink: &mut dyn FnMut(Step<'_, G>)) -> bool {
        let Some(line) = frame.adopted.pop() else { return false };
        let adopted = std::mem::take(&mut frame.adopted);
        *frame = Frame { adopted, ..self.frame(line, frame.position.clone()) };
        if self.moves(line).is_empty() {
            self.notes_at(frame, self.first_ply(line), sink);
        }
        true
    }

    fn play(
        &self,
        frame: &mut Frame<G>,
        token: G::Token,
        sink: &mut dyn FnMut(Step<'_, G>),
    ) -> Result<(), Fault> {
        let ply = self.first_ply(frame.line) + frame.played as u32;
        let played = frame.position.resolve(token).map_err(|error| {
            let fault = move_fault(&error, ply as usize);
            match frame.line {
                0 => fault,
                line => Fault { message: format!("{}, in variation {line}", fault.message), ..fault },
            }
        })?;
        self.notes_at(frame, ply, sink);
        sink(Step::Play { before: &frame.position, played, ply });
        frame.played += 1;
        if !frame.adopted.is_empty() {
            // The line has just gone on where another was cut: its own come first.
            frame.variations.start += self.adopt(frame, frame.line, 0);
        }
        frame.before = self.next_leaving(frame).map(|_| frame.position.clone());
        frame.position.play_unchecked(played);
        self.notes_at(frame, ply + 1, sink);
        Ok(())
    }

    /// Hands on the notes of the line up to a ply.
    fn notes_at(&self, frame: &mut Frame<G>, ply: u32, sink: &mut dyn FnMut(Step<'_, G>)) {
        for &place in &self.notes[frame.notes.clone()] {
            let note = &self.record.notes[place as usize];
            if note.ply > ply {
                break;
            }
            sink(Step::Note(&note.kind));
            frame.notes.start += 1;
        }
    }
}

/// Returns where among sorted numbers those are whose key is `wanted`.
fn range<K: Ord>(sorted: &[u32], wanted: K, key: impl Fn(u32) -> K) -> Range<usize> {
    sorted.partition_point(|&number| key(number) < wanted)
        ..sorted.partition_point(|&number| key(number) <= wanted)
}

/// Refuses variations that leave no move of an earlier line.
fn check_variations<T>(record: &GameRecord<T>) -> Result<(), Fault> {
    for (number, &Variation { leaves, ply, .. }) in (1..).zip(&record.variations) {
        let (first, moves) = record.line(leaves);
        let place = ply.checked_sub(first).filter(|&place| (place as usize) < moves.len());
        if leaves >= number || place.is_none() {
            let message =
                format!("expected a variation in place of a move; line {leaves} has none at ply {ply}");
            return Err(fault("bad-variation", ply, message));
        }
    }
    Ok(())
}

fn fault(reason: &'static str, ply: u32, message: String) -> Fault {
    Fault { reason, ply: ply as usize, token: String::new(), message }
}
