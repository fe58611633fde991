//! Writes a part of TALLY: sorted rows as a Parquet file, with checksums for look-ups, and its summary for the manifest.
//!
//! A look-up reads a few hundred bytes of a part, so a digest of the whole does not help it. The Parquet library writes no
//! checksums of pages, and those would leave out headers, page index and footer. So checksums of all bytes stand between
//! the pages and the page index, where Parquet readers do not look:
//!
//! | bytes | content |
//! |---|---|
//! | 0 … S | magic and pages, as Parquet has them |
//! | S … | for each [`BLOCK`] bytes before S, the last block may be shorter: its checksum, 4 bytes |
//! | … end | page index and footer, as Parquet has them |
//!
//! The manifest has S and the XXH3 of everything from S on ([`Checksums`]).

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use xxhash_rust::xxh3::Xxh3;

use super::columns::{Checksums, RowGroup, Values, columns, failed, properties, schema};
use crate::disk::Draft;
use crate::sums::BlockSums;
use crate::tally::StorageError;

/// Bytes that one checksum covers: a look-up reads a page of some hundred bytes to 8 KiB of each column.
pub const BLOCK: usize = 1024;

/// Writes a part. Nothing is seen of it before it is whole.
pub struct PartWriter {
    path: PathBuf,
    properties: WriterPropertiesPtr,
    writer: SerializedFileWriter<Summed<Draft>>,
    /// Packs columns; `None` for one job.
    pool: Option<ThreadPool>,
}

impl PartWriter {
    /// Begins a part, with a column of cells or without; `metadata` are the key-value pairs of the file. Columns are
    /// packed on `jobs` threads.
    pub fn create(
        path: &Path,
        with_cells: bool,
        metadata: &[(String, String)],
        jobs: usize,
    ) -> Result<PartWriter, StorageError> {
        let columns = columns(with_cells);
        let file = Draft::of(path).map_err(|error| StorageError::io(path, error))?;
        let properties = properties(columns, metadata);
        let summed = Summed { out: file, position: 0, sums: Some(BlockSums::new(BLOCK)), end: Xxh3::new() };
        let writer = SerializedFileWriter::new(summed, schema(path, columns)?, Arc::clone(&properties))
            .map_err(|error| failed(path, &error))?;
        let pool = (jobs > 1).then(|| ThreadPoolBuilder::new().num_threads(jobs).build()).transpose();
        let pool = pool.map_err(|error| StorageError::io(path, io::Error::other(error)))?;
        Ok(PartWriter { path: path.to_owned(), properties, writer, pool })
    }

    /// Appends a row group: [`GROUP_ROWS`](super::columns::GROUP_ROWS) rows, fewer only at the end. While other threads
    /// pack its columns, `beside` is done on this one.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be written, or the error of `beside`.
    pub fn group(
        &mut self,
        rows: &RowGroup,
        beside: impl FnOnce() -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let descriptors = self.writer.schema_descr().columns();
        let pack = |(values, descriptor): (&Values, &ColumnDescPtr)| {
            PackedColumn::of(values, descriptor, &self.properties)
        };
        let mut packed = Vec::new();
        match &self.pool {
            None => {
                packed.extend(rows.values.iter().zip(descriptors).map(pack));
                beside()
            }
            Some(pool) => pool.in_place_scope(|scope| {
                scope.spawn(|_| packed.par_extend(rows.values.par_iter().zip(descriptors).map(pack)));
                beside()
            }),
        }?;
        let wrong = |error| failed(&self.path, &error);
        let mut group = self.writer.next_row_group().map_err(wrong)?;
        for column in packed {
            let PackedColumn { bytes, close } = column.map_err(wrong)?;
            group.append_column(&bytes, close).map_err(wrong)?;
        }
        group.close().map(drop).map_err(wrong)
    }

    /// Ends the part, gives it its name and returns its checksums.
    pub fn finish(mut self) -> Result<Checksums, StorageError> {
        let refused = |error| StorageError::io(&self.path, error);
        self.writer.flush().map_err(refused)?;
        let sums = self.writer.inner_mut().sums.take().map(BlockSums::finish).unwrap_or_default();
        self.writer.write_all(&sums).map_err(refused)?;
        let written = self.writer.into_inner().map_err(|error| failed(&self.path, &error))?;
        let checksums = Checksums { start: written.position, end: written.end.digest() };
        written.out.publish().map_err(refused)?;
        Ok(checksums)
    }
}

/// A writer that takes the checksums of what it writes.
struct Summed<W> {
    out: W,
    /// Bytes of the pages.
    position: u64,
    /// `None` after the pages.
    sums: Option<BlockSums>,
    /// The hash of what follows the pages.
    end: Xxh3,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        match &mut self.sums {
            Some(sums) => {
                sums.add(&bytes[..count]);
                self.position += count as u64;
            }
            None => self.end.update(&bytes[..count]),
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// One column of a row group, as a file will have it.
struct PackedColumn {
    /// Its pages.
    bytes: Bytes,
    /// What the footer says of it; places count from the first page.
    close: ColumnCloseResult,
}

impl PackedColumn {
    /// Packs the values of a column.
    fn of(
        values: &Values,
        descriptor: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
    ) -> Result<PackedColumn, ParquetError> {
        let mut file = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut file));
        let writer = get_column_writer(Arc::clone(descriptor), Arc::clone(properties), pages);
        let close = match (writer, values) {
            (ColumnWriter::Int64ColumnWriter(mut writer), Values::Wide(values)) => {
                writer.write_batch(values, None, None)?;
                writer.close()?
            }
            (ColumnWriter::Int32ColumnWriter(mut writer), Values::Narrow(values)) => {
                writer.write_batch(values, None, None)?;
                writer.close()?
            }
            _ => {
                let what = format!("column {} has another type than its values", descriptor.name());
                return Err(ParquetError::General(what));
            }
        };
        Ok(PackedColumn { bytes: Bytes::from(file.into_inner()?), close })
    }
}
