//! Places in movetext that was decoded. In comes a place in the text as UTF-8, out goes the one in the text as it stands.

use encoding_rs::Encoding;
use memchr::{memchr, memchr_iter, memrchr};

/// Finds places, which must be asked for in ascending order.
///
/// Line breaks are single bytes in all encodings, so the line is always right; within a line whose characters are
/// damaged the place is one nearby.
pub(super) struct Places<'a> {
    raw: &'a [u8],
    decoded: &'a [u8],
    charset: &'static Encoding,
    /// The place found last, in the raw and in the decoded text.
    last: (usize, usize),
}

impl<'a> Places<'a> {
    /// Takes a text and what it was decoded to, which is the same where nothing had to be done.
    pub(super) fn new(raw: &'a [u8], decoded: &'a [u8], charset: &'static Encoding) -> Places<'a> {
        Places { raw, decoded, charset, last: (0, 0) }
    }

    /// Returns the place in the raw text.
    pub(super) fn raw(&mut self, place: usize) -> usize {
        if self.raw.as_ptr() == self.decoded.as_ptr() {
            return place;
        }
        let (mut start, from) = self.last;
        let mut passed = self.decoded.get(from..place).unwrap_or_default();
        if let Some(line_break) = memrchr(b'\n', passed) {
            let lines = memchr_iter(b'\n', &passed[..line_break]).count();
            let found = memchr_iter(b'\n', &self.raw[start..]).nth(lines);
            start = found.map_or(self.raw.len(), |line_break| start + line_break + 1);
            passed = &passed[line_break + 1..];
        }
        let line = &self.raw[start..];
        let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
        let encoded = self.charset.encode(&String::from_utf8_lossy(passed)).0.len();
        self.last = (start + encoded.min(line.len()), place.max(from));
        self.last.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::GB18030;

    #[test]
    fn places_are_those_of_the_raw_text() {
        let text = "前言 a\n\n炮二平五 * 马８进７ b\n终 c";
        let raw = GB18030.encode(text).0;
        let mut places = Places::new(&raw, text.as_bytes(), GB18030);
        for sign in ["a", "炮", "*", "马", "b", "c"] {
            let expected = GB18030.encode(&text[..text.find(sign).unwrap_or_default()]).0.len();
            assert_eq!(places.raw(text.find(sign).unwrap_or_default()), expected, "{sign}");
        }
        assert_eq!(places.raw(text.len()), raw.len());
    }

    #[test]
    fn damaged_characters_cost_no_more_than_their_line() {
        let raw = b"\xff\xff\xff x\ny";
        let decoded = GB18030.decode_without_bom_handling(raw).0;
        let mut places = Places::new(raw, decoded.as_bytes(), GB18030);
        assert!(places.raw(decoded.find('x').unwrap_or_default()) <= 5);
        assert_eq!(places.raw(decoded.find('y').unwrap_or_default()), 6);
    }
}
