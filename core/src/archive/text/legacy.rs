//! Decodes text of xiangqi files, which is often in a Chinese encoding and never says so.
//!
//! Decoding never fails: invalid bytes become U+FFFD.

use std::borrow::Cow;

use encoding_rs::{GB18030, UTF_8, UTF_16LE};

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
mod tests {
    use super::*;

    #[test]
    fn halved_characters_are_dropped_and_bad_ones_replaced() {
        assert_eq!(decode_gb18030(b"\xba\xec\xc6\xe5"), "红棋");
        assert_eq!(decode_gb18030(b"\xba\xec\xc6"), "红");
        assert_eq!(decode_gb18030(b"\xff\xff\xba\xec"), "\u{fffd}\u{fffd}红");
        assert_eq!(decode_gb18030(b" \0"), "");
    }

    #[test]
    fn the_encoding_is_told_by_the_content() {
        assert_eq!(decode_guessed("\u{feff}红棋".as_bytes()), "红棋");
        assert_eq!(decode_guessed(b"\xba\xec\xc6\xe5"), "红棋");
        assert_eq!(place_in("红棋".as_bytes(), "红棋", 3), 3);
        assert_eq!(place_in(b"\xba\xec\xc6\xe5", "红棋", 3), 2);
        assert_eq!(decode_utf16(b"\xa2\x7e\0\0x\0"), "红");
        assert_eq!(decode_utf16(b"\xa2\x7e\xff"), "红\u{fffd}");
    }
}
