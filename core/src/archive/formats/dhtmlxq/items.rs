//! Finds the items of one game: keys and values.

use super::{square_of, squares_of};
use crate::archive::Defect;
use crate::archive::formats::placement::Placement;
use crate::xiangqi::Square;

/// Texts and the tags that they become.
const TEXTS: [(&str, &str); 20] = [
    ("title", "Title"),
    ("event", "Event"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("red", "Red"),
    ("redname", "Red"),
    ("black", "Black"),
    ("blackname", "Black"),
    ("redteam", "RedTeam"),
    ("blackteam", "BlackTeam"),
    ("redlevel", "RedTitle"),
    ("blacklevel", "BlackTitle"),
    ("timerule", "TimeControl"),
    ("class", "Class"),
    ("type", "Type"),
    ("open", "Opening"),
    ("author", "Author"),
    ("remark", "Remark"),
    ("owner", "Owner"),
];

/// What an item is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Placement,
    Fen,
    MainLine,
    Variation {
        leaves: u32,
        ply: u32,
        id: u32,
    },
    Comment {
        line: u32,
        ply: u32,
    },
    Result,
    /// A text, by the name of its tag.
    Text(&'static str),
    /// Nothing that records hold, such as the size of the board.
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub(super) key: Key,
    pub(super) value: &'a [u8],
    /// Offset of the value in the member.
    offset: u64,
}

impl Item<'_> {
    pub(super) fn defect(&self, reason: &'static str, message: impl Into<String>) -> Defect {
        Defect::new(reason, self.offset, message)
    }

    /// Returns the moves of a line, up to the first invalid one.
    pub(super) fn moves(&self) -> impl Iterator<Item = Result<(Square, Square), Defect>> {
        let mut digits = self.value.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
        let offset = self.offset;
        std::iter::from_fn(move || {
            let (index, &first) = digits.next()?;
            let mut move_digits = [first, 0, 0, 0];
            for (place, (_, &digit)) in move_digits.iter_mut().skip(1).zip(digits.by_ref()) {
                *place = digit;
            }
            Some(squares_of(move_digits).ok_or_else(|| Defect {
                reason: "bad-move",
                offset: offset + index as u64,
                message: "expected a move of four digits such as 7747".to_owned(),
            }))
        })
    }

    /// Returns the pieces of 32 squares.
    pub(super) fn placement(&self) -> Result<Placement, Defect> {
        let digits: Vec<u8> = self.value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if digits.len() != 64 {
            return Err(self.defect("placement", format!("expected 64 digits, found {}", digits.len())));
        }
        let mut placement = Placement::empty();
        for (slot, pair) in digits.chunks_exact(2).enumerate() {
            match (pair[0], square_of(pair[0], pair[1])) {
                (b'9', _) => {}
                (_, Some(square)) => placement.put_slot(slot, square),
                (_, None) => {
                    return Err(self.defect("placement", "expected file and row of each piece"));
                }
            }
        }
        placement.checked().map_err(|message| self.defect("placement", message))?;
        Ok(placement)
    }
}

/// Returns the items of a text at offset `base` and the first thing wrong with their brackets.
pub(super) fn read(text: &[u8], base: u64) -> (Vec<Item<'_>>, Option<Defect>) {
    let mut items = Vec::new();
    let mut defect = None;
    // Name, place of the opening bracket and of the value.
    let mut open: Option<(&[u8], usize, usize)> = None;
    let mut unclosed = |name: &[u8], place: usize| {
        let message = format!("expected [/DhtmlXQ_{}]", String::from_utf8_lossy(name));
        defect.get_or_insert(Defect::new("unterminated-item", base + place as u64, message));
    };
    for place in memchr::memchr_iter(b'[', text) {
        let rest = &text[place + 1..];
        let (is_close, rest) = rest.strip_prefix(b"/").map_or((false, rest), |rest| (true, rest));
        let Some(rest) = rest.strip_prefix(b"DhtmlXQ_") else { continue };
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if rest.get(length) != Some(&b']') {
            continue;
        }
        let name = &rest[..length];
        match open.take() {
            Some((opened, _, start)) if is_close && opened == name => {
                items.push(Item {
                    key: key_of(name),
                    value: &text[start..place],
                    offset: base + start as u64,
                });
            }
            Some((opened, place, _)) => unclosed(opened, place),
            None => {}
        }
        if !is_close {
            open = Some((name, place, text.len() - rest.len() + length + 1));
        }
    }
    if let Some((name, place, _)) = open {
        unclosed(name, place);
    }
    (items, defect)
}

fn key_of(name: &[u8]) -> Key {
    let name = str::from_utf8(name).unwrap_or_default();
    let numbers = |text: &str| text.split('_').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>();
    if let Some(numbers) = name.strip_prefix("move_").and_then(numbers) {
        return match numbers[..] {
            [0, 1, 0] => Key::MainLine,
            [leaves, ply, id] => Key::Variation { leaves, ply, id },
            _ => Key::Other,
        };
    }
    if let Some(numbers) = name.strip_prefix("comment").and_then(numbers) {
        return match numbers[..] {
            [ply] => Key::Comment { line: 0, ply },
            [line, ply] => Key::Comment { line, ply },
            _ => Key::Other,
        };
    }
    match name {
        "binit" => Key::Placement,
        "fen" => Key::Fen,
        "movelist" => Key::MainLine,
        "result" => Key::Result,
        _ => TEXTS.iter().find(|(text, _)| *text == name).map_or(Key::Other, |&(_, tag)| Key::Text(tag)),
    }
}

pub(super) fn unescape(text: &str) -> String {
    let text = text.replace("||", "\n");
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(character) => {
                plain.push(character);
                plain.push_str(&part[4..]);
            }
            None => {
                plain.push_str("\\u");
                plain.push_str(part);
            }
        }
    }
    plain
}
