//! The identity of a game's line: the codes of its moves, after key and lock of a start that is not the standard one. A
//! game begins another if and only if its line begins the other's.

use super::starting_position;
use crate::archive::{GameRecord, Start};
use crate::game::{Move, Replayable};

/// Bytes of a line that tell a start other than the standard one: code 0, key, lock.
const START_BYTES: usize = 2 + 8 + 4;

/// Appends what tells a start other than the standard one.
pub(super) fn push_start<G: Replayable>(line: &mut Vec<u8>, start: &G, record: &GameRecord<G::Token>) {
    if record.start != Start::Standard && start.key() != G::start().key() {
        // No move has code 0: a line from another start is the beginning of no line from the standard one.
        push(line, Move::NONE);
        line.extend_from_slice(&start.key().0.to_le_bytes());
        line.extend_from_slice(&start.lock().0.to_le_bytes());
    }
}

/// Appends a move.
#[inline]
pub(super) fn push(line: &mut Vec<u8>, m: Move) {
    line.extend_from_slice(&m.0.to_le_bytes());
}

/// Splits a line into what tells its start and the codes of its moves, two bytes each.
pub(crate) fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let has_start = line.starts_with(&Move::NONE.0.to_le_bytes());
    line.split_at(if has_start { START_BYTES } else { 0 })
}

/// Returns the line of a whole game; `None` where the reader or the rules refuse it, or it is of another variant.
pub(crate) fn line_of<G: Replayable>(record: &GameRecord<G::Token>) -> Option<Vec<u8>> {
    if record.variant.is_some() || record.defect.is_some() {
        return None;
    }
    let mut position = starting_position::<G>(record).ok()?;
    let mut line = Vec::with_capacity(2 * record.moves.len());
    push_start(&mut line, &position, record);
    for &token in &record.moves {
        push(&mut line, position.play_token(token).ok()?);
    }
    Some(line)
}
