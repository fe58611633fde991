//! The columns of a row group, some rows at a time, value by value.

use std::sync::Arc;

use parquet::basic::{LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::RowGroupReader;

use super::checked::Checked;

/// The value of a row in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    Null,
    Text(&'a [u8]),
    Number(i64),
}

impl Cell<'_> {
    /// Returns the number, where it is one.
    pub(super) fn number(self) -> Option<i64> {
        if let Cell::Number(number) = self { Some(number) } else { None }
    }
}

/// A column that is being read.
pub(super) trait Column {
    /// Reads the next rows and goes before the first of them.
    ///
    /// # Errors
    /// Its pages cannot be read, or end too soon.
    fn fetch(&mut self, rows: usize) -> ParquetResult<()>;

    /// Goes to the next row, and returns its value; of a list the first.
    fn next(&mut self) -> Cell<'_>;

    /// Goes to the next row, which has a list, and appends its numbers. What is missing in it counts as 0.
    fn next_list(&mut self, numbers: &mut Vec<i64>);
}

/// Returns whether a column of this type and depth of lists is read.
pub(super) fn is_read(kind: Type, lists: i16) -> bool {
    match kind {
        Type::BYTE_ARRAY => lists == 0,
        Type::INT32 | Type::INT64 => lists <= 1,
        _ => false,
    }
}

/// Opens a column of a row group, of which [`is_read`] holds.
///
/// # Errors
/// Its place in the file is wrong, or its compression is not supported.
pub(super) fn open(group: &dyn RowGroupReader, place: usize) -> ParquetResult<Box<dyn Column>> {
    Ok(match group.metadata().column(place).column_type() {
        Type::BYTE_ARRAY => Box::new(Typed::<ByteArrayType>::open(group, place)?),
        Type::INT32 => Box::new(Typed::<Int32Type>::open(group, place)?),
        _ => Box::new(Typed::<Int64Type>::open(group, place)?),
    })
}

/// Returns what turns the moments of a column into microseconds, and leaves all else as it is.
fn scale_of(kind: Option<&LogicalType>) -> fn(i64) -> i64 {
    let unit = if let Some(LogicalType::Timestamp(moment)) = kind { Some(moment.unit) } else { None };
    match unit {
        Some(TimeUnit::MILLIS) => |moment| moment.saturating_mul(1000),
        Some(TimeUnit::NANOS) => |moment| moment.div_euclid(1000),
        _ => |number| number,
    }
}

/// A value of a column.
trait Value {
    fn cell(&self) -> Cell<'_>;
}

impl Value for ByteArray {
    fn cell(&self) -> Cell<'_> {
        Cell::Text(self.data())
    }
}

impl Value for i32 {
    fn cell(&self) -> Cell<'_> {
        Cell::Number(i64::from(*self))
    }
}

impl Value for i64 {
    fn cell(&self) -> Cell<'_> {
        Cell::Number(*self)
    }
}

/// A column of values of one type.
struct Typed<T: DataType> {
    name: Arc<str>,
    reader: ColumnReaderImpl<T>,
    /// Level of a value that is there; 0 where all are.
    present: i16,
    /// Turns a moment into microseconds.
    scale: fn(i64) -> i64,
    /// Level from which on a list has an element, which may be null; 0 where rows have no lists.
    element: i16,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    values: Vec<T::T>,
    /// The next of the levels, and of the values.
    level: usize,
    value: usize,
}

impl<T: DataType> Typed<T> {
    fn open(group: &dyn RowGroupReader, place: usize) -> ParquetResult<Typed<T>> {
        let descriptor = group.metadata().column(place).column_descr_ptr();
        let pages = Box::new(Checked::new(group.get_column_page_reader(place)?, &descriptor));
        Ok(Typed {
            name: descriptor.name().into(),
            reader: get_typed_column_reader::<T>(get_column_reader(Arc::clone(&descriptor), pages)),
            present: descriptor.max_def_level(),
            scale: scale_of(descriptor.logical_type_ref()),
            element: match descriptor.max_rep_level() {
                0 => 0,
                _ => descriptor.max_def_level() - i16::from(descriptor.self_type().is_optional()),
            },
            definitions: Vec::new(),
            repetitions: Vec::new(),
            values: Vec::new(),
            level: 0,
            value: 0,
        })
    }

    /// Returns the value at the next level, and goes on.
    fn step(&mut self) -> Option<&T::T> {
        let is_present = self.present == 0 || self.definitions.get(self.level) == Some(&self.present);
        self.level += 1;
        self.value += usize::from(is_present);
        if is_present { self.values.get(self.value - 1) } else { None }
    }
}

impl<T: DataType> Column for Typed<T>
where
    T::T: Value,
{
    fn fetch(&mut self, rows: usize) -> ParquetResult<()> {
        let Typed { definitions, repetitions, values, .. } = self;
        definitions.clear();
        repetitions.clear();
        values.clear();
        (self.level, self.value) = (0, 0);
        let definitions = (self.present > 0).then_some(definitions);
        let repetitions = (self.element > 0).then_some(repetitions);
        let (read, _, _) = self.reader.read_records(rows, definitions, repetitions, values)?;
        if read == rows {
            return Ok(());
        }
        Err(ParquetError::General(format!("column {} ends {} rows too soon", self.name, rows - read)))
    }

    fn next(&mut self) -> Cell<'_> {
        let scale = self.scale;
        match self.step().map_or(Cell::Null, Value::cell) {
            Cell::Number(number) => Cell::Number(scale(number)),
            other => other,
        }
    }

    fn next_list(&mut self, numbers: &mut Vec<i64>) {
        loop {
            // An empty list and none have a level too, but no element.
            let level = self.definitions.get(self.level).copied();
            let number = self.step().and_then(|value| value.cell().number());
            if level.is_some_and(|level| level >= self.element) {
                numbers.push(number.unwrap_or(0));
            }
            if self.repetitions.get(self.level).is_none_or(|&level| level == 0) {
                return;
            }
        }
    }
}
