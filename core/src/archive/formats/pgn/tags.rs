//! Reads the tag pairs at the head of a section: `[Name "value"]`, one or more on a line.
//!
//! A value ends at the last quote before the bracket that closes the tag, so quotes within it need no escape; where
//! either is missing it ends with its line.
//!
//! Asides among tags are passed over: comments, brackets without a tag pair, and signs behind one. A tag whose name is
//! none, `[White Elo "2300"]`, keeps it, unless it is the first of a game.

use std::borrow::Cow;

use encoding_rs::Encoding;
use memchr::{memchr, memchr_iter, memchr3, memrchr};

use super::marker;
use super::{Recorded, decode};
use crate::archive::record::year_of;
use crate::archive::text::begin::blank;
use crate::archive::text::begin::{MAX_ASIDE, is_aside, odd_tag, tag_name};
use crate::archive::text::fold::folded;
use crate::archive::{GameRecord, Start};
use crate::game::Outcome;

/// Fills `tags` with the tags from `start` on and returns the first place behind them and behind blank lines after
/// them; `start` itself where there is none. A second Event tag, or one behind a blank line, is the next game's. An aside
/// that no tag of this game follows is left to the movetext.
pub(super) fn read_tags<'a>(text: &'a [u8], start: usize, tags: &mut Vec<Tag<'a>>) -> usize {
    tags.clear();
    let (mut has_event, mut is_behind_blank_line) = (false, false);
    let (mut place, mut end) = (start, start);
    loop {
        let next = place + blank(&text[place..]);
        let gap = &text[place..next];
        if let Some((tag, length)) = Tag::read(&text[next..]) {
            if tag.name == b"Event" {
                let is_behind_blank_line = || is_behind_blank_line || has_blank_line(gap);
                if has_event || !tags.is_empty() && is_behind_blank_line() {
                    break;
                }
                has_event = true;
            }
            tags.push(tag);
            is_behind_blank_line = false;
            place = next + length;
            end = place;
        } else if let Some(aside) = aside(text, next, gap).filter(|_| !tags.is_empty()) {
            is_behind_blank_line |= has_blank_line(gap);
            place = next + aside.len();
            if let Some(tag) = Tag::of_strange(aside) {
                tags.push(tag);
                end = place;
            }
        } else {
            break;
        }
    }
    end + blank(&text[end..])
}

fn has_blank_line(gap: &[u8]) -> bool {
    memchr_iter(b'\n', gap).nth(1).is_some()
}

/// Returns the rest of the line from a place on, if it is an aside: what [`is_aside`] is, or signs behind a tag. Blanks
/// stand before it.
fn aside<'a>(text: &'a [u8], place: usize, blanks: &[u8]) -> Option<&'a [u8]> {
    let rest = text.get(place..).filter(|rest| !rest.is_empty())?;
    let ahead = &rest[..rest.len().min(MAX_ASIDE + 1)];
    let line = &ahead[..memchr(b'\n', ahead).unwrap_or(ahead.len())];
    let is_behind_tag = || line.len() <= MAX_ASIDE && !blanks.contains(&b'\n');
    (is_aside(line) || is_behind_tag() && is_litter(line)).then_some(line)
}

/// Returns whether a text holds no move and nothing else that means something: punctuation, or one sign of any kind.
fn is_litter(text: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"*{(".contains(byte);
    let text = text.trim_ascii();
    text.iter().all(is_sign)
        || text != b"*" && std::str::from_utf8(text).is_ok_and(|text| text.chars().nth(1).is_none())
}

/// A tag pair; the value as it stands between the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::archive::formats) struct Tag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    has_escapes: bool,
}

impl<'a> Tag<'a> {
    pub(in crate::archive::formats) fn new(name: &'a [u8], value: &'a [u8]) -> Tag<'a> {
        Tag { name, value, has_escapes: false }
    }

    /// Reads the tag at the head of a text; returns it and its length.
    #[inline]
    fn read(text: &'a [u8]) -> Option<(Tag<'a>, usize)> {
        let (name, first) = tag_name(text)?;
        if text[first - 1] != b'"' {
            return odd_tag(text).map(|tag| (Tag::new(name, tag.value), tag.length));
        }
        // Most values hold neither quotes nor escapes; none goes on in the next line.
        let stop = first + memchr3(b'"', b'\\', b'\n', &text[first..]).unwrap_or(text.len() - first);
        if text.get(stop) == Some(&b'"') && text.get(stop + 1) == Some(&b']') {
            return Some((Tag::new(name, &text[first..stop]), stop + 2));
        }
        let (end, length) = end_of_value(text, first);
        let value = &text[first..end];
        Some((Tag { has_escapes: memchr(b'\\', value).is_some(), ..Tag::new(name, value) }, length))
    }

    /// Reads the tag in an aside; `None` where no name stands before a quote.
    fn of_strange(line: &'a [u8]) -> Option<Tag<'a>> {
        let first = memchr(b'"', line).filter(|_| line[0] == b'[')? + 1;
        let name = line[1..first - 1].trim_ascii();
        let (end, _) = end_of_value(line, first);
        let value = &line[first..end];
        let is_name = !name.is_empty() && !name.starts_with(b"%");
        is_name.then(|| Tag { has_escapes: memchr(b'\\', value).is_some(), ..Tag::new(name, value) })
    }

    pub(super) fn unescaped(&self) -> Cow<'a, [u8]> {
        if !self.has_escapes {
            return Cow::Borrowed(self.value);
        }
        let mut value = Vec::with_capacity(self.value.len());
        let mut bytes = self.value.iter().peekable();
        while let Some(&byte) = bytes.next() {
            match (byte, bytes.peek()) {
                (b'\\', Some(&&next @ (b'"' | b'\\'))) => {
                    value.push(next);
                    bytes.next();
                }
                _ => value.push(byte),
            }
        }
        Cow::Owned(value)
    }
}

