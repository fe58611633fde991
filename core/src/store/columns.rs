//! The columns of TALLY as Parquet has them, and the rows of a row group turned into columns.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterPropertiesPtr,
};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, TypePtr};

use crate::tally::{Row, Rows, StorageError, for_tally_columns};

/// How a column's values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Differences of neighbours, as few bits as they need.
    Delta,
    /// As they are: they look like noise.
    Plain,
}

/// The values of a column, as Parquet has them.
#[derive(Debug)]
pub enum Values {
    /// 64 bits each.
    Wide(Vec<i64>),
    /// 32 bits each.
    Narrow(Vec<i32>),
}

impl Values {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Wide(values) => values.len(),
            Values::Narrow(values) => values.len(),
        }
    }

    /// Takes all away.
    pub fn clear(&mut self) {
        match self {
            Values::Wide(values) => values.clear(),
            Values::Narrow(values) => values.clear(),
        }
    }
}

/// One column of TALLY.
pub struct Column {
    /// Its name in files.
    pub name: &'static str,
    bits: u32,
    is_signed: bool,
    coding: Coding,
    /// Appends its values in rows; values of 32 bits are the low bits.
    pub append: fn(&[Row], &mut Values),
    /// Puts its values, which were read, into rows.
    pub fill: fn(&mut Rows, Values),
    /// Puts a value that was read into a row.
    pub set: fn(&mut Row, i64),
}

impl Column {
    /// Returns whether its physical type has 64 bits, not 32.
    pub fn is_wide(&self) -> bool {
        self.bits == 64
    }

    /// Returns its line in a Parquet message.
    fn field(&self) -> String {
        let Column { name, bits, is_signed, .. } = self;
        format!("REQUIRED INT{} {name} (INTEGER({bits},{is_signed}));", 32.max(*bits))
    }
}

macro_rules! stored_columns {
    ($($field:ident $name:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*) => {
        [
            $(stored_column!($field $name $type $coding),)*
            stored_column!(cell "cell" u16 Delta),
        ]
    };
}

macro_rules! stored_column {
    ($field:ident $name:literal $type:ident $coding:ident) => {
        Column {
            name: $name,
            bits: $type::BITS,
            is_signed: $type::MIN != 0,
            coding: Coding::$coding,
            append: |rows, values| match values {
                Values::Wide(values) => values.extend(rows.iter().map(|row| row.$field as i64)),
                Values::Narrow(values) => values.extend(rows.iter().map(|row| row.$field as i32)),
            },
            fill: |rows, values| {
                rows.$field = match values {
                    Values::Wide(values) => values.into_iter().map(|value| value as $type).collect(),
                    Values::Narrow(values) => values.into_iter().map(|value| value as $type).collect(),
                }
            },
            set: |row, value| row.$field = value as $type,
        }
    };
}

/// The columns in order; the last is there only with facets.
static COLUMNS: &[Column] = &for_tally_columns!(stored_columns);

/// Returns the columns of a part, with or without cells.
pub fn columns(with_cells: bool) -> &'static [Column] {
    &COLUMNS[..COLUMNS.len() - usize::from(!with_cells)]
}

/// Returns the columns of a part by their names; `None` if they are not those of TALLY.
pub fn columns_named(names: &[&str]) -> Option<&'static [Column]> {
    let is_same = |set: &&'static [Column]| set.iter().map(|column| column.name).eq(names.iter().copied());
    [false, true].map(columns).iter().find(|set| is_same(set)).copied()
}

/// The columns of sorted rows, a row group on its way to a file.
///
/// A row has over a hundred bytes, and a group of them fits no cache. So a few rows are turned at a time.
pub struct RowGroup {
    columns: &'static [Column],
    /// The values of each column.
    pub values: Vec<Values>,
    /// The number of rows.
    pub len: usize,
}

impl RowGroup {
    /// Returns a group without rows, with a column of cells or without.
    pub fn new(with_cells: bool) -> RowGroup {
        let columns = columns(with_cells);
        let room = |column: &Column| match column.is_wide() {
            true => Values::Wide(Vec::new()),
            false => Values::Narrow(Vec::new()),
        };
        RowGroup { columns, values: columns.iter().map(room).collect(), len: 0 }
    }

