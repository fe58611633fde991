//! Tables on disk, `.bbtb`: one file per material and metric. `layout` specifies the format.

use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout::{BLOCK_BYTES, ENTRY_BYTES, HEADER_BYTES};
use memmap2::Mmap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::book::map::map_file;
use crate::disk::Draft;
use crate::endgame::error::EndgameError;
use crate::endgame::material::{Material, Men, Target};
use crate::endgame::solve::{Sides, Table};
use crate::endgame::space::Space;
use crate::endgame::stats::Stats;
use crate::endgame::value::{Cell, Metric, Value};
use crate::game::Side;

pub use layout::{Bits, Header, Index, MAGIC, VERSION};

mod layout;

/// Returns the name of the file of a table, such as `KRvK.chess.dtm.bbtb`.
pub fn file_name(material: &Material, metric: Metric) -> String {
    format!("{material}.{}.{}.bbtb", material.game().name(), metric.name())
}

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
    pub fn open(path: &Path) -> Result<TableFile, EndgameError> {
        let map = map_file(path).map_err(EndgameError::io(path))?;
        let Some(map) = map else {
            return Err(EndgameError::length(path, 0, HEADER_BYTES as u64));
        };
        let length = map.len() as u64;
        let header = Header::decode(&map, length, path)?;
        let end = header.blocks().checked_mul(ENTRY_BYTES).and_then(|bytes| bytes.checked_add(HEADER_BYTES));
        let directory = end.and_then(|end| map.get(HEADER_BYTES..end));
        let damaged = || EndgameError::damaged(path, "the directory", HEADER_BYTES as u64);
        let directory =
            directory.filter(|bytes| xxh3_64(bytes) == header.directory_sum).ok_or_else(damaged)?;
        let mut offsets = vec![(HEADER_BYTES + directory.len()) as u64];
        for entry in directory.chunks_exact(ENTRY_BYTES) {
            let start = offsets[offsets.len() - 1];
            offsets.push(start + u64::from(word(entry, 0) & LENGTH));
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

    pub(in crate::endgame) fn block(&self, block: usize) -> Result<Vec<u8>, EndgameError> {
        let (start, end) = (self.offsets[block] as usize, self.offsets[block + 1] as usize);
        let entry = &self.map[HEADER_BYTES + block * ENTRY_BYTES..][..ENTRY_BYTES];
        let packed = &self.map[start..end];
        let block_bytes =
            (xxh3_64(packed) as u32 == word(entry, 4)).then(|| unpacked(word(entry, 0), packed)).flatten();
        block_bytes.ok_or_else(|| {
            let part = format!("block {block} of {}", self.header.blocks());
            EndgameError::damaged(&self.path, &part, start as u64)
        })
    }

    /// Checks every block against its checksum.
    pub fn check(&self) -> Result<(), EndgameError> {
        (0..self.header.blocks()).try_for_each(|block| self.block(block).map(|_| ()))
    }

    /// Returns the whole table in memory, every block checked. `others` are the tables that it leads to; they are
    /// asked only where cells leave out what conversions decide.
    pub fn load<S: Space>(&self, others: &[Arc<Table<S>>]) -> Result<Table<S>, EndgameError> {
        let space = S::new(&self.header.material)?;
        if self.header.metric == Metric::Wld
            && let Some(material) = space.dependencies().get(others.len())
        {
            let folder = self.path.parent().unwrap_or(Path::new("")).to_owned();
            return Err(EndgameError::Missing(folder, material.to_string()));
        }
        if self.header.index.count(&space) != self.header.cells {
            return Err(EndgameError::damaged(&self.path, "the number of cells", 32));
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
                    let (block, at) = self.cell_of(self.header.index.number(space, &men), side);
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

/// A table with its header.
struct Written<'a, S> {
    table: &'a Table<S>,
    others: &'a [Arc<Table<S>>],
    header: Header,
}

/// Codes that a cell may have.
#[derive(Clone, Copy)]
enum Fit {
    Anything,
    AllBut(u16),
    Only(u16),
}

impl<S: Space> Table<S> {
    /// Writes the table atomically and returns the header. `others` are its dependencies.
    pub fn write(
        &self,
        path: &Path,
        others: &[Arc<Table<S>>],
        stats: &Stats,
        index: Index,
    ) -> Result<Header, EndgameError> {
        let counts = [0, 1].map(|side| {
            let count = &stats.sides[side].full;
            [count.win, count.draw, count.loss]
        });
        let longest = [0, 1].map(|side| {
            let count = &stats.sides[side].full;
            [count.max_win().0, count.max_loss().0]
        });
        let most = longest.into_iter().flatten().max().unwrap_or(0);
        let header = Header {
            material: self.material().clone(),
            metric: self.metric(),
            is_one_sided: *self.material() == self.material().flipped(),
            index,
            bits: Bits::of(self.metric(), most),
            cells: index.count(self.space()),
            counts,
            longest,
            file_bytes: 0,
            directory_sum: 0,
        };
        Written { table: self, others, header }.write(path).map_err(EndgameError::io(path))
    }
}

impl<S: Space> Written<'_, S> {
    fn write(mut self, path: &Path) -> io::Result<Header> {
        let packed: Vec<(u32, Vec<u8>)> = (0..self.header.blocks())
            .into_par_iter()
            .map(|block| self.pack(block))
            .collect::<io::Result<_>>()?;
        let mut directory = Vec::with_capacity(packed.len() * ENTRY_BYTES);
        for (length, bytes) in &packed {
            directory.extend(length.to_le_bytes());
            directory.extend((xxh3_64(bytes) as u32).to_le_bytes());
        }
        let content: usize = packed.iter().map(|(_, bytes)| bytes.len()).sum();
        self.header.file_bytes = (HEADER_BYTES + directory.len() + content) as u64;
        self.header.directory_sum = xxh3_64(&directory);
        let mut out = Draft::of(path)?;
        out.write_all(&self.header.encode())?;
        out.write_all(&directory)?;
        packed.iter().try_for_each(|(_, bytes)| out.write_all(bytes))?;
        out.publish()?;
        Ok(self.header)
    }

    /// Returns the directory's length word and the packed bytes of a block.
    fn pack(&self, block: usize) -> io::Result<(u32, Vec<u8>)> {
        let (bits, side) = (self.header.bits, self.header.side_of(block));
        let fits: Vec<Fit> = self.header.cells_of(block).map(|index| self.fit(index, side)).collect();
        let first = fits.iter().find_map(|fit| if let Fit::Only(code) = fit { Some(*code) } else { None });
        let mut code = first.unwrap_or(bits.code(Value::Draw));
        let mut bytes = vec![0; BLOCK_BYTES];
        for at in 0..bits.block_cells() {
            code = match fits.get(at) {
                Some(Fit::Only(only)) => *only,
                Some(Fit::AllBut(other)) if *other == code => bits.code(Value::Draw),
                // Repeats pack best.
                _ => code,
            };
            bits.put(&mut bytes, at, code);
        }
        packed(bytes, bits)
    }

    /// Returns what the cell of a number may hold.
    fn fit(&self, number: u64, side: Side) -> Fit {
        let (space, bits) = (self.table.space(), self.header.bits);
        let Some(men) = self.header.index.men(space, number) else { return Fit::Anything };
        let Some(value) = self.table.value(&men, side) else { return Fit::Anything };
        if self.header.metric != Metric::Wld || value.wdl() < 0 {
            return Fit::Only(bits.code(value));
        }
        match best_conversion(space, self.others, &men, side) == Some(value.wdl()) {
            true if value == Value::Draw => Fit::AllBut(bits.code(Value::Win(0))),
            true => Fit::Anything,
            false => Fit::Only(bits.code(value)),
        }
    }
}

/// Returns who wins by the best legal conversion of a side: 1, 0 or −1; `None` if it has none.
pub(super) fn best_conversion<S: Space>(
    space: &S,
    others: &[Arc<Table<S>>],
    men: &Men,
    side: Side,
) -> Option<i8> {
    let mut best = None;
    space.conversions(men, side, &mut |_, reached| {
        if let Target::Other(table) = reached.target {
            let value = others[table].value(&reached.men, reached.to_move);
            best = best.max(value.map(|value| -value.wdl()));
        }
    });
    best
}

const LENGTH: u32 = (1 << 30) - 1;
const RAW: u32 = 0;
const ZSTD: u32 = 1;
const REPEATED: u32 = 2;
const SPREAD: u32 = 3;

/// Effort of zstd where only who wins is kept: small, and the size is what counts.
const WLD_LEVEL: i32 = 19;
/// Effort of zstd for distances: higher levels take several times as long for some hundredths of the size.
const DISTANCE_LEVEL: i32 = 6;

/// Returns the word of the directory and the packed bytes.
pub(super) fn packed(block: Vec<u8>, bits: Bits) -> io::Result<(u32, Vec<u8>)> {
    if block.iter().all(|&byte| byte == block[0]) {
        return Ok((REPEATED << 30 | 1, vec![block[0]]));
    }
    let (how, small) = match bits {
        // Repeats rarely begin where a byte of four cells does.
        Bits::Two => (SPREAD, zstd::bulk::compress(&spread(&block), WLD_LEVEL)?),
        Bits::Eight | Bits::Sixteen => (ZSTD, zstd::bulk::compress(&block, DISTANCE_LEVEL)?),
    };
    Ok(if small.len() < block.len() {
        (how << 30 | small.len() as u32, small)
    } else {
        (RAW << 30 | block.len() as u32, block)
    })
}

/// Returns cells of two bits, one per byte.
fn spread(block: &[u8]) -> Vec<u8> {
    block.iter().flat_map(|&byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3)).collect()
}

/// Returns cells of a byte in two bits each.
fn gathered(cells: &[u8]) -> Vec<u8> {
    let (fours, _) = cells.as_chunks::<4>();
    fours.iter().map(|&[a, b, c, d]| a | b << 2 | c << 4 | d << 6).collect()
}

/// Returns the bytes of a block; `None` where they are not what was packed.
pub(super) fn unpacked(word: u32, bytes: &[u8]) -> Option<Vec<u8>> {
    let block = match word >> 30 {
        RAW => bytes.to_vec(),
        ZSTD => zstd::bulk::decompress(bytes, BLOCK_BYTES).ok()?,
        REPEATED => vec![*bytes.first()?; BLOCK_BYTES],
        _ => gathered(&zstd::bulk::decompress(bytes, 4 * BLOCK_BYTES).ok()?),
    };
    (block.len() == BLOCK_BYTES).then_some(block)
}
