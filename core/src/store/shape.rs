//! The offsets and lengths that a footer names, checked before anything is read by them.
//!
//! The Parquet library takes many of them as given: a negative length ends the program, a large one takes its memory.
//! What pages say of themselves is known only when they are read: for parts without checksums, see [`guarded`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::page_index::offset_index::PageLocation;

use crate::tally::StorageError;

/// Reads from a part. Where the Parquet library panics, because pages contradict the footer, the part is damaged.
///
/// # Errors
/// [`StorageError`]: that of the work, or that the part is damaged.
pub fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StorageError>) -> Result<T, StorageError> {
    let contradicts = |_| Err(StorageError::damaged(path, "its pages contradict its footer"));
    // What the work had begun to change is thrown away with the error.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(contradicts)
}

/// Checks the row groups of a part of `size` bytes, of at most `most` rows each.
///
/// # Errors
/// What is wrong.
pub fn check_groups(metadata: &ParquetMetaData, size: u64, most: usize) -> Result<(), String> {
    let columns = metadata.file_metadata().schema_descr().columns();
    for (group, row_group) in metadata.row_groups().iter().enumerate() {
        let rows = row_group.num_rows();
        if !(0..=most as i64).contains(&rows) {
            return Err(format!("row group {group}: {rows} rows, expected at most {most}"));
        }
        let types = row_group.columns().iter().map(ColumnChunkMetaData::column_type);
        if !types.eq(columns.iter().map(|column| column.physical_type())) {
            return Err(format!("row group {group}: its columns differ from those of the file"));
        }
        for chunk in row_group.columns() {
            let (start, length) = extent(chunk);
            if start < 0 || length < 0 || start.checked_add(length).is_none_or(|end| end as u64 > size) {
                let name = chunk.column_descr().name();
                let what = format!("column {name}: {length} bytes at offset {start} are not in the file");
                return Err(format!("row group {group}: {what}"));
            }
        }
    }
    Ok(())
}

/// Checks the page index of a part whose row groups have been checked.
///
/// # Errors
/// What is wrong.
pub fn check_page_index(metadata: &ParquetMetaData) -> Result<(), String> {
    let Some(offsets) = metadata.offset_index() else { return Err("it has no page index".to_owned()) };
    if offsets.len() != metadata.num_row_groups() {
        return Err("its page index has another number of row groups".to_owned());
    }
    for (group, (row_group, offsets)) in metadata.row_groups().iter().zip(offsets).enumerate() {
        if offsets.len() != row_group.num_columns() {
            return Err(format!("row group {group}: its page index has another number of columns"));
        }
        for (chunk, offsets) in row_group.columns().iter().zip(offsets) {
            let (start, length) = extent(chunk);
            check_pages(offsets.page_locations(), (start, start + length), row_group.num_rows()).map_err(
                |what| format!("row group {group}: column {}: {what}", chunk.column_descr().name()),
            )?;
        }
    }
    Ok(())
}

/// Returns the offset and length of a column chunk, as the footer has them.
fn extent(chunk: &ColumnChunkMetaData) -> (i64, i64) {
    (chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset()), chunk.compressed_size())
}

/// Checks that pages follow each other within their column chunk, and begin at ascending rows.
fn check_pages(pages: &[PageLocation], (start, end): (i64, i64), rows: i64) -> Result<(), String> {
    if pages.first().map_or(rows != 0, |page| page.first_row_index != 0) {
        return Err("its first page does not begin with the first row".to_owned());
    }
    let (mut free, mut row) = (start, -1);
    for page in pages {
        let size = i64::from(page.compressed_page_size);
        let stop = page.offset.checked_add(size);
        if page.offset < free || size <= 0 || stop.is_none_or(|stop| stop > end) {
            return Err(format!("a page of {size} bytes at offset {} is not in its place", page.offset));
        }
        if page.first_row_index <= row || page.first_row_index >= rows {
            return Err(format!("a page begins with row {} of {rows}", page.first_row_index));
        }
        (free, row) = (page.offset + size, page.first_row_index);
    }
    Ok(())
}
