//! Sections: a game's tags and the text that belongs to it. In comes a block and a place, out goes where things lie.

use memchr::{memchr, memchr_iter, memchr2, memrchr};

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
        let (end, has_blank_lines) = end_of_movetext(text, movetext, !tags.is_empty());
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

/// Returns where the next game's tags begin, or the end of the text, and whether blank lines lie before that. Tags may
/// follow upon tags; without any, what looks like one at `from` could not be read as such and is movetext.
fn end_of_movetext(text: &[u8], from: usize, has_tags: bool) -> (usize, bool) {
    let mut has_blank_lines = false;
    let mut was_blank = false;
    let mut comment = Comment { text, upto: from, is_open: false, next_brace: from };
    // The tags may have ended in the middle of a line.
    if has_tags && text[from - 1] == b'\n' && ends_movetext(text, from, &mut comment) {
        return (from, false);
    }
    for line_break in memchr_iter(b'\n', &text[from..]) {
        let line = from + line_break + 1;
        match text.get(line) {
            None => break,
            Some(b'[') if ends_movetext(text, line, &mut comment) => return (line, has_blank_lines),
            Some(_) if is_blank_line(&text[line..]) => was_blank = true,
            Some(_) => has_blank_lines |= was_blank,
        }
    }
    (text.len(), has_blank_lines)
}

/// Returns whether the next game begins at a line of the movetext that begins with a bracket.
///
/// An Event tag ends the movetext even within a comment, for the comment may be unclosed; other tags only where no
/// comment holds them or where an Event tag is among them.
fn ends_movetext(text: &[u8], line: usize, comment: &mut Comment<'_>) -> bool {
    let tags = &text[line..];
    if !begins_game(text, line) {
        return false;
    }
    tags.starts_with(EVENT)
        || !comment.holds(line)
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

/// Which places of a movetext lie in a comment. It is asked for places that go forward, and looks at each byte once.
struct Comment<'a> {
    text: &'a [u8],
    upto: usize,
    /// Whether a brace before `upto` is not closed there.
    is_open: bool,
    /// A brace, or the end of the text; of those behind some place asked for, the first.
    next_brace: usize,
}

impl Comment<'_> {
    /// Returns whether a comment is open at a place and closed behind it: one that another brace opens is not.
    fn holds(&mut self, place: usize) -> bool {
        let passed = &self.text[self.upto..place];
        let closed = memrchr(b'}', passed);
        self.is_open &= closed.is_none();
        self.is_open |= memchr(b'{', &passed[closed.unwrap_or(0)..]).is_some();
        self.upto = place;
        self.is_open && self.is_closed_behind(place)
    }

    fn is_closed_behind(&mut self, place: usize) -> bool {
        if self.next_brace < place {
            let brace = memchr2(b'{', b'}', &self.text[place..]);
            self.next_brace = brace.map_or(self.text.len(), |brace| place + brace);
        }
        self.text.get(self.next_brace) == Some(&b'}')
    }
}
