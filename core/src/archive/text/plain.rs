//! Converts text of files to what cutters and readers expect: UTF-8 or 8-bit text with LF line ends.
//!
//! - UTF-16, with a byte order mark or zero bytes, becomes UTF-8. All other text stays in its encoding,
//!   which the reader of its format knows.
//! - What else is mended keeps its length, so that offsets stay what they were: NUL becomes a blank; a CR alone
//!   becomes LF in text that begins with such line ends; a byte order mark between two files that were joined makes way
//!   for the tag after it.
//!
//! Decodes text of xiangqi files, which is often in a Chinese encoding and never says so.
//!
//! Decoding never fails: invalid bytes become U+FFFD.

use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter, memmem};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read};

/// Bytes decoded at a time: chosen, not tuned.
const CHUNK_BYTES: usize = 64 << 10;

/// Returns which UTF-16 text that begins like `head` is in, if it is in one.
pub(in crate::archive) fn utf16_of(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] => return Some(UTF_16LE),
        [0xfe, 0xff, ..] => return Some(UTF_16BE),
        _ => {}
    }
    // Without a mark: tags, numbers and blanks are ASCII, so that one byte in each pair is often zero, the other never.
    let mut zeros = [0; 2];
    for place in memchr_iter(0, &head[..head.len() & !1]) {
        zeros[place % 2] += 1;
    }
    let [high_first, low_first] = zeros;
    let is_most = |most: usize, few: usize| most > 0 && most * 16 >= head.len() && few * 16 <= most;
    match head {
        [first, 0, ..] if *first != 0 && is_most(low_first, high_first) => Some(UTF_16LE),
        [0, second, ..] if *second != 0 && is_most(high_first, low_first) => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns the head of a text in UTF-8 if it is in UTF-16, unchanged otherwise.
pub(in crate::archive) fn decoded(head: &[u8]) -> Cow<'_, [u8]> {
    match utf16_of(head) {
        Some(encoding) => match encoding.decode_with_bom_removal(head).0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
        None => Cow::Borrowed(head),
    }
}

/// Returns text in another encoding as UTF-8. What no character is becomes U+FFFD.
pub(in crate::archive) fn transcoded<'a>(
    encoding: &'static Encoding,
    mut inner: impl Read + 'a,
) -> impl Read + 'a {
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let mut bytes = vec![0; CHUNK_BYTES];
    let mut is_done = false;
    let pieces = std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        Some(inner.read(&mut bytes).map(|count| {
            is_done = count == 0;
            let most = decoder.max_utf8_buffer_length(count).unwrap_or_default();
            let mut text = String::with_capacity(most);
            _ = decoder.decode_to_string(&bytes[..count], &mut text, is_done);
            text
        }))
    });
    Pieces::new(pieces)
}

/// Pieces of text, read as one.
pub(in crate::archive) struct Pieces<I> {
    pieces: I,
    text: VecDeque<u8>,
}

impl<I> Pieces<I> {
    pub(in crate::archive) fn new(pieces: I) -> Pieces<I> {
        Pieces { pieces, text: VecDeque::new() }
    }
}

impl<I: Iterator<Item = io::Result<String>>> Read for Pieces<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.text.is_empty() {
            let Some(piece) = self.pieces.next() else { return Ok(0) };
            self.text = piece?.into_bytes().into();
        }
        self.text.read(buffer)
    }
}

/// Returns whether the lines of text that begins like `head` end with CR alone.
pub(in crate::archive) fn has_cr_lines(head: &[u8]) -> bool {
    memchr(b'\n', head).is_none() && memchr(b'\r', head).is_some()
}

/// Mends text in place from a place on, up to which it is mended already.
pub(in crate::archive) fn mend(text: &mut [u8], from: usize, has_cr_lines: bool) {
    let mut place = from;
    while let Some(zero) = memchr(0, &text[place..]) {
        place += zero + 1;
        text[place - 1] = b' ';
    }
    if has_cr_lines {
        end_lines_with_lf(&mut text[from..]);
    }
    // A mark may have been half read before, and a CR may stand before it.
    move_marks_up(&mut text[from.saturating_sub(JOINT.len())..]);
}

