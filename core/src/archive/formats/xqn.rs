//! Reads XQN, logs of engine games.
//!
//! It is PGN, in GBK, with a tag such as `[Score "8=-2"]` before every move. The reader overwrites these tags with
//! points, which have no meaning among moves, and reads the rest as PGN.

use memchr::memchr;

use super::pgn;
use crate::archive::text::begin::is_tag;
use crate::archive::{Block, ReadOptions, Sink};
use crate::xiangqi::{Token, Xiangqi};

/// The tag that stands before moves; before the first one it may follow the tags of the game at once.
const SCORE: &[u8] = b"[Score ";

pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut plain = block.clone();
    overwrite_scores(&mut plain.bytes);
    pgn::read_block::<Xiangqi>(&plain, options, &mut |_| true, sink);
}

/// Puts points in place of the tags among the moves.
fn overwrite_scores(text: &mut [u8]) {
    let mut has_moves = false;
    let mut place = 0;
    while place < text.len() {
        let rest = &mut text[place..];
        let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let line = &mut rest[..end];
        let is_head = line.trim_ascii().is_empty() || is_tag(line.trim_ascii_start());
        has_moves |= !is_head;
        let mut from = 0;
        while let Some(found) = memchr(b'[', &line[from..]) {
            let tag = &mut line[from + found..];
            let length = memchr(b']', tag).map_or(tag.len(), |end| end + 1);
            if is_tag(tag) && (has_moves || tag.starts_with(SCORE)) {
                let letters = tag[..length].iter_mut().filter(|byte| !byte.is_ascii_whitespace());
                letters.for_each(|byte| *byte = b'.');
            }
            from += found + length;
        }
        place += end;
    }
}
