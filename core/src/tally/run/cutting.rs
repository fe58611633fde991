//! Cuts archives into blocks, in order, from one place to another.

use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::archive::{ArchiveError, Archived, Block, Digest, Digesting, Found, Watch, read_blocks};
use crate::tally::{Progress, TallyOptions};

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

/// Cuts archives into blocks from a place on and hands them on, in order, until `hand` breaks. Unreadable archives are
/// skipped.
pub(super) fn cut<G: Archived>(
    paths: &[PathBuf],
    start: Place,
    options: &TallyOptions,
    progress: &Progress,
    hand: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    let (mut unread, mut has_read) = (Vec::new(), false);
    for source in start.source..paths.len() as u32 {
        let done = if source == start.source { start.sequence } else { 0 };
        let mut cutter = Cutter { source, done, sequence: 0, hand, has_read: false, is_over: false };
        unread.extend(cutter.read::<G>(&paths[source as usize], options, progress));
        has_read |= cutter.has_read;
        if cutter.is_over {
            break;
        }
    }
    ArchiveError::unless_some_were_read(unread, paths.len(), has_read)
}

/// Cuts one archive.
struct Cutter<'h, 'f> {
    source: u32,
    /// Blocks that an earlier run has done.
    done: u64,
    /// Blocks that were read.
    sequence: u64,
    hand: &'h mut (dyn FnMut(Step) -> ControlFlow<()> + 'f),
    has_read: bool,
    is_over: bool,
}

impl Cutter<'_, '_> {
    /// Reads the archive, and returns the error that ends it early.
    fn read<G: Archived>(
        &mut self,
        path: &Path,
        options: &TallyOptions,
        progress: &Progress,
    ) -> Option<ArchiveError> {
        let source = self.source;
        let digesting = options.digests.then(|| Digesting::new(&progress.bytes));
        let watch: &dyn Watch = digesting.as_ref().map_or(&progress.bytes, |digesting| digesting);
        let is_stopped = || progress.stop.load(Ordering::Relaxed);
        let mut take = |found| if is_stopped() { Break(()) } else { self.take::<G>(found) };
        let error = read_blocks(path, options.max_inflate, watch, &mut take).err();
        if let Some(error) = &error {
            let (code, reason) = (error.code(), error.to_string());
            self.is_over = (self.hand)(Step::Skipped { source, member: None, code, reason }).is_break();
        }
        // An unreadable file was reported above.
        let digesting = digesting.filter(|_| !is_stopped());
        if let Some(Ok(digest)) = digesting.map(|digesting| digesting.finish(path)) {
            self.is_over |= (self.hand)(Step::Digested { source, digest }).is_break();
        }
        error
    }

    fn take<G: Archived>(&mut self, found: Found) -> ControlFlow<()> {
        let source = self.source;
        // Skipped members before the last finished block were reported with it.
        let is_reported = self.sequence < self.done;
        let step = match found {
            Found::Block(block) if block.format.game() == G::ID => {
                self.sequence += 1;
                self.has_read = true;
                let sequence = self.sequence;
                (sequence > self.done).then_some(Step::Block(Job { source, sequence, block }))
            }
            _ if is_reported => None,
            Found::Skipped { member, reason } => {
                let (code, reason) = (reason.code(), reason.to_string());
                Some(Step::Skipped { source, member, code, reason })
            }
            Found::Block(block) => {
                let (code, reason) = other_game::<G>(&block);
                Some(Step::Skipped { source, member: block.member, code, reason })
            }
        };
        self.is_over = step.is_some_and(|step| (self.hand)(step).is_break());
        if self.is_over { Break(()) } else { Continue(()) }
    }
}

/// Returns the code and the reason for skipping a block of the other game in a run of `G`.
pub(crate) fn other_game<G: Archived>(block: &Block) -> (&'static str, String) {
    let game = block.format.game().name();
    ("other-game", format!("a {game} archive in a {} run", G::ID.name()))
}

/// A place between two blocks of a run: what lies before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Index of the source.
    pub source: u32,
    /// Blocks of the source before the place.
    pub sequence: u64,
    /// Games read of the source before the place.
    pub games_read: u64,
    /// Games used of all sources before the place, duplicates included.
    pub games_used: u64,
}
