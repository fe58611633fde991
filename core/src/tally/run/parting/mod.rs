//! Finds the places where an archive can be cut between runs.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::cutting::source_name;
use crate::archive::{
    BLOCK_BYTES, Block, Digest, Digesting, Found, Frame, Mark, Watch, enterable, read_named,
};
use crate::game::GameId;

/// What an archive's blocks are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// How many blocks hold games.
    pub blocks: u64,
    /// Blocks behind which others begin, from none on, and how to get there: of all places or of none.
    pub places: Vec<(u64, Option<Entry>)>,
    /// What the archive is known by.
    pub digest: Digest,
}

/// How an archive is entered at a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where the block begins.
    pub mark: Mark,
    /// The last frame that begins there or before; `None` in a text that is not compressed.
    pub frame: Option<Frame>,
    /// Bytes of the file that hold all the text before the block.
    pub reach: u64,
}

/// Counts the blocks of an archive that hold games, up to where it can be read; a place follows each `every` of them,
/// or somewhat more where the archive cannot be entered there.
pub fn count_blocks(
    path: &Path,
    game: GameId,
    max_inflate: Option<u64>,
    every: u64,
    stop: &AtomicBool,
) -> io::Result<Counted> {
    let text = enterable(path)?.filter(|text| text.format.game() == game);
    let ignored = AtomicU64::new(0);
    let looking = Looking::new(&ignored);
    let (mut blocks, mut places) = (0, Vec::new());
    // Bytes and place behind the block before.
    let mut before = (0, 0);
    let read = read_named(path, &source_name(path), max_inflate, &looking, &mut |found| {
        if let Found::Block(block) = found
            && block.format.game() == game
        {
            let Block { offset, line, bytes, .. } = block;
            let is_mark = before.0 < BLOCK_BYTES && before.1 == offset;
            match places.last() {
                None => places.push((0, Mark::default())),
                Some((last, _)) if blocks - last >= every && (is_mark || text.is_none()) => {
                    places.push((blocks, Mark { offset, line }));
                }
                Some(_) => {}
            }
            blocks += 1;
            before = (bytes.len(), offset + bytes.len() as u64);
        }
        if stop.load(Ordering::Relaxed) { Break(()) } else { Continue(()) }
    });
    let (digest, frames) = looking.finish(path)?;
    let is_zstd = text.is_some_and(|text| text.is_zstd);
    // The output of a decoder before an error depends on the size of its reads. Damaged data are read from the start, so
    // each run reads the same games. The run that reads the last stretch reports the error.
    let can_enter = text.is_some() && (read.is_ok() || !is_zstd);
    let entry = |mark| can_enter.then(|| frames.entry(mark, is_zstd.then_some(digest.size)));
    let places = places.into_iter().map(|(blocks, mark)| (blocks, entry(mark))).collect();
    Ok(Counted { blocks, places, digest })
}

/// What is learnt of an archive as it is read.
struct Looking<'a> {
    digesting: Digesting<'a>,
    frames: RefCell<Frames>,
}

impl<'a> Looking<'a> {
    fn new(watch: &'a dyn Watch) -> Looking<'a> {
        Looking { digesting: Digesting::new(watch), frames: RefCell::new(Frames(vec![Frame::default()])) }
    }

    fn finish(self, path: &Path) -> io::Result<(Digest, Frames)> {
        Ok((self.digesting.finish(path)?, self.frames.into_inner()))
    }
}

impl Watch for Looking<'_> {
    fn passed(&self, place: u64, bytes: &[u8]) {
        self.digesting.passed(place, bytes);
    }

    fn frame_ended(&self, place: u64, offset: u64) {
        self.frames.borrow_mut().add(Frame { place, offset });
    }
}

/// Where frames begin, in order; of many within a block's length the first, so that a file of tiny ones takes no more
/// memory than its text has blocks.
struct Frames(Vec<Frame>);

impl Frames {
    fn add(&mut self, next: Frame) {
        if self.0.last().is_none_or(|last| next.offset - last.offset >= BLOCK_BYTES as u64) {
            self.0.push(next);
        }
    }

    /// Returns where to enter at a mark; `zstd` is the size of a compressed file.
    fn entry(&self, mark: Mark, zstd: Option<u64>) -> Entry {
        let Some(size) = zstd else { return Entry { mark, frame: None, reach: mark.offset } };
        let before = self.0.partition_point(|frame| frame.offset <= mark.offset);
        let frame = before.checked_sub(1).map(|last| self.0[last]).unwrap_or_default();
        let behind = if frame.offset == mark.offset { Some(&frame) } else { self.0.get(before) };
        Entry { mark, frame: Some(frame), reach: behind.map_or(size, |frame| frame.place) }
    }
}
