//! Moves, variations, glyphs and comments of a game.
//!
//! | byte | meaning |
//! |---|---|
//! | 11 | a glyph of the last move, as PGN numbers them: the next byte |
//! | 12 | a comment: its text is behind the end of the game, where texts end with zeros and are in the same order |
//! | 13 | a variation begins, which stands in place of the last move |
//! | 14 | a variation ends |
//! | 15 | the game ends |
//! | others | a move: number of the piece × 16 + what [`super::board`] says |
//!
//! A king has number 0 and none of the codes 11 to 15, and the second byte of a queen's move is 64 or more. So a variation
//! can be skipped without its moves being known.

use super::board::{self, Board, Way};
use super::tags::{terminated, text_of};
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::lines::{Lines, Place};
use crate::archive::{Defect, Note, NoteKind};
use crate::chess::Token;
use shakmaty::san::San;

const GLYPH: u8 = 11;
const COMMENT: u8 = 12;
const START: u8 = 13;
const END: u8 = 14;
const END_OF_GAME: u8 = 15;

/// Most variations that are open at a time. Known games have a few dozen.
const MAX_OPEN: usize = 4096;

/// Reads a game into `lines`.
///
/// A bad move of a variation is a defect too, but only the rest of that variation is lost.
pub(super) fn read(cursor: &mut Cursor<'_>, board: Board, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let line = Line { board, place: Place::START, before: None, first_comment: 0 };
    let mut reading = Reading { cursor, lines, line, open: Vec::new(), comments: Vec::new(), defect: None };
    let read = reading.read();
    if read.is_ok() {
        reading.read_comments();
    }
    let Reading { lines, defect, .. } = reading;
    // Comments without a text.
    lines.record.notes.retain(|note| note.kind != NoteKind::Comment(String::new()));
    read.and(defect.map_or(Ok(()), Err))
}

/// A line that is being read.
struct Line {
    board: Board,
    place: Place,
    /// Board and place before the last move; `None` where the line has no move yet.
    before: Option<(Board, Place)>,
    /// Number of the first comment of the line.
    first_comment: usize,
}

struct Reading<'a, 'b> {
    cursor: &'a mut Cursor<'b>,
    lines: &'a mut Lines<Token>,
    line: Line,
    /// The lines that the current one leaves.
    open: Vec<Line>,
    /// For each comment its index in the notes; `None` where it is not collected.
    comments: Vec<Option<usize>>,
    /// The first defect of a variation.
    defect: Option<Defect>,
}

impl Reading<'_, '_> {
    fn read(&mut self) -> Result<(), Defect> {
        loop {
            let place = self.cursor.clone();
            let [byte] = self.cursor.array("a move, or the end of the game")?;
            match byte {
                GLYPH => {
                    let [glyph] = self.cursor.array("a glyph")?;
                    self.glyph(glyph);
                }
                COMMENT => self.comment(),
                START => self.start(&place)?,
                END => match self.open.pop() {
                    Some(line) => self.line = line,
                    None => {
                        return Err(place.defect("bad-move", "expected a move, found the end of a variation"));
                    }
                },
                END_OF_GAME if self.open.is_empty() => return Ok(()),
                END_OF_GAME => return Err(unterminated(&place)),
                _ if self.open.is_empty() && self.lines.is_full() => {
                    // All up to the end of the game, or of the file.
                    _ = self.skip(usize::MAX / 2);
                    return Ok(());
                }
                _ => self.go(byte, &place)?,
            }
        }
    }

    /// Reads a move. One of a variation that cannot be read ends the variation.
    fn go(&mut self, byte: u8, place: &Cursor<'_>) -> Result<(), Defect> {
        let before = (self.line.board.clone(), self.line.place);
        let Some(san) = self.play(byte) else {
            let defect = place.defect("bad-move", "expected a move of a piece that is there");
            let Some(outer) = self.open.pop() else { return Err(defect) };
            self.defect.get_or_insert(defect);
            self.line = outer;
            return self.skip(1);
        };
        let token = Some(Token::from(san));
        let is_alternative = self.line.before.is_none() && !self.open.is_empty();
        self.line.place = self.lines.put(before.1, token, is_alternative);
        let mut place = before.1;
        if is_alternative && let Some(line) = self.line.place.line {
            self.move_comments(place, line);
            place = Place::on(line, place.ply);
        }
        self.line.before = Some((before.0, place));
        Ok(())
    }

