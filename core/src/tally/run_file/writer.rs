//! Writes run files.

use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::footer::{Footer, Kind, MAGIC, Section};
use super::games_coding::encode;
use super::report::{figures, reject_lines};
use super::rows_coding::encode_rows;
use super::storage::{KeyRange, StorageError};
use crate::disk::Draft;
use crate::tally::games::Games;
use crate::tally::reject::joined;
use crate::tally::rows::row::{Row, RowsRef};
use crate::tally::run::batches::Batch;
use crate::tally::run::cutting::Place;

const ROWS: usize = 4096;
const GAMES: usize = 1024;
const REJECTS: usize = 4096;
/// Fast, since a run is read once or twice; chosen, not tuned.
const LEVEL: i32 = 1;

/// Boards of rows that are packed before they are written; chosen, not tuned.
const ROUND: usize = 64;

/// Writes a batch as a run file, its rows packed on the threads of a pool if there is one; `names` are the names of its
/// sources.
///
/// # Errors
/// [`StorageError`]: the file cannot be written.
pub fn write_run<N: AsRef<str>>(
    path: &Path,
    batch: &Batch,
    names: &[N],
    pool: Option<&ThreadPool>,
) -> Result<(), StorageError> {
    let mut writer = RunWriter::create(path)?;
    let mut room = Room::default();
    for start in (0..batch.rows.boards()).step_by(ROUND) {
        let round = start..batch.rows.boards().min(start + ROUND);
        let pack = |room: &mut Room, board| {
            room.rows.clear();
            batch.rows.take_board(board, KeyRange::ALL, &mut room.rows);
            Packed::rows(path, &room.rows, &mut room.bytes)
        };
        let blocks: Result<Vec<_>, StorageError> = match pool {
            Some(pool) => pool.install(|| round.into_par_iter().map_init(Room::default, pack).collect()),
            None => round.map(|board| pack(&mut room, board)).collect(),
        };
        blocks?.into_iter().flatten().try_for_each(|block| writer.packed(block))?;
    }
    writer.table(RowsRef::default(), &batch.games)?;
    for some in batch.rejects.chunks(REJECTS) {
        writer.block(Kind::Rejects, KeyRange::ALL, some.len() as u64, &reject_lines(some, names))?;
    }
    writer.block(Kind::Rejected, KeyRange::ALL, 0, &joined(&batch.rejects))?;
    let sources = batch.sources.iter().map(|(index, report)| (*index, report));
    let figures = figures(sources, batch.observations, batch.superseded);
    writer.block(Kind::Figures, KeyRange::ALL, 1, figures.as_bytes())?;
    writer.finish(batch.end, batch.observations)
}

/// Scratch space of one thread.
#[derive(Debug, Default)]
struct Room {
    rows: Vec<Row>,
    bytes: Vec<u8>,
}

/// A block in the bytes of a file, and its section but for the offset.
struct Packed {
    section: Section,
    bytes: Vec<u8>,
}

impl Packed {
    fn of(
        path: &Path,
        kind: Kind,
        range: KeyRange,
        items: u64,
        bytes: &[u8],
    ) -> Result<Packed, StorageError> {
        let packed = zstd::bulk::compress(bytes, LEVEL).map_err(|error| StorageError::io(path, error))?;
        let section = Section {
            kind,
            range,
            items,
            offset: 0,
            bytes: packed.len(),
            inflated: bytes.len(),
            checksum: xxh3_64(&packed),
        };
        Ok(Packed { section, bytes: packed })
    }

    /// Returns a block of up to some thousands of sorted rows, `None` of no rows; `bytes` is scratch space.
    fn rows(path: &Path, rows: &[Row], bytes: &mut Vec<u8>) -> Result<Option<Packed>, StorageError> {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(None) };
        bytes.clear();
        encode_rows(rows, bytes);
        let range = KeyRange { first: first.key, last: last.key };
        Packed::of(path, Kind::Rows, range, rows.len() as u64, bytes).map(Some)
    }
}

/// Writes a run file block by block.
pub struct RunWriter {
    path: PathBuf,
    file: Draft,
    offset: u64,
    sections: Vec<Section>,
    room: Vec<u8>,
}

impl RunWriter {
    /// Begins a file, under a temporary name.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be made.
    pub fn create(path: &Path) -> Result<RunWriter, StorageError> {
        let mut writer = RunWriter {
            path: path.to_owned(),
            file: Draft::of(path).map_err(|error| StorageError::io(path, error))?,
            offset: 0,
            sections: Vec::new(),
            room: Vec::new(),
        };
        writer.put(MAGIC)?;
        Ok(writer)
    }

    /// Appends a sorted table and sorted games, whatever their size.
    ///
    /// # Errors
    /// [`StorageError`]: they cannot be written.
    pub fn table(&mut self, table: RowsRef<'_>, games: &Games) -> Result<(), StorageError> {
        let mut rows = Vec::with_capacity(ROWS);
        for start in (0..table.len()).step_by(ROWS) {
            rows.clear();
            rows.extend((start..table.len().min(start + ROWS)).map(|index| table.row(index)));
            self.rows(&rows)?;
        }
        for start in (0..games.len()).step_by(GAMES) {
            let mut some = Games::default();
            some.extend(games, start..games.len().min(start + GAMES));
            self.games(&some)?;
        }
        Ok(())
    }

    /// Appends up to some thousands of sorted rows.
    ///
    /// # Errors
    /// [`StorageError`]: they cannot be written.
    pub fn rows(&mut self, rows: &[Row]) -> Result<(), StorageError> {
        let block = Packed::rows(&self.path, rows, &mut self.room)?;
        block.map_or(Ok(()), |block| self.packed(block))
    }

    /// Appends up to some thousands of sorted games.
    ///
    /// # Errors
    /// [`StorageError`]: they cannot be written.
    pub fn games(&mut self, games: &Games) -> Result<(), StorageError> {
        let mut bytes = Vec::new();
        encode(games, &mut bytes);
        self.block(Kind::Games, KeyRange::ALL, games.len() as u64, &bytes)
    }

    /// Appends a block, unless it is empty.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written.
    pub fn block(
        &mut self,
        kind: Kind,
        range: KeyRange,
        items: u64,
        bytes: &[u8],
    ) -> Result<(), StorageError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.packed(Packed::of(&self.path, kind, range, items, bytes)?)
    }

    fn packed(&mut self, block: Packed) -> Result<(), StorageError> {
        self.sections.push(Section { offset: self.offset, ..block.section });
        self.put(&block.bytes)
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written.
    pub fn finish(mut self, end: Place, observations: u64) -> Result<(), StorageError> {
        let sections = std::mem::take(&mut self.sections);
        let footer = Footer { end, observations, sections }.encode(self.offset);
        self.put(&footer)?;
        self.file.publish().map_err(|error| StorageError::io(&self.path, error))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| StorageError::io(&self.path, error))
    }
}
