//! The `.bbtb` file, little-endian: one material, one metric.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 4 bytes | magic `BBTB` |
//! | 4 | u16 | format version |
//! | 6 | u8 | game: 0 chess, 1 xiangqi |
//! | 7 | u8 | rules: 0 plain (no move-count rule; xiangqi: no repetition rule, endless play is a draw) |
//! | 8 | u8 | metric: 0 wld, 1 dtm, 2 dtc, 3 dtz |
//! | 9 | u8 | sides to move held: 1 the first only (its colour-flipped twin is the second), 3 both |
//! | 10 | u8 | bits of a cell: 2, 8 or 16 |
//! | 11 | u8 | k: a block has 2^k cells |
//! | 12 | u32 | index: 1 gapless, 2 gapped: the cells of [`Space`], slice by slice |
//! | 16 | 16 bytes | material name, ASCII, padded with NUL |
//! | 32 | u64 | n, cells of each side |
//! | 40 | 2 × 3 × u64 | positions won, drawn and lost, first side to move and second, full counts |
//! | 88 | 2 × 2 × u16 | longest win and loss in plies, first side to move and second |
//! | 96 | u64 | XXH3-64 of the block directory |
//! | 104 | u64 | length of the file |
//! | 112 | u64 | 0 |
//! | 120 | u64 | XXH3-64 of bytes 0–119 |
//! | 128 | blocks × 2 × u32 | directory: length and packing of each block, low half of the XXH3-64 of its bytes |
//! | … | | blocks, the first side's before the second's |
//!
//! The two top bits of a length say how the block is packed: 0 as it is, 1 zstd, 2 one byte repeated, 3 zstd of a
//! byte for each cell of 2 bits.
//!
//! Cells of 2 bits: 1 loss, 2 draw, 3 win; the cell of the lowest number in the lowest bits. Cells of 8 and 16 bits:
//! 0 draw, 2d a win in d plies, 2d + 1 a loss in d plies. A cell without a position repeats the one before it, which
//! packs well: whether a position is legal is for the reader to know.
//!
//! Where only who wins is kept, a cell leaves out what a conversion (a capture or promotion) decides, as Syzygy tables
//! do: a position is worth the better of its cell and its best legal conversion, without en passant. If a conversion
//! wins, the cell may hold anything; if the best one draws and the position is a draw, draw or loss. A cell that says
//! loss or draw is thus read together with the smaller tables.
//!
//! XXH3-64 guards against accidents, not against forgery.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::endgame::error::EndgameError;
use crate::endgame::material::{Material, Men};
use crate::endgame::space::Space;
use crate::endgame::value::{Metric, Value};
use crate::game::{GameId, Side};
use crate::named::named_enum;

/// First bytes of every table.
pub const MAGIC: [u8; 4] = *b"BBTB";
/// Format version.
pub const VERSION: u16 = 1;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 128;
/// Bytes of a directory entry.
pub const ENTRY_BYTES: usize = 8;
/// Bytes of an unpacked block.
pub const BLOCK_BYTES: usize = 1 << 14;
/// Most bytes of a material name.
const NAME_BYTES: usize = 16;

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The material, canonical.
    pub material: Material,
    /// What distances are measured to.
    pub metric: Metric,
    /// Whether only the first side's cells are held: the material is its own colour-flipped twin.
    pub is_one_sided: bool,
    /// How positions are numbered.
    pub index: Index,
    /// Bits of a cell.
    pub bits: Bits,
    /// Cells of each side.
    pub cells: u64,
    /// Positions won, drawn and lost, by side to move.
    pub counts: [[u64; 3]; 2],
    /// Longest win and loss in plies, by side to move.
    pub longest: [[u16; 2]; 2],
    /// Length of the file.
    pub file_bytes: u64,
    /// Checksum of the directory.
    pub directory_sum: u64,
}

named_enum! {
    /// How a file numbers positions.
    pub enum Index {
        /// Every number is a position: small files.
        Gapless = 1 => "gapless",
        /// The cells of the solver, some of which hold no position: quick to compute.
        Gapped = 2 => "gapped",
    }
}

