//! Turns the nodes of a game tree, in file order, into main line, variations and notes of a record.
//!
//! [`Lines`] collects the moves and notes that the options name, by places in the tree, of either game.

use crate::archive::record::mark_of_comment;
use crate::archive::{Defect, GameRecord, Note, NoteKind, ReadOptions, Variation};
use crate::xiangqi::{Square, Token};

/// A place between two moves of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the line, 0 = main; `None` where the line is not collected.
    pub(super) line: Option<u32>,
    /// Plies of the game before it.
    pub(super) ply: u32,
}

impl Place {
    /// Before the first move.
    pub(super) const START: Place = Place { line: Some(0), ply: 0 };

    pub(super) const fn on(line: u32, ply: u32) -> Place {
        Place { line: Some(line), ply }
    }
}

/// One node of a tree. The move of the root, the first one, means nothing.
pub(super) struct Node {
    /// `None` where a square is not on the board.
    pub(super) token: Option<Token>,
    /// Whether the next node is this one's first child.
    pub(super) has_child: bool,
    /// Whether an alternative to this move follows its subtree.
    pub(super) has_alternative: bool,
    /// Empty where there is none or it is of no use.
    pub(super) comment: String,
    /// Offset in the member.
    pub(super) offset: u64,
}

/// The collected moves, variations and notes.
#[derive(Debug)]
pub(super) struct Lines<T> {
    limit: u32,
    pub(super) has_variations: bool,
    pub(super) has_notes: bool,
    /// The first move of the main line, even if no move is collected.
    first: Option<T>,
    /// Holds the moves with the marks that the comments behind them give, the variations and the notes.
    pub(super) record: GameRecord<T>,
}

impl<T: Copy> Lines<T> {
    pub(super) fn new(options: &ReadOptions) -> Lines<T> {
        Lines {
            limit: u32::try_from(options.limit()).unwrap_or(u32::MAX),
            has_variations: options.variations,
            has_notes: options.notes,
            first: None,
            record: GameRecord::default(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.record.moves.len() >= self.limit as usize
    }

    pub(super) fn is_main_line_enough(&self) -> bool {
        !self.has_variations && !self.has_notes
    }

    /// Puts a move at `place`, an alternative to the one there on a new line; returns the place behind it.
    pub(super) fn put(&mut self, place: Place, token: Option<T>, is_alternative: bool) -> Place {
        let left_out = Place { line: None, ply: place.ply.saturating_add(1) };
        let (Some(mut line), Some(token)) = (place.line, token) else { return left_out };
        if place == Place::START && !is_alternative {
            self.first = Some(token);
        }
        if place.ply >= self.limit || is_alternative && !self.has_variations {
            return left_out;
        }
        if is_alternative {
            let variations = &mut self.record.variations;
            variations.push(Variation { leaves: line, ply: place.ply, moves: Vec::new(), marks: Vec::new() });
            line = variations.len() as u32;
        }
        let (_, moves, marks) = self.record.line_mut(line);
        moves.push(token);
        marks.push(0);
        Place::on(line, place.ply + 1)
    }

    /// Puts a comment at `place`, if comments are asked for and there is any text. Praise or blame marks the move.
    pub(super) fn comment(&mut self, place: Place, text: &str) {
        let text = text.trim();
        let Some(line) = place.line else { return };
        if let Some(mark) = mark_of_comment(text) {
            self.record.set_mark(line, place.ply, mark);
        }
        if self.has_notes && !text.is_empty() {
            self.record.notes.push(Note { line, ply: place.ply, kind: NoteKind::Comment(text.to_owned()) });
        }
    }

    pub(super) fn fill(self, record: &mut GameRecord<T>) {
        let GameRecord { moves, marks, variations, notes, .. } = self.record;
        *record = GameRecord { moves, marks, variations, notes, ..std::mem::take(record) };
    }
}

impl Lines<Token> {
    /// Returns where the first move of the main line starts, even if no move is collected.
    pub(super) fn first_origin(&self) -> Option<Square> {
        self.first.and_then(Token::origin)
    }

    /// Reads a tree that is stored depth first with two flags a node: a child follows its parent at once, an
    /// alternative follows when the subtree before it has ended. `next` is told whether the comment is of use. It does
    /// not call itself: known trees reach 226,491 nodes.
    ///
    /// Returns the defect of the last move of the main line that is not on the board, if there is one.
    pub(super) fn read_tree(
        &mut self,
        off_board: &'static str,
        mut next: impl FnMut(bool) -> Result<Node, Defect>,
    ) -> Result<Option<Defect>, Defect> {
        let root = next(self.has_notes)?;
        self.comment(Place::START, &root.comment);
        // Where the next node belongs, and whether a move is known there already.
        let mut open = root.has_child.then_some((Place::START, false));
        // Places at which an alternative follows later.
        let mut pending = Vec::new();
        let mut defect = None;
        while let Some((parent, is_alternative)) = open {
            let is_collected = parent.line.is_some() && (self.has_variations || !is_alternative);
            let node = next(is_collected)?;
            if node.token.is_none() && parent.line == Some(0) && !is_alternative {
                defect = Some(Defect::new("bad-square", node.offset, off_board));
            }
            let place = self.put(parent, node.token, is_alternative);
            self.comment(place, &node.comment);
            open = match (node.has_child, node.has_alternative) {
                (true, has_alternative) => {
                    pending.extend(has_alternative.then_some(parent));
                    Some((place, false))
                }
                (false, true) => Some((parent, true)),
                (false, false) => pending.pop().map(|parent| (parent, true)),
            };
        }
        Ok(defect)
    }
}

#[cfg(test)]
mod tests;
