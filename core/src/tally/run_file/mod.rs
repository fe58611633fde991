//! The run file: what one batch of a tally came to, on disk until it is merged. Native, compact, checksummed.
//!
//! | part | content |
//! |---|---|
//! | magic | `BBRUN`, two zeros, version 2 |
//! | blocks | each of one kind, compressed by zstd: up to 4,096 rows; up to 1,024 games; rejects as lines of JSON; rejected games as they stand; figures as JSON |
//! | footer | the place behind the batch; observations; of each block: kind, first and last key, items, offset, bytes, bytes when inflated, XXH3 |
//! | trailer, 24 bytes | offset of the footer, its XXH3, the magic |
//!
//! Rows are sorted, so the blocks of a key range lie together. A file appears whole, by rename, or not at all.

pub(super) mod coding;
pub(super) mod games_coding;
mod report;
mod rows_coding;
pub(super) mod storage;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::games::Games;
use super::reject::joined;
use super::rows::merge::RowBlocks;
use super::rows::row::{Row, RowsRef};
use super::run::batches::Batch;
use super::run::cutting::Place;
use coding::{Taker, put};
use games_coding::GameBlocks;
use rows_coding::{decode_rows, encode_rows};
use storage::{KeyRange, StorageError};

const MAGIC: &[u8; 8] = b"BBRUN\0\0\x02";
const TRAILER_BYTES: u64 = 24;
const ROWS: usize = 4096;
const GAMES: usize = 1024;
const TEXT_BYTES: usize = 1 << 20;
/// Bytes that a packed byte seldom exceeds; chosen.
const USUAL_RATIO: usize = 64;
/// Fast, since a run is read once or twice; chosen, not tuned.
const LEVEL: i32 = 1;

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
    /// The figures of a batch, one JSON object.
    Figures,
}

const KINDS: [Kind; 5] = [Kind::Rows, Kind::Games, Kind::Rejects, Kind::Rejected, Kind::Figures];

/// Where a block is and what it holds.
#[derive(Debug, Clone, Copy)]
struct Section {
    kind: Kind,
    range: KeyRange,
    items: u64,
    offset: u64,
    bytes: usize,
    inflated: usize,
    checksum: u64,
}

/// Writes a batch as a run file; `names` are those of its sources.
///
/// # Errors
/// [`StorageError`]: the file cannot be written.
pub fn write_run<N: AsRef<str>>(path: &Path, batch: &Batch, names: &[N]) -> Result<(), StorageError> {
    let mut writer = RunWriter::create(path)?;
    for rows in batch.rows.chunks(ROWS) {
        writer.table(rows.view(), &Games::default())?;
    }
    writer.table(RowsRef::default(), &batch.games)?;
    let mut lines = Vec::new();
    for reject in &batch.rejects {
        report::put_reject(&mut lines, reject, names[reject.source as usize].as_ref());
        if lines.len() > TEXT_BYTES {
            writer.block(Kind::Rejects, KeyRange::ALL, 0, &std::mem::take(&mut lines))?;
        }
    }
    writer.block(Kind::Rejects, KeyRange::ALL, batch.rejects.len() as u64, &lines)?;
    writer.block(Kind::Rejected, KeyRange::ALL, 0, &joined(&batch.rejects))?;
    writer.block(Kind::Figures, KeyRange::ALL, 1, report::figures(batch).as_bytes())?;
    writer.finish(batch.end, batch.observations)
}

/// Writes a run file block by block.
pub struct RunWriter {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
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
        let temporary = path.with_extension("tmp");
        let file = File::create(&temporary).map_err(|error| StorageError::io(&temporary, error))?;
        let mut writer = RunWriter {
            path: path.to_owned(),
            temporary,
            file: BufWriter::with_capacity(1 << 20, file),
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
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        let mut bytes = std::mem::take(&mut self.room);
        bytes.clear();
        encode_rows(rows, &mut bytes);
        let range = KeyRange { first: first.key, last: last.key };
        self.block(Kind::Rows, range, rows.len() as u64, &bytes)?;
        self.room = bytes;
        Ok(())
    }

