//! Finds where a game begins within a movetext: one without tags, or one behind the marker of another.

use memchr::{memchr, memchr_iter, memchr2};

use super::Recorded;
use super::section::{end_of_bracket, end_of_line_comment};
use crate::archive::text::begin::blank;
use crate::archive::text::begin::is_tag;

/// Returns where, at or after a place, a game begins: at a tag, a move or a move number, or at the comments before them.
/// Prose ends with the next blank line.
pub(super) fn next_game<G: Recorded>(text: &[u8], from: usize) -> Option<usize> {
    let mut start = from + blank(&text[from..]);
    let mut place = start;
    while let Some(byte) = text.get(place) {
        let rest = &text[place..];
        let end = match byte {
            b'{' => memchr(b'}', rest).map(|end| place + end + 1),
            b';' | b'%' => end_of_line_comment(text, place),
            b'[' if is_tag(rest) => return Some(place),
            _ if move_number(rest).is_some() || G::read_move(rest).is_some() => return Some(start),
            _ => None,
        };
        let end = end.or_else(|| end_of_ruled_line(text, place));
        let is_prose = end.is_none();
        place = end.unwrap_or_else(|| end_of_paragraph(text, place));
        place += blank(&text[place..]);
        if is_prose {
            start = place;
        }
    }
    None
}

/// Returns the end of a line that only rules a text off: `-----`.
fn end_of_ruled_line(text: &[u8], place: usize) -> Option<usize> {
    let end = memchr(b'\n', &text[place..]).map_or(text.len(), |end| place + end);
    let line = text[place..end].trim_ascii();
    (line.len() > 2 && line.iter().all(|byte| b"-=_~".contains(byte))).then_some(end)
}

/// Returns where the paragraph of a place ends: behind the line break before a blank line that lies in no comment.
fn end_of_paragraph(text: &[u8], mut place: usize) -> usize {
    let is_sign = |byte: &u8| matches!(byte, b'{' | b';' | b'%' | b'[' | b'\n');
    let mut unclosed_before = 0;
    while let Some(found) = text[place..].iter().position(is_sign) {
        place += found;
        let end = match text[place] {
            b'\n' if matches!(text.get(place + 1), None | Some(b'\n' | b'\r')) => return place + 1,
            b'\n' => None,
            b'{' => Some(past_brace(text, place)),
            b'[' => end_of_bracket(text, place, &mut unclosed_before),
            _ => end_of_line_comment(text, place),
        };
        place = end.unwrap_or(place + 1);
    }
    text.len()
}

/// Returns where to go on behind a brace in prose: behind its comment or, where another brace of the paragraph opens
/// before it is closed, at that one, which may lie in a bracket.
fn past_brace(text: &[u8], open: usize) -> usize {
    let Some(length) = memchr2(b'{', b'}', &text[open + 1..]) else { return open + 1 };
    let next = open + 1 + length;
    let is_blank_behind = |place: usize| matches!(text[open + place + 1], b'\n' | b'\r');
    match text[next] {
        b'}' => next + 1,
        _ if memchr_iter(b'\n', &text[open..next]).any(is_blank_behind) => open + 1,
        _ => next,
    }
}

/// Returns the number at the head of a text that has a point behind it: `12. Nf3`.
pub(super) fn move_number(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = text[digits..].trim_ascii_start().starts_with(b".");
    std::str::from_utf8(&text[..digits]).ok().filter(|_| is_number)?.parse().ok()
}

/// Returns whether a game's text begins with the number of a move that is not the first: `12. Nf3`.
pub(super) fn begins_midway(text: &[u8]) -> bool {
    move_number(text).is_some_and(|number| number != 1)
}

/// Returns whether a text without tags is a list of lines that are a game each: each begins with a move from the start.
pub(super) fn is_list<G: Recorded>(text: &[u8], is_uci: bool) -> bool {
    let read = if is_uci { G::read_uci } else { G::read_move };
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let start = G::start();
    let mut count = 0;
    for line in lines {
        if read(line).is_none_or(|(token, _)| start.resolve(token).is_err()) {
            return false;
        }
        count += 1;
    }
    count > 1
}
