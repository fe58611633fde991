use super::*;

fn utf16(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(encode).collect()
}

#[test]
fn utf16_is_told_with_and_without_a_mark() {
    let text = "[Event \"中国象棋\"]\n\n1. e4 *\n";
    for (mark, encode, encoding) in [
        ("", u16::to_le_bytes as fn(u16) -> [u8; 2], UTF_16LE),
        ("\u{feff}", u16::to_le_bytes, UTF_16LE),
        ("", u16::to_be_bytes, UTF_16BE),
        ("\u{feff}", u16::to_be_bytes, UTF_16BE),
    ] {
        let bytes = utf16(&format!("{mark}{text}"), encode);
        assert_eq!(utf16_of(&bytes), Some(encoding));
        assert_eq!(decoded(&bytes), text.as_bytes());
    }
    for other in [&b"[Event \"a\0b\0\0c\"]"[..], b"", b"\0", b"1.", text.as_bytes(), b"\0\0\0\0\0\0"] {
        assert_eq!(utf16_of(other), None, "{other:?}");
    }
}

#[test]
fn transcoding_goes_on_over_the_ends_of_reads() {
    /// Gives one byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.by_ref().take(1).read(buffer)
        }
    }

    let text = "[Event \"象棋 𝄞\"]\n".repeat(9);
    let bytes = utf16(&text, u16::to_le_bytes);
    let mut found = String::new();
    transcoded(UTF_16LE, Drip(&bytes)).read_to_string(&mut found).unwrap();
    assert_eq!(found, text);
    // Half a surrogate pair and half a unit at the end.
    let mut found = String::new();
    let cut = [&bytes[..bytes.len() - 2], &[0x34, 0xd8, 0x1e]].concat();
    transcoded(UTF_16LE, &cut[..]).read_to_string(&mut found).unwrap();
    assert!(found.ends_with('\u{fffd}') && found.len() > text.len());
}

#[test]
fn mending_keeps_every_byte_in_its_place() {
    let cases: [(&[u8], bool, &[u8]); 5] = [
        (b"e4\0\0e5\0", false, b"e4  e5 "),
        (b"a\r\rb\r\nc\r", true, b"a\n\nb\r\nc\n"),
        (b"a\rb\n", false, b"a\rb\n"),
        (b"*\n\xef\xbb\xbf[Event", false, b"*   \n[Event"),
        (b"*\r\n\xef\xbb\xbf[Event", false, b"*   \r\n[Event"),
    ];
    for (text, has_cr_lines, expected) in cases {
        for from in 0..=text.len() {
            let mut mended = text.to_vec();
            mend(&mut mended[..from], 0, has_cr_lines);
            mend(&mut mended, from, has_cr_lines);
            // Only where the end of a read parts a CR from its LF there is a line too many.
            if text.get(from.wrapping_sub(1)) != Some(&b'\r') {
                assert_eq!(mended, expected, "{from}");
            }
        }
    }
}

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
