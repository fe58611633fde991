//! Columns on their way to Python: a record batch in, an Arrow stream out.

use arrow_array::RecordBatch;
use pyo3::PyResult;
use pyo3_arrow::PyTable;

/// Returns a batch as a stream of one batch. pyarrow takes streams as they are; before it takes a bare array for a
/// table it imports pandas to see whether it was given a frame.
pub fn table(batch: RecordBatch) -> PyResult<PyTable> {
    let schema = batch.schema();
    PyTable::try_new(vec![batch], schema)
}