    /// Appends up to some thousands of sorted games.
    ///
    /// # Errors
    /// [`StorageError`]: they cannot be written.
    pub fn games(&mut self, games: &Games) -> Result<(), StorageError> {
        let mut bytes = Vec::new();
        games_coding::encode(games, &mut bytes);
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
        let packed = zstd::bulk::compress(bytes, LEVEL);
        let packed = packed.map_err(|error| StorageError::io(&self.temporary, error))?;
        self.sections.push(Section {
            kind,
            range,
            items,
            offset: self.offset,
            bytes: packed.len(),
            inflated: bytes.len(),
            checksum: xxh3_64(&packed),
        });
        self.put(&packed)
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written.
    pub fn finish(mut self, end: Place, observations: u64) -> Result<(), StorageError> {
        let mut footer = Vec::new();
        let place = [u64::from(end.source), end.sequence, end.games_read, end.games_used];
        place.into_iter().chain([observations]).for_each(|number| put(&mut footer, number));
        put(&mut footer, self.sections.len() as u64);
        for section in &self.sections {
            let Section { kind, range, items, offset, bytes, inflated, checksum } = *section;
            let numbers = [range.first, range.last, items, offset, bytes as u64, inflated as u64];
            put(&mut footer, kind as u64);
            numbers.into_iter().for_each(|number| put(&mut footer, number));
            footer.extend_from_slice(&checksum.to_le_bytes());
        }
        let start = self.offset;
        self.put(&footer)?;
        self.put(&start.to_le_bytes())?;
        self.put(&xxh3_64(&footer).to_le_bytes())?;
        self.put(MAGIC)?;
        publish(self.file, &self.temporary, &self.path)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.offset += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| StorageError::io(&self.temporary, error))
    }
}

/// Gives a file that is whole its name; what was written is on disk before.
///
/// # Errors
/// [`StorageError`]: it cannot be written or renamed.
pub fn publish(file: BufWriter<File>, temporary: &Path, path: &Path) -> Result<(), StorageError> {
    let failed = |error| StorageError::io(temporary, error);
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(temporary, path).map_err(failed)
}

/// A run file that is open.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    end: Place,
    observations: u64,
    sections: Vec<Section>,
}

impl RunFile {
    /// Opens a run file.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or is damaged.
    pub fn open(path: &Path) -> Result<RunFile, StorageError> {
        let failed = |error| StorageError::io(path, error);
        let damaged = || StorageError::damaged(path, "expected a run file of version 1");
        let mut file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut trailer = [0; TRAILER_BYTES as usize];
        let behind = size.checked_sub(TRAILER_BYTES).ok_or_else(damaged)?;
        file.seek(SeekFrom::Start(behind)).and_then(|_| file.read_exact(&mut trailer)).map_err(failed)?;
        let (start, checksum) = parse_trailer(&trailer).ok_or_else(damaged)?;
        if start > behind {
            return Err(damaged());
        }
        let mut footer = vec![0; (behind - start) as usize];
        file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut footer)).map_err(failed)?;
        if xxh3_64(&footer) != checksum {
            return Err(StorageError::damaged(path, "its footer has another checksum than was written"));
        }
        let (end, observations, sections) = parse_footer(&footer).ok_or_else(damaged)?;
        Ok(RunFile { path: path.to_owned(), end, observations, sections })
    }

    /// Returns the place behind the run.
    pub fn end(&self) -> Place {
        self.end
    }

    /// Returns the number of observations that the run counts.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Returns the rows whose keys lie in a range, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn rows(&self, range: KeyRange) -> Result<RunRows, StorageError> {
        let sections = self.sections.iter().filter(|each| each.kind == Kind::Rows && each.range.meets(range));
        Ok(RunRows { blocks: Blocks::open(&self.path, sections)?, range })
    }

    /// Returns the games, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn games(&self) -> Result<RunGames, StorageError> {
        Ok(RunGames { blocks: self.blocks(Kind::Games)? })
    }

    /// Returns offset and length of the blocks of some kinds; of rows, those that meet a range of keys.
    pub fn extents(&self, kinds: &[Kind], range: KeyRange) -> Vec<(u64, u64)> {
        let is_meant = |each: &&Section| kinds.contains(&each.kind) && each.range.meets(range);
        self.sections.iter().filter(is_meant).map(|each| (each.offset, each.bytes as u64)).collect()
    }

    /// Returns how many blocks of one kind there are.
    pub fn count(&self, kind: Kind) -> usize {
        self.sections.iter().filter(|each| each.kind == kind).count()
    }

    /// Returns the blocks of one kind.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn blocks(&self, kind: Kind) -> Result<Blocks, StorageError> {
        Blocks::open(&self.path, self.sections.iter().filter(|each| each.kind == kind))
    }
}

