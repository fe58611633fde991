//! Reads a part of TALLY: its row groups as columns, or its rows one after the other, by range of keys.
//!
//! The digest of the part has been checked before, so its footer and pages are those that were written.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use parquet::basic::Type;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::schema::types::SchemaDescriptor;

use super::columns::{Column, Values, columns_named, failed};
use crate::tally::{Identity, KeyRange, Row, RowBlocks, Rows, StorageError};

/// Rows of a block of [`PartRows`], which fit the second-level cache.
const BLOCK_ROWS: usize = 4096;

/// The row groups of a part that may have keys of a range, checked to be in order.
pub struct PartGroups {
    path: PathBuf,
    columns: &'static [Column],
    reader: SerializedFileReader<File>,
    range: KeyRange,
    next: usize,
    last: Option<Identity>,
}

impl PartGroups {
    /// Opens a part.
    pub fn open(path: &Path, range: KeyRange) -> Result<PartGroups, StorageError> {
        let file = File::open(path).map_err(|error| StorageError::io(path, error))?;
        let reader = SerializedFileReader::new(file).map_err(|error| failed(path, &error))?;
        let columns = columns_of(path, reader.metadata().file_metadata().schema_descr())?;
        Ok(PartGroups { path: path.to_owned(), columns, reader, range, next: 0, last: None })
    }

    /// Returns the next row group; `None` after the last.
    pub fn next_group(&mut self) -> Result<Option<Rows>, StorageError> {
        while self.next < self.reader.num_row_groups() {
            let group = self.next;
            self.next += 1;
            if self.is_met(group) {
                let rows = self.group(group)?;
                self.check_order(&rows)?;
                return Ok(Some(rows));
            }
        }
        Ok(None)
    }

    /// Returns whether a row group may hold keys of the range.
    fn is_met(&self, group: usize) -> bool {
        match self.reader.metadata().row_group(group).column(0).statistics() {
            Some(Statistics::Int64(key)) => {
                let bounds = key.min_opt().zip(key.max_opt());
                bounds.is_none_or(|(first, last)| {
                    self.range.meets(KeyRange { first: *first as u64, last: *last as u64 })
                })
            }
            _ => true,
        }
    }

    fn group(&self, index: usize) -> Result<Rows, StorageError> {
        let wrong = |error| failed(&self.path, &error);
        let group = self.reader.get_row_group(index).map_err(wrong)?;
        let count = group.metadata().num_rows() as usize;
        let mut rows = Rows::default();
        for (place, column) in self.columns.iter().enumerate() {
            let values = read_column(group.as_ref(), place, count, column).map_err(wrong)?;
            if values.len() != count {
                let what = format!("column {} of row group {index} ends too soon", column.name);
                return Err(StorageError::damaged(&self.path, what));
            }
            (column.fill)(&mut rows, values);
        }
        Ok(rows)
    }

    fn check_order(&mut self, rows: &Rows) -> Result<(), StorageError> {
        let view = rows.view();
        let Some(last) = view.len().checked_sub(1) else { return Ok(()) };
        let starts_late = self.last.is_some_and(|before| before >= view.identity(0));
        if let Some(row) = if starts_late { Some(0) } else { view.disorder() } {
            let what = format!("(key, lock, move, cell) does not ascend at key 0x{:016x}", rows.key[row]);
            return Err(StorageError::damaged(&self.path, what));
        }
        self.last = Some(view.identity(last));
        Ok(())
    }
}

/// The rows of a part whose keys lie in a range, in order.
pub struct PartRows {
    groups: PartGroups,
    /// The present row group …
    group: Rows,
    /// … and the rows of it that are still to come.
    rest: Range<usize>,
}

impl PartRows {
    /// Opens a part.
    pub fn open(path: &Path, range: KeyRange) -> Result<PartRows, StorageError> {
        let groups = PartGroups::open(path, range)?;
        Ok(PartRows { groups, group: Rows::default(), rest: 0..0 })
    }
}

impl RowBlocks for PartRows {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while self.rest.is_empty() {
            let Some(group) = self.groups.next_group()? else { return Ok(()) };
            let KeyRange { first, last } = self.groups.range;
            let start = group.key.partition_point(|&key| key < first);
            self.rest = start..group.key.partition_point(|&key| key <= last);
            self.group = group;
        }
        let view = self.group.view();
        let end = self.rest.end.min(self.rest.start + BLOCK_ROWS);
        rows.extend((self.rest.start..end).map(|index| view.row(index)));
        self.rest.start = end;
        Ok(())
    }
}

/// Returns the columns of a file, with or without cells.
pub fn columns_of(path: &Path, found: &SchemaDescriptor) -> Result<&'static [Column], StorageError> {
    let names: Vec<&str> = found.columns().iter().map(|column| column.name()).collect();
    let columns = columns_named(&names).ok_or_else(|| {
        let what = format!("its columns are {}, expected those of TALLY", names.join(", "));
        StorageError::damaged(path, what)
    })?;
    for (found, column) in found.columns().iter().zip(columns) {
        let wanted = if column.is_wide() { Type::INT64 } else { Type::INT32 };
        if found.physical_type() != wanted || found.max_def_level() != 0 || found.max_rep_level() != 0 {
            let what = format!("its column {} is not a whole {wanted}", column.name);
            return Err(StorageError::damaged(path, what));
        }
    }
    Ok(columns)
}

fn read_column(
    group: &dyn RowGroupReader,
    place: usize,
    count: usize,
    column: &Column,
) -> Result<Values, ParquetError> {
    Ok(if column.is_wide() {
        Values::Wide(read_values::<Int64Type>(group, place, count)?)
    } else {
        Values::Narrow(read_values::<Int32Type>(group, place, count)?)
    })
}

fn read_values<T: DataType>(
    group: &dyn RowGroupReader,
    place: usize,
    count: usize,
) -> Result<Vec<T::T>, ParquetError> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(place)?);
    let mut values = Vec::with_capacity(count);
    reader.read_records(count, None, None, &mut values)?;
    Ok(values)
}
