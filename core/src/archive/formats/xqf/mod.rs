//! Xiangqi games in XQF, the format of XQStudio (象棋演播室), versions 10 to 18.
//!
//! A file is a header of 1,024 bytes and one tree of moves in depth-first order, which ends where the file ends.
//! From version 11 on, squares, comment lengths and the tree are enciphered (see `cipher`).
//!
//! Source: XQStudio's note on version 1.0, and for later versions what independent readers agree on, checked against
//! 35,967 files.

mod cipher;
mod header;
mod tree;

#[cfg(test)]
mod tests;

use super::facts::Facts;
use super::lines::Lines;
use crate::archive::{Block, Defect, ReadOptions, Sink};
use crate::xiangqi::Token;

pub(crate) use header::TEXTS;

use header::HEADER_BYTES;
use tree::Records;

/// Parses a file as a block of one game.
pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut facts = Facts::default();
    let mut lines = Lines::new(options);
    if let Err(defect) = read_file(&block.bytes, options, &mut facts, &mut lines) {
        facts.fail(Defect { offset: block.offset + defect.offset, ..defect });
    }
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

/// Reads a file of any bytes. A defect leaves what came before it.
fn read_file(
    bytes: &[u8],
    options: &ReadOptions,
    facts: &mut Facts,
    lines: &mut Lines<Token>,
) -> Result<(), Defect> {
    let Some((head, _)) = bytes.split_at_checked(HEADER_BYTES) else {
        let message = format!("expected a header of {HEADER_BYTES} bytes");
        return Err(Defect::new("truncated", bytes.len() as u64, message));
    };
    if !head.starts_with(b"XQ") {
        return Err(Defect::new("magic", 0, "expected the bytes \"XQ\" at the start"));
    }
    header::read_facts(head, options, facts);
    let keys = cipher::Keys::of(head)?;
    let placement = header::read_placement(head, &keys);
    let mut records = Records::new(bytes, keys);
    let off_board = "expected squares below 90 in a move of the main line";
    let read = lines.read_tree(off_board, |is_collected| records.next_node(is_collected));
    facts.start = placement.start_of(lines.first_origin(), header::side_by_header(head));
    let bad_square = read?;
    records.finish()?;
    bad_square.map_or(Ok(()), Err)?;
    placement.checked().map_err(|message| Defect::new("placement", 0x10, message))
}