    /// Appends rows.
    pub fn push(&mut self, rows: &[Row]) {
        self.len += rows.len();
        for (column, values) in self.columns.iter().zip(&mut self.values) {
            (column.append)(rows, values);
        }
    }

    /// Takes all rows away.
    pub fn clear(&mut self) {
        self.values.iter_mut().for_each(Values::clear);
        self.len = 0;
    }
}

/// Rows of a row group: what a reader of few rows of all columns holds; chosen, not tuned.
pub const GROUP_ROWS: usize = 128 * 1024;
/// Rows of a page: what a lookup decodes of each column.
pub const PAGE_ROWS: usize = 1024;

/// Returns the Parquet schema of columns.
pub fn schema(path: &Path, columns: &[Column]) -> Result<TypePtr, StorageError> {
    let fields: String = columns.iter().map(Column::field).collect();
    let message = parse_message_type(&format!("message schema {{{fields}}}"));
    message.map(Arc::new).map_err(|error| failed(path, &error))
}

/// Returns how parts of TALLY are written. `metadata`: what is written into the file's own key-value pairs.
pub fn properties(columns: &[Column], metadata: &[(String, String)]) -> WriterPropertiesPtr {
    let cell = columns.iter().position(|column| column.name == "cell");
    let order = (0..3).chain(cell.map(|place| place as i32));
    let mut builder = basic_properties(metadata)
        // Look-ups wait for what has to be unpacked. Dictionaries and zstd take away a tenth of a part.
        .set_compression(Compression::UNCOMPRESSED)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        // Pages end between batches, so the pages of all columns end at the same rows.
        .set_write_batch_size(PAGE_ROWS)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_sorting_columns(Some(
            order
                .map(|column_idx| SortingColumn { column_idx, descending: false, nulls_first: false })
                .collect(),
        ))
        .set_column_statistics_enabled(ColumnPath::from("key"), EnabledStatistics::Page);
    for column in columns {
        builder = coded(builder, column.name, column.coding);
    }
    Arc::new(builder.build())
}

/// Returns what parts of all kinds share.
pub fn basic_properties(metadata: &[(String, String)]) -> WriterPropertiesBuilder {
    let pairs = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    WriterProperties::builder()
        .set_created_by("bookbuilder".to_owned())
        .set_key_value_metadata(Some(pairs))
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Only those of the key are asked for, and they cost a twentieth of a tally's time.
        .set_statistics_enabled(EnabledStatistics::None)
}

/// Sets the coding of a column.
pub fn coded(builder: WriterPropertiesBuilder, name: &str, coding: Coding) -> WriterPropertiesBuilder {
    let path = ColumnPath::from(name);
    let encoding = match coding {
        Coding::Delta => Encoding::DELTA_BINARY_PACKED,
        Coding::Plain => Encoding::PLAIN,
    };
    builder.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding)
}

/// Returns what went wrong with a Parquet file.
pub fn failed(path: &Path, error: &ParquetError) -> StorageError {
    // What the system refused comes wrapped by the Parquet library.
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(each) = cause {
        if let Some(io) = each.downcast_ref::<std::io::Error>() {
            if io.kind() == std::io::ErrorKind::InvalidData {
                return StorageError::damaged(path, io.to_string());
            }
            let error = io.raw_os_error().map_or_else(
                || std::io::Error::new(io.kind(), io.to_string()),
                std::io::Error::from_raw_os_error,
            );
            return StorageError::io(path, error);
        }
        cause = match each.downcast_ref::<ParquetError>() {
            Some(ParquetError::External(inner)) => Some(inner.as_ref()),
            _ => each.source(),
        };
    }
    StorageError::damaged(path, error.to_string())
}

/// What the manifest says of the checksums of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksums {
    /// Where the pages end and the checksums begin.
    pub start: u64,
    /// The XXH3 of everything from there on.
    pub end: u64,
}

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
    /// How look-ups check what they read.
    pub checksums: Checksums,
}

impl PartSummary {
    /// Counts the next row.
    pub fn add(&mut self, row: &Row) {
        if self.rows == 0 {
            self.first_key = row.key;
        }
        self.rows += 1;
        self.last_key = row.key;
        let counts = [row.games, row.first_wins, row.draws, row.second_wins];
        self.sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        self.newest_year = self.newest_year.max(row.year_max);
    }
}
