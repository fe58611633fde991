//! Cuts a stream of PGN text into [`Piece`]s that end where a game ends (see `begin`).
//!
//! Text is repaired on its way (see `plain`); places of bytes do not change. A byte order mark is dropped.
//!
//! Memory is bounded by [`MAX_GAME_BYTES`] whatever the length of the stream.

use std::io::{self, Read};
use std::ops::ControlFlow;

use memchr::{memchr_iter, memrchr, memrchr2_iter};

use super::begin::{is_tag, last_boundary, next_boundary};
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

/// Where in a text a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Bytes before it.
    pub offset: u64,
    /// Line breaks before it.
    pub line: u64,
}

/// Cuts the text that `input` holds from a mark on, until `emit` breaks.
///
/// From the mark of a block on, the blocks are the same as from the start, if the block before is smaller than
/// [`BLOCK_BYTES`] and lines do not end with CR alone.
///
/// # Errors
/// The stream's error and its offset. Whole games before it have been emitted; the one it cut through has not.
pub(in crate::archive) fn cut_pgn(
    input: &mut dyn Read,
    from: Mark,
    emit: &mut dyn FnMut(Piece) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, (u64, io::Error)> {
    let Mark { offset, line } = from;
    Cutter { buffer: Vec::with_capacity(BLOCK_BYTES), offset, line, has_cr_lines: false }.run(input, emit)
}

/// Returns the last place where a marker ends a game and move 1 or a tag begins another, outside comments.
fn last_marker_boundary(text: &[u8]) -> Option<usize> {
    const MARKERS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];
    let is_free = |place: usize| {
        let (open, close) = (memrchr(b'{', &text[..place]), memrchr(b'}', &text[..place]));
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
    fn run(
        mut self,
        input: &mut dyn Read,
        emit: &mut dyn FnMut(Piece) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, (u64, io::Error)> {
        loop {
            // A buffer that holds no whole game yet is doubled.
            let target = if self.buffer.len() < BLOCK_BYTES { BLOCK_BYTES } else { self.buffer.len() * 2 };
            let wanted = target - self.buffer.len();
            self.buffer.reserve_exact(wanted);
            let read = self.read(input, wanted);
            let is_last = !matches!(read, Ok(count) if count == wanted);
            let cut = match read {
                Ok(_) if is_last => Some(self.buffer.len()),
                _ => last_boundary(&self.buffer).or_else(|| match self.buffer.len() < LONG_BYTES {
                    true => None,
                    false => last_marker_boundary(&self.buffer),
                }),
            };
            if let Some(cut) = cut.filter(|&cut| cut > 0)
                && emit(self.take(cut)).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
            if let Err(error) = read {
                return Err((self.offset + self.buffer.len() as u64, error));
            }
            if is_last {
                return Ok(ControlFlow::Continue(()));
            }
            if self.buffer.len() >= MAX_GAME_BYTES {
                if emit(Piece::TooLarge { offset: self.offset }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                self.pass_over(input)?;
            }
        }
    }

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

    /// Splits off the first `cut` bytes.
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
mod tests {
    use super::*;

    fn pieces(text: &[u8]) -> Vec<(u64, u64, usize)> {
        let mut pieces = Vec::new();
        let read = cut_pgn(&mut &text[..], Mark::default(), &mut |piece| {
            match piece {
                Piece::Games { offset, line, bytes } => {
                    assert_eq!(&text[offset as usize..][..bytes.len()], bytes);
                    pieces.push((offset, line, bytes.len()));
                }
                Piece::TooLarge { offset } => pieces.push((offset, 0, usize::MAX)),
            }
            ControlFlow::Continue(())
        });
        assert!(read.is_ok());
        pieces
    }

    #[test]
    fn a_long_line_is_cut_between_its_games() {
        let text = "1. e4 {[%clk 1]} e5 1-0 ".repeat(3 * LONG_BYTES / 24);
        let pieces = pieces(text.as_bytes());
        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|(offset, _, _)| text[*offset as usize..].starts_with("1. e4")));
        assert_eq!(pieces.iter().map(|piece| piece.2).sum::<usize>(), text.len());
    }

    #[test]
    fn blocks_end_where_games_end_and_add_up() {
        let game = format!("[Event \"x\"]\r\n\r\n1. e4 {{ {} }} e5 *\r\n\r\n", "[Event x".repeat(1000));
        let text = game.repeat(300);
        let pieces = pieces(text.as_bytes());
        assert!(pieces.len() > 2);
        let mut expected = 0;
        for (offset, line, length) in pieces {
            assert_eq!((offset, length % game.len()), (expected, 0));
            assert_eq!(line, offset / game.len() as u64 * 4);
            expected += length as u64;
        }
        assert_eq!(expected, text.len() as u64);
    }

    fn blocks_from(text: &[u8], from: Mark) -> Vec<(Mark, Vec<u8>)> {
        let mut blocks = Vec::new();
        let read = cut_pgn(&mut &text[from.offset as usize..], from, &mut |piece| {
            if let Piece::Games { offset, line, bytes } = piece {
                blocks.push((Mark { offset, line }, bytes));
            }
            ControlFlow::Continue(())
        });
        assert!(read.is_ok());
        blocks
    }

    #[test]
    fn from_a_block_on_the_blocks_are_the_same() {
        let game = |number: usize| {
            let comment = "x\0\n".repeat(number * 7919 % 30_000);
            let joint = if number.is_multiple_of(3) { "\u{feff}" } else { "" };
            format!("{joint}[Event \"{number}\"]\r\n\r\n1. e4 {{ {comment} }} *\r\n\r\n")
        };
        let text: String = (1..60).map(game).collect();
        let all = blocks_from(text.as_bytes(), Mark::default());
        assert!(all.len() > 5);
        for (index, (mark, _)) in all.iter().enumerate().skip(1) {
            if all[index - 1].1.len() < BLOCK_BYTES {
                assert!(blocks_from(text.as_bytes(), *mark) == all[index..]);
            }
        }
    }

    #[test]
    fn lines_that_end_with_cr_alone_are_lines() {
        let game = "[Event \"x\"]\r\r1. e4 e5 *\r\r";
        let text = game.repeat(20_000);
        let mut lines = Vec::new();
        let read = cut_pgn(&mut text.as_bytes(), Mark::default(), &mut |piece| {
            if let Piece::Games { offset, line, bytes } = piece {
                assert_eq!(bytes.len() % game.len(), 0);
                assert!(bytes.starts_with(b"[Event \"x\"]\n\n1."));
                lines.push((offset / game.len() as u64 * 4, line));
            }
            ControlFlow::Continue(())
        });
        assert!(read.is_ok() && lines.len() > 1);
        assert!(lines.iter().all(|(expected, line)| expected == line));
    }

    #[test]
    fn a_game_larger_than_a_block_makes_a_larger_block() {
        let game = |bytes| format!("[Event \"x\"]\n\n1. e4 {{ {} }} *\n\n", "x".repeat(bytes));
        let text = game(3 * BLOCK_BYTES) + &game(2 * BLOCK_BYTES);
        let cut = text.rfind("[Event").unwrap();
        assert_eq!(pieces(text.as_bytes()), [(0, 0, cut), (cut as u64, 4, text.len() - cut)]);
    }

    #[test]
    fn a_game_beyond_the_bound_is_left_out_and_its_neighbours_stay() {
        let huge = format!("[Event \"x\"]\n\n1. e4 {{ {} }} *\n\n", "x\n".repeat(MAX_GAME_BYTES / 2));
        let text = format!("[Event \"a\"]\n\n*\n\n{huge}[Event \"y\"]\n\n*\n");
        let last = text.rfind("[Event").unwrap();
        let lines = memchr_iter(b'\n', &text.as_bytes()[..last]).count() as u64;
        let expected = [(0, 0, 16), (16, 0, usize::MAX), (last as u64, lines, text.len() - last)];
        assert_eq!(pieces(text.as_bytes()), expected);
    }
}
