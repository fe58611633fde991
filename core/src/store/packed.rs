//! The columns of a row group, each packed by itself, so that several threads can do it.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::columns::Values;

/// One column of a row group, as a file will have it.
pub struct PackedColumn {
    /// Its pages.
    pub bytes: Bytes,
    /// What the footer says of it; places count from the first page.
    pub close: ColumnCloseResult,
}

impl PackedColumn {
    /// Packs the values of a column.
    ///
    /// # Errors
    /// Those of the Parquet library.
    pub fn of(
        values: &Values,
        descriptor: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
    ) -> Result<PackedColumn> {
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

/// Does each item of a list on `jobs` threads, and `beside` on this one; returns what each gave, in order. With one job
/// all is done on this thread.
pub fn side_by_side<T: Sync, R: Send, B>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    beside: impl FnOnce() -> B,
) -> (Vec<R>, B) {
    if jobs <= 1 {
        return (items.iter().map(work).collect(), beside());
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let taken = std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, work(item)))
        });
        taken.collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(take)).collect();
        let other = beside();
        let mut done: Vec<(usize, R)> = Vec::with_capacity(items.len());
        for thread in threads {
            done.append(&mut thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done.sort_unstable_by_key(|(index, _)| *index);
        (done.into_iter().map(|(_, result)| result).collect(), other)
    })
}
