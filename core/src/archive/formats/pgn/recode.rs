//! Converts blocks in a Chinese character set to UTF-8, and places in the text to places in the bytes.
//!
//! The second byte of a character may look like a brace, a bracket or a backslash, so a block is decoded before
//! anything is looked for in it. No character contains a line break, so their number tells which lines belong
//! together. Files in different encodings may have been joined: each game is UTF-8 if it can be.

use std::borrow::Cow;

use encoding_rs::Encoding;
use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::archive::text::begin::begins_game;

/// Returns a block as UTF-8; games that are not are of the character set given. Short texts may be UTF-8 by chance, but
/// hardly ever with a character of three bytes, as Chinese has them.
pub(super) fn utf8<'a>(bytes: &'a [u8], charset: &'static Encoding) -> Cow<'a, [u8]> {
    if std::str::from_utf8(bytes).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let starts = memmem::find_iter(bytes, b"\n[").map(|found| found + 1);
    let starts = starts.filter(|&place| begins_game(bytes, place));
    let mut text = String::with_capacity(bytes.len() * 3 / 2);
    let mut from = 0;
    for end in starts.chain([bytes.len()]) {
        let game = &bytes[from..end];
        match std::str::from_utf8(game) {
            Ok(game) if game.bytes().any(|byte| byte >= 0xe0) => text.push_str(game),
            _ => text.push_str(&charset.decode_without_bom_handling(game).0),
        }
        from = end;
    }
    Cow::Owned(text.into_bytes())
}

/// Finds places of a text in the bytes that it was made from; where places go forward, each byte is looked at once.
pub(super) struct Places<'a> {
    bytes: &'a [u8],
    /// `None` where the bytes are the text.
    text: Option<&'a [u8]>,
    charset: &'static Encoding,
    /// A place in the text and in the bytes: the last one asked for, or where its line begins.
    known: (usize, usize),
    /// Where the line of the place known ends in the bytes, before its line break, and whether it is UTF-8 there.
    line: Option<(usize, bool)>,
}

impl<'a> Places<'a> {
    /// Finds places of `text`, which is `bytes` itself or was made from it.
    pub(super) fn new(bytes: &'a [u8], text: &'a [u8], charset: &'static Encoding) -> Places<'a> {
        let text = (!std::ptr::eq(text, bytes)).then_some(text);
        Places { bytes, text, charset, known: (0, 0), line: None }
    }

    /// Returns where in the bytes a place of the text lies; on a line with broken characters, about where.
    pub(super) fn of(&mut self, place: usize) -> usize {
        let Some(text) = self.text else { return place };
        if place < self.known.0 {
            (self.known, self.line) = ((0, 0), None);
        }
        let passed = &text[self.known.0..place];
        if let Some(last) = memrchr(b'\n', passed) {
            let breaks = memchr_iter(b'\n', passed).count();
            let mut ends = memchr_iter(b'\n', &self.bytes[self.known.1..]);
            let end = ends.nth(breaks - 1).map_or(self.bytes.len(), |end| self.known.1 + end + 1);
            (self.known, self.line) = ((self.known.0 + last + 1, end), None);
        }
        let (end, is_utf8) = self.line();
        let head = String::from_utf8_lossy(&text[self.known.0..place]);
        let length = if is_utf8 { head.len() } else { self.charset.encode(&head).0.len() };
        self.known = (place, (self.known.1 + length).min(end));
        self.known.1
    }

    fn line(&mut self) -> (usize, bool) {
        let (start, bytes) = (self.known.1, self.bytes);
        *self.line.get_or_insert_with(|| {
            let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
            (end, std::str::from_utf8(&bytes[start..end]).is_ok())
        })
    }
}

/// Returns bytes as text: UTF-8 or, where they are none, of the character set given.
pub(super) fn decode<'a>(bytes: &'a [u8], charset: &'static Encoding) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => charset.decode_without_bom_handling(bytes).0,
    }
}

#[cfg(test)]
mod tests;
