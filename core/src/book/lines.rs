//! The moves of a book of any format, by the position that they are played from.

use std::collections::HashMap;

use crate::game::{Foldable, Key, Move, Symmetry};
use crate::graph::stored;

/// Moves and weights of a book by position.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// Codes of moves in the stored form, and their weights.
    pub moves: HashMap<Key, Vec<(Move, u64)>>,
    /// Whether left-right mirrors are one position in the book.
    pub is_folded: bool,
}

impl Lines {
    /// Returns the moves at a position, and how its moves are told in their form.
    pub fn at<G: Foldable>(&self, position: &G) -> (&[(Move, u64)], Symmetry) {
        let here = stored(position, self.is_folded);
        (self.moves.get(&here.key).map_or(&[], Vec::as_slice), here.symmetry)
    }
}
