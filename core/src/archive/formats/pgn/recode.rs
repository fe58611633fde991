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
mod tests {
    use encoding_rs::{BIG5, GB18030};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_game_is_utf_8_if_it_can_be() {
        let game = |name: &str| format!("[Event \"{name}\"]\n\n1. 炮二平五 *\n\n");
        for charset in [GB18030, BIG5] {
            let other = charset.encode(&game("乙")).0.into_owned();
            let bytes = [game("甲").into_bytes(), other, game("丙").into_bytes()].concat();
            let text = utf8(&bytes, charset);
            assert_eq!(std::str::from_utf8(&text), Ok(&*(game("甲") + &game("乙") + &game("丙"))));
            let mut places = Places::new(&bytes, &text, charset);
            let starts = |text: &[u8]| memmem::find_iter(text, b"[Event").collect::<Vec<_>>();
            let found: Vec<_> = starts(&text).into_iter().map(|place| places.of(place)).collect();
            assert_eq!(found, starts(&bytes));
            let moves = memmem::rfind(&text, "平".as_bytes()).unwrap();
            assert_eq!(places.of(moves), memmem::rfind(&bytes, "平".as_bytes()).unwrap());
            assert_eq!((places.of(1), places.of(text.len())), (1, bytes.len()));
        }
    }

    /// With each place looked for from the start of its line this takes minutes.
    #[test]
    fn places_on_a_long_line_are_found_one_after_the_other() {
        const COUNT: usize = 50_000;
        let text = "1. 炮二平五 * ".repeat(COUNT);
        let bytes = GB18030.encode(&text).0.into_owned();
        let mut places = Places::new(&bytes, text.as_bytes(), GB18030);
        let (long, short) = (text.len() / COUNT, bytes.len() / COUNT);
        assert!((0..COUNT).all(|index| places.of(index * long) == index * short));
    }

    proptest! {
        #[test]
        fn lines_stay_lines_whatever_the_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for charset in [GB18030, BIG5] {
                let text = utf8(&bytes, charset);
                let breaks = |text: &[u8]| memchr_iter(b'\n', text).collect::<Vec<_>>();
                prop_assert_eq!(breaks(&text).len(), breaks(&bytes).len());
                let mut places = Places::new(&bytes, &text, charset);
                for (place, expected) in breaks(&text).into_iter().zip(breaks(&bytes)) {
                    // Broken characters may be longer in the text: no place on a line is one on the next.
                    prop_assert!(places.of(place) <= expected);
                    prop_assert_eq!(places.of(place + 1), expected + 1);
                }
            }
        }

        #[test]
        fn places_in_sound_text_are_exact(text in "[a-c \\n炮八马象，｛镶\\[]{0,80}") {
            for charset in [GB18030, BIG5] {
                let (bytes, _, has_gaps) = charset.encode(&text);
                if has_gaps {
                    continue;
                }
                let decoded = charset.decode_without_bom_handling(&bytes).0.into_owned();
                let mut places = Places::new(&bytes, decoded.as_bytes(), charset);
                for (place, _) in decoded.char_indices() {
                    // A line of Chinese bytes can be valid UTF-8 by chance.
                    let expected = charset.encode(&decoded[..place]).0.len();
                    let start = memrchr(b'\n', &bytes[..expected]).map_or(0, |end| end + 1);
                    let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
                    if bytes[start..end].is_ascii() || std::str::from_utf8(&bytes[start..end]).is_err() {
                        prop_assert_eq!(places.of(place), expected);
                    }
                }
            }
        }
    }
}
