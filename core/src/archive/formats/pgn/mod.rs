//! Reads games in PGN, of chess and of xiangqi.
//!
//! | file | step |
//! |---|---|
//! | `recode` | a block in a Chinese character set → UTF-8; places there → places in the block |
//! | `section` | a block → sections: the tags of a game and the text up to the next game's tags |
//! | `tags` | tag pairs → the record |
//! | `movetext` | the text of a section → elements: moves, glyphs, comments, parentheses, markers |
//! | `game` | elements → the record's moves, variations and notes; where a game without tags begins and ends |
//! | `chess`, `xiangqi` | what is particular to a game: move texts, character sets |
//!
//! The rules by which nothing is lost:
//!
//! - A section ends where by the rules of `begin` another game begins, so neither an unclosed brace nor an unclosed
//!   parenthesis reaches over it. An unclosed one is the game's defect.
//! - A text that looks like a move but is not a valid one is a defect; the moves before it stay. Other words are
//!   ignored.
//! - The result is the termination marker of the movetext; the Result tag serves where there is none.
//! - Behind a marker, or behind a blank line where move 1 follows, a game without tags may begin. Behind a marker, one
//!   with tags on the same line may too. A game without tags that does not begin with move 1 is a defect, for its
//!   beginning is lost. A blank line before anything but moves ends the game; prose is not a game.

mod begin;
pub(super) mod chess;
mod game;
mod movetext;
mod recode;
mod section;
mod tags;
mod xiangqi;

/// Returns the termination marker at the head of a text and its length.
pub(super) fn marker<G: Recorded>(text: &[u8]) -> Option<(Outcome, usize)> {
    const MARKERS: [(&[u8], Outcome); 9] = [
        (b"1-0", Outcome::FirstWins),
        (b"0-1", Outcome::SecondWins),
        (b"1/2-1/2", Outcome::Draw),
        (b"1/2", Outcome::Draw),
        (b"\xc2\xbd-\xc2\xbd", Outcome::Draw),
        (b"\xc2\xbd", Outcome::Draw),
        (b"1:0", Outcome::FirstWins),
        (b"0:1", Outcome::SecondWins),
        (b"0.5-0.5", Outcome::Draw),
    ];
    let Some((marker, outcome)) = MARKERS.iter().find(|(marker, _)| text.starts_with(marker)) else {
        let length = text.iter().take_while(|byte| !ends_word(**byte)).count();
        let outcome = G::outcome_named(std::str::from_utf8(&text[..length]).ok()?);
        return (outcome != Outcome::Unknown).then_some((outcome, length));
    };
    let goes_on = text.get(marker.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    (!goes_on).then_some((*outcome, marker.len()))
}

/// Returns whether a byte cannot belong to a word.
pub(super) fn ends_word(byte: u8) -> bool {
    const ENDS: [bool; 256] = {
        let (mut ends, signs, mut place) = ([false; 256], b"\0\t\n\x0b\x0c\r !$();?[]{}", 0);
        while place < signs.len() {
            ends[signs[place] as usize] = true;
            place += 1;
        }
        ends
    };
    ENDS[usize::from(byte)]
}

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use encoding_rs::Encoding;
use memchr::memchr_iter;

use crate::archive::{Block, GameRecord, ReadOptions, Sink, Start, Wants};
use crate::game::{Outcome, Replayable};

use game::Collector;
use recode::{Places, decode, utf8};
use section::{Ahead, Section};

/// A game that PGN records: what the reader must know of it.
pub(in crate::archive::formats) trait Recorded: Replayable {
    /// Returns the move at the head of a text and the bytes it takes, `None` if the text does not begin with one.
    fn read_move(text: &[u8]) -> Option<(Self::Token, usize)>;

    /// Returns a number of the notation of a move, where games never mix it with others.
    fn notation(_token: Self::Token) -> u8 {
        0
    }

    /// Returns whether coordinates of a text count ranks from 1, as UCI does; [`Recorded::read_uci`] reads them.
    fn is_uci(_text: &[u8]) -> bool {
        false
    }

    /// Returns the move in UCI at the head of a text, as [`Recorded::read_move`] does.
    fn read_uci(text: &[u8]) -> Option<(Self::Token, usize)> {
        Self::read_move(text)
    }

    /// Returns the move that an odd word can only mean, its signs folded: `OO`, `E4`, `5254`.
    fn read_odd(_word: &str) -> Option<Self::Token> {
        None
    }

    /// Returns whether a word may be the beginning of a move that goes on behind a blank.
    fn may_join(_word: &str) -> bool {
        false
    }

    /// Returns whether an invalid word was meant to be a move, so that ignoring it would lose a move.
    fn looks_like_move(word: &[u8]) -> bool;

    /// Whether a block is read as it stands; otherwise it is made UTF-8 first.
    const HAS_ASCII_MOVES: bool;

    /// What a move is, in words.
    const MOVE: &'static str;

    /// Returns the result that a word names in the language of the archives, [`Outcome::Unknown`] if it names none.
    fn outcome_named(_word: &str) -> Outcome {
        Outcome::Unknown
    }

    /// Returns whether a text holds a sign of such a word, even in a comment.
    fn may_name_outcome(_text: &[u8]) -> bool {
        false
    }

    /// Settles what only all moves of a game tell of each.
    fn settle_moves(_record: &mut GameRecord<Self::Token>) {}

    /// Mends a start that does not fit the first move.
    fn settle_start(_start: &mut Start, _first: Self::Token) {}

    /// Returns the character set of the texts in a block that are not UTF-8.
    fn charset(text: &[u8]) -> &'static Encoding;

    /// Returns the start that a FEN tag names.
    fn start_of(fen: &str) -> Start;

    /// Returns the variant that only the start of a game tells.
    fn variant_of(_start: &Start) -> Option<&'static str> {
        None
    }

    /// Returns whether a Variant tag names the standard game.
    fn is_standard_variant(name: &str) -> bool;
}

/// Parses a block of games in PGN; see [`crate::archive::Archived::read_games`].
pub(super) fn read_block<G: Recorded>(
    block: &Block,
    options: &ReadOptions,
    wants: Wants<'_, G::Token>,
    sink: Sink<'_, G::Token>,
) {
    let charset = G::charset(&block.bytes);
    let text = match G::HAS_ASCII_MOVES {
        true => Cow::Borrowed(&block.bytes[..]),
        false => utf8(&block.bytes, charset),
    };
    let mut places = Places::new(&block.bytes, &text, charset);
    let mut collector = Collector::<G>::new(*options, charset, G::is_uci(&text));
    let mut lines = Lines { upto: 0, before: block.line };
    let mut tags = Vec::new();
    let mut ahead = Ahead::of(&text);
    let mut place = 0;
    while let Some(section) = Section::next(&text, place, &mut tags, &mut ahead) {
        place = collector.read_section(&text, &section, &tags, wants, &mut |record, start, end| {
            record.line = lines.line_of(&text, start);
            let first = places.of(start);
            if let Some(defect) = &mut record.defect {
                defect.offset = block.offset + places.of(defect.offset as usize) as u64;
            }
            record.offset = block.offset + first as u64;
            record.length = (places.of(end) - first) as u64;
            sink(record);
        });
    }
}

/// Counts lines while places go forward.
struct Lines {
    upto: usize,
    before: u64,
}

impl Lines {
    fn line_of(&mut self, text: &[u8], place: usize) -> u64 {
        let passed = text.get(self.upto..place).unwrap_or_default();
        self.before += memchr_iter(b'\n', passed).count() as u64;
        self.upto = self.upto.max(place);
        self.before + 1
    }
}
