//! Looks up the rows of a position in a part. The page index gives the page of each column that is read and decoded.
//! Whatever is read is compared with its checksums first.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use xxhash_rust::xxh3::xxh3_64;

use super::columns::{Checksums, Column, failed};
use super::part::BLOCK;
use super::reader::columns_of;
use crate::disk::read_exact_at;
use crate::sums::{nth, sum_of};
use crate::tally::{Row, StorageError};

/// A part that is open for lookups; may be asked by many threads at once.
pub struct PartLookup {
    path: PathBuf,
    file: Arc<PartFile>,
    metadata: ParquetMetaData,
    columns: &'static [Column],
    /// The pages of the key column, in order.
    pages: Vec<KeyPage>,
}

/// Which columns of a row are looked up; the others stay 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All.
    Whole,
    /// Games and their results, and the cell.
    Counts,
}

impl Reach {
    fn takes(self, name: &str) -> bool {
        self == Reach::Whole || ["games", "first_wins", "draws", "second_wins", "cell"].contains(&name)
    }
}

/// A page of the key column.
struct KeyPage {
    first_key: u64,
    group: usize,
    /// Rows of the row group before the page, and up to its end.
    start: usize,
    end: usize,
}

impl PartLookup {
    /// Opens a part and reads its page index; `checksums` are those of the manifest.
    pub fn open(path: &Path, checksums: Checksums) -> Result<PartLookup, StorageError> {
        let file = PartFile::open(path, checksums)?;
        let metadata = ParquetMetaDataReader::new()
            .with_page_index_policy(PageIndexPolicy::Required)
            .parse_and_finish(&file)
            .map_err(|error| failed(path, &error))?;
        let columns = columns_of(path, metadata.file_metadata().schema_descr())?;
        let pages =
            key_pages(&metadata).ok_or_else(|| StorageError::damaged(path, "it has no page index"))?;
        Ok(PartLookup { path: path.to_owned(), file: Arc::new(file), metadata, columns, pages })
    }

    /// Appends the rows of a position.
    pub fn rows(&self, position: (u64, u32), reach: Reach, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        let key = position.0;
        // The key may begin in the page before the first that begins with it or a larger one.
        let behind = self.pages.partition_point(|page| page.first_key < key);
        for page in &self.pages[behind.saturating_sub(1)..] {
            if page.first_key > key {
                break;
            }
            self.rows_of_page(page, position, reach, rows).map_err(|error| failed(&self.path, &error))?;
        }
        Ok(())
    }

    fn rows_of_page(
        &self,
        page: &KeyPage,
        position: (u64, u32),
        reach: Reach,
        rows: &mut Vec<Row>,
    ) -> ParquetResult<()> {
        let keys = self.column_page::<Int64Type>(0, page)?;
        let start = keys.partition_point(|&key| (key as u64) < position.0);
        let end = keys.partition_point(|&key| key as u64 <= position.0);
        if start >= end {
            return Ok(());
        }
        let locks = self.column_page::<Int32Type>(1, page)?;
        let is_met = |index: &usize| locks.get(*index).is_some_and(|&lock| lock as u32 == position.1);
        let met: Vec<usize> = (start..end).filter(is_met).collect();
        let first = rows.len();
        rows.extend(met.iter().map(|_| Row { key: position.0, lock: position.1, ..Row::default() }));
        if met.is_empty() {
            return Ok(());
        }
        let wanted = self.columns.iter().enumerate().skip(2).filter(|(_, column)| reach.takes(column.name));
        for (place, column) in wanted {
            let values = if column.is_wide() {
                self.column_page::<Int64Type>(place, page)?
            } else {
                self.column_page::<Int32Type>(place, page)?.into_iter().map(i64::from).collect()
            };
            for (row, &index) in rows[first..].iter_mut().zip(&met) {
                let value =
                    values.get(index).ok_or_else(|| ParquetError::General("a page ends too soon".into()))?;
                (column.set)(row, *value);
            }
        }
        Ok(())
    }

