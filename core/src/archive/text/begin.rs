//! Tells where in PGN text a game begins.
//!
//! A game begins at a tag at a line start, by these rules:
//!
//! - `[Event ` begins a game whatever stands before it, be it an open comment. Only where other tags of the same game
//!   precede it (a run of tag lines without another `[Event `) does the game begin at the first of them.
//! - Any other tag begins a game if the last nonblank line before it is not a tag line.
//! - Asides among tags are passed over on the way to that line: comments that fill lines, and lines that look like tag
//!   pairs and are none, `[White Elo "2300"]`.
//!
//! A line with tags and the moves of a whole game, up to its marker, is no tag line. Where tags stand behind a marker at
//! the end of the line before, the game begins at the first of them: so files without a last line break are joined.
//!
//! An indented tag begins a game as any other tag does (see `section`), but no text is cut there.
//!
//! Tells lines of tags by their look: tag pairs, and the asides among them.

use memchr::{memchr, memchr_iter, memchr2, memmem, memrchr};

/// Returns the first place at or after `from` (from 1) where a game begins.
pub(super) fn next_boundary(text: &[u8], from: usize) -> Option<usize> {
    let start = from.max(1) - 1;
    let candidates = memmem::find_iter(text.get(start..)?, b"\n[").map(|found| start + found + 1);
    let mut places =
        candidates.filter(|&place| begins_game(text, place)).map(|place| first_tag(text, 0, place));
    places.find(|&place| place >= from)
}

/// Returns the last place after the first byte where a game begins; where an Event tag does, if any does, for another
/// tag may stand in an open comment.
pub(super) fn last_boundary(text: &[u8]) -> Option<usize> {
    let last = |needle: &[u8]| {
        memmem::rfind_iter(text, needle).map(|found| found + 1).find(|&place| begins_game(text, place))
    };
    last(b"\n[Event ").or_else(|| last(b"\n[")).map(|place| first_tag(text, 0, place))
}

/// Returns whether the tag at a line start begins a game, by the rules at the head of this module. Lines before it may be
/// indented: their tags are read as well.
pub(in crate::archive) fn begins_game(text: &[u8], place: usize) -> bool {
    let is_event = text[place..].starts_with(EVENT);
    if !is_event && !is_tag(&text[place..]) {
        return false;
    }
    if !is_event {
        return follows_no_tag(text, place);
    }
    let mut has_tags = false;
    for line in (LinesBefore { text, end: place }).filter(|line| !is_aside(line)) {
        if !is_tag_line(line) {
            return !has_tags || behind_marker(line, 0).is_some_and(|tag| line[tag..].starts_with(EVENT));
        }
        if line.starts_with(EVENT) {
            return true;
        }
        has_tags = true;
    }
    !has_tags
}

/// Returns the first tag of the game that begins at a line start, at or after `from`: one behind a marker at the end of
/// the line before, or the tag there.
pub(in crate::archive) fn first_tag(text: &[u8], from: usize, place: usize) -> usize {
    let end = place.saturating_sub(1);
    let start = memrchr(b'\n', &text[..end]).map_or(0, |newline| newline + 1);
    let line = &text[start..end];
    if is_tag_line(&line[blank(line)..]) {
        return place;
    }
    behind_marker(line, from.saturating_sub(start)).map_or(place, |tag| start + tag)
}

/// Returns whether the last nonblank line before a line start is no tag line.
pub(in crate::archive) fn follows_no_tag(text: &[u8], place: usize) -> bool {
    let mut lines = LinesBefore { text, end: place };
    lines.find(|line| !line.is_empty() && !is_aside(line)).is_none_or(|line| !is_tag_line(line))
}

/// The lines that end before `end`, last first, without what a reader passes over at their start.
struct LinesBefore<'a> {
    text: &'a [u8],
    end: usize,
}

impl<'a> Iterator for LinesBefore<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.end.checked_sub(1)?;
        let start = memrchr(b'\n', &self.text[..end]).map_or(0, |newline| newline + 1);
        self.end = start;
        let line = &self.text[start..end];
        Some(&line[blank(line)..])
    }
}

pub(in crate::archive) const EVENT: &[u8] = b"[Event ";

pub(super) const MARKERS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];

/// Returns whether text begins with a tag pair, also one in other quotes.
pub(in crate::archive) fn is_tag(text: &[u8]) -> bool {
    tag_name(text).is_some()
}

/// Returns the name of the tag pair that text begins with, and the place behind the quote that opens its value.
#[inline]
pub(in crate::archive) fn tag_name(text: &[u8]) -> Option<(&[u8], usize)> {
    let is_gap = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let rest = text.strip_prefix(b"[")?;
    let before = rest.iter().take_while(is_gap).count();
    let name = &rest[before..];
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let gap = name[length..].iter().take_while(is_gap).count();
    if length == 0 {
        return None;
    }
    match name.get(length + gap) {
        Some(b'"') => Some((&name[..length], 2 + before + length + gap)),
        _ => odd_tag(text).map(|tag| (tag.name, tag.first)),
    }
}

