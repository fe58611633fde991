//! Games in PGN, of chess and of xiangqi: a block of text in, records out.
//!
//! | file | step |
//! |---|---|
//! | `section` | a block → sections: the tags of a game and the text up to the next game's tags |
//! | `tags` | tag pairs → the record |
//! | `movetext` | the text of a section → elements: moves, glyphs, comments, parentheses, markers |
//! | `places` | places in decoded movetext → places in the block |
//! | `game` | elements → the record's moves, variations and notes; where a game without tags begins and ends |
//! | `chess`, `xiangqi` | what is particular to a game: move texts, character sets |
//!
//! The rules by which nothing is lost:
//!
//! - A section ends where by the rules of `cut` another game begins, so neither an unclosed brace nor an unclosed
//!   parenthesis reaches over it. What is unclosed there is the game's defect.
//! - A text that looks like a move but is none is a defect; the moves before it stay. Other words are passed over.
//! - The result is the termination marker of the movetext; the Result tag serves where there is none.
//! - Behind a marker, or behind a blank line where move 1 follows, a game without tags may begin. A game without tags
//!   that does not begin with move 1 is a defect, for its beginning is lost. A blank line before anything but moves ends
//!   the game; prose is no game.

mod chess;
mod game;
mod movetext;
mod places;
mod section;
mod tags;
mod xiangqi;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use encoding_rs::Encoding;
use memchr::memchr_iter;

use super::{Block, GameRecord, ReadOptions, Start};
use crate::game::Game;

use game::Collector;
use section::Section;

/// A game that PGN records: what the reader must know of it.
pub(super) trait Recorded: Game {
    /// Returns the move at the head of a text and the bytes it takes, `None` if the text does not begin with one.
    fn read_move(text: &[u8]) -> Option<(Self::Token, usize)>;

    /// Returns whether a word that is no move was meant to be one, so that passing over it would lose a move.
    fn looks_like_move(word: &[u8]) -> bool;

    /// Whether moves are read from the bytes as they stand; otherwise they are made UTF-8 first.
    const HAS_ASCII_MOVES: bool;

    /// Returns the character set of the texts in a block that are not UTF-8.
    fn charset(text: &[u8]) -> &'static Encoding;

    /// Returns the start that a FEN tag names.
    fn start_of(fen: &str) -> Start;

    /// Returns whether a Variant tag names the standard game.
    fn is_standard_variant(name: &str) -> bool;
}

/// Parses a block of games in PGN.
pub(super) fn read_block<G: Recorded>(
    block: &Block,
    options: &ReadOptions,
    sink: &mut dyn FnMut(&GameRecord<G::Token>),
) {
    let mut collector = Collector::<G>::new(*options, G::charset(&block.bytes));
    let mut lines = Lines { upto: 0, before: block.line };
    let mut tags = Vec::new();
    let mut place = 0;
    while let Some(section) = Section::next(&block.bytes, place, &mut tags) {
        place = section.end;
        collector.read_section(&block.bytes, &section, &tags, &mut |record, start, end| {
            record.offset = block.offset + start as u64;
            record.length = (end - start) as u64;
            record.line = lines.line_of(&block.bytes, start);
            if let Some(defect) = &mut record.defect {
                defect.offset += block.offset;
            }
            sink(record);
        });
    }
}

/// Returns bytes as text: UTF-8 or, where they are none, of the character set given.
fn decode<'a>(bytes: &'a [u8], charset: &'static Encoding) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => charset.decode_without_bom_handling(bytes).0,
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
