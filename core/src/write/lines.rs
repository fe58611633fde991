//! Writes the main line of a game as one line of coordinates, for engines and scripts.
//!
//! `h2e2 h9g7 1-0`: moves and, optionally, the result. A game from a set-up position begins with its FEN as the
//! `position` command of UCI and UCCI has it: `fen 3k5/… w - - 0 1 moves e0e1`.

use super::walk::{Step, walk};
use super::{WriteOptions, Written};
use crate::archive::{GameRecord, Start};
use crate::game::Notation;
use crate::replay::{Fault, starting_position};

/// Appends a game as a line.
///
/// # Errors
/// The first fault of the main line; nothing is then appended.
pub fn write_line<G: Written>(
    record: &GameRecord<G::Token>,
    notation: &dyn Notation<G>,
    with_result: bool,
    out: &mut String,
) -> Result<(), Fault> {
    let start = starting_position::<G>(record)?;
    let length = out.len();
    if record.start != Start::Standard {
        out.push_str("fen ");
        out.push_str(&start.to_fen());
        out.push_str(" moves ");
    }
    let options = WriteOptions { variations: false, comments: false, ..WriteOptions::default() };
    let walked = walk(record, start, &options, &mut |step| {
        if let Step::Play { before, played, .. } = step {
            out.push_str(&notation.format(before, played));
            out.push(' ');
        }
    });
    match with_result {
        true => out.push_str(record.outcome.name()),
        false => out.truncate(out.trim_end().len().max(length)),
    }
    out.push('\n');
    walked.map(drop).inspect_err(|_| out.truncate(length))
}
