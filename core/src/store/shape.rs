//! The places that a page index names, checked before anything is read by them. What pages say of themselves is known
//! only when they are read: for parts without checksums, see [`guarded`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::offset_index::PageLocation;

use crate::footer::extent;
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
