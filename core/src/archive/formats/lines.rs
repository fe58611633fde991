//! Turns the nodes of a game tree, in file order, into main line, variations and notes of a record.
//!
//! [`Lines`] collects the moves and notes that the options name, by places in the tree, of either game;
//! [`Branching`] finds the places for formats of xiangqi that store a tree depth first with two flags a node, "has a
//! child" and "has an alternative". Neither calls itself: known trees reach 226,491 nodes.

use crate::archive::record::mark_of_comment;
use crate::archive::{GameRecord, Note, NoteKind, ReadOptions, Variation};
use crate::xiangqi::{Square, Token};

/// Origin and target of a move; `None` where a square is not on the board.
pub(super) type Squares = Option<(Square, Square)>;

/// A place between two moves of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the line, 0 = main; `None` where the line is not collected.
    line: Option<u32>,
    /// Plies of the game before it.
    ply: u32,
}

impl Place {
    /// Before the first move.
    pub(super) const START: Place = Place { line: Some(0), ply: 0 };

    /// Behind `ply` plies, on a line of this number.
    pub(super) const fn on(line: u32, ply: u32) -> Place {
        Place { line: Some(line), ply }
    }

    /// Returns the number of its line; `None` where the line is not collected.
    pub(super) fn line(self) -> Option<u32> {
        self.line
    }

    /// Returns the plies of the game before it.
    pub(super) fn ply(self) -> u32 {
        self.ply
    }
}

/// The collected moves, variations and notes.
#[derive(Debug)]
pub(super) struct Lines<T> {
    limit: u32,
    has_variations: bool,
    has_notes: bool,
    /// The first move of the main line, even if no move is collected.
    first: Option<T>,
    pub(super) moves: Vec<T>,
    /// Annotation marks of the main line by the comments behind its moves, for the first moves.
    pub(super) marks: Vec<i8>,
    pub(super) variations: Vec<Variation<T>>,
    pub(super) notes: Vec<Note>,
}

