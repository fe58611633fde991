//! Columns and tables on their way to and from Python.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use super::arrow::PyTable;

use super::error::schema;
use crate::tally::{Row, Rows, RowsRef, for_tally_columns};

/// Returns a batch as a table of Python.
pub fn table(batch: RecordBatch) -> PyResult<PyTable> {
    Ok(batch.into())
}

/// Returns a column of numbers of a table of the schema named `table`.
pub fn column<'a, T: ArrowPrimitiveType>(
    table: &str,
    batch: &'a RecordBatch,
    name: &str,
) -> PyResult<&'a [T::Native]> {
    let column = batch
        .column_by_name(name)
        .ok_or_else(|| schema(format!("a {table} table lacks the column \"{name}\" ({})", T::DATA_TYPE)))?;
    let values = column.as_primitive_opt::<T>().ok_or_else(|| {
        schema(format!(
            "column \"{name}\" of a {table} table is {}, expected {}",
            column.data_type(),
            T::DATA_TYPE
        ))
    })?;
    if values.nulls().is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(schema(format!("column \"{name}\" of a {table} table holds nulls")));
    }
    Ok(values.values())
}

/// Returns numbers as a column without nulls.
pub fn array<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}

/// Returns the names of members; null for a bare file.
pub fn members<'a>(names: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(names.map(|name| (!name.is_empty()).then_some(name)).collect::<StringArray>())
}

/// Columns that may hold nulls.
const NULLABLE: [&str; 3] = ["member", "line_hash", "moves"];

/// Returns columns as one record batch.
pub fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, values)| (name, values, NULLABLE.contains(&name))),
    )
    .map_err(|error| schema(error.to_string()))
}

/// A number with its Arrow type.
trait Number {
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

macro_rules! numbers {
    ($($native:ty: $arrow:ty),*) => {
        $(impl Number for $native {
            type Arrow = $arrow;
        })*
    };
}

numbers!(u8: UInt8Type, u16: UInt16Type, u32: UInt32Type, u64: UInt64Type, i64: Int64Type);

/// The columns of TALLY: name, Arrow type, unit and meaning of each.
type Columns = Vec<(&'static str, String, &'static str, &'static str)>;

macro_rules! tally_tables {
    ($($field:ident $name:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*) => {
        /// Returns the columns of TALLY as the schema of Python has them.
        pub fn tally_columns() -> Columns {
            vec![$(($name, <$type as Number>::Arrow::DATA_TYPE.to_string().to_lowercase(), $unit, $meaning)),*]
        }

        /// Returns the columns of a table of schema TALLY, without copying them.
        pub fn rows_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
            Ok(RowsRef { $($field: column::<<$type as Number>::Arrow>("TALLY", batch, $name)?,)* cell: &[] })
        }

        /// Returns a row as a tuple of the columns of TALLY.
        pub fn row_tuple<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyTuple>> {
            PyTuple::new(py, [$(row.$field.into_bound_py_any(py)?),*])
        }

        /// Returns rows of one cell as a table of schema TALLY.
        pub fn rows_batch(rows: Rows) -> PyResult<RecordBatch> {
            batch([$(($name, array::<<$type as Number>::Arrow>(rows.$field))),*])
        }
    };
}

for_tally_columns!(tally_tables);
