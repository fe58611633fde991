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
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

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
    let mut facts = Facts::default();
    let mut lines = Lines::new(options);
    let text = decode_text(&block.bytes);
    if let Err(mut defect) = read(&text, &mut facts, &mut lines) {
        defect.offset = block.offset + place_in(&block.bytes, &text, defect.offset as usize) as u64;
        facts.fail(defect);
    }
    sink(&facts.into_record(lines, options, block.offset, block.bytes.len() as u64));
}

/// Reads a text; the defect's offset is its place in that.
fn read(text: &str, facts: &mut Facts, lines: &mut Lines<Token>) -> Result<(), Defect> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // Names of the open elements; the depth of files is 3.
    let mut open: Vec<String> = Vec::new();
    let mut content = String::new();
    let mut has_root = false;
    let (mut place, mut entries, mut last_entry) = (Place::START, 0, usize::MAX);
    loop {
        let offset = reader.buffer_position();
        let defect = |reason, message: String| Err(Defect::new(reason, offset, message));
        match reader.read_event() {
            Err(error) => return defect("xml", format!("expected well-formed XML: {error}")),
            Ok(Event::Eof) => {
                return match open.last() {
                    _ if !has_root => defect("xml", "expected ChineseChessRecord".to_owned()),
                    Some(name) => defect("truncated", format!("expected </{name}>, found the end")),
                    None => Ok(()),
                };
            }
            Ok(Event::Start(element)) => {
                let name = element.local_name().as_ref().to_owned();
                has_root |= name == "ChineseChessRecord";
                entries += usize::from(name == "Move");
                if name == "Move" && entries <= last_entry {
                    let attribute = |name| {
                        let found = element.try_get_attribute(name).ok().flatten();
                        found.map(|attribute| attribute.value.into_owned()).unwrap_or_default()
                    };
                    let value = attribute("value");
                    if attribute("end") == "1" {
                        last_entry = entries;
                    }
                    let token = token_of(&value);
                    if token.is_some() && (entries, &*value) != (1, "00-00") {
                        place = lines.put(place, token, false);
                    } else if token.is_none() {
                        let message = format!("expected a move such as 77-47, found \"{value}\"");
                        return defect("bad-square", message);
                    }
                }
                content.clear();
                open.push(name);
            }
            Ok(Event::Text(text)) => content.push_str(&text.xml10_content()),
            Ok(Event::CData(text)) => content.push_str(&text.xml10_content()),
            Ok(Event::GeneralRef(name)) => {
                content.extend(resolve_predefined_entity(&name));
                content.extend(name.resolve_char_ref().ok().flatten());
            }
            Ok(Event::End(_)) => {
                let name = open.pop().unwrap_or_default();
                match (&*name, open.last().map(String::as_str), content.trim()) {
                    ("Move", _, text) if entries <= last_entry => lines.comment(place, text),
                    ("FEN", Some("Head"), "" | STANDARD_FEN) => {}
                    ("FEN", Some("Head"), text) => facts.start = Start::Fen(text.to_owned()),
                    ("RecordResult", Some("Head"), text) => {
                        facts.outcome = outcome_of(text.parse().unwrap_or(0));
                    }
                    (name, Some("Head"), text) => {
                        if let Some(&(_, tag)) = HEAD.iter().find(|(element, _)| *element == name) {
                            facts.add(tag, text.to_owned());
                        }
                    }
                    _ => {}
                }
                content.clear();
            }
            Ok(_) => {}
        }
    }
}

/// Returns the move of `xy-xy`.
fn token_of(value: &str) -> Option<Token> {
    let &[from_file, from_row, b'-', to_file, to_row] = value.as_bytes() else { return None };
    Some(Token::new(square_of(from_file, from_row)?, square_of(to_file, to_row)?))
}
