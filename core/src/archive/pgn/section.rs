//! Sections: a game's tags and the text that belongs to it. In comes a block and a place, out goes where things lie.

use memchr::{memchr, memchr_iter, memrchr};

use super::tags::{Tag, read_tags};
use crate::archive::cut::{EVENT, begins_game};
use crate::archive::signs::is_tag;

/// Where the parts of a section lie in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    /// First byte that is not blank.
    pub(super) start: usize,
    /// First byte behind the tags; equal to `start` where there are none.
    pub(super) movetext: usize,
    /// First byte of the next section, or the end of the block.
    pub(super) end: usize,
    /// Whether blank lines lie within the movetext.
    pub(super) has_blank_lines: bool,
}

impl Section {
    /// Returns the section at or after `place` and fills in its tags; `None` if only blank space is left.
    pub(super) fn next<'a>(text: &'a [u8], place: usize, tags: &mut Vec<Tag<'a>>) -> Option<Section> {
        let start = place + blank(&text[place..]);
        if start == text.len() {
            return None;
        }
        let movetext = read_tags(text, start, tags);
        let (end, has_blank_lines) = end_of_movetext(text, start, movetext);
        Some(Section { start, movetext, end, has_blank_lines })
    }
}

/// Returns the bytes of white space, NUL bytes and byte order marks at the head of a text.
pub(super) fn blank(text: &[u8]) -> usize {
    let mut place = 0;
    loop {
        match text.get(place) {
            Some(b' ' | b'\n' | b'\r' | b'\t' | 0 | 0x0b | 0x0c) => place += 1,
            Some(0xef) if text[place..].starts_with(b"\xef\xbb\xbf") => place += 3,
            _ => return place,
        }
    }
}

/// Returns where the next game's tags begin, or the end of the text, and whether blank lines lie before that.
fn end_of_movetext(text: &[u8], start: usize, from: usize) -> (usize, bool) {
    let mut has_blank_lines = false;
    let mut was_blank = false;
    let mut brace = Brace { upto: from, is_open: false };
    // The tags may have ended in the middle of a line. Without tags the section must not be empty.
    if from > start && text[from - 1] == b'\n' && ends_movetext(text, from, &mut brace) {
        return (from, false);
    }
    for line_break in memchr_iter(b'\n', &text[from..]) {
        let line = from + line_break + 1;
        match text.get(line) {
            None => break,
            Some(b'[') if ends_movetext(text, line, &mut brace) => return (line, has_blank_lines),
            Some(_) if is_blank_line(&text[line..]) => was_blank = true,
            Some(_) => has_blank_lines |= was_blank,
        }
    }
    (text.len(), has_blank_lines)
}

/// Returns whether the next game begins at a line of the movetext that begins with a bracket.
///
/// An Event tag ends the movetext even within a comment, for the comment may be unclosed; other tags only where no
/// comment is open or where an Event tag is among them.
fn ends_movetext(text: &[u8], line: usize, brace: &mut Brace) -> bool {
    let tags = &text[line..];
    if !begins_game(text, line) {
        return false;
    }
    tags.starts_with(EVENT)
        || !brace.is_open_at(text, line)
        || lines(tags).take_while(|line| is_tag(line)).any(|line| line.starts_with(EVENT))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr(b'\n', rest).map_or(rest.len(), |line_break| line_break + 1);
        let (line, next) = rest.split_at(end);
        rest = next;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns whether nothing but white space and NUL bytes, which lexers pass over, lies before the line ends.
fn is_blank_line(text: &[u8]) -> bool {
    let sign = text.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | 0));
    matches!(sign, None | Some(b'\n'))
}

/// Whether a brace is open, while places go forward.
struct Brace {
    upto: usize,
    is_open: bool,
}

impl Brace {
    fn is_open_at(&mut self, text: &[u8], place: usize) -> bool {
        let passed = &text[self.upto..place];
        self.upto = place;
        let closed = memrchr(b'}', passed);
        let behind = closed.map_or(0, |brace| brace + 1);
        self.is_open = self.is_open && closed.is_none() || memchr(b'{', &passed[behind..]).is_some();
        self.is_open
    }
}
