//! Chess games in PGN: a block of text in, records out, through `pgn-reader`.
//!
//! `pgn-reader` reads the block as one stream. It passes over tokens that are no move without a word, and over an
//! unclosed comment into the games after it; two checks of ours make up for that:
//!
//! - Where the text of a game, as it saw it, reaches over a place where by the rules of `cut` another game begins, the
//!   game is read again on its own, up to that place, and reading goes on there. So no game loses its neighbours.
//! - A move it cannot read (`Nf9`, but also `d8Q` without `=`) leaves a hole: the next move is then played by the wrong
//!   side, which the replay finds illegal, if not at once then soon. What can go unnoticed is a hole at the very end,
//!   or an even number of them in a row.
//!
//! Null moves (`--`, `Z0`) come as [`San::Null`], which is never legal. The result is the termination marker that ends
//! the movetext; the Result tag serves where there is none. Text without tags that does not begin with a move is no
//! game. A blank line ends a game: movetext behind it that does not begin with move 1 is delivered as a game with a
//! defect.

mod visitor;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memmem, memrchr};
use pgn_reader::{Reader, SanPlus};
use shakmaty::san::San;

use self::visitor::{Collector, Ended};
use super::{Block, Defect, GameRecord, ReadOptions, cut};
use crate::game::Outcome;

/// Parses a block of chess games in PGN.
pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<San>)) {
    let finder = cut::event_finder();
    let collector = Collector::new(options.limit(), options.tags);
    let counted = Lines { upto: 0, before: block.line };
    let mut parser = Parser { block, text: &block.bytes, finder, collector, lines: counted, sink };
    let mut from = 0;
    while let Some(next) = parser.read_from(from) {
        debug_assert!(next > from, "reading goes forward");
        from = next;
    }
}

/// Longest tag line that is read in the stream; a game with a longer one is read again on its own.
const TAG_LINE_BYTES: usize = 2 << 10;

struct Parser<'a> {
    block: &'a Block,
    text: &'a [u8],
    finder: memmem::Finder<'static>,
    collector: Collector,
    lines: Lines,
    sink: &'a mut dyn FnMut(&GameRecord<San>),
}

impl Parser<'_> {
    /// Reads games from a place on. Returns where to start anew, or `None` at the end of the block.
    fn read_from(&mut self, from: usize) -> Option<usize> {
        let text = self.text;
        let position = Cell::new(from);
        let input = Slice { text, position: &position };
        let mut reader = Reader::build(input).set_supported_tag_line_length(TAG_LINE_BYTES).finish();
        let mut boundary = from;
        let mut has_more = reader.has_more();
        while matches!(has_more, Ok(true)) {
            let start = position.get() - reader.buffer().len();
            if boundary <= start {
                boundary = self.boundary_after(start);
            }
            let ended = reader.read_game(&mut self.collector);
            let read_upto = position.get() - reader.buffer().len();
            // Passes over what the collector did not ask for, and over white space.
            has_more = reader.has_more();
            let end = position.get() - reader.buffer().len();
            let ended = match (ended, &has_more) {
                (Ok(Some(ended)), Ok(_)) if end <= boundary => ended,
                _ => {
                    self.read_alone(start, boundary);
                    return (boundary < text.len()).then_some(boundary);
                }
            };
            if ended == Ended::Marker && game_follows(&text[read_upto..]) {
                self.deliver(start, read_upto, None);
                return Some(read_upto);
            }
            self.finish(start, end, ended);
        }
        None
    }

    /// Returns where, after a game's start, the next game begins at the latest.
    fn boundary_after(&self, start: usize) -> usize {
        let text = self.text;
        let boundary = match text[start..].starts_with(b"[Event ") {
            true => cut::next_event(&self.finder, text, start + 1),
            false => cut::next_boundary(text, start + 1),
        };
        boundary.unwrap_or(text.len())
    }

    /// Reads the text between two boundaries with a reader that cannot see further.
    fn read_alone(&mut self, start: usize, end: usize) {
        let position = Cell::new(start);
        let input = Slice { text: &self.text[..end], position: &position };
        let mut reader = Reader::build(input).set_supported_tag_line_length(end - start).finish();
        while matches!(reader.has_more(), Ok(true)) {
            let game_start = position.get() - reader.buffer().len();
            match reader.read_game(&mut self.collector) {
                Ok(Some(ended)) => {
                    let _ = reader.has_more();
                    let game_end = position.get() - reader.buffer().len();
                    self.finish(game_start, game_end, ended);
                }
                Ok(None) => return,
                Err(error) => {
                    let defect = self.defect(game_start, end, &error);
                    self.deliver(game_start, end, Some(defect));
                    return;
                }
            }
        }
    }

    /// Completes and delivers a game that lies between two places.
    fn finish(&mut self, start: usize, end: usize, ended: Ended) {
        let text = &self.text[start..end];
        let mut defect = None;
        match ended {
            Ended::Limit => match last_marker(text) {
                Some(outcome) => self.collector.marker = Some(outcome),
                // Without a marker at the end the tag decides; without a tag a marker further in.
                None if self.collector.tagged == Outcome::Unknown => {
                    self.collector.marker = visitor::find_marker(text);
                }
                None => {}
            },
            Ended::Whole if self.collector.in_variation => {
                let place = unclosed_parenthesis(text).unwrap_or(0);
                defect = Some(Defect {
                    reason: "unterminated-variation",
                    offset: self.block.offset + (start + place) as u64,
                    message: "expected \")\" to close the variation before the game ends".to_owned(),
                });
            }
            Ended::Whole | Ended::Marker => {}
        }
        self.deliver(start, end, defect);
    }

    fn deliver(&mut self, start: usize, end: usize, defect: Option<Defect>) {
        let line = self.lines.line_of(&self.text[..end], start);
        let offset = self.block.offset + start as u64;
        let mut goes_on = false;
        if self.collector.has_no_tags() {
            let movetext = without_comments(&self.text[start..end]);
            if !begins_with_move(movetext) {
                return;
            }
            goes_on = begins_midway(movetext);
        }
        let Some(record) = self.collector.complete() else { return };
        record.offset = offset;
        record.length = (end - start) as u64;
        record.line = line;
        record.defect = defect.or_else(|| goes_on.then(|| midway(offset)));
        (self.sink)(record);
    }

    fn defect(&self, start: usize, end: usize, error: &io::Error) -> Defect {
        let text = &self.text[start..end];
        let is_comment = error.to_string().contains("comment");
        let (reason, place, expected) = match is_comment {
            true => ("unterminated-comment", unclosed_brace(text), "\"}\" to close the comment"),
            false => ("unterminated-tag", memrchr(b'[', text), "\"]\" to close the tag"),
        };
        let offset = self.block.offset + (start + place.unwrap_or(0)) as u64;
        Defect { reason, offset, message: format!("expected {expected} before the game ends") }
    }
}

