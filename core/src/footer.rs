//! The offsets and lengths that the footer of a Parquet file names, checked before anything is read by them.
//!
//! The Parquet library takes many of them as given: a negative length ends the program, a large one takes its memory.

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// Checks the row groups of a file of `size` bytes, of at most `most` rows each.
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

/// Returns the offset and length of a column chunk, as the footer has them.
pub fn extent(chunk: &ColumnChunkMetaData) -> (i64, i64) {
    (chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset()), chunk.compressed_size())
}
