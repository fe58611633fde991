//! Reads run files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::footer::{Footer, Kind, Section, TRAILER_BYTES, parse_trailer};
use super::games_coding::{GameBlocks, decode};
use super::rows_coding::decode_rows;
use super::storage::{KeyRange, StorageError};
use crate::tally::games::Games;
use crate::tally::rows::merge::RowBlocks;
use crate::tally::rows::row::Row;
use crate::tally::run::cutting::Place;

/// Bytes that a packed byte seldom exceeds; chosen.
const USUAL_RATIO: usize = 64;

/// A run file that is open.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    footer: Footer,
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
        let footer = Footer::parse(&footer).ok_or_else(damaged)?;
        Ok(RunFile { path: path.to_owned(), footer })
    }

    /// Returns the place behind the run.
    pub fn end(&self) -> Place {
        self.footer.end
    }

    /// Returns the number of observations that the run counts.
    pub fn observations(&self) -> u64 {
        self.footer.observations
    }

    /// Returns the rows whose keys lie in a range, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn rows(&self, range: KeyRange) -> Result<RunRows, StorageError> {
        let sections =
            self.footer.sections.iter().filter(|each| each.kind == Kind::Rows && each.range.meets(range));
        Ok(RunRows { blocks: Blocks::open(&self.path, sections)?, range })
    }

    /// Returns the games, in order.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn games(&self) -> Result<RunGames, StorageError> {
        Ok(RunGames { blocks: self.blocks(Kind::Games)? })
    }

    /// Returns offset and length of the blocks of some kinds; of row blocks, only the blocks that meet a range of keys.
    pub fn extents(&self, kinds: &[Kind], range: KeyRange) -> Vec<(u64, u64)> {
        let is_meant = |each: &&Section| kinds.contains(&each.kind) && each.range.meets(range);
        self.footer.sections.iter().filter(is_meant).map(|each| (each.offset, each.bytes as u64)).collect()
    }

    /// Returns the number of blocks of one kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.footer.sections.iter().filter(|each| each.kind == kind).count()
    }

    /// Returns the blocks of one kind.
    ///
    /// # Errors
    /// [`StorageError`]: the file cannot be opened.
    pub fn blocks(&self, kind: Kind) -> Result<Blocks, StorageError> {
        Blocks::open(&self.path, self.footer.sections.iter().filter(|each| each.kind == kind))
    }
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
        decode(&bytes).ok_or_else(|| self.blocks.unreadable())
    }
}
