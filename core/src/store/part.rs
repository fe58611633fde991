//! Writes a part of TALLY: sorted rows as a Parquet file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;

use super::columns::{GROUP_ROWS, Values, columns, failed, properties, schema};
use super::group::RowGroup;
use super::packed::{PackedColumn, side_by_side};
use super::summary::PartSummary;
use super::sums::{Summed, publish};
use crate::disk::Draft;
use crate::tally::StorageError;

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
