//! Text as old and foreign programs wrote it: UTF-16, NUL bytes, CR line ends, joined files.

use std::fs;

use proptest::prelude::*;
use tempfile::tempdir;

use super::containers::{gzip, see_bytes, tar};
use super::*;

fn utf16(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(encode).collect()
}

fn text_of(seen: &Seen) -> String {
    let bytes: Vec<u8> = seen.blocks.iter().flat_map(|(_, _, bytes)| bytes.clone()).collect();
    String::from_utf8(bytes).unwrap()
}

/// Starts and lines of the games.
fn places(name: &str, bytes: &[u8]) -> Vec<(u64, u64, usize)> {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let mut places = Vec::new();
    read_blocks(&path, None, &AtomicU64::new(0), &mut |found| {
        if let Found::Block(block) = found {
            Chess::read_block(&block, &ReadOptions::default(), &mut |record| {
                places.push((record.offset, record.line, record.moves.len()));
            });
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    places
}

#[test]
fn utf16_is_read_as_utf8_wherever_it_lies() {
    let text = "[Event \"Türnier 象棋 𝄞\"]\r\n\r\n1. e4 e5 *\r\n\r\n".repeat(9_000);
    for mark in ["", "\u{feff}"] {
        for encode in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let bytes = utf16(&format!("{mark}{text}"), encode);
            for (name, packed) in
                [("a.pgn", bytes.clone()), ("a.txt.gz", gzip(&bytes)), ("a.tar", tar(&[(b"a", &bytes)]))]
            {
                let seen = see_bytes(name, &packed);
                assert!(text_of(&seen) == text, "{name}");
                assert_eq!(count_games(&seen.blocks), 9_000);
            }
        }
    }
}

#[test]
fn offsets_and_lines_are_those_of_the_text_as_utf8() {
    let game = "[Event \"é\"]\n\n1. e4 *\n\n";
    let expected = [(0, 1, 1), (game.len() as u64, 5, 1)];
    assert_eq!(places("a.pgn", game.repeat(2).as_bytes()), expected);
    assert_eq!(places("a.pgn", &utf16(&game.repeat(2), u16::to_be_bytes)), expected);
    assert_eq!(places("a.pgn", game.repeat(2).replace('\n', "\r").as_bytes()), expected);
}

#[test]
fn nul_bytes_are_blanks() {
    let text = b"[Event \"a\0b\"]\n\0\n1. e4\0e5 2.\0Nf3 *\n\0\0\0\0\n[Event \"c\"]\n\n1. d4 *\n\0\0";
    let second = text.windows(9).position(|bytes| bytes == b"[Event \"c").unwrap() as u64;
    assert_eq!(places("a.txt", text), [(0, 1, 3), (second, 5, 1)]);
    // A file that a failing disk filled up with zeros.
    let padded = [&games(2)[..], &[0; 100_000]].concat();
    assert_eq!(count_games(&see_bytes("a", &padded).blocks), 2);
    let padded = [&[0; 1_000][..], &games(2)].concat();
    assert_eq!(count_games(&see_bytes("a", &padded).blocks), 2);
}

#[test]
fn files_with_marks_may_be_joined() {
    let one = "\u{feff}[Event \"x\"]\r\n\r\n1. e4 *\r\n\r\n";
    for text in [one.repeat(3), one.repeat(3).replace('\r', "")] {
        let length = (text.len() / 3) as u64;
        let places = places("a.pgn", text.as_bytes());
        assert_eq!(places, [(3, 1, 1), (length + 3, 5, 1), (2 * length + 3, 9, 1)]);
    }
}

proptest! {
    #[test]
    fn text_is_the_same_in_every_utf16(body in "[ -~é象\\n]{0,300}", marked: bool) {
        let text = format!("[Event \"x\"]\n\n{body}");
        let mark = if marked { "\u{feff}" } else { "" };
        let mark_and_text = format!("{mark}{text}");
        prop_assert!(text_of(&see_bytes("a.pgn", &utf16(&mark_and_text, u16::to_le_bytes))) == text);
        prop_assert!(text_of(&see_bytes("a.pgn", &utf16(&mark_and_text, u16::to_be_bytes))) == text);
    }
}
