//! Bad input: each kind has its error, and sound games before the damage are delivered.

use std::fs;

use tempfile::tempdir;

use super::containers::{bzip2, gzip, tar, xz, zip, zstd};
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
    assert_eq!(code("a.pgn", b"\xff\xfe[\0E\0v\0"), "foreign");
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

#[test]
fn a_cut_compressed_file_delivers_the_whole_games_before_the_cut() {
    // Numbers that do not repeat, so that the cut lies in the middle of the text.
    let text: String = (0..60_000u64)
        .map(|n| format!("[Event \"{}\"]\n\n1. e4 *\n\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    for (name, bytes) in [
        ("a.gz", gzip(text.as_bytes())),
        ("a.zst", zstd(text.as_bytes())),
        ("a.bz2", bzip2(text.as_bytes())),
        ("a.xz", xz(text.as_bytes())),
    ] {
        let (seen, read) = see_bytes(name, &bytes[..bytes.len() * 3 / 4]);
        let delivered: Vec<u8> = seen.blocks.iter().flat_map(|(_, _, bytes)| bytes.clone()).collect();
        assert!(text.as_bytes().starts_with(&delivered) && delivered.len() > text.len() / 2, "{name}");
        assert!(text[delivered.len()..].starts_with("[Event "));
        match read {
            Err(ArchiveError::Truncated { offset, .. }) => {
                assert!((delivered.len() as u64..text.len() as u64).contains(&offset), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
        let mut damaged = bytes.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0x55);
        assert!(matches!(see_bytes(name, &damaged).1, Err(ArchiveError::Damaged { .. })), "{name}");
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
    assert_eq!((seen, read.unwrap_err().code()), (Seen::default(), "damaged"));
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
    assert_eq!(detect_game(folder.path()).unwrap_err().code(), "missing");
}
