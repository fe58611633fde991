//! Tells lines of tags by their look: tag pairs, and the asides among them.

use memchr::{memchr, memchr_iter, memchr2, memrchr};

pub(in crate::archive) const EVENT: &[u8] = b"[Event ";

const MARKERS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];

/// Returns whether text begins like a tag pair: `[Name "`.
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
    let is_pair = length > 0 && name.get(length + gap) == Some(&b'"');
    is_pair.then(|| (&name[..length], 2 + before + length + gap))
}

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
