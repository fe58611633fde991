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

use encoding_rs::{CoderResult, Decoder, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter, memmem};
use std::borrow::Cow;
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

/// A stream of text in another encoding, read as UTF-8. What no character is becomes U+FFFD.
pub(in crate::archive) struct Transcoded<R> {
    inner: R,
    decoder: Decoder,
    input: Vec<u8>,
    text: String,
    position: usize,
    is_done: bool,
}

impl<R: Read> Transcoded<R> {
    pub(in crate::archive) fn new(encoding: &'static Encoding, inner: R) -> Transcoded<R> {
        Transcoded {
            inner,
            decoder: encoding.new_decoder_with_bom_removal(),
            input: vec![0; CHUNK_BYTES],
            text: String::new(),
            position: 0,
            is_done: false,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        let count = self.inner.read(&mut self.input)?;
        self.is_done = count == 0;
        self.text.clear();
        self.position = 0;
        let mut rest = &self.input[..count];
        loop {
            // Two bytes of UTF-16 become at most three of UTF-8; the rest is for a character begun before.
            self.text.reserve(rest.len() * 2 + 16);
            let (result, read, _) = self.decoder.decode_to_string(rest, &mut self.text, self.is_done);
            rest = &rest[read..];
            if result == CoderResult::InputEmpty {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for Transcoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.position == self.text.len() && !self.is_done {
            self.refill()?;
        }
        let count = (&self.text.as_bytes()[self.position..]).read(buffer)?;
        self.position += count;
        Ok(count)
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