fn end_lines_with_lf(text: &mut [u8]) {
    for place in 0..text.len() {
        if text[place] == b'\r' && text.get(place + 1) != Some(&b'\n') {
            text[place] = b'\n';
        }
    }
}

/// The byte order mark in UTF-8.
pub(in crate::archive) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Where a file with a byte order mark was put behind another.
const JOINT: &[u8] = b"\n\xef\xbb\xbf[";

/// Puts the line break before a byte order mark behind it, and blanks in its place, so that the tag begins its line.
fn move_marks_up(text: &mut [u8]) {
    let mut from = 0;
    while let Some(found) = memmem::find(&text[from..], JOINT) {
        let place = from + found;
        let is_crlf = place > 0 && text[place - 1] == b'\r';
        let (start, line_end): (usize, &[u8]) = if is_crlf { (place - 1, b"\r\n") } else { (place, b"\n") };
        let end = place + JOINT.len() - 1;
        text[start..end].fill(b' ');
        text[end - line_end.len()..end].copy_from_slice(line_end);
        from = end;
    }
}

/// A line of text that is not blank.
pub(in crate::archive) struct TextLine<'a> {
    /// Place of the first byte that is no white space.
    pub(in crate::archive) offset: usize,
    /// Bytes from there on, the line break included.
    pub(in crate::archive) length: usize,
    /// Its number, from 1.
    pub(in crate::archive) number: u64,
    /// Without white space around it.
    pub(in crate::archive) text: &'a [u8],
}

/// Returns the lines of a text that are not blank.
pub(in crate::archive) fn text_lines(text: &[u8]) -> impl Iterator<Item = TextLine<'_>> {
    let mut end = 0;
    text.split_inclusive(|byte| *byte == b'\n').zip(1..).filter_map(move |(line, number)| {
        end += line.len();
        let line = line.trim_ascii_start();
        let (offset, length) = (end - line.len(), line.len());
        (length > 0).then(|| TextLine { offset, length, number, text: line.trim_ascii_end() })
    })
}

/// Decodes GB18030, of which writers of fixed fields may have cut the last character in half.
pub(in crate::archive) fn decode_gb18030(bytes: &[u8]) -> String {
    let (text, had_errors) = GB18030.decode_without_bom_handling(bytes);
    if !had_errors {
        return clean(&text);
    }
    let whole = bytes.split_last().map_or(bytes, |(_, whole)| whole);
    let (shorter, still_has_errors) = GB18030.decode_without_bom_handling(whole);
    clean(if still_has_errors { &text } else { &shorter })
}

/// Decodes UTF-16 up to its first zero.
pub(in crate::archive) fn decode_utf16(bytes: &[u8]) -> String {
    let end = bytes.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(bytes.len(), |units| units * 2);
    clean(&UTF_16LE.decode_without_bom_handling(&bytes[..end]).0)
}

/// Decodes a field in UTF-8 or GB18030, whichever fits its content.
pub(in crate::archive) fn decode_guessed(bytes: &[u8]) -> String {
    clean(&decode_text(bytes))
}

/// Decodes a whole text, UTF-8 or GB18030. UTF-8 keeps its offsets, a byte order mark included.
pub(in crate::archive) fn decode_text(bytes: &[u8]) -> Cow<'_, str> {
    match UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => text,
        None => GB18030.decode_without_bom_handling(bytes).0,
    }
}

/// Returns where a place of a whole text lies in the bytes that it was decoded from; a place nearby where characters
/// before it are damaged.
pub(in crate::archive) fn place_in(bytes: &[u8], text: &str, place: usize) -> usize {
    let before = text.get(..place).unwrap_or(text);
    let length = if bytes == text.as_bytes() { before.len() } else { GB18030.encode(before).0.len() };
    length.min(bytes.len())
}

fn clean(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\0' | '\u{feff}')).to_owned()
}

#[cfg(test)]
mod tests;
