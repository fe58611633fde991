//! Finds the sections of a block: the tags of a game and its movetext.

use memchr::{memchr, memchr_iter, memchr2, memmem};

use super::tags::{Tag, read_tags};
use crate::archive::text::begin::blank;
use crate::archive::text::begin::{EVENT, is_aside, is_tag};
use crate::archive::text::begin::{begins_game, first_tag, follows_no_tag};

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
    /// Returns the section at or after `place` and fills in its tags; `None` if only blank space is left. `ahead` is of
    /// the same text.
    pub(super) fn next<'a>(
        text: &'a [u8],
        place: usize,
        tags: &mut Vec<Tag<'a>>,
        ahead: &mut Ahead,
    ) -> Option<Section> {
        let start = place + blank(&text[place..]);
        if start == text.len() {
            return None;
        }
        let movetext = read_tags(text, start, tags);
        let (end, has_blank_lines) = end_of_movetext(text, movetext, tags, ahead);
        Some(Section { start, movetext, end, has_blank_lines })
    }
}

/// Returns where the next game's tags begin, or the end of the text, and whether blank lines lie before that. Tags may
/// follow upon tags; without any, what looks like one at `from` could not be read as such and is movetext.
fn end_of_movetext(text: &[u8], from: usize, tags: &[Tag<'_>], ahead: &mut Ahead) -> (usize, bool) {
    if next_tags_follow(text, from, tags) {
        return (from, false);
    }
    if let Some(known) = ahead.end_behind(text, from) {
        return known;
    }
    let braces = Braces { upto: from, ..Braces::default() };
    let end = look_for_end(text, from, braces, ahead);
    (ahead.end, ahead.braces) = (end, braces);
    end
}

/// Looks for the end of a movetext line by line.
fn look_for_end(text: &[u8], from: usize, mut braces: Braces, ahead: &mut Ahead) -> (usize, bool) {
    let mut has_blank_lines = false;
    let mut was_blank = false;
    let mut is_held = |line: usize| !braces.pass(text, line) && ahead.closes_comment(text, line);
    for line_break in memchr_iter(b'\n', &text[from..]) {
        let line = from + line_break + 1;
        match text.get(line) {
            None => break,
            Some(b'[') if ends_movetext(text, line, &mut is_held) => {
                return (first_tag(text, from, line), has_blank_lines);
            }
            Some(b' ' | b'\t') if indented_tags_begin(text, line, &mut is_held) => {
                return (line, has_blank_lines);
            }
            Some(_) if is_blank_line(&text[line..]) => was_blank = true,
            Some(_) => has_blank_lines |= was_blank,
        }
    }
    (text.len(), has_blank_lines)
}

/// Returns whether the next game begins where the tags of one end, before any movetext of its own.
///
/// The tags may have ended in the middle of a line. Where they ended before an Event tag, that is the next game's, also
/// behind an indented one, which begins no game elsewhere; so is a broken one behind another.
fn next_tags_follow(text: &[u8], from: usize, tags: &[Tag<'_>]) -> bool {
    if tags.is_empty() || !begins_line(text, from) {
        return false;
    }
    let rest = &text[from..];
    let has_event = || tags.iter().any(|tag| tag.name == b"Event");
    let is_next = rest.starts_with(EVENT) && (is_tag(rest) || has_event());
    is_next || text[..from].ends_with(b"\n") && begins_game(text, from)
}

/// Returns whether the next game begins at a line of the movetext that begins with a bracket.
///
/// An Event tag ends the movetext even within a comment, for the comment may be unclosed; other tags only where no
/// comment holds them or where an Event tag is among them.
fn ends_movetext(text: &[u8], line: usize, is_held: &mut impl FnMut(usize) -> bool) -> bool {
    let tags = &text[line..];
    if !begins_game(text, line) {
        return false;
    }
    tags.starts_with(EVENT)
        || !is_held(line)
        || (tags.split(|byte| *byte == b'\n').take_while(|line| is_tag(line) || is_aside(line)))
            .any(|line| line.starts_with(EVENT))
}

/// Returns whether an indented tag begins the next game: where no comment holds it, and its game has no tags before.
fn indented_tags_begin(text: &[u8], line: usize, is_held: &mut impl FnMut(usize) -> bool) -> bool {
    let tag = line + indent(&text[line..]);
    is_tag(&text[tag..]) && follows_no_tag(text, line) && !is_held(line)
}

/// Returns whether only an indent stands before a place on its line.
fn begins_line(text: &[u8], place: usize) -> bool {
    let indent = text[..place].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    text[..place - indent].ends_with(b"\n")
}

fn indent(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns whether nothing but white space and NUL bytes, which lexers pass over, lies before the line ends.
fn is_blank_line(text: &[u8]) -> bool {
    let sign = text.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | 0));
    matches!(sign, None | Some(b'\n'))
}

/// Returns the end of the line if `;`, or `%` at its start, makes the rest of it a comment.
pub(super) fn end_of_line_comment(text: &[u8], place: usize) -> Option<usize> {
    let is_comment = text[place] == b';' || place == 0 || text[place - 1] == b'\n';
    is_comment.then(|| memchr(b'\n', &text[place..]).map_or(text.len(), |end| place + end))
}

/// Returns where a bracket is closed on its line: `[%clk 0:01:00]` outside a comment. No bracket before
/// `unclosed_before` is, which spares looking for the end of the line from each of many.
pub(super) fn end_of_bracket(text: &[u8], open: usize, unclosed_before: &mut usize) -> Option<usize> {
    if open < *unclosed_before {
        return None;
    }
    let end = memchr2(b']', b'\n', &text[open..]).map_or(text.len(), |end| open + end);
    if text.get(end) == Some(&b']') {
        return Some(end + 1);
    }
    *unclosed_before = end;
    None
}

/// What is known of a text: sections ask for places that go forward, so each byte is looked at once; but where a game
/// begins in the midst of a section, its end may be looked for again.
pub(super) struct Ahead {
    /// A brace, or the end of the text; of those at or behind some place asked for, the first.
    brace: usize,
    /// The same of line breaks before an Event tag, which ends the movetext.
    event: usize,
    /// Where the last movetext that was looked at ends, and whether it has blank lines.
    end: (usize, bool),
    /// Its braces, up to the games in its midst.
    braces: Braces,
    /// Bytes that may be looked at again.
    again: usize,
}

impl Ahead {
    pub(super) fn of(text: &[u8]) -> Ahead {
        // All of a small text, and hardly more than each byte of a large one, whatever its braces.
        let again = (1 << 20) + 8 * text.len();
        Ahead { brace: 0, event: 0, end: (0, false), braces: Braces::default(), again }
    }

    /// Returns where the movetext from a place on ends, if that is known: as the one in whose midst it begins, unless a
    /// brace before it, which may lie in its tags, is not closed.
    fn end_behind(&mut self, text: &[u8], from: usize) -> Option<(usize, bool)> {
        if from >= self.end.0 {
            return None;
        }
        let costs = text.len() - from;
        if self.braces.pass(text, from) || self.again < costs {
            return Some(self.end);
        }
        self.again -= costs;
        (self.brace, self.event) = (0, 0);
        None
    }

    /// Returns whether a comment that is open at a place is closed behind it.
    fn closes_comment(&mut self, text: &[u8], place: usize) -> bool {
        if self.brace < place {
            let brace = memchr2(b'{', b'}', &text[place..]);
            self.brace = brace.map_or(text.len(), |brace| place + brace);
        }
        if self.event < place {
            let event = memmem::find(&text[place..], b"\n[Event ");
            self.event = event.map_or(text.len(), |event| place + event);
        }
        self.brace < self.event && text[self.brace] == b'}'
    }
}

/// Which places of a movetext lie behind an open brace. It is asked for places that go forward, and looks at each byte
/// once.
#[derive(Debug, Clone, Copy, Default)]
struct Braces {
    /// Where in the text it was looked at last; at first where the movetext begins.
    upto: usize,
    /// Whether a brace before `upto` is not closed there.
    is_open: bool,
    /// As [`end_of_bracket`] has it.
    unclosed_before: usize,
}

impl Braces {
    /// Passes over the text up to a place; returns whether that lies in no comment and in no bracket.
    fn pass(&mut self, text: &[u8], place: usize) -> bool {
        while self.upto < place {
            let passed = &text[self.upto..place];
            let is_sign = |byte: &u8| matches!(byte, b'{' | b';' | b'%' | b'[');
            let sign = if self.is_open { memchr(b'}', passed) } else { passed.iter().position(is_sign) };
            let Some(sign) = sign.map(|sign| self.upto + sign) else { break };
            let end = match text[sign] {
                b'{' | b'}' => {
                    self.is_open = !self.is_open;
                    None
                }
                b'[' => end_of_bracket(text, sign, &mut self.unclosed_before),
                _ => end_of_line_comment(text, sign),
            };
            self.upto = end.unwrap_or(sign + 1);
        }
        let is_free = !self.is_open && self.upto <= place;
        self.upto = self.upto.max(place);
        is_free
    }
}
