//! A walk through a book: every line of book moves from a position.
//!
//! Records describe positions, so the moves of a book at a position are the legal moves that lead to a record. The walk
//! follows the most used move first. A record is followed once: a line ends where it meets a record that an earlier line
//! has reached, and its last step says so. No line of book moves leads to a record that the walk does not meet.

use super::{Book, BookError, GoOn};
use crate::game::{Foldable, Game, Move, MoveList, Notation, Symmetry};
use crate::graph::stored;

/// Positions between two calls of a [`GoOn`]: some milliseconds of work. Not tuned.
const BLOCK: usize = 1 << 12;

/// The parent of the first steps of a walk.
pub const ROOT: u32 = u32::MAX;

/// One book move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The number of plies of the line, this move included.
    pub ply: u16,
    /// Number of the step before it, or [`ROOT`].
    pub parent: u32,
    /// The record that it leads to, by its place in the book.
    pub record: u32,
    /// The move.
    pub played: Move,
    /// Whether an earlier step leads to the same record; the lines after it continue there.
    pub is_again: bool,
}

/// A walk: its steps, line by line, and their moves as text.
#[derive(Debug, Default)]
pub struct Walk {
    /// The steps.
    pub steps: Vec<Step>,
    /// The text of each step's move, one list for each notation asked for.
    pub texts: Vec<Vec<String>>,
}

/// The length of a walk and the notations of its moves.
pub struct WalkOptions<'a, G: Game> {
    /// The maximum length of a line, in plies.
    pub max_ply: u16,
    /// Notations of [`Walk::texts`].
    pub notations: &'a [&'a dyn Notation<G>],
}

/// A position whose moves are being followed.
struct Open<G> {
    position: G,
    step: u32,
    /// Its book moves, the next one last.
    moves: Vec<(u32, Move)>,
}

/// Walks through a book of game `G` from a position.
///
/// # Errors
/// [`BookError::Interrupted`]; [`BookError::Unwritable`] for more steps than 32 bits number.
pub fn walk<G: Foldable>(
    book: &Book,
    start: &G,
    options: &WalkOptions<'_, G>,
    go_on: GoOn,
) -> Result<Walk, BookError> {
    let mut found = Walk { steps: Vec::new(), texts: vec![Vec::new(); options.notations.len()] };
    let mut entered = vec![false; book.len()];
    let mut open = vec![Open { position: start.clone(), step: ROOT, moves: book_moves(book, start)? }];
    while let Some(top) = open.last_mut() {
        let ply = open_ply(&found, top.step) + 1;
        let next = if ply > u32::from(options.max_ply) { None } else { top.moves.pop() };
        let Some((record, played)) = next else {
            open.pop();
            continue;
        };
        let is_again = std::mem::replace(&mut entered[record as usize], true);
        let number = found.steps.len();
        if number.is_multiple_of(BLOCK) && go_on().is_break() {
            return Err(BookError::Interrupted { path: book.path().to_owned() });
        }
        if number >= ROOT as usize {
            let what = format!("{number} book moves are more than a walk can number");
            return Err(BookError::unwritable(book.path(), what));
        }
        found.steps.push(Step { ply: ply as u16, parent: top.step, record, played, is_again });
        for (texts, notation) in found.texts.iter_mut().zip(options.notations) {
            texts.push(notation.format(&top.position, played));
        }
        if !is_again {
            let mut position = top.position.clone();
            position.play_unchecked(played);
            let moves = book_moves(book, &position)?;
            open.push(Open { position, step: number as u32, moves });
        }
    }
    Ok(found)
}

fn open_ply(found: &Walk, step: u32) -> u32 {
    if step == ROOT { 0 } else { u32::from(found.steps[step as usize].ply) }
}

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
        let mut next = position.clone();
        next.play_unchecked(m);
        let at = stored(&next, is_folded);
        moves.extend(book.find(at.key, at.lock)?.map(|place| (place, m)));
    }
    Ok(moves)
}

/// Returns the book moves at a position, the most used last; of moves that lead to one record only that with the smallest
/// code.
fn book_moves<G: Foldable>(book: &Book, position: &G) -> Result<Vec<(u32, Move)>, BookError> {
    // `walk` refuses books with more records than 32 bits number.
    let found = records_at(book, position)?.into_iter();
    let mut moves: Vec<(u32, Move)> =
        found.filter_map(|(place, m)| u32::try_from(place).ok().map(|place| (place, m))).collect();
    moves.sort_unstable();
    moves.dedup_by_key(|&mut (record, _)| record);
    moves.sort_by_key(|&(record, m)| (book.usage(record as usize), std::cmp::Reverse(m)));
    Ok(moves)
}
