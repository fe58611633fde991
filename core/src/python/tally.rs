//! Tallies for Python: tables that are merged, and the rows of frequent positions.

use std::borrow::Cow;
use std::path::PathBuf;

use super::arrow::{PyBatches, PyTable};
use arrow_array::RecordBatch;
use pyo3::prelude::*;

use super::columns::{rows_batch, rows_view, table};
use super::error::schema;
use crate::tally::{Frequent, RareKind, SourceReport, merge};

/// Rows of frequent positions, and the numbers of rare rows and of rare positions by kind.
pub(super) type FrequentRows = (PyTable, Vec<(RareKind, u64)>, Vec<(RareKind, u64)>);

/// Returns what sources are called.
pub fn names_of(sources: &[SourceReport]) -> Vec<Cow<'_, str>> {
    sources.iter().map(SourceReport::name).collect()
}

/// Returns "chess" or "xiangqi", by the content of the first games.
#[pyfunction]
#[pyo3(signature = (path, max_inflate=None))]
pub fn detect_game(py: Python<'_>, path: PathBuf, max_inflate: Option<u64>) -> PyResult<&'static str> {
    Ok(py.detach(|| crate::archive::detect_game(&path, max_inflate))?.name())
}

/// Returns the rows of a stream of schema TALLY whose positions at least `least` games reached, and the numbers of the
/// others. One batch at a time is in memory.
#[pyfunction]
pub fn frequent_positions(py: Python<'_>, rows: PyBatches, least: u64) -> PyResult<FrequentRows> {
    let mut reader = rows.0;
    let mut found = Frequent::new(least);
    // A batch may be made by a Python iterator, or by threads that need the interpreter's lock.
    while let Some(batch) = py.detach(|| reader.next()) {
        let batch = batch.map_err(|error| schema(error.to_string()))?;
        let view = rows_view(&batch)?;
        py.detach(|| found.take(&view));
    }
    found.close();
    frequent_answer(found)
}

/// Returns what was found, as Python has it.
pub(super) fn frequent_answer(found: Frequent) -> PyResult<FrequentRows> {
    let (rows, positions) = (found.rare_rows.iter().collect(), found.rare_positions.iter().collect());
    Ok((table(rows_batch(found.rows)?)?, rows, positions))
}

/// Merges sorted tables of schema TALLY into one.
#[pyfunction]
pub fn merge_tallies(py: Python<'_>, tables: Vec<PyTable>) -> PyResult<PyTable> {
    let batches: Vec<RecordBatch> =
        tables.into_iter().flat_map(PyTable::into_batches).filter(|batch| batch.num_rows() > 0).collect();
    let views = batches.iter().map(rows_view).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| {
        for view in &views {
            if let Some(row) = view.disorder() {
                return Err(schema(format!(
                    "a TALLY table is not sorted: row {row} does not come after the one before it by (key, lock, \
                     move); sort it first"
                )));
            }
        }
        Ok(merge(&views))
    })
    .and_then(rows_batch)
    .and_then(table)
}
