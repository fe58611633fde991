//! Collections of games: archives whose games are listed, converted or filtered without counting positions.
//!
//! Each task streams. It keeps a few blocks in memory, and a fingerprint for each game if it must.
//! Results only depend on the archives and the options.
//!
//! | file | task |
//! |---|---|
//! | `list` | games → rows of a table |
//! | `named` | games → the openings they are named by |
//! | `one` | a place in an archive → its game |
//! | `convert` | games → another format, block by block on all threads |
//! | `filter` | games → those that pass a filter, or those without duplicates, byte for byte |
//! | `course` | games → whether their moves reach a position or follow a book |
//! | `follow` | games → how far each of them follows a book |
//! | `valued` | games → what their comments say that positions are worth |
//! | `fingerprint` | fingerprints, by which duplicates are found |
//! | `target` | the output: one stream, a zip file, a directory |

mod convert;
mod course;
mod filter;
mod fingerprint;
mod follow;
mod list;
mod named;
mod one;
mod target;
mod valued;

#[cfg(test)]
mod tests;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use thiserror::Error;

use crate::archive::{ArchiveError, Archived, Block, Found, GameRecord, ReadOptions, read_blocks};
use crate::game::Replayable;
use crate::tally::{Progress, Reject, SourceReport, other_game};

/// The archives of a run.
#[derive(Debug, Clone, Default)]
pub struct Archives {
    /// Their files, in order.
    pub paths: Vec<PathBuf>,
    /// Bytes that a file's compressed data may become, as [`read_blocks`] takes it.
    pub max_inflate: Option<u64>,
}

pub use convert::{Form, convert};
pub use course::Course;
pub use filter::{Wanted, filter};
pub use fingerprint::Sameness;
pub use follow::{FollowOptions, Followed, follow};
pub use list::list;
pub use named::NamedPositions;
pub use one::{ArchivedGame, read_game};
pub use target::Target;
pub use valued::{Asked, Valued, valued};

/// Why a run ended without a result. Errors of a game begin with the place where it was read.
#[derive(Debug, Error)]
pub enum CollectionError {
    /// Nothing could be read of any archive; why not of the first.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// [`Progress::stop`] was set.
    #[error("stopped on request")]
    Stopped,
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The output holds one game, and there are more.
    #[error("{0}: a second game for a file that holds one; write to a directory or a .zip file")]
    SecondGame(String),
    /// Games of a binary format cannot follow each other in one file.
    #[error("{0}: the game has a file for itself; write to a directory or a .zip file")]
    NotText(String),
    /// Games of a database are no files and no text.
    #[error(
        "{0}: a game of a database cannot be copied as it stands; convert the database first with: bookbuilder games \
         convert DATABASE -o NAME.pgn"
    )]
    NotCopied(String),
    /// The worker threads could not be started.
    #[error("cannot start {0} worker threads: {1}; ask for fewer with --jobs")]
    Threads(usize, String),
}

/// What a run read and wrote.
#[derive(Debug, Default)]
pub struct Report {
    /// What each source held, in the order of the paths; games used are those written.
    pub sources: Vec<SourceReport>,
    /// Games that could not be written.
    pub rejects: Vec<Reject>,
}

impl Report {
    fn new(paths: &[PathBuf]) -> Report {
        let source = |path: &PathBuf| SourceReport { path: path.clone(), ..SourceReport::default() };
        Report { sources: paths.iter().map(source).collect(), rejects: Vec::new() }
    }
}

/// A game as a run meets it.
pub(crate) struct Seen<'a, G: Replayable> {
    /// Index of the source.
    pub source: u32,
    /// Number of the game among all games of the run, from 1.
    pub number: u64,
    pub path: &'a Path,
    pub block: &'a Block,
    pub record: &'a GameRecord<G::Token>,
}

impl<G: Replayable> Seen<'_, G> {
    /// The game's bytes as its archive has them.
    fn raw(&self) -> &[u8] {
        let start = self.record.offset.saturating_sub(self.block.offset) as usize;
        let rest = self.block.bytes.get(start..).unwrap_or_default();
        &rest[..rest.len().min(self.record.length as usize)]
    }

    /// Where it was read, for messages.
    fn place(&self) -> String {
        format!("{}, byte {}", place_of(self.path, self.block), self.record.offset)
    }
}

fn place_of(path: &Path, block: &Block) -> String {
    let member = block.member.as_deref().map_or_else(String::new, |member| format!(": {member}"));
    format!("{}{member}", path.display())
}

type Hand<'a> = &'a mut dyn FnMut(u32, Block) -> Result<ControlFlow<()>, CollectionError>;

/// Cuts all archives into blocks of games of `G` and hands them on in order, until `hand` breaks or fails. Unreadable
/// archives are reported; the run only fails if nothing can be read of any archive.
fn each_block<G: Archived>(
    archives: &Archives,
    report: &mut Report,
    progress: &Progress,
    hand: Hand<'_>,
) -> Result<(), CollectionError> {
    let (mut unread, mut has_read) = (Vec::new(), false);
    for (index, path) in archives.paths.iter().enumerate() {
        let source = &mut report.sources[index];
        let mut handed = Ok(ControlFlow::Continue(()));
        let read = read_blocks(path, archives.max_inflate, &progress.bytes, &mut |found| {
            if progress.stop.load(Ordering::Relaxed) {
                handed = Err(CollectionError::Stopped);
                return ControlFlow::Break(());
            }
            match found {
                Found::Skipped { member, reason } => {
                    source.skip(member.as_deref(), reason.code(), reason.to_string());
                }
                Found::Block(block) if block.format.game() != G::ID => {
                    let (code, reason) = other_game::<G>(&block);
                    source.skip(block.member.as_deref(), code, reason);
                }
                Found::Block(block) => {
                    has_read = true;
                    handed = hand(index as u32, block);
                }
            }
            handed.as_ref().map_or(ControlFlow::Break(()), |flow| *flow)
        });
        if let Err(reason) = read {
            source.skip(None, reason.code(), reason.to_string());
            unread.push(reason);
        }
        if handed?.is_break() {
            break;
        }
    }
    Ok(ArchiveError::unless_some_were_read(unread, archives.paths.len(), has_read)?)
}

type Visit<'a, G> = &'a mut dyn FnMut(&Seen<'_, G>) -> Result<bool, CollectionError>;

/// Shows all games to `visit`, one by one and in order; it says whether it used the game.
fn each_game<G: Archived>(
    archives: &Archives,
    options: &ReadOptions,
    progress: &Progress,
    visit: Visit<'_, G>,
) -> Result<Report, CollectionError> {
    let paths = &archives.paths;
    let mut report = Report::new(paths);
    let mut counts = vec![[0u64; 2]; paths.len()];
    let mut number = 0;
    each_block::<G>(archives, &mut report, progress, &mut |source, block| {
        let count = &mut counts[source as usize];
        let path = &paths[source as usize];
        let mut visited = Ok(true);
        let before = number;
        G::read_block(&block, options, &mut |record| {
            if visited.is_err() {
                return;
            }
            number += 1;
            visited = visit(&Seen { source, number, path, block: &block, record });
            count[0] += 1;
            count[1] += u64::from(matches!(visited, Ok(true)));
        });
        progress.games.fetch_add(number - before, Ordering::Relaxed);
        visited.map(|_| ControlFlow::Continue(()))
    })?;
    for (source, [read, used]) in report.sources.iter_mut().zip(counts) {
        (source.games_read, source.games_used) = (read, used);
    }
    Ok(report)
}