/// A slice as a stream, with its position in sight.
struct Slice<'a> {
    text: &'a [u8],
    position: &'a Cell<usize>,
}

impl Read for Slice<'_> {
    // Out of line, so that the reader's test for buffered bytes, made at every token, is small enough to inline.
    #[inline(never)]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.text[self.position.get()..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position.set(self.position.get() + count);
        Ok(count)
    }
}

/// Counts lines while places go forward.
struct Lines {
    upto: usize,
    before: u64,
}

impl Lines {
    /// Returns the line of a place, from 1.
    fn line_of(&mut self, text: &[u8], place: usize) -> u64 {
        let passed = text.get(self.upto..place).unwrap_or_default();
        self.before += memchr_iter(b'\n', passed).count() as u64;
        self.upto = self.upto.max(place);
        self.before + 1
    }
}

/// Returns the termination marker that ends the text, if one does.
fn last_marker(text: &[u8]) -> Option<Outcome> {
    let text = text.trim_ascii_end();
    let line = &text[memrchr(b'\n', text).map_or(0, |newline| newline + 1)..];
    if memchr(b';', line).is_some() || line.starts_with(b"%") {
        return None;
    }
    let token = line.rsplit(u8::is_ascii_whitespace).next()?;
    match token {
        b"1-0" => Some(Outcome::FirstWins),
        b"0-1" => Some(Outcome::SecondWins),
        b"1/2-1/2" => Some(Outcome::Draw),
        b"*" => Some(Outcome::Unknown),
        _ => None,
    }
}

/// Returns whether after a termination marker a game without tags begins, without a blank line between: `1. e4 …`.
fn game_follows(rest: &[u8]) -> bool {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let gap = rest.iter().take_while(blank).count();
    let line_breaks = memchr_iter(b'\n', &rest[..gap]).count();
    let number = &rest[gap..];
    line_breaks < 2 && number.starts_with(b"1") && number[1..].trim_ascii_start().starts_with(b".")
}

/// Returns text from its first token that is no comment.
fn without_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let end = match text.first() {
            Some(b'{') => memchr(b'}', text),
            Some(b';' | b'%') => memchr(b'\n', text),
            _ => return text,
        };
        text = end.map_or(&[], |end| &text[end + 1..]);
    }
}

/// Returns whether text begins with a move or a move number, as opposed to prose such as a heading.
fn begins_with_move(text: &[u8]) -> bool {
    let token = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    token.first().is_some_and(u8::is_ascii_digit)
        || SanPlus::from_ascii(token).is_ok_and(|san| san.san != San::Null)
}

/// Returns whether text begins with the number of a move that is not the first: `12. Nf3`.
fn begins_midway(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && &text[..digits] != b"1" && text[digits..].trim_ascii_start().starts_with(b".")
}

fn midway(offset: u64) -> Defect {
    let message = "expected tags or move 1, found the rest of a game, cut off by a blank line".to_owned();
    Defect { reason: "no-beginning", offset, message }
}

/// Returns the place of the brace that nothing closes.
fn unclosed_brace(text: &[u8]) -> Option<usize> {
    let after = memrchr(b'}', text).map_or(0, |brace| brace + 1);
    memchr(b'{', &text[after..]).map(|brace| after + brace)
}

/// Returns the place of the outermost parenthesis that nothing closes.
fn unclosed_parenthesis(text: &[u8]) -> Option<usize> {
    let find = |byte, from| memchr(byte, &text[from..]).map_or(text.len(), |gap| from + gap);
    let mut open = Vec::new();
    let mut place = 0;
    while let Some(&byte) = text.get(place) {
        match byte {
            b'(' => open.push(place),
            b')' => {
                open.pop();
            }
            b'{' => place = find(b'}', place),
            b';' => place = find(b'\n', place),
            // A tag line: parentheses in names do not count.
            b'[' if place == 0 || text[place - 1] == b'\n' => place = find(b'\n', place),
            _ => {}
        }
        place += 1;
    }
    open.first().copied()
}
