//! Archives in, their blocks out, in order, from one place to another.

use std::borrow::Cow;
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::archive::{
    ArchiveError, Archived, Block, Digest, Digesting, Found, Span, Watch, read_from, read_named,
};
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

/// What a run reads, from its start to its end.
pub(super) struct Sources<'r> {
    pub paths: &'r [PathBuf],
    pub names: Vec<String>,
    pub start: Place,
    /// Where in its text the first source is read; `None` = from its start, to find the place by cutting.
    pub span: Option<Span>,
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
    let Sources { paths, names, start, span, end } = sources;
    let behind = end.0 as usize + usize::from(end.1 > 0);
    for (index, path) in paths.iter().enumerate().take(behind).skip(start.source as usize) {
        let source = index as u32;
        let done = if source == start.source { start.sequence } else { 0 };
        let span = span.filter(|_| source == start.source);
        let mut sequence = if span.is_some() { done } else { 0 };
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
        let (name, inflate) = (&names[index], options.max_inflate);
        let read = match span {
            Some(span) => read_from(path, name, G::PLAIN_TEXT, span, inflate, watch, &mut take),
            None => read_named(path, name, inflate, watch, &mut take),
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
