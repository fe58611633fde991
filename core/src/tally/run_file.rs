//! The run file: one batch of a tally on disk until it is merged.
//!
//! | part | content |
//! |---|---|
//! | blocks | up to 4,096 rows or 4,096 games as an Arrow IPC stream; rejects as lines of JSON; text of rejected games; figures as JSON |
//! | index | JSON: of each block kind, first and last key, offset, bytes and XXH3 |
//! | trailer, 24 bytes | offset of the index, its XXH3, the magic `BBRUN`, two zeros and version 1 |
//!
//! Rows are sorted, so the blocks of a key range lie together, and a reader of a range needs only these and the index.
//! A file appears whole, by rename, or not at all. Checksums find what a disk or a network damages later.
//!
//! A run: in memory if all of it fits, else one of several files. Both are merged the same way.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::games::{GameBlocks, Games};
use super::reject::joined;
use super::report::{figures, reject_lines};
use super::rows::merge::RowBlocks;
use super::rows::row::{Row, Rows, RowsRef};
use super::run::batches::Batch;
use super::run::cutting::Place;
use super::storage::{KeyRange, StorageError};
use crate::disk::{Draft, read_exact_at};

const MAGIC: &[u8; 8] = b"BBRUN\0\0\x01";
/// Games or rejects of a block; chosen, not tuned.
const ITEMS: usize = 4096;
/// Boards of rows that are packed before they are written; chosen, not tuned.
const ROUND: usize = 64;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Rows of the tally.
    Rows,
    /// Games.
    Games,
    /// Rejects, a line of JSON each.
    Rejects,
    /// Rejected games as they stand.
    Rejected,
    /// The figures of a batch and the place behind it, one JSON object.
    Figures,
}

/// Kind, first and last key, offset, bytes and XXH3 of a block, as the index has them.
type Section = (u8, u64, u64, u64, u64, u64);

/// Returns a table as an Arrow IPC stream.
fn packed(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    // LZ4 packs a third less tightly than zstd in a third of the time, and a run is read once or twice.
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME))?;
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options)?;
    writer.write(batch)?;
    writer.into_inner()
}

/// Returns the table that [`packed`] wrote.
fn unpacked(bytes: &[u8]) -> Result<RecordBatch, ArrowError> {
    let batch = StreamReader::try_new(bytes, None)?.next();
    batch.unwrap_or_else(|| Err(ArrowError::IpcError("expected a table".to_owned())))
}

/// Writes a batch as a run file, its rows packed on the threads of a pool if there is one.
pub fn write_run(path: &Path, batch: &Batch, pool: Option<&ThreadPool>) -> Result<(), StorageError> {
    let mut writer = RunWriter::create(path)?;
    for start in (0..batch.rows.boards()).step_by(ROUND) {
        let round = start..batch.rows.boards().min(start + ROUND);
        let pack = |rows: &mut Vec<Row>, board| {
            rows.clear();
            batch.rows.take_board(board, KeyRange::ALL, rows);
            packed_rows(rows)
        };
        let blocks: Vec<_> = match pool {
            Some(pool) => pool.install(|| round.into_par_iter().map_init(Vec::new, pack).collect()),
            None => round.map(|board| pack(&mut Vec::new(), board)).collect(),
        };
        blocks.into_iter().flatten().try_for_each(|(range, block)| writer.batch(Kind::Rows, range, block))?;
    }
    writer.games(&batch.games)?;
    for some in batch.rejects.chunks(ITEMS) {
        writer.block(Kind::Rejects, KeyRange::ALL, &reject_lines(some, &batch.names))?;
    }
    writer.block(Kind::Rejected, KeyRange::ALL, &joined(&batch.rejects))?;
    writer.block(Kind::Figures, KeyRange::ALL, figures(batch).to_string().as_bytes())?;
    writer.finish()
}

/// Returns sorted rows as a block and the range of their keys; `None` without rows.
fn packed_rows(rows: &[Row]) -> Option<(KeyRange, Result<Vec<u8>, ArrowError>)> {
    let range = KeyRange { first: rows.first()?.key, last: rows.last()?.key };
    let mut columns = Rows::default();
    columns.extend(rows);
    Some((range, columns.into_batch(true).and_then(|batch| packed(&batch))))
}

/// Writes a run file block by block.
pub struct RunWriter {
    path: PathBuf,
    file: Draft,
    offset: u64,
    sections: Vec<Section>,
}

impl RunWriter {
    /// Begins a file, under a temporary name.
    pub fn create(path: &Path) -> Result<RunWriter, StorageError> {
        let file = Draft::of(path).map_err(|error| StorageError::io(path, error))?;
        Ok(RunWriter { path: path.to_owned(), file, offset: 0, sections: Vec::new() })
    }

