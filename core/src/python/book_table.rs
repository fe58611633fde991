//! Book records as Arrow columns, in both directions.
//!
//! The lock and count columns of a file have the layout of Arrow, so they are shared without a copy and keep the book
//! mapped as long as they live. Keys and words are interleaved in the file and are copied.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{
    ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::Schema;
use pyo3::prelude::*;

use super::arrow::PyTable;
use super::columns::column;
use super::error::schema;
use crate::book::record::Word;
use crate::book::{Book, Column, Lines, Rows};
use crate::game::{Key, Move};

/// Names and types of the columns that a writer needs; other columns are ignored.
const WRITTEN: [(&str, arrow_schema::DataType); 7] = [
    ("key", UInt64Type::DATA_TYPE),
    ("lock", UInt32Type::DATA_TYPE),
    ("usage", UInt64Type::DATA_TYPE),
    ("wins", UInt64Type::DATA_TYPE),
    ("draws", UInt64Type::DATA_TYPE),
    ("losses", UInt64Type::DATA_TYPE),
    ("quality", UInt8Type::DATA_TYPE),
];

/// Checks the columns of a table to write. A table without rows has no batches, so its schema is checked.
pub fn check_schema(found: &Schema) -> PyResult<()> {
    for (name, expected) in WRITTEN {
        match found.field_with_name(name) {
            Err(_) => return Err(schema(format!("the records lack the column \"{name}\" ({expected})"))),
            Ok(field) if *field.data_type() != expected => {
                let found = field.data_type();
                return Err(schema(format!(
                    "column \"{name}\" of the records is {found}, expected {expected}"
                )));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Returns the rows of a batch as the writer takes them, without a copy.
pub fn rows_of(batch: &RecordBatch) -> PyResult<Rows<'_>> {
    Ok(Rows {
        keys: column::<UInt64Type>("records", batch, "key")?,
        locks: column::<UInt32Type>("records", batch, "lock")?,
        usage: column::<UInt64Type>("records", batch, "usage")?,
        wins: column::<UInt64Type>("records", batch, "wins")?,
        draws: column::<UInt64Type>("records", batch, "draws")?,
        losses: column::<UInt64Type>("records", batch, "losses")?,
        quality: column::<UInt8Type>("records", batch, "quality")?,
    })
}

/// Returns all records of a book that has been checked whole: key, usage, results seen, quality and, if the book has them, lock and counts.
pub fn records_of(book: &Arc<Book>) -> PyResult<RecordBatch> {
    let raw = book.raw_records();
    let keys: UInt64Array = book.iter().map(|record| record.key.0).collect::<Vec<_>>().into();
    let words: Vec<_> =
        raw.iter().map(|[.., a, b, c, d]| Word(u32::from_le_bytes([*a, *b, *c, *d]))).collect();
    let seen = |which: usize| -> ArrayRef {
        Arc::new(BooleanArray::from_iter(words.iter().map(|word| Some(word.seen()[which]))))
    };
    let mut columns: Vec<(&str, ArrayRef)> = vec![("key", Arc::new(keys))];
    columns.extend(mapped(book, Column::Lock).map(|lock| ("lock", lock)));
    columns.push(("usage", Arc::new(words.iter().map(|word| word.usage()).collect::<UInt32Array>())));
    columns.extend([("seen_first_win", seen(0)), ("seen_draw", seen(1)), ("seen_second_win", seen(2))]);
    columns.push(("quality", Arc::new(words.iter().map(|word| word.quality()).collect::<UInt8Array>())));
    for (name, column) in [("wins", Column::Wins), ("draws", Column::Draws), ("losses", Column::Losses)] {
        columns.extend(mapped(book, column).map(|column| (name, column)));
    }
    filled(columns)
}

fn filled(columns: Vec<(&str, ArrayRef)>) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, false)))
        .map_err(|error| schema(error.to_string()))
}

/// Returns a column of the file as an array that shares the file's pages.
fn mapped(book: &Arc<Book>, column: Column) -> Option<ArrayRef> {
    let values = book.raw_column(column)?;
    let array = if cfg!(target_endian = "little") {
        PrimitiveArray::<UInt32Type>::new(shared(book, values), None)
    } else {
        values.iter().map(|value| u32::from_le_bytes(*value)).collect::<Vec<_>>().into()
    };
    Some(Arc::new(array))
}

/// Returns the values as a buffer that holds on to the book.
fn shared(book: &Arc<Book>, values: &[[u8; 4]]) -> ScalarBuffer<u32> {
    let bytes = values.as_flattened();
    let owner: Arc<dyn arrow_buffer::alloc::Allocation> = Arc::<Book>::clone(book);
    // SAFETY: the bytes are in the map that `owner` keeps, are never written, and belong to a section that starts at a
    // multiple of 64 of a page-aligned map, so they are aligned for u32; the pointer of a slice is not null.
    #[allow(unsafe_code)]
    let buffer = unsafe {
        arrow_buffer::Buffer::from_custom_allocation(
            std::ptr::NonNull::from(bytes).cast(),
            bytes.len(),
            owner,
        )
    };
    ScalarBuffer::new(buffer, 0, values.len())
}

/// A table of the moves of a book, and whether it holds left-right mirrors as one position.
#[derive(FromPyObject)]
pub struct MovesOfBook(PyTable, bool);

impl MovesOfBook {
    /// Returns the moves by position.
    pub fn lines(self) -> PyResult<Lines> {
        let mut lines = Lines { is_folded: self.1, ..Lines::default() };
        for batch in self.0.into_batches().iter().filter(|batch| batch.num_rows() > 0) {
            let keys = column::<UInt64Type>("BOOK_MOVES", batch, "key")?;
            let codes = column::<UInt16Type>("BOOK_MOVES", batch, "move")?;
            let weights = column::<UInt64Type>("BOOK_MOVES", batch, "weight")?;
            for ((&key, &code), &weight) in keys.iter().zip(codes).zip(weights) {
                lines.moves.entry(Key(key)).or_default().push((Move(code), weight));
            }
        }
        Ok(lines)
    }
}
