//! A part of TALLY: writes sorted rows as a Parquet file, and reads them by range of keys.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Type;
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::reader::{FileReader, Length, RowGroupReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;

use super::columns::{Column, GROUP_ROWS, columns, columns_named, failed, properties, schema};
use super::file::PartFile;
use super::group::{RowGroup, Values};
use super::packed::{PackedColumn, side_by_side};
use super::shape::{check_groups, guarded};
use super::sums::{Summed, publish};
use crate::disk::Draft;
use crate::tally::{Identity, KeyRange, Row, RowBlocks, StorageError};

/// The summary of a part in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartSummary {
    /// Rows.
    pub rows: u64,
    /// Smallest key.
    pub first_key: u64,
    /// Largest key.
    pub last_key: u64,
    /// Sums of games, first_wins, draws and second_wins.
    pub sums: [u64; 4],
    /// Largest year, 0 = none known.
    pub newest_year: u16,
    /// Key and lock of the first position with that year.
    pub newest: (u64, u32),
}

impl PartSummary {
    /// Counts the rows of another summary, whose keys are larger.
    fn append(&mut self, next: &PartSummary) {
        if self.rows == 0 {
            *self = *next;
            return;
        }
        self.rows += next.rows;
        self.last_key = next.last_key;
        self.sums.iter_mut().zip(next.sums).for_each(|(sum, more)| *sum += more);
        if next.newest_year > self.newest_year {
            (self.newest_year, self.newest) = (next.newest_year, next.newest);
        }
    }

    /// Counts the next row.
    pub fn add(&mut self, row: &Row) {
        if self.rows == 0 {
            self.first_key = row.key;
        }
        self.rows += 1;
        self.last_key = row.key;
        let counts = [row.games, row.first_wins, row.draws, row.second_wins];
        self.sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        if row.year_max > self.newest_year {
            (self.newest_year, self.newest) = (row.year_max, (row.key, row.lock));
        }
    }
}

/// Writes a part. Nothing is seen of it before it is whole.
pub struct PartWriter {
    path: PathBuf,
    properties: WriterPropertiesPtr,
    writer: SerializedFileWriter<Summed<Draft>>,
    summary: PartSummary,
}

impl PartWriter {
    /// Begins a part, with a column of cells or without; `metadata` are the key-value pairs of the file.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be made.
    pub fn create(
        path: &Path,
        with_cells: bool,
        metadata: &[(String, String)],
    ) -> Result<PartWriter, StorageError> {
        let columns = columns(with_cells);
        let file = Draft::of(path).map_err(|error| StorageError::io(path, error))?;
        let properties = properties(columns, metadata);
        let writer =
            SerializedFileWriter::new(Summed::new(file), schema(path, columns)?, Arc::clone(&properties))
                .map_err(|error| failed(path, &error))?;
        let path = path.to_owned();
        Ok(PartWriter { path, properties, writer, summary: PartSummary::default() })
    }

    /// Appends a row group: [`PartWriter::ROWS`] rows, fewer only at the end. Columns are packed on `jobs` threads, and
    /// `beside` is done meanwhile.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written, or the error of `beside`.
    pub fn group(
        &mut self,
        rows: &RowGroup,
        jobs: usize,
        beside: impl FnOnce() -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        self.summary.append(rows.summary());
        let descriptors = self.writer.schema_descr().columns().iter().cloned();
        let columns: Vec<_> = rows.columns().iter().zip(descriptors).collect();
        let pack = |(values, descriptor): &(&Values, ColumnDescPtr)| {
            PackedColumn::of(values, descriptor, &self.properties)
        };
        let (packed, beside) = side_by_side(&columns, jobs, pack, beside);
        beside?;
        let wrong = |error| failed(&self.path, &error);
        let mut group = self.writer.next_row_group().map_err(wrong)?;
        for column in packed {
            let PackedColumn { bytes, close } = column.map_err(wrong)?;
            group.append_column(&bytes, close).map_err(wrong)?;
        }
        group.close().map(drop).map_err(wrong)
    }

    /// Rows of a row group.
    pub const ROWS: usize = GROUP_ROWS;