    /// Appends up to some thousands of sorted rows.
    pub fn rows(&mut self, rows: &[Row]) -> Result<(), StorageError> {
        packed_rows(rows).map_or(Ok(()), |(range, block)| self.batch(Kind::Rows, range, block))
    }

    /// Appends sorted games, whatever their number.
    pub fn games(&mut self, games: &Games) -> Result<(), StorageError> {
        for start in (0..games.len()).step_by(ITEMS) {
            let mut some = Games::default();
            some.extend(games, start..games.len().min(start + ITEMS));
            self.batch(Kind::Games, KeyRange::ALL, some.to_batch().and_then(|batch| packed(&batch)))?;
        }
        Ok(())
    }

    fn batch(
        &mut self,
        kind: Kind,
        range: KeyRange,
        block: Result<Vec<u8>, ArrowError>,
    ) -> Result<(), StorageError> {
        let block = block.map_err(|error| StorageError::damaged(&self.path, error.to_string()))?;
        self.block(kind, range, &block)
    }

    /// Appends a block, unless it is empty.
    pub fn block(&mut self, kind: Kind, range: KeyRange, bytes: &[u8]) -> Result<(), StorageError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (KeyRange { first, last }, length) = (range, bytes.len() as u64);
        self.sections.push((kind as u8, first, last, self.offset, length, xxh3_64(bytes)));
        self.put(bytes)
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), StorageError> {
        let index = json!(self.sections).to_string().into_bytes();
        let numbers = [self.offset, xxh3_64(&index)].map(u64::to_le_bytes);
        self.put(&[&index[..], &numbers.concat(), MAGIC].concat())?;
        self.file.publish().map_err(|error| StorageError::io(&self.path, error))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| StorageError::io(&self.path, error))
    }
}

/// A run file that is open.
#[derive(Debug)]
pub struct RunFile {
    /// The file.
    pub path: PathBuf,
    sections: Vec<Section>,
}

impl RunFile {
    /// Opens a run file.
    pub fn open(path: &Path) -> Result<RunFile, StorageError> {
        let failed = |error| StorageError::io(path, error);
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut trailer = [[0; 8]; 3];
        let damaged = || StorageError::damaged(path, "expected a run file of version 1");
        let end = size.checked_sub(size_of_val(&trailer) as u64).ok_or_else(damaged)?;
        read_exact_at(&file, trailer.as_flattened_mut(), end).map_err(failed)?;
        let [start, checksum, magic] = trailer;
        let [start, checksum] = [start, checksum].map(u64::from_le_bytes);
        if magic != *MAGIC || start > end {
            return Err(damaged());
        }
        let mut index = vec![0; (end - start) as usize];
        read_exact_at(&file, &mut index, start).map_err(failed)?;
        if xxh3_64(&index) != checksum {
            return Err(StorageError::damaged(path, "its index does not fit its checksum"));
        }
        let sections =
            serde_json::from_slice(&index).map_err(|error| StorageError::damaged(path, error.to_string()))?;
        Ok(RunFile { path: path.to_owned(), sections })
    }

    /// Returns the place behind the run.
    pub fn end(&self) -> Result<Place, StorageError> {
        let place = || {
            let figures: Value = serde_json::from_slice(self.blocks(Kind::Figures).ok()?.last()?).ok()?;
            let number = |index: usize| figures["end"].get(index)?.as_u64();
            let source = u32::try_from(number(0)?).ok()?;
            Some(Place { source, sequence: number(1)?, games_read: number(2)?, games_used: number(3)? })
        };
        place().ok_or_else(|| StorageError::damaged(&self.path, "it has no figures"))
    }

    /// Returns the rows whose keys lie in a range, in order.
    pub fn rows(&self, range: KeyRange) -> Result<impl RowBlocks + use<>, StorageError> {
        self.open_blocks(Kind::Rows, range)
    }

    /// Returns the games, in order.
    pub fn games(&self) -> Result<impl GameBlocks + use<>, StorageError> {
        self.open_blocks(Kind::Games, KeyRange::ALL)
    }

    /// Returns the blocks of one kind.
    pub fn blocks(&self, kind: Kind) -> Result<Vec<Vec<u8>>, StorageError> {
        self.open_blocks(kind, KeyRange::ALL)?.collect()
    }

