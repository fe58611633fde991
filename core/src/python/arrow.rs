//! Arrow tables and arrays on their way from and to Python, without copying them.

use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, make_array};
use arrow_data::ArrayData;
use arrow_pyarrow::{FromPyArrow, IntoPyArrow, PyArrowType, Table, ToPyArrow};
use arrow_schema::SchemaRef;
use pyo3::prelude::*;

use super::error::schema;

/// A stream of batches that Python hands over.
pub type PyBatches = PyArrowType<ArrowArrayStreamReader>;

/// A table: read from any object with batches of Arrow, returned as a table of pyarrow.
pub struct PyTable {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl PyTable {
    /// Returns the batches.
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

/// An array without a name.
pub struct PyArray(pub ArrayRef);

impl<'py> FromPyObject<'_, 'py> for PyArray {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(make_array(ArrayData::from_pyarrow_bound(&object)?)))
    }
}

impl<'py> IntoPyObject<'py> for PyArray {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        self.0.to_data().to_pyarrow(py)
    }
}
