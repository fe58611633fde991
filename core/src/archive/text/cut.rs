//! Cuts a stream of PGN text into [`Piece`]s that end where a game ends (see `begin`).
//!
//! Text is repaired on its way (see `plain`); places of bytes do not change. A byte order mark is dropped.
//!
//! Memory is bounded by [`MAX_GAME_BYTES`] whatever the length of the stream.

use std::io::{self, Read};
use std::ops::ControlFlow;

use memchr::{memchr_iter, memrchr, memrchr2_iter};

use super::begin::{MARKERS, is_tag, last_boundary, next_boundary};
use super::plain;

/// Bytes of a block, about: large enough to keep a thread busy for about a millisecond, small enough for its cache.
pub const BLOCK_BYTES: usize = 1 << 18;

/// Largest game. A longer one is skipped and reported.
pub const MAX_GAME_BYTES: usize = 64 << 20;

/// Text without a line that begins a game is cut between games of one line from this size on.
const LONG_BYTES: usize = 4 << 20;

/// A piece of PGN text.
pub(in crate::archive) enum Piece {
    /// Whole games.
    Games { offset: u64, line: u64, bytes: Vec<u8> },
    /// A game larger than [`MAX_GAME_BYTES`] at this offset is skipped.
    TooLarge { offset: u64 },
}

/// Cuts the text that `input` holds from an offset on, until `emit` breaks. Lines are counted from there.
///
/// # Errors
/// The stream's error and its offset. Whole games before it have been emitted; the one it cut through has not.
pub(in crate::archive) fn cut_pgn(
    input: &mut dyn Read,
    offset: u64,
    emit: &mut dyn FnMut(Piece) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, (u64, io::Error)> {
    let mut cutter = Cutter { buffer: Vec::with_capacity(BLOCK_BYTES), offset, line: 0, has_cr_lines: false };
    loop {
        // A buffer that holds no whole game yet is doubled.
        let target = if cutter.buffer.len() < BLOCK_BYTES { BLOCK_BYTES } else { cutter.buffer.len() * 2 };
        let wanted = target - cutter.buffer.len();
        cutter.buffer.reserve_exact(wanted);
        let read = cutter.read(input, wanted);
        let is_last = !matches!(read, Ok(count) if count == wanted);
        let cut = match read {
            Ok(_) if is_last => Some(cutter.buffer.len()),
            _ => last_boundary(&cutter.buffer).or_else(|| match cutter.buffer.len() < LONG_BYTES {
                true => None,
                false => last_marker_boundary(&cutter.buffer),
            }),
        };
        if let Some(cut) = cut.filter(|&cut| cut > 0)
            && emit(cutter.take(cut)).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
        if let Err(error) = read {
            return Err((cutter.offset + cutter.buffer.len() as u64, error));
        }
        if is_last {
            return Ok(ControlFlow::Continue(()));
        }
        if cutter.buffer.len() >= MAX_GAME_BYTES {
            if emit(Piece::TooLarge { offset: cutter.offset }).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            cutter.pass_over(input)?;
        }
    }
}

/// Returns the last place where a marker ends a game and move 1 or a tag begins another, outside comments.
fn last_marker_boundary(text: &[u8]) -> Option<usize> {
    // Places are asked from the last to the first, so each brace is passed once.
    let (mut open, mut close) = (memrchr(b'{', text), memrchr(b'}', text));
    let mut is_free = |place: usize| {
        for (brace, last) in [(b'{', &mut open), (b'}', &mut close)] {
            while let Some(at) = last.filter(|&at| at >= place) {
                *last = memrchr(brace, &text[..at]);
            }
        }
        open.is_none() || close > open
    };
    let begins = |place: usize| {
        let before = text[..place].trim_ascii_end();
        before.len() < place && MARKERS.iter().any(|marker| before.ends_with(marker))
    };
    let mut places = memrchr2_iter(b'1', b'[', text).filter(|&place| {
        text[place] == b'[' && is_tag(&text[place..])
            || text[place..].starts_with(b"1.") && text.get(place + 2) != Some(&b'.')
    });
    places.find(|&place| place > 0 && begins(place) && is_free(place))
}

struct Cutter {
    buffer: Vec<u8>,
    offset: u64,
    line: u64,
    /// Whether lines end with CR alone, as the first bytes show.
    has_cr_lines: bool,
}

impl Cutter {
    /// Reads `wanted` more bytes, fewer at the end, and repairs them.
    fn read(&mut self, input: &mut dyn Read, wanted: usize) -> io::Result<usize> {
        let before = self.buffer.len();
        let read = input.take(wanted as u64).read_to_end(&mut self.buffer);
        if self.offset == 0 && before == 0 {
            self.has_cr_lines = plain::has_cr_lines(&self.buffer);
            if self.buffer.starts_with(plain::MARK) {
                self.buffer.drain(..plain::MARK.len());
                self.offset = plain::MARK.len() as u64;
            }
        }
        plain::mend(&mut self.buffer, before, self.has_cr_lines);
        read
    }

    fn take(&mut self, cut: usize) -> Piece {
        let mut rest = Vec::with_capacity(BLOCK_BYTES.max(self.buffer.len() - cut));
        rest.extend_from_slice(&self.buffer[cut..]);
        self.buffer.truncate(cut);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let (offset, line) = (self.offset, self.line);
        self.advance(&bytes);
        Piece::Games { offset, line, bytes }
    }

    fn advance(&mut self, passed: &[u8]) {
        self.offset += passed.len() as u64;
        self.line += memchr_iter(b'\n', passed).count() as u64;
    }

    /// Drops text up to where the next game begins, or to the end of the stream.
    fn pass_over(&mut self, input: &mut dyn Read) -> Result<(), (u64, io::Error)> {
        /// Bytes kept of skipped text: the lines before a boundary are needed to find it.
        const CONTEXT: usize = 4 << 10;
        loop {
            let boundary = next_boundary(&self.buffer, 1);
            let rest = self.buffer.split_off(boundary.unwrap_or(self.buffer.len().saturating_sub(CONTEXT)));
            let passed = std::mem::replace(&mut self.buffer, rest);
            self.advance(&passed);
            if boundary.is_some() {
                return Ok(());
            }
            match self.read(input, BLOCK_BYTES) {
                Ok(0) => {
                    self.buffer.clear();
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) => return Err((self.offset + self.buffer.len() as u64, error)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