    fn open_blocks(&self, kind: Kind, range: KeyRange) -> Result<Blocks, StorageError> {
        let file = File::open(&self.path).map_err(|error| StorageError::io(&self.path, error))?;
        let is_meant =
            |&&(of, first, last, ..): &&Section| of == kind as u8 && range.meets(KeyRange { first, last });
        let sections: Vec<Section> = self.sections.iter().filter(is_meant).copied().collect();
        Ok(Blocks { path: self.path.clone(), file, sections: sections.into_iter(), range })
    }
}

/// Blocks of a run file, one after the other.
#[derive(Debug)]
struct Blocks {
    path: PathBuf,
    file: File,
    sections: std::vec::IntoIter<Section>,
    /// The keys of the rows that are asked for.
    range: KeyRange,
}

impl Iterator for Blocks {
    type Item = Result<Vec<u8>, StorageError>;

    fn next(&mut self) -> Option<Result<Vec<u8>, StorageError>> {
        let (.., offset, bytes, checksum) = self.sections.next()?;
        let mut block = vec![0; bytes as usize];
        if let Err(error) = read_exact_at(&self.file, &mut block, offset) {
            return Some(Err(StorageError::io(&self.path, error)));
        }
        let is_sound = xxh3_64(&block) == checksum;
        Some(if is_sound { Ok(block) } else { Err(self.damaged("a block does not fit its checksum")) })
    }
}

impl Blocks {
    fn damaged(&self, what: impl ToString) -> StorageError {
        StorageError::damaged(&self.path, what.to_string())
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, StorageError> {
        let Some(block) = self.next() else { return Ok(None) };
        unpacked(&block?).map(Some).map_err(|error| self.damaged(error))
    }
}

impl RowBlocks for Blocks {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while rows.is_empty()
            && let Some(batch) = self.next_batch()?
        {
            let view = RowsRef::of(&batch, true).map_err(|what| self.damaged(what))?;
            let start = view.key.partition_point(|&key| key < self.range.first);
            let end = view.key.partition_point(|&key| key <= self.range.last);
            rows.extend((start..end).map(|index| view.row(index)));
        }
        Ok(())
    }
}

impl GameBlocks for Blocks {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let mut games = Games::default();
        if let Some(batch) = self.next_batch()? {
            games.append_batch(&batch).map_err(|what| self.damaged(what))?;
        }
        Ok(games)
    }
}

/// A run: sorted rows, games, rejects and figures.
#[derive(Debug, Clone)]
pub enum Run {
    /// A run in memory.
    Memory(Arc<Batch>),
    /// A run file.
    File(Arc<RunFile>),
}

impl Run {
    /// Opens a run file.
    pub fn open(path: &Path) -> Result<Run, StorageError> {
        Ok(Run::File(Arc::new(RunFile::open(path)?)))
    }

    /// Returns the rows whose keys lie in a range, in order.
    pub fn rows(&self, range: KeyRange) -> Result<Box<dyn RowBlocks>, StorageError> {
        Ok(match self {
            Run::Memory(run) => {
                Box::new(MemoryRows { boards: 0..run.rows.boards(), run: Arc::clone(run), range })
            }
            Run::File(run) => Box::new(run.rows(range)?),
        })
    }

    /// Returns the games, in order.
    pub fn games(&self) -> Result<Box<dyn GameBlocks>, StorageError> {
        Ok(match self {
            Run::Memory(run) => Box::new(MemoryGames { run: Arc::clone(run), next: 0 }),
            Run::File(run) => Box::new(run.games()?),
        })
    }

    /// Returns the texts of one kind, piece by piece: figures, rejects or rejected games.
    pub fn texts(&self, kind: Kind) -> Result<Vec<Vec<u8>>, StorageError> {
        match self {
            Run::Memory(run) => Ok(vec![match kind {
                Kind::Rejects => reject_lines(&run.rejects, &run.names),
                Kind::Rejected => joined(&run.rejects),
                _ => figures(run).to_string().into_bytes(),
            }]),
            Run::File(run) => run.blocks(kind),
        }
    }
}

/// The rows of a run in memory whose keys lie in a range.
struct MemoryRows {
    run: Arc<Batch>,
    boards: Range<usize>,
    range: KeyRange,
}

impl RowBlocks for MemoryRows {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while rows.is_empty()
            && let Some(board) = self.boards.next()
        {
            self.run.rows.take_board(board, self.range, rows);
        }
        Ok(())
    }
}

/// The games of a run in memory.
struct MemoryGames {
    run: Arc<Batch>,
    next: usize,
}

impl GameBlocks for MemoryGames {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let all = &self.run.games;
        let end = all.len().min(self.next + ITEMS);
        let mut games = Games::default();
        games.extend(all, self.next..end);
        self.next = end;
        Ok(games)
    }
}
