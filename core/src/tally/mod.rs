//! The tally: archives in, counts per (position, move) out, with one row per game used and one line per reject.
//!
//! One thread cuts archives into blocks; workers (or, alone, the same thread) parse and replay blocks and part the
//! observations; at the end duplicates are dropped, and all parts are sorted and combined. A run that is bounded in
//! memory ends whenever that is full and goes on as the next batch, each of which becomes a file ([`write_run`]);
//! such files are merged by key range. Counts add up, so neither the order of blocks nor the number of workers or
//! batches shows in the result, byte for byte.

mod games;
mod reject;
mod rows;
mod run;
mod run_file;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};

use thiserror::Error;

use crate::archive::{ArchiveError, Archived};
use crate::filter::{Facets, GameFilter};
use crate::replay::ReplayOptions;

pub use games::{BytesColumn, Games, TextColumn};
pub use reject::{Reject, joined as joined_rejects};
pub use rows::merge::{Merge, RowBlocks, TableBlocks};
pub use rows::packed::PackedRows;
pub use rows::row::{Identity, Row, Rows, RowsRef, merge};
pub use run::batches::{Batch, Bounds, Place, run_in_batches};
pub use run::duplicates::{Dedupe, Duplicates, Seen, find as find_duplicates};
pub use run::parting::{Counted, Entry, count_blocks};
pub use run::worker::SourceReport;
pub use run_file::games_coding::{GameBlocks, MergeGames, TableGames};
pub use run_file::storage::{KeyRange, StorageError};
pub use run_file::{Blocks, Kind, RunFile, RunGames, RunRows, RunWriter, footer_start, publish, write_run};

/// What a run is asked for.
#[derive(Debug, Clone, Default)]
pub struct TallyOptions {
    /// Which games are counted.
    pub filter: GameFilter,
    /// How games are replayed; to find duplicates it must resolve them to their end.
    pub replay: ReplayOptions,
    /// What rows are kept apart by.
    pub facets: Facets,
    /// Which games are left out as copies of others.
    pub dedupe: Dedupe,
    /// Games of earlier runs, which the run's games may be copies of.
    pub known: Games,
    /// Keep the bytes of rejected games.
    pub keep_rejected: bool,
    /// Make the digests of the sources while they are read.
    pub digests: bool,
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Stop once this many games are used, duplicates included, in the order of the archives; asks for one worker.
    pub limit: Option<u64>,
    /// Bytes that a source's compressed data may become, as [`read_blocks`] takes it.
    pub max_inflate: Option<u64>,
}

/// How far a run is; written by the run, read by whoever shows it. Setting `stop` ends the run early.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read from disk, before decompression.
    pub bytes: AtomicU64,
    /// Games read.
    pub games: AtomicU64,
    /// Games rejected.
    pub rejects: AtomicU64,
    /// Ask the run to end; it then returns [`TallyError::Stopped`].
    pub stop: AtomicBool,
}

/// Why a run ended without a result.
#[derive(Debug, Error)]
pub enum TallyError {
    /// Nothing could be read of any archive; why not of the first.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// [`Progress::stop`] was set.
    #[error("stopped on request")]
    Stopped,
    /// What the run has could not be written to disk.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The worker threads could not be started.
    #[error("cannot start {jobs} worker threads: {message}; ask for fewer with --jobs")]
    Threads {
        /// Threads asked for.
        jobs: usize,
        /// What the system said.
        message: String,
    },
}

/// What a run brings.
#[derive(Debug, Default)]
pub struct TallyRun {
    /// The tally.
    pub rows: PackedRows,
    /// One row per game used.
    pub games: Games,
    /// Games, or rests of games, that could not be used.
    pub rejects: Vec<Reject>,
    /// What each source held, in the order of the paths.
    pub sources: Vec<SourceReport>,
    /// Observations counted.
    pub observations: u64,
    /// Known games that begin games of this run: had they come together, they would have been left out.
    pub superseded: u64,
}

/// Tallies archives of one game.
///
/// # Errors
/// [`TallyError`]: no archive can be read to its end, or a stop on request. An archive that cannot, beside others that
/// can, is reported as what its source skipped.
pub fn run<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    progress: &Progress,
) -> Result<TallyRun, TallyError> {
    let mut run = TallyRun::default();
    let seen = Seen::new(options.dedupe, &options.known);
    run_in_batches::<G>(paths, options, Bounds { seen, ..Bounds::default() }, progress, &mut |batch| {
        run = whole_run(batch, paths);
        Ok(())
    })?;
    Ok(run)
}

/// Returns the only batch of a run that is not bounded.
fn whole_run(batch: Batch, paths: &[PathBuf]) -> TallyRun {
    let mut sources: Vec<SourceReport> = paths.iter().map(|path| SourceReport::new(path)).collect();
    for (index, report) in batch.sources {
        sources[index as usize] = report;
    }
    let Batch { rows, games, rejects, observations, superseded, .. } = batch;
    TallyRun { rows, games, rejects, sources, observations, superseded }
}
