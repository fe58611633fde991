//! XQN, logs of engine games: a block in, one record out.
//!
//! Text like PGN, in GBK, with a bracket such as `[Score "8=-2"]` before every move. Brackets and braces among the moves
//! say nothing that a book needs. Moves in coordinates (`H2-E2`, `h2e2`) are read; one in another notation ends the
//! game with a defect.

use super::facts::{Facts, outcome_named};
use super::legacy_text::{decode_text, place_in};
use super::lines::{Lines, Place, Squares};
use super::placement::Placement;
use super::{Block, Defect, GameRecord, ReadOptions, Start};
use crate::game::Side;
use crate::xiangqi::{Square, Token};

/// Tags that records hold.
const TAGS: [&str; 16] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "Red",
    "RedTeam",
    "RedElo",
    "Black",
    "BlackTeam",
    "BlackElo",
    "ECCO",
    "Opening",
    "Variation",
    "TimeControl",
    "Annotator",
    "Title",
];

/// Parses a file.
pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Token>)) {
    let mut record = GameRecord {
        offset: block.offset,
        length: block.bytes.len() as u64,
        line: 1,
        ..GameRecord::default()
    };
    let text = decode_text(&block.bytes);
    let mut log = Log { text: &text, position: 0, facts: Facts::default(), fen: None };
    let mut lines = Lines::new(options);
    if let Err((position, reason, message)) = log.read(&mut lines) {
        let offset = block.offset + place_in(&block.bytes, &text, position) as u64;
        log.facts.fail(Defect { reason, offset, message });
    }
    if let Some(fen) = log.fen.take() {
        log.facts.start = match Placement::read(&fen) {
            Some((placement, side)) => {
                placement.start(placement.first_side(lines.first_origin, side.unwrap_or(Side::First)))
            }
            None => Start::Fen(fen),
        };
    }
    lines.fill(&mut record);
    log.facts.fill(options, &mut record);
    sink(&record);
}

/// Place in the text, reason and message of a defect.
type Flaw = (usize, &'static str, String);

struct Log<'a> {
    text: &'a str,
    position: usize,
    facts: Facts,
    fen: Option<String>,
}

impl Log<'_> {
    fn read(&mut self, lines: &mut Lines) -> Result<(), Flaw> {
        let mut place = Place::START;
        loop {
            let rest = &self.text[self.position..];
            let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.position = self.text.len() - rest.len();
            match rest.chars().next() {
                None => return Ok(()),
                Some('[') => self.bracket(rest, place == Place::START)?,
                Some('{') => {
                    let Some(end) = rest.find('}') else {
                        return Err((self.position, "unterminated-comment", "expected }".to_owned()));
                    };
                    lines.comment(place, &rest[1..end]);
                    self.position += end + 1;
                }
                Some(_) => {
                    let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '[' | '{'));
                    let word = &rest[..length.unwrap_or(rest.len())];
                    place = self.word(word, place, lines)?;
                    self.position += word.len();
                }
            }
        }
    }

    /// Reads `[Name "value"]`; before the first move it is a tag.
    fn bracket(&mut self, rest: &str, is_head: bool) -> Result<(), Flaw> {
        let Some(end) = rest.find("\"]").map(|end| end + 2).or_else(|| rest.find(']').map(|end| end + 1))
        else {
            return Err((self.position, "unterminated-tag", "expected ]".to_owned()));
        };
        self.position += end;
        let inner = rest[1..end].trim_end_matches(']');
        let Some((name, value)) = inner.split_once('"').filter(|_| is_head) else { return Ok(()) };
        let value = value.strip_suffix('"').unwrap_or(value).trim();
        match name.trim() {
            "FEN" if !value.is_empty() => self.fen = Some(value.to_owned()),
            "Result" => self.facts.outcome = outcome_named(value),
            name => {
                if let Some(known) = TAGS.iter().find(|known| **known == name) {
                    self.facts.add(known, value.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Takes a move, a move number or the result.
    fn word(&mut self, word: &str, place: Place, lines: &mut Lines) -> Result<Place, Flaw> {
        if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "*") {
            // What ends the moves wins over the tag.
            self.facts.outcome = outcome_named(word);
            return Ok(place);
        }
        let text = match word.split_once('.') {
            Some((number, text)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.trim_start_matches('.')
            }
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => "",
            _ => word,
        };
        if text.is_empty() {
            return Ok(place);
        }
        match squares_of(text) {
            None => {
                let message = format!("expected a move in coordinates such as H2-E2, found \"{text}\"");
                Err((self.position, "notation", message))
            }
            squares => Ok(lines.extend(place, squares)),
        }
    }
}

fn squares_of(text: &str) -> Squares {
    let (from, to) = match *text.as_bytes() {
        [a, b, c, d] | [a, b, b'-', c, d] => ([a, b], [c, d]),
        _ => return None,
    };
    let square = |[file, rank]: [u8; 2]| {
        Square::at(file.to_ascii_lowercase().checked_sub(b'a')?, rank.checked_sub(b'0')?)
    };
    Some((square(from)?, square(to)?))
}
