use encoding_rs::WINDOWS_1252;

use super::*;

#[test]
fn words_are_folded_in_utf_8_and_in_windows_1252() {
    for (word, text) in [
        ("0–0".as_bytes(), "0-0"),
        ("О−О".as_bytes(), "O-O"),
        (b"0\x960", "0-0"),
        ("ｅ４".as_bytes(), "e4"),
        ("е4".as_bytes(), "e4"),
        ("e×d5".as_bytes(), "exd5"),
        ("1⁄2".as_bytes(), "1/2"),
        ("Сf4".as_bytes(), "Сf4"),
    ] {
        assert_eq!(folded(word, WINDOWS_1252), text);
    }
    assert_eq!(quoted("0–0"), "\"0–0\" (U+2013)");
    assert_eq!(quoted("跑2平4"), "\"跑2平4\"");
    assert_eq!(quoted(&"x".repeat(100)), format!("\"{}…\"", "x".repeat(40)));
}
