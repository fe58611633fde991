//! The GAMES table for Python: games to compare others with.

use std::collections::HashMap;

use super::arrow::PyTable;
use arrow_array::RecordBatch;
use pyo3::prelude::*;

use super::error::schema;
use super::options::dedupe_named;
use crate::tally::{Dedupe, Games, Seen, find_duplicates};

/// Returns how many games of either table are copies of games of the other.
#[pyfunction]
pub fn count_copies(py: Python<'_>, dedupe: &str, one: PyTable, other: PyTable) -> PyResult<u64> {
    let policy = dedupe_named(dedupe)?;
    let games = |table: PyTable| unnamed_games(&table.into_batches());
    let (known, games) = (games(one)?, games(other)?);
    Ok(py.detach(|| {
        let found = find_duplicates(policy, &known, &games);
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