/// A tag pair whose value stands in no ASCII quotes.
pub(in crate::archive) struct OddTag<'a> {
    pub(in crate::archive) name: &'a [u8],
    pub(in crate::archive) value: &'a [u8],
    /// Place of the value, and of what follows the tag.
    pub(in crate::archive) first: usize,
    pub(in crate::archive) length: usize,
}

/// Returns the tag pair at the head of a text whose value stands in typographic or single quotes: `[White “w”]`. A value
/// without quotes is one behind a name that all writers use.
#[cold]
pub(in crate::archive) fn odd_tag(text: &[u8]) -> Option<OddTag<'_>> {
    const QUOTES: &str = "“ ” „ ‟ « » ＂ ‘ ’ &quot; '";
    // Of Windows-1252 and GB18030.
    const OTHER_QUOTES: [&[u8]; 5] = [b"\x93", b"\x94", b"\x84", b"\xa1\xb0", b"\xa1\xb1"];
    const NAMES: &str =
        "Event Site Date Round White Black Red Result WhiteElo BlackElo RedElo FEN SetUp Variant ECO";
    let quotes = QUOTES.split(' ').map(str::as_bytes).chain(OTHER_QUOTES);
    let near = &text[..text.len().min(MAX_ODD_TAG)];
    let line = &near[..memchr(b'\n', near).unwrap_or(near.len())];
    let inner = line.strip_prefix(b"[")?.trim_ascii_start();
    let length = inner.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (name, rest) = inner.split_at(length);
    let is_usual = NAMES.split(' ').any(|usual| usual.as_bytes() == name);
    let rest = rest.trim_ascii_start();
    let quote = quotes.clone().find(|quote| rest.starts_with(quote));
    let first = line.len() - rest.len() + quote.map_or(0, <[u8]>::len);
    memchr_iter(b']', line).find_map(|end| {
        let before = line.get(first..end)?.trim_ascii_end();
        let value = match quote {
            Some(_) => quotes.clone().find_map(|quote| before.strip_suffix(quote))?,
            None if is_usual && !before.is_empty() && memchr(b'"', before).is_none() => before,
            None => return None,
        };
        Some(OddTag { name, value, first, length: end + 1 })
    })
}

/// Bytes of the longest tag pair without ASCII quotes: texts of one line have many places where one may begin.
const MAX_ODD_TAG: usize = 4096;

/// Bytes of the longest line that is an aside: texts of one line have many places where one may begin.
pub(in crate::archive) const MAX_ASIDE: usize = 4096;

/// Returns whether a line is an aside among tags: comments, and what [`is_strange_tag`] is. No game begins behind it.
pub(in crate::archive) fn is_aside(line: &[u8]) -> bool {
    if line.len() > MAX_ASIDE {
        return false;
    }
    let is_comment = match line.first() {
        Some(b';' | b'%') => true,
        Some(b'{') => memchr(b'}', line).is_some_and(|end| line[end + 1..].trim_ascii().is_empty()),
        _ => false,
    };
    is_comment || is_strange_tag(line)
}

/// Returns whether a line looks like a tag pair, but is none: `[White Elo "2300"]`, `[Site]`, `White "w"]`. A broken Event
/// tag is not counted, for it begins a game.
fn is_strange_tag(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    if !line.ends_with(b"]") || is_tag(line) || line.starts_with(EVENT) {
        return false;
    }
    let name = || memchr(b'"', line).map(|quote| line[..quote].trim_ascii());
    let lacks_bracket =
        || line.ends_with(b"\"]") && name().is_some_and(|name| memchr2(b' ', b'\t', name).is_none());
    (line.starts_with(b"[") || lacks_bracket()) && behind_marker(line, 0).is_none()
}

/// Returns whether a line has tags, and no game that ends on it.
pub(super) fn is_tag_line(line: &[u8]) -> bool {
    is_tag(line) && !ends_game(line)
}

/// Returns whether a marker ends a line of tags and moves.
fn ends_game(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let rest = MARKERS.iter().find_map(|marker| line.strip_suffix(*marker));
    // A marker in a value that its tag does not close is no marker.
    rest.is_some_and(|rest| rest.ends_with(b" ") && memrchr(b']', rest) > memrchr(b'"', rest))
}

/// Returns where in a line, at or after `from`, tags begin that stand behind a marker and end the line.
pub(super) fn behind_marker(line: &[u8], from: usize) -> Option<usize> {
    let line = line.trim_ascii_end();
    if !line.ends_with(b"\"]") {
        return None;
    }
    let is_behind_marker = |&tag: &usize| {
        let before = line[..tag].trim_ascii_end();
        is_tag(&line[tag..]) && MARKERS.iter().any(|marker| before.ends_with(marker))
    };
    memchr_iter(b'[', line).filter(|&tag| tag >= from).find(is_behind_marker)
}

/// Returns the bytes of white space, NUL bytes and byte order marks at the head of a text.
pub(in crate::archive) fn blank(text: &[u8]) -> usize {
    let mut place = 0;
    loop {
        match text.get(place) {
            Some(b' ' | b'\n' | b'\r' | b'\t' | 0 | 0x0b | 0x0c) => place += 1,
            Some(0xef) if text[place..].starts_with(b"\xef\xbb\xbf") => place += 3,
            _ => return place,
        }
    }
}

#[cfg(test)]
mod tests;