/// Returns where the footer begins, as the last bytes of a run file say.
pub fn footer_start(last: &[u8]) -> Option<u64> {
    parse_trailer(last).map(|(start, _)| start)
}

fn parse_trailer(last: &[u8]) -> Option<(u64, u64)> {
    let trailer = last.last_chunk::<{ TRAILER_BYTES as usize }>()?;
    let mut taker = Taker::new(trailer);
    let found = taker.fixed().zip(taker.fixed())?;
    trailer.ends_with(MAGIC).then_some(found)
}

fn parse_footer(footer: &[u8]) -> Option<(Place, u64, Vec<Section>)> {
    let mut taker = Taker::new(footer);
    let end = Place {
        source: taker.small()?,
        sequence: taker.number()?,
        games_read: taker.number()?,
        games_used: taker.number()?,
    };
    let observations = taker.number()?;
    let count = taker.number()?;
    let mut sections = Vec::new();
    for _ in 0..count {
        sections.push(Section {
            kind: *KINDS.get(taker.small::<usize>()?)?,
            range: KeyRange { first: taker.number()?, last: taker.number()? },
            items: taker.number()?,
            offset: taker.number()?,
            bytes: taker.small()?,
            inflated: taker.small()?,
            checksum: taker.fixed()?,
        });
    }
    taker.is_empty().then_some((end, observations, sections))
}

/// Blocks of a run file, one after the other.
#[derive(Debug)]
pub struct Blocks {
    path: PathBuf,
    file: File,
    sections: std::vec::IntoIter<Section>,
    packed: Vec<u8>,
}

impl Blocks {
    fn open<'a>(path: &Path, sections: impl Iterator<Item = &'a Section>) -> Result<Blocks, StorageError> {
        let file = File::open(path).map_err(|error| StorageError::io(path, error))?;
        let sections = sections.copied().collect::<Vec<_>>().into_iter();
        Ok(Blocks { path: path.to_owned(), file, sections, packed: Vec::new() })
    }

    /// Returns the next block's number of items and bytes.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or is damaged.
    pub fn next_block(&mut self) -> Result<Option<(usize, Vec<u8>)>, StorageError> {
        let Some(section) = self.sections.next() else { return Ok(None) };
        let failed = |error| StorageError::io(&self.path, error);
        // No file makes us ask for more memory than it has bytes.
        if section.bytes as u64 > self.file.metadata().map_err(failed)?.len() {
            return Err(self.unreadable());
        }
        self.packed.resize(section.bytes, 0);
        let read = self.file.seek(SeekFrom::Start(section.offset));
        read.and_then(|_| self.file.read_exact(&mut self.packed)).map_err(failed)?;
        if xxh3_64(&self.packed) != section.checksum {
            let what = format!("the block at {} has another checksum than was written", section.offset);
            return Err(StorageError::damaged(&self.path, what));
        }
        let bytes = inflated(&self.packed, section.inflated)
            .map_err(|error| StorageError::damaged(&self.path, error.to_string()))?;
        if bytes.len() != section.inflated {
            return Err(self.unreadable());
        }
        Ok(Some((section.items as usize, bytes)))
    }

    fn unreadable(&self) -> StorageError {
        StorageError::damaged(&self.path, "a block does not hold what its footer says")
    }
}

/// Returns what a block holds, up to one byte more than is expected. Memory grows with what there is, not with what is
/// expected.
fn inflated(packed: &[u8], expected: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected.min(USUAL_RATIO * packed.len()));
    zstd::stream::read::Decoder::with_buffer(packed)?.take(expected as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The rows of a run file whose keys lie in a range.
#[derive(Debug)]
pub struct RunRows {
    blocks: Blocks,
    range: KeyRange,
}

impl RowBlocks for RunRows {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while rows.is_empty() {
            let Some((count, bytes)) = self.blocks.next_block()? else { break };
            decode_rows(&bytes, count, rows).ok_or_else(|| self.blocks.unreadable())?;
            rows.retain(|row| self.range.holds(row.key));
        }
        Ok(())
    }
}

/// The games of a run file.
#[derive(Debug)]
pub struct RunGames {
    blocks: Blocks,
}

impl GameBlocks for RunGames {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        let Some((_, bytes)) = self.blocks.next_block()? else { return Ok(Games::default()) };
        games_coding::decode(&bytes).ok_or_else(|| self.blocks.unreadable())
    }
}
