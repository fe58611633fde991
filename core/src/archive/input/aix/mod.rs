//! Reads AIX databases: games of chess in a Parquet file, a row each → blocks of games.
//!
//! | file | step |
//! |---|---|
//! | `header`, `pages` | the bytes of the file, checked before room is made for them |
//! | `checked` | pages whose values promise no more than the page has |
//! | `columns` | the columns of a row group, value by value |
//! | `tags` | the columns → the tags of a game |
//! | `rows` | the rows of a row group → entries of a block |
//!
//! What pages say of themselves is known only when they are read; where the library panics because they contradict the
//! footer, the file is damaged.

mod checked;
mod columns;
mod header;
mod pages;
mod rows;
mod tags;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::ReaderProperties;
use parquet::file::serialized_reader::SerializedRowGroupReader;

use super::streams::Watch;
use crate::archive::error::LayerError;
use crate::footer::check_groups;
use pages::Pages;
use rows::{Layout, Rows};

/// The bytes at the head of a Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// Most rows of a row group.
const MAX_ROWS: usize = 1 << 24;

/// Largest footer. That of a month of lichess takes 3 MB.
const MAX_FOOTER_BYTES: u32 = 16 << 20;

const LAYER: &str = "Parquet";

/// What is said of an AIX database in a container.
pub(super) const IN_A_CONTAINER: &str = "a Parquet file in a container; unpack it first";

/// A database that is open.
pub(super) struct Database {
    pages: Arc<Pages>,
    metadata: ParquetMetaData,
    layout: Layout,
}

impl Database {
    /// Opens a file whose content may become `left` bytes; `None` if it is a Parquet file without games.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub(super) fn open(path: &Path, left: u64) -> io::Result<Option<Database>> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        check_footer(&mut file, size)?;
        let metadata = guarded(None, || ParquetMetaDataReader::new().parse_and_finish(&file))?;
        let Some(layout) = Layout::of(metadata.file_metadata().schema_descr()) else { return Ok(None) };
        check_groups(&metadata, size, MAX_ROWS).map_err(damaged)?;
        check_compression(&metadata)?;
        let pages = Arc::new(Pages::new(file, size, left));
        Ok(Some(Database { pages, metadata, layout }))
    }

    /// Returns whether the content would become more than it may.
    pub(super) fn is_overdrawn(&self) -> bool {
        self.pages.is_overdrawn()
    }

    /// Hands over the games in blocks; the place of a game is the number of its row. `watch` gets what is read.
    ///
    /// # Errors
    /// Bytes of the blocks before, and why no more can be read.
    pub(super) fn cut(
        &self,
        watch: &dyn Watch,
        emit: &mut dyn FnMut(u64, Vec<u8>) -> ControlFlow<()>,
    ) -> Result<(), (u64, io::Error)> {
        let (mut row, mut bytes) = (0, 0);
        for index in 0..self.metadata.num_row_groups() {
            let mut rows = guarded(Some(row), || self.group(index)).map_err(|error| (bytes, error))?;
            while rows.is_left() {
                let start = row;
                let block =
                    guarded(Some(row), || rows.next_block(&self.layout)).map_err(|error| (bytes, error))?;
                row += block.games;
                let length = block.bytes.len() as u64;
                self.pages.draw(length).map_err(|error| (bytes, error))?;
                bytes += length;
                self.pages.report(watch);
                if emit(start, block.bytes).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn group(&self, index: usize) -> ParquetResult<Rows> {
        let properties = Arc::new(ReaderProperties::builder().build());
        let metadata = self.metadata.row_group(index);
        let group = SerializedRowGroupReader::new(Arc::clone(&self.pages), metadata, None, properties)?;
        Rows::open(&group, &self.layout)
    }
}

/// Checks the size of the footer, which the library takes as given.
fn check_footer(file: &mut File, size: u64) -> io::Result<()> {
    let mut end = [0; 8];
    if size < 12 {
        return Err(LayerError::truncated(LAYER));
    }
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    let bytes = u32::from_le_bytes([a, b, c, d]);
    match magic.as_slice() {
        MAGIC if bytes <= MAX_FOOTER_BYTES => Ok(()),
        MAGIC => Err(damaged(format!("its footer has {bytes} bytes, expected at most {MAX_FOOTER_BYTES}"))),
        b"PARE" => Err(damaged("it is encrypted".to_owned())),
        _ => Err(LayerError::truncated(LAYER)),
    }
}

/// Checks that pages are compressed in a way whose result has a known size.
fn check_compression(metadata: &ParquetMetaData) -> io::Result<()> {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    for codec in chunks.map(|chunk| chunk.compression()) {
        match codec {
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_) | Compression::LZ4_RAW => {
            }
            other => {
                let expected = "expected zstd, snappy, lz4_raw or none; write it again with one of them";
                return Err(damaged(format!("its pages are compressed by {other}; {expected}")));
            }
        }
    }
    Ok(())
}

/// Reads by the library, from a row on.
fn guarded<T>(row: Option<u64>, work: impl FnOnce() -> ParquetResult<T>) -> io::Result<T> {
    let wrong = |what: &dyn std::fmt::Display| match row {
        Some(row) => damaged(format!("from row {row} on: {what}")),
        None => damaged(what.to_string()),
    };
    // What the work had begun to change is thrown away with the error.
    let error = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error,
        Err(_) => return Err(wrong(&"its pages contradict its footer")),
    };
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) if error.raw_os_error().is_some() => Err(*error),
            Ok(error) => Err(wrong(&error)),
            Err(error) => Err(wrong(&error)),
        },
        ParquetError::General(what) => Err(wrong(&what)),
        other => Err(wrong(&other)),
    }
}

fn damaged(what: String) -> io::Error {
    LayerError::wrap(LAYER, io::Error::other(what))
}
