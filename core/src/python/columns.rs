//! Columns of Arrow tables: numbers and names in, arrays and batches out, and back.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use pyo3::prelude::*;

use super::error::schema;

/// Returns a column of numbers of a table of the schema named `table`.
pub(super) fn column<'a, T: ArrowPrimitiveType>(
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
pub(super) fn array<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}

/// Returns the paths of sources given by index.
pub(super) fn sources(run: &crate::tally::TallyRun, indices: impl Iterator<Item = u32>) -> ArrayRef {
    let names: Vec<_> = run.sources.iter().map(|source| source.path.to_string_lossy()).collect();
    Arc::new(StringArray::from_iter_values(indices.map(|index| &names[index as usize])))
}

/// Returns the names of members; null for a bare file.
pub(super) fn members<'a>(names: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(names.map(|name| (!name.is_empty()).then_some(name)).collect::<StringArray>())
}

/// Columns that may hold nulls.
pub(super) const NULLABLE: [&str; 3] = ["member", "line_hash", "moves"];

/// Returns columns as one record batch.
pub(super) fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(
        columns.map(|(name, values)| (name, values, NULLABLE.contains(&name))),
    )
    .map_err(|error| schema(error.to_string()))
}
