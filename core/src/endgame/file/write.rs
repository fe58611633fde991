//! Writes a table: cells in gapless order, in blocks that are packed separately.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{BLOCK_BYTES, Bits, ENTRY_BYTES, HEADER_BYTES, Header};
use super::pack;
use crate::disk::Draft;
use crate::endgame::EndgameError;
use crate::endgame::reached::{Men, Target};
use crate::endgame::space::Space;
use crate::endgame::stats::Stats;
use crate::endgame::table::Table;
use crate::endgame::value::{Metric, Value};
use crate::game::Side;

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
    ///
    /// # Errors
    /// [`EndgameError::Io`].
    pub fn write(
        &self,
        path: &Path,
        others: &[Arc<Table<S>>],
        stats: &Stats,
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
            bits: Bits::of(self.metric(), most),
            cells: self.space().gapless_len(),
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
        pack::packed(bytes, bits)
    }

    /// Returns what the cell of a gapless number may hold.
    fn fit(&self, index: u64, side: Side) -> Fit {
        let (space, bits) = (self.table.space(), self.header.bits);
        let Some(men) = space.gapless_men(index) else { return Fit::Anything };
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