    /// Ends the part, gives it its name and returns what it holds.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written.
    pub fn finish(self) -> Result<PartSummary, StorageError> {
        publish(&self.path, self.writer)?;
        Ok(self.summary)
    }
}

/// The rows of a part whose keys lie in a range, a row group at a time, checked to be in order.
pub struct PartRows {
    path: PathBuf,
    columns: Vec<&'static Column>,
    reader: SerializedFileReader<PartFile>,
    range: KeyRange,
    next: usize,
    last: Option<Identity>,
}

impl PartRows {
    /// Opens a part.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or has other columns.
    pub fn open(path: &Path, range: KeyRange) -> Result<PartRows, StorageError> {
        let file = PartFile::open(path)?;
        let size = file.len();
        let opened = || SerializedFileReader::new(file).map_err(|error| failed(path, &error));
        let reader = guarded(path, opened)?;
        let columns = columns_of(path, reader.metadata().file_metadata().schema_descr())?;
        check_groups(reader.metadata(), size, GROUP_ROWS)
            .map_err(|what| StorageError::damaged(path, what))?;
        Ok(PartRows { path: path.to_owned(), columns, reader, range, next: 0, last: None })
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

    fn group(&mut self, index: usize, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        let group = self.reader.get_row_group(index).map_err(|error| failed(&self.path, &error))?;
        let count = group.metadata().num_rows() as usize;
        rows.resize(count, Row::default());
        for (place, column) in self.columns.iter().enumerate() {
            let read = if column.is_wide() {
                read_column::<Int64Type>(group.as_ref(), place, count, column, rows, i64::from)
            } else {
                read_column::<Int32Type>(group.as_ref(), place, count, column, rows, i64::from)
            };
            if read.map_err(|error| failed(&self.path, &error))? != count {
                let what = format!("column {} of row group {index} ends too soon", column.name);
                return Err(StorageError::damaged(&self.path, what));
            }
        }
        for row in rows.iter() {
            if self.last.replace(row.identity()).is_some_and(|last| last >= row.identity()) {
                let what = format!("(key, lock, move, cell) does not ascend at key 0x{:016x}", row.key);
                return Err(StorageError::damaged(&self.path, what));
            }
        }
        rows.retain(|row| self.range.holds(row.key));
        Ok(())
    }
}

impl RowBlocks for PartRows {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while rows.is_empty() && self.next < self.reader.num_row_groups() {
            let group = self.next;
            self.next += 1;
            if self.is_met(group) {
                let path = self.path.clone();
                guarded(&path, || self.group(group, rows))?;
            }
        }
        Ok(())
    }
}

/// Returns the columns of a file: the columns of TALLY or of an older version of it, with or without cells.
///
/// # Errors
/// [`StorageError`]: they are others.
pub fn columns_of(
    path: &Path,
    found: &parquet::schema::types::SchemaDescriptor,
) -> Result<Vec<&'static Column>, StorageError> {
    let names: Vec<&str> = found.columns().iter().map(|column| column.name()).collect();
    let columns = columns_named(&names).ok_or_else(|| {
        let what = format!("its columns are {}, expected those of TALLY", names.join(", "));
        StorageError::damaged(path, what)
    })?;
    for (found, column) in found.columns().iter().zip(&columns) {
        let wanted = if column.is_wide() { Type::INT64 } else { Type::INT32 };
        if found.physical_type() != wanted || found.max_def_level() != 0 || found.max_rep_level() != 0 {
            let what = format!("its column {} is not a whole {wanted}", column.name);
            return Err(StorageError::damaged(path, what));
        }
    }
    Ok(columns)
}

fn read_column<T: DataType>(
    group: &dyn RowGroupReader,
    place: usize,
    count: usize,
    column: &Column,
    rows: &mut [Row],
    widen: fn(T::T) -> i64,
) -> parquet::errors::Result<usize> {
    let reader = group.get_column_reader(place)?;
    let mut reader = parquet::column::reader::get_typed_column_reader::<T>(reader);
    let mut values: Vec<T::T> = Vec::with_capacity(count);
    let (read, _, _) = reader.read_records(count, None, None, &mut values)?;
    rows.iter_mut().zip(values).for_each(|(row, value)| (column.set)(row, widen(value)));
    Ok(read)
}
