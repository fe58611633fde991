//! The tally: counts archives per (position, move), with one row per game used and one line per reject.
//!
//! One thread cuts archives into blocks; workers (or, alone, the same thread) parse and replay blocks and part the
//! observations; at the end duplicates are dropped, and all parts are sorted and combined. A run that is bounded in
//! memory ends whenever that is full and goes on as the next batch, each of which becomes a file ([`write_run`]);
//! such files are merged by key range. Counts add up, so neither the order of blocks nor the number of workers or
//! batches shows in the result, byte for byte.

mod games;
mod held;
mod reject;
mod rows;
mod run;
mod run_file;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::archive::Archived;

pub use games::{BytesColumn, Games, TextColumn};
pub use held::{HeldGames, HeldRows, HeldRun};
pub use reject::{Reject, joined as joined_rejects};
pub use rows::frequent::{Frequent, RareKind};
pub use rows::merge::{Merge, RowBlocks};
pub use rows::row::{Identity, Row, Rows, RowsRef, merge};
pub(crate) use rows::schema::for_tally_columns;
pub use rows::sorted::SortedRows;
use run::batches::pool_of;
pub use run::batches::{Batch, Bounds, run_in_batches};
pub use run::cutting::Place;
pub(crate) use run::cutting::other_game;
pub use run::duplicates::{Dedupe, Duplicates, Seen, find as find_duplicates};
pub use run::error::TallyError;
pub use run::options::TallyOptions;
pub use run::parting::{Counted, Entry, count_blocks};
pub use run::progress::Progress;
pub use run::worker::SourceReport;

pub use run_file::games_coding::{GameBlocks, MergeGames};
pub use run_file::reader::{Blocks, RunFile, RunGames, RunRows};
pub use run_file::report::{figures, reject_lines};
pub use run_file::storage::{KeyRange, StorageError};
pub use run_file::writer::{RunWriter, write_run};
pub use run_file::{Kind, footer_start};

/// What a run brings.
#[derive(Debug, Default)]
pub struct TallyRun {
    /// The tally.
    pub rows: SortedRows,
    /// One row per game used.
    pub games: Games,
    /// Games, or rests of games, that could not be used.
    pub rejects: Vec<Reject>,
    /// What each source held, in the order of the paths.
    pub sources: Vec<SourceReport>,
    /// Observations counted.
    pub observations: u64,
    /// Known games that begin games of this run. In one run with those, they would have been skipped.
    pub superseded: u64,
}

/// Tallies archives of one game in memory. `seen` are games that the run's games may be copies of.
///
/// # Errors
/// [`TallyError`]: no archive can be read to its end, or a stop on request. If some archives can be read, those that
/// cannot are in the report as what their sources skipped.
pub fn run<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    seen: Seen,
    progress: &Progress,
) -> Result<TallyRun, TallyError> {
    let mut run = TallyRun::default();
    run_in_batches::<G>(paths, options, Bounds { seen, ..Bounds::default() }, progress, &mut |batch| {
        run = whole_run(batch, paths);
        Ok(())
    })?;
    Ok(run)
}

/// The runs of an archive, on disk or in memory.
#[derive(Debug, Default)]
pub struct Spilled {
    /// The run files, in order.
    pub files: Vec<PathBuf>,
    /// The only run, if it is held in memory.
    pub held: Option<HeldRun>,
}

/// Tallies archives of one game into run files `run-<number>.run`, one for each batch, numbered after `runs`; returns
/// all of them, in order. `names` are the names of the sources. If all fits in one batch and `may_hold` is set, no file
/// is written.
///
/// # Errors
/// [`TallyError`]: as [`run`], or a file cannot be written.
pub fn run_to_files<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    bounds: Bounds,
    directory: &Path,
    runs: Vec<PathBuf>,
    may_hold: bool,
    progress: &Progress,
) -> Result<Spilled, TallyError> {
    let names = bounds.names_of(paths);
    let pool = pool_of(options.jobs)?;
    let mut spilled = Spilled { files: runs, held: None };
    run_in_batches::<G>(paths, options, bounds, progress, &mut |batch| {
        if may_hold && spilled.files.is_empty() && batch.end.source as usize >= paths.len() {
            spilled.held = Some(HeldRun::new(batch, names.clone()));
            return Ok(());
        }
        let path = directory.join(format!("run-{:05}.run", spilled.files.len()));
        write_run(&path, &batch, &names, pool.as_ref())?;
        spilled.files.push(path);
        Ok(())
    })?;
    Ok(spilled)
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