impl<T: Copy> Lines<T> {
    pub(super) fn new(options: &ReadOptions) -> Lines<T> {
        Lines {
            limit: u32::try_from(options.limit()).unwrap_or(u32::MAX),
            has_variations: options.variations,
            has_notes: options.notes,
            first: None,
            moves: Vec::new(),
            marks: Vec::new(),
            variations: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns whether comments are asked for.
    pub(super) fn has_notes(&self) -> bool {
        self.has_notes
    }

    /// Returns whether variations are asked for.
    pub(super) fn has_variations(&self) -> bool {
        self.has_variations
    }

    /// Returns whether the main line has as many moves as are collected.
    pub(super) fn is_full(&self) -> bool {
        self.moves.len() >= self.limit as usize
    }

    /// Returns whether neither variations nor comments are asked for.
    pub(super) fn is_main_line_enough(&self) -> bool {
        !self.has_variations && !self.has_notes
    }

    /// Puts the first known move at `place`; returns the place behind it.
    pub(super) fn put(&mut self, place: Place, token: Option<T>) -> Place {
        let left_out = Place { line: None, ply: place.ply.saturating_add(1) };
        let (Some(line), Some(token)) = (place.line, token) else { return left_out };
        if place == Place::START {
            self.first = Some(token);
        }
        if place.ply >= self.limit {
            return left_out;
        }
        match line.checked_sub(1) {
            None => self.moves.push(token),
            Some(index) => match self.variations.get_mut(index as usize) {
                None => return left_out,
                Some(variation) => {
                    variation.moves.push(token);
                    variation.marks.push(0);
                }
            },
        }
        Place { line: Some(line), ply: place.ply + 1 }
    }

    /// Puts an alternative move at `place`; returns the place after it, on a new line.
    pub(super) fn put_instead(&mut self, place: Place, token: Option<T>) -> Place {
        let left_out = Place { line: None, ply: place.ply.saturating_add(1) };
        let Some(leaves) = place.line.filter(|_| self.has_variations && place.ply < self.limit) else {
            return left_out;
        };
        if token.is_none() {
            return left_out;
        }
        self.variations.push(Variation { leaves, ply: place.ply, moves: Vec::new(), marks: Vec::new() });
        self.put(Place::on(self.variations.len() as u32, place.ply), token)
    }

    /// Puts a comment at `place`, if comments are asked for and there is any text. Praise or blame marks the move.
    pub(super) fn comment(&mut self, place: Place, text: &str) {
        let text = text.trim();
        if let Some(mark) = mark_of_comment(text) {
            self.mark(place, mark);
        }
        if let Some(line) = place.line.filter(|_| self.has_notes && !text.is_empty()) {
            self.notes.push(Note { line, ply: place.ply, kind: NoteKind::Comment(text.to_owned()) });
        }
    }

    /// Marks the move before a place, if it is collected.
    fn mark(&mut self, place: Place, mark: i8) {
        let (marks, first, moves) = match place.line.map(|line| line.checked_sub(1)) {
            None => return,
            Some(None) => (&mut self.marks, 0, self.moves.len()),
            Some(Some(index)) => match self.variations.get_mut(index as usize) {
                Some(line) => (&mut line.marks, line.ply, line.moves.len()),
                None => return,
            },
        };
        marks.resize(moves, 0);
        let known = place.ply.checked_sub(first + 1).and_then(|index| marks.get_mut(index as usize));
        if let Some(known) = known {
            *known = mark;
        }
    }

    /// Hands the lines over to a record.
    pub(super) fn fill(mut self, record: &mut GameRecord<T>) {
        self.marks.resize(self.moves.len(), 0);
        record.marks = self.marks;
        record.moves = self.moves;
        record.variations = self.variations;
        record.notes = self.notes;
    }
}

impl Lines<Token> {
    /// Puts the first move known at `place` there; returns the place behind it.
    pub(super) fn extend(&mut self, place: Place, squares: Squares) -> Place {
        self.put(place, squares.map(|(from, to)| Token::new(from, to)))
    }

    /// Puts an alternative move at `place`; returns the place after it, on a new line.
    pub(super) fn branch(&mut self, place: Place, squares: Squares) -> Place {
        self.put_instead(place, squares.map(|(from, to)| Token::new(from, to)))
    }

    /// Returns where the first move of the main line starts, even if no move is collected.
    pub(super) fn first_origin(&self) -> Option<Square> {
        self.first.and_then(Token::origin)
    }
}

/// Finds the places of a tree's nodes from their flags: a child follows its parent at once, an alternative follows
/// when the subtree before it has ended.
#[derive(Debug)]
pub(super) struct Branching {
    /// Where the next node belongs, and whether a move is known there already; `None` when the tree is complete.
    next: Option<(Place, bool)>,
    /// Places at which an alternative follows later.
    pending: Vec<Place>,
}

impl Branching {
    /// Returns the state behind a root without a move.
    pub(super) fn new(has_child: bool) -> Branching {
        Branching { next: has_child.then_some((Place::START, false)), pending: Vec::new() }
    }

    /// Returns whether no node follows.
    pub(super) fn is_complete(&self) -> bool {
        self.next.is_none()
    }

    /// Returns whether the next node continues the main line.
    pub(super) fn is_main_line(&self) -> bool {
        matches!(self.next, Some((Place { line: Some(0), .. }, false)))
    }

    /// Puts the next node into `lines` and returns the place behind its move.
    pub(super) fn push(
        &mut self,
        lines: &mut Lines<Token>,
        squares: Squares,
        has_child: bool,
        has_alternative: bool,
    ) -> Place {
        let Some((parent, is_alternative)) = self.next else { return Place { line: None, ply: 0 } };
        let place =
            if is_alternative { lines.branch(parent, squares) } else { lines.extend(parent, squares) };
        self.next = match (has_child, has_alternative) {
            (true, true) => {
                self.pending.push(parent);
                Some((place, false))
            }
            (true, false) => Some((place, false)),
            (false, true) => Some((parent, true)),
            (false, false) => self.pending.pop().map(|parent| (parent, true)),
        };
        place
    }
}

#[cfg(test)]
mod tests;
