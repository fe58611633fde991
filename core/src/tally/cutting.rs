//! Archives in, their blocks out, in order, from one place to another; and the places at which the blocks of one archive
//! can be parted between runs.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::batches::Place;
use super::{Progress, TallyOptions};
use crate::archive::{
    ArchiveError, Archived, BLOCK_BYTES, Block, Digest, Digesting, Found, Mark, Watch, plain_text, read_from,
    read_named,
};
use crate::game::GameId;

/// A block on its way to a worker.
pub(super) struct Job {
    pub source: u32,
    pub sequence: u64,
    pub block: Block,
}

/// What cutting archives brings, in order.
pub(super) enum Step {
    Block(Job),
    Skipped { source: u32, member: Option<Arc<str>>, code: &'static str, reason: String },
    Digested { source: u32, digest: Digest },
}

/// What a run reads, from its start to its end.
pub(super) struct Sources<'r> {
    pub paths: &'r [PathBuf],
    pub names: Vec<String>,
    pub start: Place,
    pub mark: Option<Mark>,
    pub end: (u32, u64),
}

/// Returns what a source is called.
pub(super) fn source_name(path: &std::path::Path) -> Cow<'_, str> {
    crate::archive::name_of(path).to_string_lossy()
}

/// Cuts archives into blocks and hands them on, in order, until `hand` breaks. What cannot be read is skipped.
pub(super) fn cut<G: Archived>(
    sources: &Sources<'_>,
    options: &TallyOptions,
    progress: &Progress,
    hand: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let mut is_over = false;
    let (mut unread, mut has_read) = (Vec::new(), false);
    let Sources { paths, names, start, mark, end } = sources;
    let behind = end.0 as usize + usize::from(end.1 > 0);
    for (index, path) in paths.iter().enumerate().take(behind).skip(start.source as usize) {
        let source = index as u32;
        let done = if source == start.source { start.sequence } else { 0 };
        let mark = mark.filter(|_| source == start.source);
        let mut sequence = if mark.is_some() { done } else { 0 };
        let digesting = options.digests.then(|| Digesting::new(&progress.bytes));
        let watch: &dyn Watch = digesting.as_ref().map_or(&progress.bytes, |digesting| digesting);
        let mut take = |found| {
            if progress.stop.load(Ordering::Relaxed) {
                return Break(());
            }
            // What was skipped before the last block that is done was told with it.
            let is_told = sequence < done;
            let step = match found {
                Found::Block(block) if block.format.game() == G::ID => {
                    sequence += 1;
                    has_read = true;
                    (sequence > done).then_some(Step::Block(Job { source, sequence, block }))
                }
                _ if is_told => None,
                Found::Skipped { member, reason } => {
                    let (code, reason) = (reason.code(), reason.to_string());
                    Some(Step::Skipped { source, member, code, reason })
                }
                Found::Block(block) => {
                    let game = block.format.game().name();
                    let reason = format!("a {game} archive in a {} run", G::ID.name());
                    Some(Step::Skipped { source, member: block.member, code: "other-game", reason })
                }
            };
            is_over = step.is_some_and(|step| hand(step).is_break()) || (source, sequence) == *end;
            if is_over { Break(()) } else { Continue(()) }
        };
        let read = match mark {
            Some(mark) => read_from(path, &names[index], G::PLAIN_TEXT, mark, watch, &mut take),
            None => read_named(path, &names[index], options.max_inflate, watch, &mut take),
        };
        if let Err(error) = read {
            let (code, reason) = (error.code(), error.to_string());
            is_over = hand(Step::Skipped { source, member: None, code, reason }).is_break();
            unread.push(error);
        }
        // A file that cannot be read has told so above.
        let digesting = digesting.filter(|_| !progress.stop.load(Ordering::Relaxed));
        if let Some(Ok(digest)) = digesting.map(|digesting| digesting.finish(path)) {
            is_over |= hand(Step::Digested { source, digest }).is_break();
        }
        if is_over {
            break;
        }
    }
    ArchiveError::unless_some_were_read(unread, paths.len(), has_read)
}

/// What an archive's blocks are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// How many blocks hold games.
    pub blocks: u64,
    /// Blocks behind which others begin, and where: of compressed archives, which are read from their start, no mark.
    pub places: Vec<(u64, Option<Mark>)>,
    /// What the archive is known by.
    pub digest: Digest,
}

/// Counts the blocks of an archive that hold games, up to where it can be read; a place follows each `every` of them.
///
/// # Errors
/// Where the file cannot be read at all.
pub fn count_blocks(
    path: &Path,
    game: GameId,
    max_inflate: Option<u64>,
    every: u64,
    stop: &AtomicBool,
) -> io::Result<Counted> {
    let is_plain = plain_text(path)?.is_some_and(|format| format.game() == game);
    let (mut blocks, mut places) = (0, Vec::new());
    // Bytes and place behind the block before.
    let mut before = (0, 0);
    let ignored = AtomicU64::new(0);
    let digesting = Digesting::new(&ignored);
    let read = read_named(path, &source_name(path), max_inflate, &digesting, &mut |found| {
        if let Found::Block(block) = found
            && block.format.game() == game
        {
            let Block { offset, line, bytes, .. } = block;
            if blocks > 0 && blocks % every == 0 {
                let is_mark = is_plain && before.0 < BLOCK_BYTES && before.1 == offset;
                places.push((blocks, is_mark.then_some(Mark { offset, line })));
            }
            blocks += 1;
            before = (bytes.len(), offset + bytes.len() as u64);
        }
        if stop.load(Ordering::Relaxed) { Break(()) } else { Continue(()) }
    });
    // Whoever reads the archive's last stretch meets the error again, and tells it.
    drop(read);
    Ok(Counted { blocks, places, digest: digesting.finish(path)? })
}
