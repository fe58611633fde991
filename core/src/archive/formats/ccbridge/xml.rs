//! Reads CBF, a record in XML.
//!
//! ```xml
//! <ChineseChessRecord Version="1.0">
//!  <Head> <Name>title</Name> <Contest>event</Contest> <Red>player</Red> … <RecordResult>1</RecordResult> <FEN>…</FEN> </Head>
//!  <MoveList> <Move value="00-00">comment</Move> <Move value="77-47" /> … <Move value="23-29" end="1" /> </MoveList>
//! </ChineseChessRecord>
//! ```
//!
//! A square is its file (0 to 8 from red's left) and its row (0 = black's back rank). The first entry is not a
//! move; its comment belongs before the game. Moves after the one with `end` are variations. They are skipped, because
//! it is unknown where they belong.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::archive::formats::facts::{Facts, outcome_of};
use crate::archive::formats::lines::{Lines, Place};
use crate::archive::formats::placement::{STANDARD_FEN, square_of};
use crate::archive::text::plain::{decode_text, place_in};
use crate::archive::{Block, Defect, ReadOptions, Sink, Start};
use crate::xiangqi::Token;

/// Elements of the head and the tags that they become.
const HEAD: [(&str, &str); 14] = [
    ("Name", "Title"),
    ("Contest", "Event"),
    ("Round", "Round"),
    ("Date", "Date"),
    ("Site", "Site"),
    ("TimeRule", "TimeControl"),
    ("Red", "Red"),
    ("RedTeam", "RedTeam"),
    ("RedRating", "RedElo"),
    ("Black", "Black"),
    ("BlackTeam", "BlackTeam"),
    ("BlackRating", "BlackElo"),
    ("Commentator", "Annotator"),
    ("ECCO", "ECCO"),
];

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut parser = Parser {
        facts: Facts::default(),
        lines: Lines::new(options),
        stage: Stage::Before,
        place: Place::START,
    };
    let text = decode_text(&block.bytes);
    if let Err(mut defect) = parser.read(&text) {
        defect.offset = block.offset + place_in(&block.bytes, &text, defect.offset as usize) as u64;
        parser.facts.fail(defect);
    }
    let Parser { facts, lines, .. } = parser;
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

/// Where reading is in the list of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Before the empty entry.
    Before,
    /// In the main line.
    Moves,
    /// In the last entry of the main line.
    Last,
    Behind,
}

struct Parser {
    facts: Facts,
    lines: Lines<Token>,
    stage: Stage,
    place: Place,
}

impl Parser {
    /// Reads a text; the defect's offset is its place in that.
    fn read(&mut self, text: &str) -> Result<(), Defect> {
        let mut reader = Reader::from_str(text);
        // Names of the open elements; the depth of files is 3.
        let mut open: Vec<String> = Vec::new();
        let mut content = String::new();
        let mut has_root = false;
        loop {
            let offset = reader.buffer_position();
            let defect = |reason, message| Err(Defect { reason, offset, message });
            match reader.read_event() {
                Err(error) => return defect("xml", format!("expected well-formed XML: {error}")),
                Ok(Event::Eof) if !has_root => {
                    return defect("xml", "expected ChineseChessRecord".to_owned());
                }
                Ok(Event::Eof) => {
                    return match open.last() {
                        Some(name) => defect("truncated", format!("expected </{name}>, found the end")),
                        None => Ok(()),
                    };
                }
                Ok(Event::Start(element)) => {
                    has_root |= element.local_name().as_ref() == "ChineseChessRecord";
                    content.clear();
                    self.start(&element, offset)?;
                    open.push(element.local_name().as_ref().to_owned());
                }
                Ok(Event::Empty(element)) => self.start(&element, offset)?,
                Ok(Event::Text(text)) => content.push_str(&text.xml10_content()),
                Ok(Event::CData(text)) => content.push_str(&text.xml10_content()),
                Ok(Event::GeneralRef(name)) => content.extend(named_character(&name)),
                Ok(Event::End(_)) => {
                    if let Some(name) = open.pop() {
                        self.end(&name, open.last().map(String::as_str), content.trim());
                    }
                    content.clear();
                }
                Ok(_) => {}
            }
        }
    }

    /// Takes the move of a `Move` element.
    fn start(&mut self, element: &BytesStart<'_>, offset: u64) -> Result<(), Defect> {
        if element.local_name().as_ref() != "Move" {
            return Ok(());
        }
        if matches!(self.stage, Stage::Last | Stage::Behind) {
            self.stage = Stage::Behind;
            return Ok(());
        }
        let attribute = |name| {
            let found = element.try_get_attribute(name).ok().flatten();
            found.map(|attribute| attribute.value.into_owned())
        };
        let value = attribute("value").unwrap_or_default();
        let is_empty_entry = self.stage == Stage::Before && value == "00-00";
        self.stage = if attribute("end").is_some_and(|end| end == "1") { Stage::Last } else { Stage::Moves };
        if is_empty_entry {
            return Ok(());
        }
        let token = token_of(&value);
        if token.is_none() {
            let message = format!("expected a move such as 77-47, found \"{value}\"");
            return Err(Defect::new("bad-square", offset, message));
        }
        self.place = self.lines.put(self.place, token, false);
        Ok(())
    }

    /// Takes the text of an element that ends.
    fn end(&mut self, name: &str, parent: Option<&str>, text: &str) {
        match (name, parent) {
            ("Move", _) if self.stage != Stage::Behind => self.lines.comment(self.place, text),
            ("FEN", Some("Head")) if !text.is_empty() && text != STANDARD_FEN => {
                self.facts.start = Start::Fen(text.to_owned());
            }
            ("RecordResult", Some("Head")) => self.facts.outcome = outcome_of(text.parse().unwrap_or(0)),
            (_, Some("Head")) => {
                if let Some(&(_, tag)) = HEAD.iter().find(|(element, _)| *element == name) {
                    self.facts.add(tag, text.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Returns the move of `xy-xy`.
fn token_of(value: &str) -> Option<Token> {
    let &[from_file, from_row, b'-', to_file, to_row] = value.as_bytes() else { return None };
    Some(Token::new(square_of(from_file, from_row)?, square_of(to_file, to_row)?))
}

fn named_character(name: &BytesRef<'_>) -> Option<char> {
    match &**name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => name.resolve_char_ref().ok().flatten(),
    }
}