/// Returns where a value that begins at `first` ends, and the length of its tag.
#[cold]
fn end_of_value(text: &[u8], first: usize) -> (usize, usize) {
    let line = first + memchr(b'\n', &text[first..]).unwrap_or(text.len() - first);
    for end in memchr_iter(b'"', &text[first..line]).map(|end| first + end) {
        let escapes = text[first..end].iter().rev().take_while(|byte| **byte == b'\\').count();
        let gap = text[end + 1..line].iter().take_while(|byte| **byte == b' ').count();
        if escapes % 2 == 0 && text.get(end + 1 + gap) == Some(&b']') {
            return (end, end + gap + 2);
        }
    }
    let value = text[first..line].trim_ascii_end();
    let value = value.strip_suffix(b"]").unwrap_or(value);
    (first + memrchr(b'"', value).unwrap_or(value.len()), line)
}

/// Fills in what tags say of a game; all tags as they stand too, if wanted.
pub(in crate::archive::formats) fn fill<G: Recorded>(
    record: &mut GameRecord<G::Token>,
    tags: &[Tag<'_>],
    charset: &'static Encoding,
    wanted: bool,
) {
    let (mut utc_date, mut has_setup) = (None, true);
    for tag in tags {
        match tag.name {
            b"Event" => set_text(&mut record.event, tag, charset),
            b"White" | b"Red" => set_text(&mut record.first_player, tag, charset),
            b"Black" => set_text(&mut record.second_player, tag, charset),
            b"Date" => set_text(&mut record.date, tag, charset),
            b"UTCDate" => utc_date = Some(tag),
            b"WhiteElo" | b"RedElo" => record.ratings[0] = rating(tag.value),
            b"BlackElo" => record.ratings[1] = rating(tag.value),
            b"Result" => record.tagged = outcome::<G>(tag.value, charset),
            b"FEN" => {
                let fen = text_of(tag, charset);
                let is_known = fen.contains('/');
                record.start = if is_known { G::start_of(&fen) } else { Start::Standard };
            }
            b"SetUp" => has_setup = tag.value.trim_ascii() != b"0",
            b"Variant" => {
                let name = text_of(tag, charset);
                let name = name.trim();
                record.variant = (!name.is_empty() && !G::is_standard_variant(name)).then(|| name.to_owned());
            }
            _ => {}
        }
    }
    if !has_setup {
        record.start = Start::Standard;
    }
    if record.variant.is_none() {
        record.variant = G::variant_of(&record.start).map(str::to_owned);
    }
    if let Some(tag) = utc_date.filter(|_| record.date.is_empty()) {
        set_text(&mut record.date, tag, charset);
    }
    record.year = year_of(&record.date);
    if wanted {
        let pair = |tag: &Tag<'_>| (decode(tag.name, charset).into_owned(), text_of(tag, charset));
        record.tags.extend(tags.iter().map(pair));
    }
}

fn text_of(tag: &Tag<'_>, charset: &'static Encoding) -> String {
    decode(&tag.unescaped(), charset).into_owned()
}

/// Sets a text field; `?`, `-` and `????.??.??` mean unknown.
#[inline]
fn set_text(field: &mut String, tag: &Tag<'_>, charset: &'static Encoding) {
    field.clear();
    if tag.value.iter().any(|byte| !matches!(byte, b'?' | b'.' | b'-' | b' ')) {
        field.push_str(&decode(&tag.unescaped(), charset));
    }
}

fn outcome<G: Recorded>(value: &[u8], charset: &'static Encoding) -> Outcome {
    match value {
        b"1-0" => return Outcome::FirstWins,
        b"0-1" => return Outcome::SecondWins,
        b"1/2-1/2" => return Outcome::Draw,
        _ => {}
    }
    // Dashes of typographers, parentheses, and letters for digits.
    let text = folded(value, charset).replace(['(', ')', ' '], "");
    let digits = text.replace(['O', 'o'], "0").replace(['l', 'I'], "1");
    match marker::<G>(digits.as_bytes()) {
        Some((outcome, length)) if length == digits.len() => outcome,
        _ => G::outcome_named(&text),
    }
}

/// Returns the number a rating begins with; 0 where it is none, has more than four digits, or a letter follows (`1e3`).
fn rating(value: &[u8]) -> u16 {
    let value = value.trim_ascii_start();
    let length = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length > 4 || value.get(length).is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    value[..length].iter().fold(0, |rating, digit| rating * 10 + u16::from(digit - b'0'))
}

#[cfg(test)]
mod tests;
