//! The moves of a book at a position. Records describe positions, so they are the legal moves that lead to a record.

use super::{Book, BookError};
use crate::game::{Foldable, Move, MoveList, Symmetry};
use crate::graph::{stored, stored_after};

/// Returns the record of each legal move at a position that leads to one; of two mirrored moves only the usual one.
///
/// # Errors
/// [`BookError::Refused`]: what was read is not as written.
pub fn records_at<G: Foldable>(book: &Book, position: &G) -> Result<Vec<(usize, Move)>, BookError> {
    let is_folded = book.header().is_folded;
    let is_pair = stored(position, is_folded).symmetry == Symmetry::SelfMirrored;
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let mut moves = Vec::new();
    for &m in legal.iter().filter(|&&m| !is_pair || position.usual_move(m) == m) {
        let (key, lock) = stored_after(position, m, is_folded);
        moves.extend(book.find(key, lock)?.map(|place| (place, m)));
    }
    Ok(moves)
}
