//! Tallies for Python: tables that are merged, and the rows of frequent positions.
//!
//! The GAMES table for Python: games to compare others with.
//!
//! Digests of files, which identify their content.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;

use super::columns::{PyBatches, PyTable, rows_table, rows_view, sorted_view};
use super::error::schema;
use super::options::dedupe_named;
use crate::archive::{Digest, name_of};
use crate::tally::{Dedupe, Frequent, Games, RareKind, Seen, merge};

/// Rows of frequent positions, and the numbers of rare rows and of rare positions by kind.
pub(super) type FrequentRows = (PyTable, Vec<(RareKind, u64)>, Vec<(RareKind, u64)>);

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
    Ok((rows_table(found.rows)?, rows, positions))
}

/// Merges sorted tables of schema TALLY into one.
#[pyfunction]
pub fn merge_tallies(py: Python<'_>, tables: Vec<PyTable>) -> PyResult<PyTable> {
    let batches: Vec<RecordBatch> =
        tables.into_iter().flat_map(PyTable::into_batches).filter(|batch| batch.num_rows() > 0).collect();
    let views = batches.iter().map(sorted_view).collect::<PyResult<Vec<_>>>()?;
    rows_table(py.detach(|| merge(&views))?)
}

/// Returns how many games of either table are copies of games of the other.
#[pyfunction]
pub fn count_copies(py: Python<'_>, dedupe: &str, one: PyTable, other: PyTable) -> PyResult<u64> {
    let policy = dedupe_named(dedupe)?;
    let games = |table: PyTable| unnamed_games(&table.into_batches());
    let (known, games) = (games(one)?, games(other)?);
    Ok(py.detach(|| {
        let found = Seen::new(policy, &known).find(&games);
        found.is_dropped.iter().filter(|&&is_dropped| is_dropped).count() as u64 + found.superseded
    }))
}

/// Returns the games of a table of schema GAMES without their sources.
fn unnamed_games(batches: &[RecordBatch]) -> PyResult<Games> {
    let mut games = Games::default();
    batches.iter().try_for_each(|batch| games.append_columns(batch)).map_err(schema)?;
    Ok(games)
}

/// Returns the games of a table of schema GAMES, to compare others with.
pub fn seen_games(policy: Dedupe, table: Option<PyTable>) -> PyResult<Seen> {
    let mut seen = Seen::new(policy, &Games::default());
    for batch in table.into_iter().flat_map(|table| table.into_batches()) {
        seen.add(&unnamed_games(&[batch])?);
    }
    Ok(seen)
}

/// Returns all columns of a table of schema GAMES. `names` are the names of its sources.
pub fn all_games(table: PyTable, names: &[String]) -> PyResult<Games> {
    let indices: HashMap<_, _> =
        names.iter().enumerate().map(|(index, name)| (name.clone(), index as u32)).collect();
    let mut games = Games::default();
    let batches = table.into_batches();
    batches.iter().try_for_each(|batch| games.append_named_batch(batch, &indices)).map_err(schema)?;
    Ok(games)
}

/// Returns what an archive is called in messages and reports, see [`name_of`].
#[pyfunction]
pub fn archive_name(path: PathBuf) -> OsString {
    name_of(&path).into_owned().into_os_string()
}

/// Returns a file's size and the hexadecimal BLAKE3 digest of its bytes.
#[pyfunction]
pub fn file_digest(py: Python<'_>, path: PathBuf) -> PyResult<(u64, String)> {
    let Digest { size, blake3 } = py.detach(|| Digest::of(&path))?;
    Ok((size, blake3))
}