impl Index {
    /// Returns how many numbers a space has, for one side to move.
    pub fn count<S: Space>(self, space: &S) -> u64 {
        match self {
            Index::Gapless => space.gapless_len(),
            Index::Gapped => space.slices() as u64 * space.cells() as u64,
        }
    }

    /// Returns the number of men.
    #[inline]
    pub fn number<S: Space>(self, space: &S, men: &Men) -> u64 {
        match self {
            Index::Gapless => space.gapless_index(men),
            Index::Gapped => {
                let (slice, cell) = space.locate(men);
                slice as u64 * space.cells() as u64 + cell as u64
            }
        }
    }

    /// Returns the men of a number; `None` where it is a gap.
    pub fn men<S: Space>(self, space: &S, number: u64) -> Option<Men> {
        let cells = space.cells() as u64;
        match self {
            Index::Gapless => space.gapless_men(number),
            Index::Gapped => space.men((number / cells) as usize, (number % cells) as usize),
        }
    }
}

/// Width of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bits {
    /// Win, loss, draw.
    Two = 2,
    /// Distances to 127 plies.
    Eight = 8,
    /// Longer distances.
    Sixteen = 16,
}

impl Bits {
    /// Returns the width that distances up to `longest` need.
    pub fn of(metric: Metric, longest: u16) -> Bits {
        match metric {
            Metric::Wld => Bits::Two,
            _ if longest < 128 => Bits::Eight,
            _ => Bits::Sixteen,
        }
    }

    /// Returns the cells of a block.
    pub const fn block_cells(self) -> usize {
        BLOCK_BYTES * 8 / self as usize
    }

    /// Returns the code of a value.
    pub fn code(self, value: Value) -> u16 {
        match (self, value) {
            (Bits::Two, value) => (i16::from(value.wdl()) + 2) as u16,
            (_, Value::Draw) => 0,
            (_, Value::Win(plies)) => 2 * plies,
            (_, Value::Loss(plies)) => 2 * plies + 1,
        }
    }

    /// Returns the value of a code; a table of wins and losses only gives them a distance of 0.
    pub fn value(self, code: u16) -> Value {
        match (self, code) {
            (Bits::Two, 1) => Value::Loss(0),
            (Bits::Two, 3) => Value::Win(0),
            (Bits::Two, _) | (_, 0) => Value::Draw,
            (_, code) if code & 1 == 0 => Value::Win(code / 2),
            (_, code) => Value::Loss(code / 2),
        }
    }

    /// Puts a code into a block.
    pub fn put(self, block: &mut [u8], at: usize, code: u16) {
        match self {
            Bits::Two => block[at / 4] |= (code as u8) << (2 * (at % 4)),
            Bits::Eight => block[at] = code as u8,
            Bits::Sixteen => block[2 * at..2 * at + 2].copy_from_slice(&code.to_le_bytes()),
        }
    }

    /// Returns a code of a block.
    #[inline]
    pub fn get(self, block: &[u8], at: usize) -> u16 {
        match self {
            Bits::Two => u16::from(block[at / 4] >> (2 * (at % 4)) & 3),
            Bits::Eight => u16::from(block[at]),
            Bits::Sixteen => u16::from_le_bytes([block[2 * at], block[2 * at + 1]]),
        }
    }
}

impl Header {
    /// Returns the number of blocks of one side.
    pub fn side_blocks(&self) -> usize {
        self.cells.div_ceil(self.bits.block_cells() as u64) as usize
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.side_blocks() * if self.is_one_sided { 1 } else { 2 }
    }

    /// Returns the cells of a block.
    pub fn cells_of(&self, block: usize) -> std::ops::Range<u64> {
        let each = self.bits.block_cells() as u64;
        let start = (block % self.side_blocks()) as u64 * each;
        start..self.cells.min(start + each)
    }

    /// Returns the side to move of a block.
    pub fn side_of(&self, block: usize) -> Side {
        if block < self.side_blocks() { Side::First } else { Side::Second }
    }

