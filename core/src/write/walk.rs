//! The walk through a record: moves as tokens in, moves that the rules allow out, with notes and variations between
//! them in the order in which PGN tells them: a move, its notes, the variations in its place, the next move.

use std::ops::Range;

use super::WriteOptions;
use crate::archive::{GameRecord, NoteKind, Variation};
use crate::game::{Game, Move};
use crate::replay::{Fault, move_fault, reader_fault};

/// Most variations within each other. Real trees have far fewer; without a bound a hostile one would fill the memory.
pub const MAX_NESTING: usize = 10_000;

/// One step of the walk.
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

/// Walks through a record from its start position, already known to be legal.
///
/// # Errors
/// The first fault in what is to be written. The steps before it were handed to `sink`.
pub(super) fn walk<G: Game>(
    record: &GameRecord<G::Token>,
    start: G,
    options: &WriteOptions,
    sink: &mut dyn FnMut(Step<'_, G>),
) -> Result<(), Fault> {
    if let Some(fault) = reader_fault(record, record.moves.len()) {
        return Err(fault);
    }
    let index = Index::new(record, options)?;
    let mut frames = vec![index.frame(0, start)];
    index.notes_at(&mut frames[0], 0, sink);
    while let Some(frame) = frames.last_mut() {
        if let Some(line) = index.next_variation(frame) {
            let variation = &record.variations[line as usize - 1];
            let before = frame.before.clone().unwrap_or_else(|| frame.position.clone());
            let mut inner = index.frame(line, before);
            if variation.moves.is_empty() {
                // Nothing to put in parentheses; what it says stands beside the move that it would replace.
                index.notes_at(&mut inner, variation.ply, sink);
                continue;
            }
            if frames.len() > MAX_NESTING {
                return Err(too_deep(variation.ply));
            }
            sink(Step::Begin);
            index.notes_at(&mut inner, variation.ply, sink);
            frames.push(inner);
        } else if let Some(&token) = index.moves(frame.line).get(frame.played) {
            index.play(frame, token, sink)?;
        } else {
            frames.pop();
            if !frames.is_empty() {
                sink(Step::End);
            }
        }
    }
    Ok(())
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
}

/// Where in a record each line's variations and notes are.
struct Index<'a, G: Game> {
    record: &'a GameRecord<G::Token>,
    /// Numbers of variations, by the line and the ply that they leave.
    variations: Vec<u32>,
    /// Places of notes, by line and ply.
    notes: Vec<u32>,
}

impl<'a, G: Game> Index<'a, G> {
    fn new(record: &'a GameRecord<G::Token>, options: &WriteOptions) -> Result<Index<'a, G>, Fault> {
        let mut variations: Vec<u32> = Vec::new();
        if options.variations {
            check_variations(record)?;
            variations.extend(1..=record.variations.len() as u32);
            variations.sort_by_key(|&line| {
                let variation = &record.variations[line as usize - 1];
                (variation.leaves, variation.ply)
            });
        }
        let mut notes: Vec<u32> = Vec::new();
        if options.comments {
            notes.extend(0..record.notes.len() as u32);
            notes.sort_by_key(|&place| {
                let note = &record.notes[place as usize];
                (note.line, note.ply)
            });
        }
        Ok(Index { record, variations, notes })
    }

    fn frame(&self, line: u32, position: G) -> Frame<G> {
        let leaves = |&number: &u32| self.record.variations[number as usize - 1].leaves;
        let on = |&place: &u32| self.record.notes[place as usize].line;
        Frame {
            line,
            played: 0,
            position,
            before: None,
            variations: self.variations.partition_point(|number| leaves(number) < line)
                ..self.variations.partition_point(|number| leaves(number) <= line),
            notes: self.notes.partition_point(|place| on(place) < line)
                ..self.notes.partition_point(|place| on(place) <= line),
        }
    }

    fn moves(&self, line: u32) -> &'a [G::Token] {
        match line.checked_sub(1) {
            None => &self.record.moves,
            Some(index) => &self.record.variations[index as usize].moves,
        }
    }

    /// Plies of the game before a line's first move.
    fn first_ply(&self, line: u32) -> u32 {
        line.checked_sub(1).map_or(0, |index| self.record.variations[index as usize].ply)
    }

    /// Takes the next variation in place of the line's last move.
    fn next_variation(&self, frame: &mut Frame<G>) -> Option<u32> {
        let line = self.next_leaving(frame)?;
        frame.variations.start += 1;
        Some(line)
    }

    fn next_leaving(&self, frame: &Frame<G>) -> Option<u32> {
        let &line = self.variations.get(frame.variations.clone())?.first()?;
        let passed = self.first_ply(frame.line) + frame.played as u32;
        (self.record.variations[line as usize - 1].ply < passed).then_some(line)
    }

    fn play(
        &self,
        frame: &mut Frame<G>,
        token: G::Token,
        sink: &mut dyn FnMut(Step<'_, G>),
    ) -> Result<(), Fault> {
        let ply = self.first_ply(frame.line) + frame.played as u32;
        let played = frame.position.resolve(token).map_err(|error| {
            let mut fault = move_fault(&error, ply as usize);
            if frame.line > 0 {
                fault.message.push_str(&format!(", in variation {}", frame.line));
            }
            fault
        })?;
        sink(Step::Play { before: &frame.position, played, ply });
        frame.played += 1;
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

/// Refuses variations that leave no move of an earlier line.
fn check_variations<T>(record: &GameRecord<T>) -> Result<(), Fault> {
    for (index, variation) in record.variations.iter().enumerate() {
        let left = match variation.leaves {
            0 => Some((0, record.moves.len())),
            line if line as usize <= index => {
                let Variation { ply, moves, .. } = &record.variations[line as usize - 1];
                Some((*ply, moves.len()))
            }
            _ => None,
        };
        let leaves_a_move = left.is_some_and(|(first, count)| {
            variation.ply.checked_sub(first).is_some_and(|place| (place as usize) < count)
        });
        if !leaves_a_move {
            let (ply, line) = (variation.ply, variation.leaves);
            let message =
                format!("expected a variation in place of a move; line {line} has none at ply {ply}");
            return Err(fault("bad-variation", ply, message));
        }
    }
    Ok(())
}

fn too_deep(ply: u32) -> Fault {
    let message =
        format!("expected at most {MAX_NESTING} variations within each other; leave variations out");
    fault("too-deep", ply, message)
}

fn fault(reason: &'static str, ply: u32, message: String) -> Fault {
    Fault { reason, ply: ply as usize, token: String::new(), message }
}
