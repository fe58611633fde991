//! Every container and compression, alone and within others, gives back what was put in.

use std::fs;
use std::io::{Cursor, Write};

use encoding_rs::GB18030;
use flate2::Compression;
use flate2::write::GzEncoder;
use sevenz_rust2::{ArchiveEntry, ArchiveWriter, EncoderConfiguration, EncoderMethod, SourceReader};
use tempfile::tempdir;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::*;
use crate::game::GameId;

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub(super) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(6)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn tar(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(super) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(super) fn sevenz(members: &[(&str, &[u8])]) -> Vec<u8> {
    sevenz_by(EncoderMethod::LZMA2, members)
}

/// A 7z file of one block for each member.
fn sevenz_by(method: EncoderMethod, members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    writer.set_content_methods(vec![EncoderConfiguration::new(method)]);
    for (name, bytes) in members {
        writer.push_archive_entry(ArchiveEntry::new_file(name), Some(*bytes)).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A 7z file whose members share one block.
pub(super) fn solid_sevenz(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    let entries = members.iter().map(|(name, _)| ArchiveEntry::new_file(name)).collect();
    let contents = members.iter().map(|(_, bytes)| SourceReader::new(*bytes)).collect();
    writer.push_archive_entries(entries, contents).unwrap();
    writer.finish().unwrap().into_inner()
}

pub(super) fn see_bytes(name: &str, bytes: &[u8]) -> Seen {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let (seen, read) = see(&path);
    assert!(read.is_ok(), "{name}: {read:?}");
    seen
}

#[test]
fn every_compression_is_read_through_all_its_parts() {
    let (one, two) = (games(3), games(5));
    for (suffix, compress) in
        [("gz", gzip as fn(&[u8]) -> Vec<u8>), ("zst", zstd), ("bz2", bzip2), ("xz", xz)]
    {
        let bytes = [compress(&one), compress(&two)].concat();
        for name in [format!("a.pgn.{suffix}"), "misnamed.txt".to_owned()] {
            let seen = see_bytes(&name, &bytes);
            assert_eq!(seen.blocks, [(String::new(), Format::Pgn, [&one[..], &two].concat())], "{name}");
        }
    }
}

#[test]
fn skippable_zstd_frames_are_passed_over() {
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4];
    let seen = see_bytes("a.zst", &[&skippable[..], &zstd(&games(2))].concat());
    assert_eq!(count_games(&seen.blocks), 2);
}

#[test]
fn tar_and_zip_keep_member_names_and_report_what_they_cannot_use() {
    let (text, file) = (games(2), xqf());
    let packed = gzip(&text);
    let members: [(&str, &[u8]); 5] = [
        ("b/one.pgn", &text),
        ("two.pgn.gz", &packed),
        ("note.txt", b"hello"),
        ("none.pgn", b""),
        ("g.xqf", &file),
    ];
    let tar = tar(&members.map(|(name, bytes)| (name.as_bytes(), bytes)));
    let zip = zip(&members);
    for (name, bytes) in [
        ("a.tar", tar.clone()),
        ("a.tar.gz", gzip(&tar)),
        ("a.tzst", zstd(&tar)),
        ("a.tar.bz2", bzip2(&tar)),
        ("a.tar.xz", xz(&tar)),
        ("a.zip", zip),
        ("a.7z", solid_sevenz(&members)),
    ] {
        let seen = see_bytes(name, &bytes);
        assert_eq!(seen.members(), ["b/one.pgn", "two.pgn.gz", "g.xqf"], "{name}");
        assert_eq!(seen.blocks[2].1, Format::Xqf);
        assert_eq!(count_games(&seen.blocks[..2]), 4);
        // In 7z files members without content have no place among the others.
        let skipped = [("note.txt".to_owned(), "foreign"), ("none.pgn".to_owned(), "empty")];
        assert_eq!(seen.skipped, skipped, "{name}");
    }
}

#[test]
fn every_container_is_read_within_every_other_and_in_every_compression() {
    type Pack = fn(&[(&str, &[u8])]) -> Vec<u8>;
    type Compress = fn(&[u8]) -> Vec<u8>;
    let tar: Pack =
        |members| tar(&members.iter().map(|(name, bytes)| (name.as_bytes(), *bytes)).collect::<Vec<_>>());
    let containers: [(&str, Pack); 4] = [("tar", tar), ("zip", zip), ("7z", sevenz), ("7z", solid_sevenz)];
    let compressions: [(&str, Compress); 5] =
        [("", <[u8]>::to_vec), (".gz", gzip), (".bz2", bzip2), (".xz", xz), (".zst", zstd)];
    let (one, two) = (games(1), games(2));
    for (inner_suffix, inner) in containers {
        for (outer_suffix, outer) in containers {
            for (suffix, compress) in compressions {
                let packed = compress(&inner(&[("a.pgn", &one), ("b.pgn", &compress(&two))]));
                let name = format!("in.{inner_suffix}{suffix}");
                let seen =
                    see_bytes(&format!("x.{outer_suffix}{suffix}"), &compress(&outer(&[(&name, &packed)])));
                assert_eq!(seen.members(), [format!("{name}/a.pgn"), format!("{name}/b.pgn")]);
                assert_eq!(
                    (count_games(&seen.blocks), seen.skipped.len()),
                    (3, 0),
                    "{name} in {outer_suffix}"
                );
            }
        }
    }
}

#[test]
fn every_method_of_zip_and_7z_is_read() {
    let text = games(500);
    for method in [
        CompressionMethod::Stored,
        CompressionMethod::Deflated,
        CompressionMethod::Bzip2,
        CompressionMethod::Zstd,
        CompressionMethod::Xz,
    ] {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file("a.pgn", options).unwrap();
        writer.write_all(&text).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(count_games(&see_bytes("a.zip", &bytes).blocks), 500, "{method:?}");
    }
    for method in [
        EncoderMethod::COPY,
        EncoderMethod::LZMA,
        EncoderMethod::LZMA2,
        EncoderMethod::BZIP2,
        EncoderMethod::PPMD,
    ] {
        let bytes = sevenz_by(method, &[("a.pgn", &text)]);
        assert_eq!(count_games(&see_bytes("a.7z", &bytes).blocks), 500, "{method:?}");
    }
}

#[test]
fn zeros_that_fill_up_a_gzip_file_are_no_damage() {
    let padded = [&gzip(&games(1))[..], &[0; 512], &gzip(&games(2)), &[0; 300_000]].concat();
    assert_eq!(count_games(&see_bytes("a.pgn.gz", &padded).blocks), 3);
}

#[test]
fn standard_input_is_called_so_and_not_by_its_file() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("-");
    fs::write(&path, b"").unwrap();
    assert!(see(&path).1.unwrap_err().to_string().starts_with("-: is empty"));
}

#[test]
fn member_names_that_are_not_utf_8_are_gb18030() {
    let name = GB18030.encode("对局/一.pgn").0.into_owned();
    let seen = see_bytes("a.tar", &tar(&[(&name, &games(1))]));
    assert_eq!(seen.members(), ["对局/一.pgn"]);
}

#[test]
fn directories_are_read_by_name_and_recursively() {
    let folder = tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("b/deep")).unwrap();
    fs::write(root.join("c.pgn"), games(1)).unwrap();
    fs::write(root.join("b/deep/x.xqf"), xqf()).unwrap();
    fs::write(root.join("b/a.zip"), zip(&[("in.pgn", &games(2))])).unwrap();
    fs::write(root.join("a.csv"), "a,b\n").unwrap();
    fs::write(root.join("d.pgn.gz"), &gzip(&games(9))[..40]).unwrap();
    let (seen, read) = see(root);
    assert!(read.is_ok());
    assert_eq!(seen.members(), ["b/a.zip/in.pgn", "b/deep/x.xqf", "c.pgn"]);
    assert_eq!(seen.skipped, [("a.csv".to_owned(), "foreign"), ("d.pgn.gz".to_owned(), "truncated")]);
    assert_eq!(detect_game(root, None).unwrap(), GameId::Chess);
}

#[test]
fn progress_counts_compressed_bytes_and_a_break_stops() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.pgn.zst");
    let bytes = zstd(&games(100_000));
    fs::write(&path, &bytes).unwrap();
    let progress = AtomicU64::new(0);
    let mut blocks = 0;
    read_blocks(&path, None, &progress, &mut |_| {
        blocks += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(progress.into_inner(), bytes.len() as u64);
    assert_eq!(blocks, games(100_000).len().div_ceil(BLOCK_BYTES));
    let mut blocks = 0;
    read_blocks(&path, None, &AtomicU64::new(0), &mut |_| {
        blocks += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(blocks, 1);
}
