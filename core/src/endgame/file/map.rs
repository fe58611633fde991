//! A table on disk. The file is memory-mapped: opening reads only the header and the directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{ENTRY_BYTES, HEADER_BYTES, Header};
use super::pack;
use super::write::best_conversion;
use crate::book::map::map_file;
use crate::endgame::EndgameError;
use crate::endgame::reached::Men;
use crate::endgame::solve::Sides;
use crate::endgame::space::Space;
use crate::endgame::table::Table;
use crate::endgame::value::{Cell, Metric, Value};
use crate::game::Side;

/// An open table.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    map: Mmap,
    header: Header,
    /// Where each block starts, and where the last one ends.
    offsets: Vec<u64>,
}

impl TableFile {
    /// Opens a table. Checks header, length and directory; a block is checked when it is read.
    ///
    /// # Errors
    /// [`EndgameError`] for what is wrong first.
    pub fn open(path: &Path) -> Result<TableFile, EndgameError> {
        let map = map_file(path).map_err(EndgameError::io(path))?;
        let Some(map) = map else {
            let (path, expected) = (path.to_owned(), HEADER_BYTES as u64);
            return Err(EndgameError::Length { path, expected, found: 0 });
        };
        let length = map.len() as u64;
        let header = Header::decode(&map, length, path)?;
        let end = header.blocks().checked_mul(ENTRY_BYTES).and_then(|bytes| bytes.checked_add(HEADER_BYTES));
        let directory = end.and_then(|end| map.get(HEADER_BYTES..end));
        let damaged = || EndgameError::Damaged {
            path: path.to_owned(),
            what: "the directory".to_owned(),
            offset: HEADER_BYTES as u64,
        };
        let directory =
            directory.filter(|bytes| xxh3_64(bytes) == header.directory_sum).ok_or_else(damaged)?;
        let mut offsets = vec![(HEADER_BYTES + directory.len()) as u64];
        for entry in directory.chunks_exact(ENTRY_BYTES) {
            let start = offsets[offsets.len() - 1];
            offsets.push(start + pack::length(word(entry, 0)) as u64);
        }
        if offsets.last() != Some(&length) {
            return Err(damaged());
        }
        Ok(TableFile { path: path.to_owned(), map, header, offsets })
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the bytes of a block.
    ///
    /// # Errors
    /// [`EndgameError::Damaged`] if the checksum does not match.
    pub(in crate::endgame) fn block(&self, block: usize) -> Result<Vec<u8>, EndgameError> {
        let (start, end) = (self.offsets[block] as usize, self.offsets[block + 1] as usize);
        let entry = &self.map[HEADER_BYTES + block * ENTRY_BYTES..][..ENTRY_BYTES];
        let packed = &self.map[start..end];
        let block_bytes = (xxh3_64(packed) as u32 == word(entry, 4))
            .then(|| pack::unpacked(word(entry, 0), packed))
            .flatten();
        block_bytes.ok_or_else(|| EndgameError::Damaged {
            path: self.path.clone(),
            what: format!("block {block} of {}", self.header.blocks()),
            offset: start as u64,
        })
    }

    /// Checks every block against its checksum.
    ///
    /// # Errors
    /// [`EndgameError::Damaged`] for the first that is wrong.
    pub fn check(&self) -> Result<(), EndgameError> {
        (0..self.header.blocks()).try_for_each(|block| self.block(block).map(|_| ()))
    }

    /// Returns the whole table in memory, every block checked. `others` are the tables that it leads to; they are
    /// asked only where cells leave out what conversions decide.
    ///
    /// # Errors
    /// [`EndgameError`] where a block is damaged, the numbering is not that of this program, or one of the others that
    /// have to be asked is not given.
    pub fn load<S: Space>(&self, others: &[Arc<Table<S>>]) -> Result<Table<S>, EndgameError> {
        let space = S::new(&self.header.material)?;
        if self.header.metric == Metric::Wld
            && let Some(material) = space.dependencies().get(others.len())
        {
            let folder = self.path.parent().unwrap_or(Path::new("")).to_owned();
            return Err(EndgameError::Missing { folder, material: material.to_string() });
        }
        if space.gapless_len() != self.header.cells {
            let (path, what) = (self.path.clone(), "the number of cells".to_owned());
            return Err(EndgameError::Damaged { path, what, offset: 32 });
        }
        let blocks = (0..self.header.blocks())
            .into_par_iter()
            .map(|block| self.block(block))
            .collect::<Result<Vec<_>, _>>()?;
        let slices = (0..space.slices()).map(|slice| self.slice(&space, slice, &blocks, others)).collect();
        Ok(Table::new(space, self.header.metric, slices))
    }

    fn slice<S: Space>(
        &self,
        space: &S,
        slice: usize,
        blocks: &[Vec<u8>],
        others: &[Arc<Table<S>>],
    ) -> Sides {
        [Side::First, Side::Second].map(|side| {
            let cell = |cell: usize| match space.men(slice, cell) {
                Some(men) if !space.is_check(&men, side.other()) => {
                    let (men, side) = self.seen(space, &men, side);
                    let (block, at) = self.cell_of(space.gapless_index(&men), side);
                    let value = self.header.bits.value(self.header.bits.get(&blocks[block], at));
                    let is_open = self.leaves_out(value);
                    let best = is_open.then(|| best_conversion(space, others, &men, side)).flatten();
                    Cell::of(best.map_or(value, |best| value.at_least(best)))
                }
                _ => Cell::INVALID,
            };
            (0..space.cells()).into_par_iter().with_min_len(1 << 12).map(cell).collect()
        })
    }

    /// Returns a position as the file holds it: of a material that is its own twin, the first side to move.
    #[inline]
    pub(in crate::endgame) fn seen<S: Space>(&self, space: &S, men: &Men, side: Side) -> (Men, Side) {
        if !self.header.is_one_sided || side == Side::First {
            return (*men, side);
        }
        (space.exchanged(men), Side::First)
    }

    /// Returns whether a position may be worth more than its cell says, by a conversion.
    #[inline]
    pub(in crate::endgame) fn leaves_out(&self, value: Value) -> bool {
        self.header.metric == Metric::Wld && value.wdl() < 1
    }

    /// Returns the block of a cell and its place there.
    #[inline]
    pub(in crate::endgame) fn cell_of(&self, index: u64, side: Side) -> (usize, usize) {
        let each = self.header.bits.block_cells() as u64;
        let block = (index / each) as usize + side.index() * self.header.side_blocks();
        (block, (index % each) as usize)
    }
}

fn word(entry: &[u8], offset: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&entry[offset..offset + 4]);
    u32::from_le_bytes(bytes)
}