    /// Returns the bytes of the header.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[6] = self.material.game() as u8;
        bytes[8] = self.metric as u8;
        bytes[9] = if self.is_one_sided { 1 } else { 3 };
        bytes[10] = self.bits as u8;
        bytes[11] = self.bits.block_cells().trailing_zeros() as u8;
        bytes[12..16].copy_from_slice(&(self.index as u32).to_le_bytes());
        let name = self.material.to_string();
        bytes[16..16 + name.len()].copy_from_slice(name.as_bytes());
        bytes[32..40].copy_from_slice(&self.cells.to_le_bytes());
        for (at, count) in self.counts.as_flattened().iter().enumerate() {
            bytes[40 + 8 * at..48 + 8 * at].copy_from_slice(&count.to_le_bytes());
        }
        for (at, plies) in self.longest.as_flattened().iter().enumerate() {
            bytes[88 + 2 * at..90 + 2 * at].copy_from_slice(&plies.to_le_bytes());
        }
        bytes[96..104].copy_from_slice(&self.directory_sum.to_le_bytes());
        bytes[104..112].copy_from_slice(&self.file_bytes.to_le_bytes());
        let sum = xxh3_64(&bytes[..120]);
        bytes[120..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file of `file_bytes` bytes.
    pub fn decode(start: &[u8], file_bytes: u64, path: &Path) -> Result<Header, EndgameError> {
        let known = start.len().min(MAGIC.len());
        if start[..known] != MAGIC[..known] {
            let found = start[..known].escape_ascii();
            let what = format!("not an endgame table: expected \"BBTB\" at offset 0, found \"{found}\"");
            return Err(EndgameError::Refused(path.to_owned(), what));
        }
        let Some(bytes) = start.first_chunk::<HEADER_BYTES>() else {
            return Err(EndgameError::length(path, file_bytes, HEADER_BYTES as u64));
        };
        let damaged = || EndgameError::damaged(path, "the header", 0);
        if xxh3_64(&bytes[..120]) != u64_at(bytes, 120) {
            return Err(damaged());
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            let what = format!("table format {version} at offset 4, this program reads {VERSION}");
            return Err(EndgameError::Refused(path.to_owned(), what));
        }
        let header = Header::fields(bytes).ok_or_else(damaged)?;
        if header.file_bytes != file_bytes {
            return Err(EndgameError::length(path, file_bytes, header.file_bytes));
        }
        Ok(header)
    }

    fn fields(bytes: &[u8; HEADER_BYTES]) -> Option<Header> {
        let game = [GameId::Chess, GameId::Xiangqi].into_iter().find(|&game| game as u8 == bytes[6])?;
        let name = std::str::from_utf8(&bytes[16..16 + NAME_BYTES]).ok()?;
        let metric = Metric::ALL.into_iter().find(|&metric| metric as u8 == bytes[8])?;
        let bits =
            [Bits::Two, Bits::Eight, Bits::Sixteen].into_iter().find(|&bits| bits as u8 == bytes[10])?;
        let index =
            Index::ALL.iter().copied().find(|&index| bytes[12..16] == (index as u32).to_le_bytes())?;
        let mut counts = [[0; 3]; 2];
        for (at, count) in counts.as_flattened_mut().iter_mut().enumerate() {
            *count = u64_at(bytes, 40 + 8 * at);
        }
        let mut longest = [[0; 2]; 2];
        for (at, plies) in longest.as_flattened_mut().iter_mut().enumerate() {
            *plies = u16::from_le_bytes([bytes[88 + 2 * at], bytes[89 + 2 * at]]);
        }
        Some(Header {
            material: Material::parse(game, name.trim_end_matches('\0')).ok()?,
            metric,
            is_one_sided: bytes[9] == 1,
            index,
            bits,
            cells: u64_at(bytes, 32),
            counts,
            longest,
            file_bytes: u64_at(bytes, 104),
            directory_sum: u64_at(bytes, 96),
        })
    }
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(word)
}
