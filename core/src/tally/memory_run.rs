//! A run: in memory if all of it fits, else one of several files. Both are merged the same way.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::games::{GameBlocks, Games};
use super::reject::joined;
use super::report::reject_lines;
use super::rows::merge::RowBlocks;
use super::rows::row::Row;
use super::run::batches::Batch;
use super::run_file::{Kind, RunFile, batch_figures};
use super::storage::{KeyRange, StorageError};

/// Games that are handed on at a time; chosen, not tuned.
const GAMES: usize = 4096;

/// A run: sorted rows, games, rejects and figures.
#[derive(Debug, Clone)]
pub enum Run {
    /// A run in memory.
    Memory(Arc<MemoryRun>),
    /// A run file.
    File(Arc<RunFile>),
}

impl Run {
    /// Opens a run file.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<Run, StorageError> {
        Ok(Run::File(Arc::new(RunFile::open(path)?)))
    }

    /// Returns the rows whose keys lie in a range, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn rows(&self, range: KeyRange) -> Result<Box<dyn RowBlocks>, StorageError> {
        Ok(match self {
            Run::Memory(run) => {
                Box::new(MemoryRows { boards: 0..run.batch.rows.boards(), run: Arc::clone(run), range })
            }
            Run::File(run) => Box::new(run.rows(range)?),
        })
    }

    /// Returns the games, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn games(&self) -> Result<Box<dyn GameBlocks>, StorageError> {
        Ok(match self {
            Run::Memory(run) => Box::new(MemoryGames { run: Arc::clone(run), next: 0 }),
            Run::File(run) => Box::new(run.games()?),
        })
    }

    /// Returns the texts of one kind, piece by piece: figures, rejects or rejected games.
    ///
    /// # Errors
    /// [`StorageError`]: they cannot be read.
    pub fn texts(&self, kind: Kind) -> Result<Vec<Vec<u8>>, StorageError> {
        match self {
            Run::Memory(run) => Ok(vec![match kind {
                Kind::Rejects => reject_lines(&run.batch.rejects, &run.names),
                Kind::Rejected => joined(&run.batch.rejects),
                _ => batch_figures(&run.batch).to_string().into_bytes(),
            }]),
            Run::File(run) => run.blocks(kind),
        }
    }
}

/// A run in memory.
#[derive(Debug)]
pub struct MemoryRun {
    /// What was counted.
    pub batch: Batch,
    /// The names of its sources.
    pub names: Vec<String>,
}

/// The rows of a run in memory whose keys lie in a range.
struct MemoryRows {
    run: Arc<MemoryRun>,
    boards: Range<usize>,
    range: KeyRange,
}

impl RowBlocks for MemoryRows {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while rows.is_empty()
            && let Some(board) = self.boards.next()
        {
            self.run.batch.rows.take_board(board, self.range, rows);
        }
        Ok(())
    }
}

/// The games of a run in memory.
struct MemoryGames {
    run: Arc<MemoryRun>,
    next: usize,
}

impl GameBlocks for MemoryGames {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let all = &self.run.batch.games;
        let end = all.len().min(self.next + GAMES);
        let mut games = Games::default();
        games.extend(all, self.next..end);
        self.next = end;
        Ok(games)
    }
}
