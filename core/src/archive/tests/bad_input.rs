//! Bad input: each kind has its error, and sound games before the damage are delivered.

use std::fs;

use tempfile::tempdir;

use super::containers::{bzip2, gzip, sevenz, solid_sevenz, tar, xz, zip, zstd};
use super::*;

fn see_bytes(name: &str, bytes: &[u8]) -> (Seen, Result<(), ArchiveError>) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    see(&path)
}

fn code(name: &str, bytes: &[u8]) -> &'static str {
    let (seen, read) = see_bytes(name, bytes);
    assert_eq!(seen, Seen::default(), "{name}");
    read.unwrap_err().code()
}

#[test]
fn files_that_are_no_archives_are_refused_by_kind() {
    assert_eq!(code("a.pgn", b""), "empty");
    assert_eq!(code("a.pgn.gz", &gzip(b"")), "empty");
    assert_eq!(code("a.txt", b"Dear diary,\n1. e4 is best\n"), "foreign");
    assert_eq!(code("a.pgn", b"\x00\x01\x02\x03\x04"), "foreign");
    assert_eq!(code("a.xqf", b"\x05 something else"), "foreign");
    assert_eq!(code("a.txt", b"\xff\xfeD\0e\0a\0r\0"), "foreign");
    assert_eq!(code("a.tar", &tar(&[])), "empty");
    assert_eq!(code("a.zip", &zip(&[])), "empty");
    assert_eq!(code("a.gz", b"\x1f\x8b and no more"), "damaged");
    let missing = see(Path::new("no/such/file.pgn")).1.unwrap_err();
    assert_eq!(
        (missing.code(), &*missing.to_string()),
        ("missing", "no/such/file.pgn: no such file or directory")
    );
    assert_eq!(see(tempdir().unwrap().path()).1.unwrap_err().code(), "empty");
}

/// Games with numbers that do not repeat, so that a cut in their compressed data lies in the middle of the text.
fn various_games(count: u64) -> Vec<u8> {
    let number = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..count).flat_map(|n| format!("[Event \"{}\"]\n\n1. e4 *\n\n", number(n)).into_bytes()).collect()
}

fn delivered(seen: &Seen) -> Vec<u8> {
    seen.blocks.iter().flat_map(|(_, _, bytes)| bytes.clone()).collect()
}