    /// Plays the move of a byte; `None` if there is no such piece or no such way.
    fn play(&mut self, byte: u8) -> Option<San> {
        let board = &mut self.line.board;
        let (from, role) = board.find(usize::from(byte >> 4))?;
        match board::decode(role, board.turn, from, byte)? {
            Way::Null => Some(board.pass()),
            Way::Castle { is_short } => board.castle(is_short),
            Way::To(to, promotion) => board.play(from, to, promotion),
            Way::Second => {
                // Where it is no target it may be a mark, which must not be lost.
                let to = board::target_of(*self.cursor.rest().first()?)?;
                self.cursor.take(1, "a target").ok()?;
                board.play(from, to, None)
            }
        }
    }

    /// Begins a variation, or skips it.
    fn start(&mut self, place: &Cursor<'_>) -> Result<(), Defect> {
        let (board, place_before) = match &self.line.before {
            Some(before) => before.clone(),
            // A variation of a variation that has no move yet stands beside it.
            None if !self.open.is_empty() => (self.line.board.clone(), self.line.place),
            None => return Err(place.defect("bad-move", "expected a move before its variation")),
        };
        if !self.lines.has_variations {
            return self.skip(1);
        }
        if self.open.len() == MAX_OPEN {
            let message = format!("expected at most {MAX_OPEN} open variations");
            self.defect.get_or_insert(place.defect("nesting", message));
            return self.skip(1);
        }
        let line = Line { board, place: place_before, before: None, first_comment: self.comments.len() };
        self.open.push(std::mem::replace(&mut self.line, line));
        Ok(())
    }

    /// Skips the rest of so many variations within each other. Their comments count.
    fn skip(&mut self, mut depth: usize) -> Result<(), Defect> {
        while depth > 0 {
            let place = self.cursor.clone();
            let [byte] = self.cursor.array("the end of a variation")?;
            match byte {
                GLYPH => _ = self.cursor.take(1, "a glyph")?,
                COMMENT => self.comments.push(None),
                START => depth += 1,
                END => depth -= 1,
                END_OF_GAME => return Err(unterminated(&place)),
                _ => {}
            }
        }
        Ok(())
    }

    fn glyph(&mut self, glyph: u8) {
        let Some(line) = self.line.place.line.filter(|_| self.line.before.is_some() && glyph > 0) else {
            return;
        };
        self.lines.record.add_glyph(line, self.line.place.ply, glyph, self.lines.has_notes);
    }

    /// Keeps a place for a comment, whose text comes later.
    fn comment(&mut self) {
        let line = self.line.place.line.filter(|_| self.lines.has_notes);
        let note = line.map(|line| {
            let ply = self.line.place.ply;
            self.lines.record.notes.push(Note { line, ply, kind: NoteKind::Comment(String::new()) });
            self.lines.record.notes.len() - 1
        });
        self.comments.push(note);
    }

    /// Moves the comments before the first move of a variation from the line that it leaves to its own.
    fn move_comments(&mut self, before: Place, line: u32) {
        for index in self.comments[self.line.first_comment..].iter().flatten() {
            let note = &mut self.lines.record.notes[*index];
            // Comments of variations between are on lines of their own.
            if Place::on(note.line, note.ply) == before {
                note.line = line;
            }
        }
    }

    /// Reads the texts of the comments. Missing ones cost no game.
    fn read_comments(&mut self) {
        if !self.lines.has_notes {
            return;
        }
        for note in &self.comments {
            let Ok(text) = terminated(self.cursor, "a comment") else { return };
            if let Some(note) = note.and_then(|index| self.lines.record.notes.get_mut(index)) {
                note.kind = NoteKind::Comment(text_of(text).trim().to_owned());
            }
        }
    }
}

fn unterminated(place: &Cursor<'_>) -> Defect {
    place.defect("unterminated-variation", "expected the end of a variation before the game ends")
}
