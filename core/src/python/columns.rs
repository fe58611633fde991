//! Arrow tables and columns on their way from and to Python, without copying them.

use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_pyarrow::{FromPyArrow, IntoPyArrow, PyArrowType, Table};
use arrow_schema::SchemaRef;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::error::schema;
use crate::columns::{Number, numbers};
use crate::tally::{GAME_COLUMNS, Row, Rows, RowsRef, for_observed_columns, for_tally_columns};

pub use crate::columns::array;

/// Returns a column of numbers of a table of the schema named `table`.
pub fn column<'a, T: ArrowPrimitiveType>(
    table: &str,
    batch: &'a RecordBatch,
    name: &str,
) -> PyResult<&'a [T::Native]> {
    numbers::<T>(table, batch, name).map_err(schema)
}

/// Returns the numbers of a column of a table, all its batches together.
pub fn whole_column<T: ArrowPrimitiveType>(
    table: &str,
    batches: &[RecordBatch],
    name: &str,
) -> PyResult<Vec<T::Native>> {
    let filled = batches.iter().filter(|batch| batch.num_rows() > 0);
    Ok(filled.map(|batch| column::<T>(table, batch, name)).collect::<PyResult<Vec<_>>>()?.concat())
}

/// Returns columns without nulls as a table.
pub fn table<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<PyTable> {
    let columns = columns.map(|(name, values)| (name, values, false));
    RecordBatch::try_from_iter_with_nullable(columns)
        .map(PyTable::from)
        .map_err(|error| schema(error.to_string()))
}

/// The columns of a table: name, Arrow type, unit and meaning of each, and whether it may hold nulls.
type Columns = Vec<(&'static str, String, &'static str, &'static str, bool)>;

macro_rules! tally_columns {
    ($($field:ident $name:literal $type:ident $coding:ident $unit:literal $meaning:literal;)*) => {
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
        pub fn observed_columns() -> Columns {
            vec![$(($name, <$type as Number>::Arrow::DATA_TYPE.to_string().to_lowercase(), $unit, $meaning, false)),*]
        }
    };
}

for_observed_columns!(observed_columns);

pub fn game_columns() -> Columns {
    let columns = GAME_COLUMNS.iter();
    let columns = columns.map(|(name, kind, unit, meaning, is_nullable)| {
        (*name, kind.to_string().to_lowercase(), *unit, *meaning, *is_nullable)
    });
    columns.collect()
}

/// Returns the columns of a table of schema TALLY, without copying them.
pub fn rows_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
    RowsRef::of(batch, false).map_err(schema)
}

/// Returns the columns of a table of schema TALLY whose rows are in order.
pub fn sorted_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
    let view = rows_view(batch)?;
    match view.disorder() {
        None => Ok(view),
        Some(row) => Err(schema(format!(
            "a TALLY table is not sorted: row {row} does not come after the one before it by (key, lock, move); sort \
             it first"
        ))),
    }
}

/// Returns rows of one cell as a table of schema TALLY.
pub fn rows_table(rows: Rows) -> PyResult<PyTable> {
    rows.into_batch(false).map(PyTable::from).map_err(|error| schema(error.to_string()))
}

/// A stream of batches that Python hands over.
pub type PyBatches = PyArrowType<ArrowArrayStreamReader>;

/// A table: read from any object with batches of Arrow, returned as a table of pyarrow.
pub struct PyTable {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl PyTable {
    pub fn into_batches(self) -> Vec<RecordBatch> {
        self.batches
    }
}

impl From<RecordBatch> for PyTable {
    fn from(batch: RecordBatch) -> Self {
        Self { schema: batch.schema(), batches: vec![batch] }
    }
}

impl<'py> FromPyObject<'_, 'py> for PyTable {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.hasattr("__arrow_c_array__")? {
            return Ok(RecordBatch::from_pyarrow_bound(&object)?.into());
        }
        let reader = ArrowArrayStreamReader::from_pyarrow_bound(&object)?;
        let schema_of = reader.schema();
        let batches = reader.collect::<Result<_, _>>().map_err(|error| schema(error.to_string()))?;
        Ok(Self { batches, schema: schema_of })
    }
}

impl<'py> IntoPyObject<'py> for PyTable {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let table = Table::try_new(self.batches, self.schema).map_err(|error| schema(error.to_string()))?;
        table.into_pyarrow(py)
    }
}