#[test]
fn a_cut_compressed_file_delivers_the_whole_games_before_the_cut() {
    let text = various_games(30_000);
    for (name, bytes) in
        [("a.gz", gzip(&text)), ("a.zst", zstd(&text)), ("a.bz2", bzip2(&text)), ("a.xz", xz(&text))]
    {
        let mut before = 0;
        for sixteenth in 1..16 {
            let (seen, read) = see_bytes(name, &bytes[..bytes.len() * sixteenth / 16]);
            let delivered = delivered(&seen);
            assert!(text.starts_with(&delivered) && delivered.len() >= before, "{name} {sixteenth}");
            assert!(text[delivered.len()..].starts_with(b"[Event "));
            before = delivered.len();
            match read {
                Err(ArchiveError::Truncated(_, _, offset)) => {
                    assert!((delivered.len() as u64..text.len() as u64).contains(&offset), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert!(before > text.len() / 2);
        let mut damaged = bytes.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0x55);
        assert!(matches!(see_bytes(name, &damaged).1, Err(ArchiveError::Damaged(..))), "{name}");
    }
}

#[test]
fn a_cut_container_delivers_what_lies_before_the_cut_if_it_can_be_found() {
    let texts = [various_games(500), various_games(2_000), various_games(300)];
    let members: Vec<(&str, &[u8])> =
        ["a.pgn", "b.pgn", "c.pgn"].into_iter().zip(texts.iter().map(Vec::as_slice)).collect();
    let by_name: Vec<_> = members.iter().map(|(name, bytes)| (name.as_bytes(), *bytes)).collect();
    for (name, bytes, can_find) in [
        ("a.tar", tar(&by_name), true),
        ("a.tar.gz", gzip(&tar(&by_name)), true),
        ("a.zip", zip(&members), true),
        // The directory of a 7z file, which tells where members lie, ends it.
        ("a.7z", sevenz(&members), false),
    ] {
        let mut most = 0;
        for sixteenth in 1..16 {
            let (seen, read) = see_bytes(name, &bytes[..bytes.len() * sixteenth / 16]);
            let error = read.unwrap_err();
            assert!(matches!(error.code(), "truncated" | "damaged"), "{name} {sixteenth}: {error}");
            let mut rest = delivered(&seen);
            for text in &texts {
                let common = rest.iter().zip(text).take_while(|(ours, theirs)| ours == theirs).count();
                rest.drain(..common);
            }
            assert!(rest.is_empty(), "{name} {sixteenth}");
            most = most.max(count_games(&seen.blocks));
        }
        assert_eq!(most > 2_000, can_find, "{name}: {most}");
    }
}

#[test]
fn a_cut_tar_delivers_the_members_before_the_cut() {
    let bytes = tar(&[(b"a.pgn", &games(1)), (b"b.pgn", &games(100)), (b"c.pgn", &games(1))]);
    let (seen, read) = see_bytes("a.tar", &bytes[..2500]);
    assert_eq!(seen.members(), ["a.pgn", "b.pgn"]);
    assert_eq!(seen.skipped, [("b.pgn".to_owned(), "truncated")]);
    assert!(count_games(&seen.blocks) > 10);
    assert_eq!(read.unwrap_err().code(), "truncated");
    let packed = gzip(&bytes);
    let (seen, read) = see_bytes("a.tgz", &packed[..packed.len() - 20]);
    assert_eq!((seen.members()[0], read.unwrap_err().code()), ("a.pgn", "truncated"));
}

#[test]
fn a_damaged_zip_member_costs_itself_alone() {
    let (first, second) = (games(1), games(2));
    let mut bytes = zip(&[("a.pgn", &first), ("b.pgn", &second)]);
    // The first member's data follow its header of 30 bytes and its name of 5.
    bytes[30 + 5 + 10] ^= 0xff;
    let (seen, read) = see_bytes("a.zip", &bytes);
    assert!(read.is_ok());
    assert_eq!((seen.members().last(), seen.skipped.len()), (Some(&"b.pgn"), 1));
    let (seen, read) = see_bytes("a.zip", &bytes[..60]);
    assert_eq!(seen.blocks, []);
    assert_eq!(read.unwrap_err().code(), "damaged");
}

#[test]
fn damage_in_a_7z_block_costs_the_rest_of_the_block() {
    let texts = [various_games(300), various_games(20_000), various_games(100)];
    let members: Vec<(&str, &[u8])> =
        ["a.pgn", "b.pgn", "c.pgn"].into_iter().zip(texts.iter().map(Vec::as_slice)).collect();
    for (bytes, expected) in
        [(sevenz(&members), &["b.pgn"][..]), (solid_sevenz(&members), &["b.pgn", "c.pgn"])]
    {
        let mut bytes = bytes;
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].fill(0x55);
        let (seen, read) = see_bytes("a.7z", &bytes);
        assert!(read.is_ok(), "{read:?}");
        let lost: Vec<_> = seen.skipped.iter().map(|(member, _)| &**member).collect();
        assert_eq!((lost.as_slice(), seen.members()[0]), (expected, "a.pgn"));
    }
}

#[test]
fn members_that_are_encrypted_or_packed_unknown_are_named_and_their_neighbours_read() {
    // Bit 0 of the flags, and the method, which becomes one that is not known: in a member's header, and two bytes
    // further on in its entry of the directory (APPNOTE 4.4.4, 4.4.5).
    for (at, value, code) in [(6, 1, "encrypted"), (8, 19, "method")] {
        let mut bytes = zip(&[("a.pgn", &games(1)), ("b.pgn", &games(2))]);
        let entry = bytes.windows(4).position(|signature| signature == b"PK\x01\x02").unwrap();
        bytes[at] |= value;
        bytes[entry + at + 2] |= value;
        let (seen, read) = see_bytes("a.zip", &bytes);
        assert!(read.is_ok());
        assert_eq!(seen.skipped, [("a.pgn".to_owned(), code)]);
        assert_eq!(count_games(&seen.blocks), 2);
    }
}

#[test]
fn nesting_is_bounded() {
    let mut bytes = games(1);
    for _ in 0..5 {
        bytes = gzip(&bytes);
    }
    assert_eq!(count_games(&see_bytes("a", &bytes).0.blocks), 1);
    assert_eq!(code("a", &gzip(&gzip(&bytes))), "too-deep");
}

#[cfg(unix)]
#[test]
fn pipes_and_broken_links_in_a_directory_are_reported() {
    let folder = tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link.pgn")).unwrap();
    std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let (seen, read) = see(folder.path());
    assert!(read.is_ok());
    assert_eq!(seen.skipped, [("link.pgn".to_owned(), "missing"), ("socket".to_owned(), "special")]);
    assert_eq!(detect_game(folder.path(), None).unwrap_err().code(), "missing");
}
