//! Decompression bombs: what they inflate to is bounded, and the games before are delivered.

use std::fs;

use tempfile::tempdir;

use super::containers::{gzip, sevenz, solid_sevenz, tar, xz, zip, zstd};
use super::*;

const MIB: u64 = 1 << 20;

fn see_within(name: &str, bytes: &[u8], limit: Option<u64>) -> (Seen, Result<(), ArchiveError>) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let (mut seen, mut length) = (Seen::default(), 0);
    let read = read_blocks(&path, limit, &AtomicU64::new(0), &mut |found| {
        match found {
            Found::Block(block) => {
                length += block.bytes.len() as u64;
                if seen.blocks.is_empty() {
                    seen.blocks.push((String::new(), block.format, block.bytes));
                }
            }
            Found::Skipped { member, reason } => {
                seen.skipped.push((member.as_deref().unwrap_or_default().to_owned(), reason.code()));
            }
        }
        ControlFlow::Continue(())
    });
    assert!(limit.is_none_or(|limit| length <= limit), "{name}: {length} bytes");
    (seen, read)
}

/// Games, and after them a comment without end.
fn bomb(mib: u64) -> Vec<u8> {
    let mut text = [&games(3)[..], b"[Event \"x\"]\n\n{ "].concat();
    text.resize((mib * MIB) as usize, b' ');
    text
}

#[test]
fn each_compression_is_bounded() {
    let text = bomb(5);
    for (name, bytes) in [("a.pgn.gz", gzip(&text)), ("a.pgn.zst", zstd(&text)), ("a.pgn.xz", xz(&text))] {
        let (seen, read) = see_within(name, &bytes, Some(2 * MIB));
        match read {
            Err(error @ ArchiveError::MaxInflate(_, limit, offset)) => {
                assert_eq!((limit, offset), (2 * MIB, 2 * MIB), "{name}");
                assert!(error.to_string().contains("decompression bomb"));
                assert_eq!(error.code(), "max-inflate");
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(count_games(&seen.blocks), 3, "{name}");
        assert!(see_within(name, &bytes, Some(5 * MIB)).1.is_ok(), "{name}: the limit itself is allowed");
        assert!(see_within(name, &bytes, None).1.is_ok(), "{name}: a GiB is free");
    }
}

#[test]
fn nested_bombs_are_bounded_by_what_all_layers_inflate_to() {
    let text = bomb(3);
    let nested = gzip(&zip(&[("a.pgn.zst", &zstd(&text)), ("b.pgn.zst", &zstd(&text))]));
    let (seen, read) = see_within("a.zip.gz", &nested, Some(4 * MIB));
    assert!(read.is_ok());
    assert_eq!((count_games(&seen.blocks), seen.skipped[0].1), (3, "max-inflate"));
    let names: Vec<String> = (0..20).map(|number| format!("{number}.pgn")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &text[..MIB as usize / 2])).collect();
    let mut bytes = 0;
    let (seen, _) = see_within("a.7z", &solid_sevenz(&members), Some(4 * MIB));
    assert_eq!(seen.skipped, [(String::new(), "max-inflate")], "the rest of its block is lost");
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.zip");
    fs::write(&path, zip(&members)).unwrap();
    read_blocks(&path, Some(MIB), &AtomicU64::new(0), &mut |found| {
        bytes += if let Found::Block(block) = found { block.bytes.len() as u64 } else { 0 };
        ControlFlow::Continue(())
    })
    .unwrap_err();
    assert!((3 * MIB..=4 * MIB).contains(&bytes), "four times the limit, then no more: {bytes}");
}

#[test]
fn a_bomb_in_a_zip_or_7z_file_loses_itself_alone() {
    let (text, bomb) = (games(2), bomb(3));
    let members: [(&str, &[u8]); 3] = [("a.pgn", &bomb), ("b.pgn", &text), ("c.pgn", &bomb)];
    let folder = tempdir().unwrap();
    for (name, bytes) in [("a.zip", zip(&members)), ("a.7z", sevenz(&members))] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let mut found = Vec::new();
        read_blocks(&path, Some(2 * MIB), &AtomicU64::new(0), &mut |item| {
            found.push(match item {
                Found::Block(block) => block.member.unwrap().to_string(),
                Found::Skipped { reason, .. } => reason.code().to_owned(),
            });
            ControlFlow::Continue(())
        })
        .unwrap();
        found.dedup();
        assert_eq!(found, ["a.pgn", "max-inflate", "b.pgn", "c.pgn", "max-inflate"], "{name}");
        assert!(detect_game(&path, Some(2 * MIB)).is_ok());
    }
}

#[test]
fn members_that_are_passed_over_count_too() {
    let zeros = vec![0; 3 * MIB as usize];
    let text = games(2);
    for (name, bytes) in [
        ("a.tar.gz", gzip(&tar(&[(b"zeros", &zeros), (b"b.pgn", &text)]))),
        ("a.7z", solid_sevenz(&[("zeros", &zeros), ("b.pgn", &text)])),
    ] {
        let (seen, read) = see_within(name, &bytes, Some(2 * MIB));
        let told =
            seen.skipped.iter().map(|(_, code)| *code).chain(read.as_ref().err().map(ArchiveError::code));
        assert_eq!(told.collect::<Vec<_>>(), ["foreign", "max-inflate"], "{name}");
        assert_eq!(seen.blocks.len(), 0, "{name}");
        assert_eq!(count_games(&see_within(name, &bytes, None).0.blocks), 2);
    }
}

#[test]
fn plain_members_beside_a_bomb_are_read() {
    let bytes = tar(&[(b"a.pgn", &games(1)), (b"b.pgn.gz", &gzip(&bomb(3))), (b"c.pgn", &games(1))]);
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("a.tar"), &bytes).unwrap();
    fs::write(folder.path().join("b.gz"), gzip(&games(1))).unwrap();
    let mut found = Vec::new();
    read_blocks(folder.path(), Some(MIB), &AtomicU64::new(0), &mut |item| {
        found.push(match item {
            Found::Block(block) => (block.member.unwrap().to_string(), "games"),
            Found::Skipped { member, reason } => (member.unwrap().to_string(), reason.code()),
        });
        ControlFlow::Continue(())
    })
    .unwrap();
    let expected = [
        ("a.tar/a.pgn", "games"),
        ("a.tar/b.pgn.gz", "games"),
        ("a.tar/b.pgn.gz", "max-inflate"),
        ("a.tar/c.pgn", "games"),
        // The next file has its own allowance.
        ("b.gz", "games"),
    ];
    assert_eq!(found, expected.map(|(member, what)| (member.to_owned(), what)));
}
