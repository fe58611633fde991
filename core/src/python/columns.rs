//! Columns and tables on their way to and from Python.

use super::arrow::PyTable;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, RecordBatch};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::error::schema;
pub use crate::columns::array;
use crate::columns::{Number, numbers};
use crate::tally::{GAME_COLUMNS, GameColumn, Row, Rows, RowsRef, for_observed_columns, for_tally_columns};

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
    numbers::<T>(table, batch, name).map_err(schema)
}

/// Returns columns without nulls as one record batch.
pub fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, false)))
        .map_err(|error| schema(error.to_string()))
}

/// The columns of a table: name, Arrow type, unit and meaning of each, and whether it may hold nulls.
type Columns = Vec<(&'static str, String, &'static str, &'static str, bool)>;

macro_rules! tally_columns {
    ($($field:ident $name:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*) => {
        /// Returns the columns of TALLY.
        pub fn tally_columns() -> Columns {
            vec![$(($name, <$type as Number>::Arrow::DATA_TYPE.to_string().to_lowercase(), $unit, $meaning, false)),*]
        }

        /// Returns a row as a tuple of the columns of TALLY.
        pub fn row_tuple<'py>(py: Python<'py>, row: &Row) -> PyResult<Bound<'py, PyTuple>> {
            PyTuple::new(py, [$(row.$field.into_bound_py_any(py)?),*])
        }
    };
}

for_tally_columns!(tally_columns);

macro_rules! observed_columns {
    ($($field:ident $name:literal $type:ident $unit:literal $meaning:literal;)*) => {
        /// Returns the columns of OBSERVATIONS.
        pub fn observed_columns() -> Columns {
            vec![$(($name, <$type as Number>::Arrow::DATA_TYPE.to_string().to_lowercase(), $unit, $meaning, false)),*]
        }
    };
}

for_observed_columns!(observed_columns);

/// Returns the columns of GAMES.
pub fn game_columns() -> Columns {
    let column = |column: &GameColumn| {
        let kind = column.data_type.to_string().to_lowercase();
        (column.name, kind, column.unit, column.meaning, column.is_nullable)
    };
    GAME_COLUMNS.iter().map(column).collect()
}

/// Returns the columns of a table of schema TALLY, without copying them.
pub fn rows_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
    RowsRef::of(batch, false).map_err(schema)
}

/// Returns rows of one cell as a table of schema TALLY.
pub fn rows_batch(rows: Rows) -> PyResult<RecordBatch> {
    rows.into_batch(false).map_err(|error| schema(error.to_string()))
}
