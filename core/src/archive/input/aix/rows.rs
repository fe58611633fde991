//! The rows of a row group → entries of a block.

use parquet::errors::Result as ParquetResult;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

use super::columns::{Cell, Column, is_read, open};
use super::tags::{Field, fields_of};
use crate::archive::formats::aix::{Row, pack};
use crate::archive::text::cut::BLOCK_BYTES;

/// Rows that are read of all columns at a time.
const BATCH_ROWS: usize = 1024;

/// The column of the moves, which tells that a file has games.
const MOVES: &str = "movedata";

/// The column of the number of plies.
const PLIES: &str = "ply_count";

/// The columns of lists: clocks of White and Black, evaluations.
const LISTS: [&str; 3] = ["clocks_white", "clocks_black", "evals"];

/// Which columns of a file are read, and for what.
#[derive(Debug)]
pub(super) struct Layout {
    /// Places of the columns that have one value a row, and which of them are the moves and the number of plies.
    flat: Vec<usize>,
    moves: usize,
    plies: Option<usize>,
    lists: [Option<usize>; LISTS.len()],
    fields: Vec<Field>,
}

impl Layout {
    /// Returns the layout of a file; `None` if it has no column of moves.
    pub(super) fn of(schema: &SchemaDescriptor) -> Option<Layout> {
        let (mut flat, mut names, mut lists) = (Vec::new(), Vec::new(), [None; LISTS.len()]);
        for (place, column) in schema.columns().iter().enumerate() {
            if !is_read(column.physical_type(), column.max_rep_level()) {
                continue;
            }
            let parts = column.path().parts();
            let Some(name) = parts.first() else { continue };
            match column.max_rep_level() {
                0 if parts.len() == 1 => {
                    flat.push(place);
                    names.push(name.as_str());
                }
                1 => {
                    if let Some(list) = LISTS.iter().position(|list| list == name) {
                        lists[list] = Some(place);
                    }
                }
                _ => {}
            }
        }
        let find = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        let (moves, plies) = (find(MOVES)?, find(PLIES));
        let fields = fields_of(&names);
        let is_tag = |field: &Field| ![MOVES, PLIES].iter().any(|name| field.name.eq_ignore_ascii_case(name));
        Some(Layout { flat, moves, plies, lists, fields: fields.into_iter().filter(is_tag).collect() })
    }
}

/// Games of a block.
pub(super) struct Games {
    pub(super) games: u64,
    pub(super) bytes: Vec<u8>,
}

/// The rows of a row group that are still to come.
pub(super) struct Rows {
    flat: Vec<Box<dyn Column>>,
    lists: [Option<Box<dyn Column>>; LISTS.len()],
    /// Rows that the columns still have, and of these those that have been fetched.
    left: usize,
    fetched: usize,
}

impl Rows {
    /// Opens the columns of a row group.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(super) fn open(group: &dyn RowGroupReader, layout: &Layout) -> ParquetResult<Rows> {
        let flat = layout.flat.iter().map(|&place| open(group, place)).collect::<ParquetResult<_>>()?;
        let mut lists = [None, None, None];
        for (list, place) in lists.iter_mut().zip(layout.lists) {
            *list = place.map(|place| open(group, place)).transpose()?;
        }
        Ok(Rows { flat, lists, left: group.metadata().num_rows() as usize, fetched: 0 })
    }

    /// Returns whether there are more rows.
    pub(super) fn is_left(&self) -> bool {
        self.left > 0
    }

    /// Packs the next rows.
    ///
    /// # Errors
    /// A column cannot be read, or ends too soon.
    pub(super) fn next_block(&mut self, layout: &Layout) -> ParquetResult<Games> {
        let mut block = Games { games: 0, bytes: Vec::new() };
        while self.left > 0 && block.bytes.len() < BLOCK_BYTES {
            if self.fetched == 0 {
                self.fetch()?;
            }
            self.pack_row(layout, &mut block.bytes);
            self.left -= 1;
            self.fetched -= 1;
            block.games += 1;
        }
        Ok(block)
    }

    fn fetch(&mut self) -> ParquetResult<()> {
        self.fetched = self.left.min(BATCH_ROWS);
        let lists = self.lists.iter_mut().flatten();
        self.flat.iter_mut().chain(lists).try_for_each(|column| column.fetch(self.fetched))
    }

    fn pack_row(&mut self, layout: &Layout, bytes: &mut Vec<u8>) {
        let mut numbers = [Vec::new(), Vec::new(), Vec::new()];
        for (list, numbers) in self.lists.iter_mut().zip(&mut numbers) {
            if let Some(list) = list {
                list.next_list(numbers);
            }
        }
        let cells: Vec<Cell<'_>> = self.flat.iter_mut().map(|column| column.next()).collect();
        let moves = if let Cell::Text(moves) = cells[layout.moves] { Some(moves) } else { None };
        let plies = layout.plies.and_then(|place| cells[place].number());
        let plies = plies.and_then(|plies| u32::try_from(plies).ok());
        let write = |at: usize, value: &mut Vec<u8>| layout.fields[at].write(&cells, value);
        let names = layout.fields.iter().map(|field| field.name.as_bytes());
        pack(&Row { moves, plies, lists: numbers.each_ref().map(Vec::as_slice) }, names, write, bytes);
    }
}
