//! The tally: counts archives per (position, move), with one row per game used and one line per reject.
//!
//! One thread cuts archives into blocks; workers (or, alone, the same thread) parse and replay blocks and part the
//! observations; at the end duplicates are dropped, and all parts are sorted and combined. A run that is bounded in
//! memory ends whenever that is full and goes on as the next batch, each of which becomes a file (`run_file`); such
//! files are merged by key range. Counts add up, so neither the order of blocks nor the number of workers or
//! batches shows in the result, byte for byte.

mod games;
mod observed;
mod reject;
mod report;
mod rows;
mod run;
mod run_file;
mod storage;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::archive::Archived;

pub use games::{GAME_COLUMNS, GameBlocks, GameColumn, Games, MergeGames, TextColumn};
pub use observed::Observed;
#[cfg(feature = "python")]
pub(crate) use observed::for_observed_columns;
pub use reject::{Reject, joined as joined_rejects};
pub use report::reject_lines;
pub use rows::frequent::{Frequent, RareKind};
pub use rows::merge::{Merge, RowBlocks, merge};
pub(crate) use rows::row::for_tally_columns;
pub use rows::row::{Identity, Row, Rows, RowsRef};
pub use rows::sorted::SortedRows;
#[cfg(feature = "python")]
pub(crate) use rows::sum::STEPS as RATING_STEPS;
pub use run::batches::{Batch, Bounds, run_in_batches};
pub use run::cutting::Place;
pub(crate) use run::cutting::other_game;
pub use run::duplicates::{Dedupe, Duplicates, Seen};
pub use run::options::{Progress, TallyError, TallyOptions};
pub use run::worker::SourceReport;
use run_file::write_run;
pub use run_file::{Kind, Run, RunFile, RunWriter};
pub use storage::{KeyRange, StorageError};

/// Where runs are written that do not stay in memory.
#[derive(Debug, Clone, Copy)]
pub struct Spill<'a> {
    /// The folder of the files `run-<number>.run`.
    pub folder: &'a Path,
    /// Number of the files that are there already, whose runs come first.
    pub first: usize,
}

/// Counts archives of one game and returns the runs, in order. There is one, in memory, if all fits into the memory of
/// `bounds`; else each batch becomes a file of `spill`.
///
/// # Errors
/// [`TallyError`]: no archive can be read to its end, a file cannot be written, or a stop on request. If some archives
/// can be read, those that cannot are in the report as what their sources skipped.
pub fn count<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    bounds: Bounds,
    spill: Option<Spill<'_>>,
    progress: &Progress,
) -> Result<Vec<Run>, TallyError> {
    let mut runs = Vec::new();
    run_in_batches::<G>(paths, options, bounds, progress, &mut |batch, pool| {
        let is_only = runs.is_empty() && batch.end.source as usize >= paths.len();
        let file = spill.filter(|spill| !(is_only && spill.first == 0));
        runs.push(match file {
            None => Run::Memory(Arc::new(batch)),
            Some(spill) => {
                let path = spill.folder.join(format!("run-{:05}.run", spill.first + runs.len()));
                write_run(&path, &batch, pool)?;
                Run::open(&path)?
            }
        });
        Ok(())
    })?;
    Ok(runs)
}
