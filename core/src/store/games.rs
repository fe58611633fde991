//! Parts of GAMES: writes sorted games as Parquet files, and reads them.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::ArrowWriterOptions;

use super::columns::{Coding, basic_properties, coded, failed};
use crate::disk::Draft;
use crate::tally::{GameBlocks, Games, StorageError};

/// Games of a row group; chosen, not tuned.
pub const GROUP_GAMES: usize = 32 * 1024;

/// Writes a part of GAMES. Nothing is seen of it before it is whole.
pub struct GamesWriter {
    path: PathBuf,
    writer: ArrowWriter<Draft>,
    games: u64,
}

impl GamesWriter {
    /// Begins a part; `metadata` are the key-value pairs of the file, with its Arrow schema.
    pub fn create(path: &Path, metadata: &[(String, String)]) -> Result<GamesWriter, StorageError> {
        let mut builder = basic_properties(metadata).set_max_row_group_row_count(Some(GROUP_GAMES));
        for (name, coding) in [
            ("fingerprint", Coding::Plain),
            ("offset", Coding::Delta),
            ("line", Coding::Delta),
            ("line_hash", Coding::Plain),
            ("moves", Coding::Plain),
        ] {
            builder = coded(builder, name, coding);
        }
        let options =
            ArrowWriterOptions::new().with_properties(builder.build()).with_skip_arrow_metadata(true);
        let none = named(path, &Games::default(), &[])?;
        let file = Draft::of(path).map_err(|error| StorageError::io(path, error))?;
        let writer = ArrowWriter::try_new_with_options(file, none.schema(), options);
        let writer = writer.map_err(|error| failed(path, &error))?;
        Ok(GamesWriter { path: path.to_owned(), writer, games: 0 })
    }

    /// Appends a row group; `names` are the names of the games' sources.
    pub fn group(&mut self, games: &Games, names: &[String]) -> Result<(), StorageError> {
        self.games += games.len() as u64;
        let batch = named(&self.path, games, names)?;
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        written.map_err(|error| failed(&self.path, &error))
    }

    /// Ends the part, gives it its name and returns how many games it holds.
    pub fn finish(self) -> Result<u64, StorageError> {
        let file = self.writer.into_inner().map_err(|error| failed(&self.path, &error))?;
        file.publish().map_err(|error| StorageError::io(&self.path, error))?;
        Ok(self.games)
    }
}

fn named(path: &Path, games: &Games, names: &[String]) -> Result<RecordBatch, StorageError> {
    games.to_named_batch(names).map_err(|error| StorageError::damaged(path, error.to_string()))
}

/// The games of a part of GAMES, a row group at a time. The digest of the part has been checked before.
pub struct GamesPart {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// Index of each source by its name.
    sources: Arc<HashMap<String, u32>>,
}

impl GamesPart {
    /// Opens a part; its games have the indices of `sources`.
    pub fn open(path: &Path, sources: &Arc<HashMap<String, u32>>) -> Result<GamesPart, StorageError> {
        let file = File::open(path).map_err(|error| StorageError::io(path, error))?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .and_then(|builder| builder.with_batch_size(GROUP_GAMES).build())
            .map_err(|error| failed(path, &error))?;
        Ok(GamesPart { path: path.to_owned(), reader, sources: Arc::clone(sources) })
    }
}

impl GameBlocks for GamesPart {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let mut games = Games::default();
        if let Some(batch) = self.reader.next() {
            let damaged = |what| StorageError::damaged(&self.path, what);
            let batch = batch.map_err(|error| damaged(error.to_string()))?;
            games.append_named_batch(&batch, &self.sources).map_err(damaged)?;
        }
        Ok(games)
    }
}
