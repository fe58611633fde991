//! Archives of many frames and of none, sound and lying: whatever places are chosen, stretches between them hold the
//! text once, from no more of the file than they say.

use std::io::Write;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::archive::{Format, Span, read_from};

const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// What a seek table begins and ends with: the format of facebook/zstd, contrib/seekable_format.
const TABLE: [u8; 4] = [0x5e, 0x2a, 0x4d, 0x18];
const SEEKABLE: [u8; 4] = [0xb1, 0xea, 0x92, 0x8f];

/// Bytes of text in a frame, about: places of frames fall into the midst of games.
const FRAME_BYTES: usize = 300_007;

fn text(line_end: &str) -> Vec<u8> {
    let game = |number: u64| {
        let salt = (0..number % 40)
            .map(|turn| format!("{{{}}}", (number << 6 | turn).wrapping_mul(0x9e37_79b9_7f4a)));
        format!("[Event \"{number}\"]\n\n1. e4 {} e5 *\n\n", salt.collect::<String>())
    };
    (0..6000).map(game).collect::<String>().replace('\n', line_end).into_bytes()
}

fn frame(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn frames(text: &[u8], bytes: usize) -> Vec<Vec<u8>> {
    text.chunks(bytes).map(frame).collect()
}

fn skippable(magic: [u8; 4], content: &[u8]) -> Vec<u8> {
    [&magic[..], &(content.len() as u32).to_le_bytes(), content].concat()
}

/// Each frame behind its size, as pzstd writes them; `lie` is added to it.
fn pzstd(frames: &[Vec<u8>], lie: u32) -> Vec<u8> {
    let told = |frame: &Vec<u8>| {
        let size = (frame.len() as u32).wrapping_add(lie).to_le_bytes();
        [skippable(SKIPPABLE, &size), frame.clone()].concat()
    };
    frames.iter().flat_map(told).collect()
}

/// The frames and a table of their sizes, each changed by `lie`.
fn seekable(frames: &[Vec<u8>], flags: u8, lie: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut table = Vec::new();
    for frame in frames {
        table.extend(lie(frame.len() as u32).to_le_bytes());
        table.extend(lie(FRAME_BYTES as u32).to_le_bytes());
        table.extend([0; 4]);
    }
    table.extend(lie(frames.len() as u32).to_le_bytes());
    table.push(flags);
    table.extend(SEEKABLE);
    [frames.concat(), skippable(TABLE, &table)].concat()
}

/// Offset, line and bytes of blocks put together, up to an error.
type Stretch = (u64, u64, Vec<u8>);

struct Archive {
    folder: TempDir,
    bytes: Vec<u8>,
}

impl Archive {
    fn new(bytes: &[u8]) -> Archive {
        let archive = Archive { folder: tempfile::tempdir().unwrap(), bytes: bytes.to_vec() };
        std::fs::write(archive.path(), bytes).unwrap();
        archive
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.pgn.zst")
    }

    fn count(&self, max_inflate: Option<u64>) -> Counted {
        count_blocks(&self.path(), GameId::Chess, max_inflate, 1, &AtomicBool::new(false)).unwrap()
    }

    fn entries(&self) -> Vec<Entry> {
        self.count(None).places.into_iter().map(|(_, entry)| entry.unwrap()).collect()
    }

    /// Reads from one entry to another, from a copy that holds the bytes that this takes, and no others.
    fn read(&self, from: Entry, to: Option<Entry>) -> Stretch {
        let begin = from.frame.map_or(from.mark.offset, |frame| frame.place) as usize;
        let end = to.map_or(self.bytes.len(), |to| to.reach as usize);
        let copy = self.folder.path().join("copy");
        std::fs::write(&copy, [&vec![0xff; begin][..], &self.bytes[begin..end]].concat()).unwrap();
        let span = Span { mark: from.mark, frame: from.frame, until: to.map(|to| to.mark.offset) };
        let mut stretch = Stretch::default();
        let read = AtomicU64::new(0);
        let done = read_from(&copy, "a", Format::Pgn, span, None, &read, &mut |found| {
            let Found::Block(block) = found else { panic!("{found:?}") };
            if stretch.2.is_empty() {
                (stretch.0, stretch.1) = (block.offset, block.line);
            }
            stretch.2.extend(block.bytes);
            Continue(())
        });
        done.unwrap();
        assert!(read.into_inner() <= (end - begin) as u64);
        stretch
    }

    /// Cuts at each `step`th place, and returns how many bytes of the file that took.
    fn check(&self, text: &[u8], step: usize) -> u64 {
        let chosen: Vec<Entry> = self.entries().into_iter().step_by(step).collect();
        let (mut all, mut taken) = (Vec::new(), 0);
        for (index, &from) in chosen.iter().enumerate() {
            let to = chosen.get(index + 1).copied();
            let (offset, line, bytes) = self.read(from, to);
            if index == 0 {
                // A byte order mark is skipped.
                all.resize(offset as usize, 0);
            }
            assert_eq!(all.len() as u64, offset);
            assert!(index == 0 || (offset, line) == (from.mark.offset, from.mark.line));
            assert!(bytes.starts_with(b"[Event "));
            all.extend(bytes);
            taken += to.map_or(self.bytes.len() as u64, |to| to.reach)
                - from.frame.map_or(from.mark.offset, |frame| frame.place);
        }
        assert!(all == text);
        taken
    }
}

#[test]
fn stretches_of_many_frames_hold_the_text_once_and_read_their_part() {
    let text = text("\r\n");
    let some = frames(&text, FRAME_BYTES);
    assert!(some.len() > 8);
    let empty: Vec<_> = some.iter().flat_map(|each| [frame(b""), each.clone()]).collect();
    for bytes in [seekable(&some, 0x80, |size| size), pzstd(&some, 0), some.concat(), empty.concat()] {
        let archive = Archive::new(&bytes);
        let entries = archive.entries();
        let starts: Vec<u64> = entries.iter().map(|entry| entry.frame.unwrap().place).collect();
        assert!(starts.is_sorted() && starts.last() > starts.first());
        for step in [1, 2, 5] {
            let stretches = entries.len().div_ceil(step) as u64;
            let largest = some.iter().map(Vec::len).max().unwrap() as u64 + 100;
            let taken = archive.check(&text, step);
            assert!(taken <= bytes.len() as u64 + stretches * 2 * largest, "{taken} of {}", bytes.len());
        }
    }
    // Many frames to a block, and all text in one.
    Archive::new(&frames(&text, 997).concat()).check(&text, 2);
    let single = Archive::new(&frame(&text));
    assert!(single.entries().iter().all(|entry| entry.frame == Some(Frame::default())));
    single.check(&text, 4);
}

#[test]
fn plain_text_and_a_byte_order_mark_are_entered_too() {
    let text = text("\n");
    let taken = Archive::new(&text).check(&text, 2);
    assert_eq!(taken, text.len() as u64);
    let marked = [b"\xef\xbb\xbf", &text[..]].concat();
    let expected = [&[0; 3], &text[..]].concat();
    Archive::new(&marked).check(&expected, 3);
    Archive::new(&frames(&marked, FRAME_BYTES).concat()).check(&expected, 3);
}

#[test]
fn lies_of_seek_tables_and_sizes_change_nothing() {
    let some = frames(&text("\n"), FRAME_BYTES);
    let entries = |bytes: &[u8]| Archive::new(bytes).entries();
    let expected = entries(&seekable(&some, 0x80, |size| size));
    let lies: [fn(u32) -> u32; 4] = [|_| u32::MAX, |_| 0, |size| size + 1, |size| size << 20];
    assert!(expected.len() > 8);
    for flags in [0x80, 0, 0xff] {
        for lie in lies {
            assert_eq!(entries(&seekable(&some, flags, lie)), expected);
        }
    }
    let expected = entries(&pzstd(&some, 0));
    for lie in [1, u32::MAX, 1 << 31] {
        assert_eq!(entries(&pzstd(&some, lie)), expected);
    }
}

#[test]
fn archives_that_are_damaged_or_hold_other_things_are_read_from_their_start() {
    let text = text("\n");
    let some = frames(&text, FRAME_BYTES);
    let sound = some.concat();
    let mut flipped = sound.clone();
    flipped[sound.len() * 2 / 3] ^= 0x55;
    let cut = &sound[..sound.len() * 2 / 3];
    let at_a_frame = some[..5].concat();
    let trailing = [&sound[..], b"[Event"].concat();
    let utf16: Vec<u8> = text.iter().flat_map(|&byte| [byte, 0]).collect();
    let cr: Vec<u8> = text.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    for bytes in [&flipped, cut, &trailing, &frame(&sound), &frame(&utf16), &frame(&cr)] {
        let counted = Archive::new(bytes).count(None);
        assert!(counted.places.len() > 5, "{}", counted.places.len());
        assert!(counted.places.iter().all(|(_, entry)| entry.is_none()));
    }
    let inflated = Archive::new(&sound).count(Some(text.len() as u64 - 1));
    assert!(inflated.places.iter().all(|(_, entry)| entry.is_none()));
    let rest = Archive::new(&at_a_frame);
    rest.check(&text[..5 * FRAME_BYTES], 2);
}

#[test]
fn a_changed_archive_is_reported() {
    let text = text("\n");
    let some = frames(&text, FRAME_BYTES);
    for (was, is) in [(some.concat(), some[..4].concat()), (text.clone(), text[..4 * FRAME_BYTES].to_vec())] {
        let entries = Archive::new(&was).entries();
        let (from, to) = (entries[2], entries[7]);
        let span = Span { mark: from.mark, frame: from.frame, until: Some(to.mark.offset) };
        let changed = Archive::new(&is);
        let ignored = AtomicU64::new(0);
        let read = |span: Span| {
            let path = changed.path();
            read_from(&path, "a", Format::Pgn, span, None, &ignored, &mut |_| Continue(())).unwrap_err()
        };
        assert_eq!(read(span).code(), "truncated");
        let behind = Mark { offset: text.len() as u64 - 1, line: 0 };
        if span.frame.is_some() {
            assert_eq!(read(Span { mark: behind, until: None, ..span }).code(), "truncated");
        }
    }
}
