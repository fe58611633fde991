//! A run that fits in memory and is merged from there, as run files are merged from disk.

use std::ops::Range;
use std::sync::Arc;

use super::games::Games;
use super::reject::joined;
use super::rows::merge::RowBlocks;
use super::rows::row::Row;
use super::run::batches::Batch;
use super::run_file::games_coding::GameBlocks;
use super::run_file::report::{figures, reject_lines};
use super::run_file::storage::{KeyRange, StorageError};

/// Games that are handed on at a time; chosen, not tuned.
const GAMES: usize = 4096;

/// A run in memory.
#[derive(Debug)]
pub struct HeldRun {
    batch: Batch,
    /// What its sources are called.
    names: Vec<String>,
}

impl HeldRun {
    /// Returns a run of one batch.
    pub fn new(batch: Batch, names: Vec<String>) -> HeldRun {
        HeldRun { batch, names }
    }

    /// Returns the rows whose keys lie in a range, in order.
    pub fn rows(self: &Arc<HeldRun>, range: KeyRange) -> HeldRows {
        HeldRows { boards: 0..self.batch.rows.boards(), run: Arc::clone(self), range }
    }

    /// Returns the games, in order.
    pub fn games(self: &Arc<HeldRun>) -> HeldGames {
        HeldGames { run: Arc::clone(self), next: 0 }
    }

    /// Returns the figures as JSON.
    pub fn figures(&self) -> String {
        let Batch { sources, observations, superseded, .. } = &self.batch;
        figures(sources.iter().map(|(index, report)| (*index, report)), *observations, *superseded)
    }

    /// Returns the rejects as lines of JSON.
    pub fn rejects(&self) -> Vec<u8> {
        reject_lines(&self.batch.rejects, &self.names)
    }

    /// Returns the rejected games of text formats, as they stand.
    pub fn rejected_text(&self) -> Vec<u8> {
        joined(&self.batch.rejects)
    }
}

/// The rows of a run in memory whose keys lie in a range.
#[derive(Debug)]
pub struct HeldRows {
    run: Arc<HeldRun>,
    boards: Range<usize>,
    range: KeyRange,
}

impl RowBlocks for HeldRows {
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
#[derive(Debug)]
pub struct HeldGames {
    run: Arc<HeldRun>,
    next: usize,
}

impl GameBlocks for HeldGames {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let all = &self.run.batch.games;
        let end = all.len().min(self.next + GAMES);
        let mut games = Games::default();
        games.extend(all, self.next..end);
        self.next = end;
        Ok(games)
    }
}