    /// Returns the values of a column in the rows of a page of keys.
    fn column_page<T: DataType>(&self, place: usize, page: &KeyPage) -> ParquetResult<Vec<T::T>> {
        let missing = || ParquetError::General("it has no page index".into());
        let group = self.metadata.row_group(page.group);
        let index = self.metadata.offset_index().ok_or_else(missing)?;
        let locations = index[page.group][place].page_locations();
        let at = locations.partition_point(|location| location.first_row_index as usize <= page.start);
        let wanted = locations.get(at.wrapping_sub(1)).ok_or_else(missing)?;
        // The first page is skipped unread; without its location the reader would expect a dictionary before the other.
        let wanted: Vec<PageLocation> =
            if at == 1 { vec![wanted.clone()] } else { vec![locations[0].clone(), wanted.clone()] };
        let skipped = if at == 1 { 0 } else { wanted[1].first_row_index as usize };
        let rows = group.num_rows() as usize;
        let pages =
            SerializedPageReader::new(Arc::clone(&self.file), group.column(place), rows, Some(wanted))?;
        let descriptor = self.metadata.file_metadata().schema_descr().column(place);
        let mut reader = ColumnReaderImpl::<T>::new(descriptor, Box::new(pages));
        reader.skip_records(skipped)?;
        reader.skip_records(page.start - skipped)?;
        let mut values = Vec::with_capacity(page.end - page.start);
        reader.read_records(page.end - page.start, None, None, &mut values)?;
        Ok(values)
    }
}

/// Returns the pages of the key column by the file's page index; `None` if it has none.
fn key_pages(metadata: &ParquetMetaData) -> Option<Vec<KeyPage>> {
    let (columns, offsets) = (metadata.column_index()?, metadata.offset_index()?);
    let mut pages = Vec::new();
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        let ColumnIndexMetaData::INT64(keys) = columns.get(group)?.first()? else { return None };
        let locations = offsets.get(group)?.first()?.page_locations();
        for (page, location) in locations.iter().enumerate() {
            let end = locations.get(page + 1).map_or(row_group.num_rows(), |next| next.first_row_index);
            pages.push(KeyPage {
                first_key: *keys.min_values().get(page)? as u64,
                group,
                start: location.first_row_index as usize,
                end: end as usize,
            });
        }
    }
    Some(pages)
}

/// A part as a file that is read at given offsets; may be read by many threads at once.
#[derive(Clone)]
struct PartFile {
    file: Arc<File>,
    /// Where the pages end.
    start: u64,
    /// What follows them: first their checksums, then page index and footer.
    end: Bytes,
}

impl PartFile {
    /// Opens a part, and compares its page index and footer with their checksum.
    fn open(path: &Path, checksums: Checksums) -> Result<PartFile, StorageError> {
        let failed = |error| StorageError::io(path, error);
        let damaged = || StorageError::damaged(path, "its page index or footer does not fit its checksum");
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let length = size.checked_sub(checksums.start).ok_or_else(damaged)?;
        let mut end = vec![0; length as usize];
        read_exact_at(&file, &mut end, checksums.start).map_err(failed)?;
        if xxh3_64(&end) != checksums.end {
            return Err(damaged());
        }
        Ok(PartFile { file: Arc::new(file), start: checksums.start, end: end.into() })
    }

    /// Reads bytes, with the whole blocks that they are in.
    fn read(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let stop = start + length as u64;
        if start >= self.start {
            let from = (start - self.start) as usize;
            return Ok(self.end.slice(from..from + length));
        }
        let block = BLOCK as u64;
        let from = start - start % block;
        let mut bytes = vec![0; (stop.next_multiple_of(block).min(self.start) - from) as usize];
        read_exact_at(&self.file, &mut bytes, from)?;
        for (index, found) in bytes.chunks(BLOCK).enumerate() {
            if nth(&self.end, (from / block) as usize + index) != Some(&sum_of(found)) {
                let offset = from + (index * BLOCK) as u64;
                let what = format!("the {} bytes at offset {offset} do not fit their checksum", found.len());
                return Err(io::Error::new(ErrorKind::InvalidData, what));
            }
        }
        let skipped = (start - from) as usize;
        Ok(Bytes::from(bytes).slice(skipped..skipped + length))
    }
}

impl Length for PartFile {
    fn len(&self) -> u64 {
        self.start + self.end.len() as u64
    }
}

impl ChunkReader for PartFile {
    type T = Reader<Bytes>;

    /// Returns the bytes of a block from a place on: only headers of pages, which are much shorter, are read so.
    fn get_read(&self, start: u64) -> ParquetResult<Reader<Bytes>> {
        let left = self.len().saturating_sub(start);
        Ok(self.get_bytes(start, left.min(BLOCK as u64) as usize)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.read(start, length).map_err(|error| ParquetError::External(Box::new(error)))
    }
}
