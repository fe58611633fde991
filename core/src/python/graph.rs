//! The graph of a tally, and games that follow a book, for Python.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::types::{UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::book::Book;
use super::columns::{PyTable, array, column, table};
use super::error::{schema, usage};
use super::options::{Filters, for_game, game_id};
use super::steps::{Signals, in_progress};
use crate::book::always;
use crate::collection::{Archives, FollowOptions, follow};
use crate::game::Side;
use crate::graph::{Links, Rows, link};

/// Returns where the rows of a tally lead, see [`link`]: the column `child` for each row, `u32::MAX` = nowhere, and the
/// moves to records that no row has. `records` has the column `position`.
#[pyfunction]
#[pyo3(signature = (rows, game, *, fold, records=None))]
pub fn link_moves(
    py: Python<'_>,
    rows: PyTable,
    game: &str,
    fold: bool,
    records: Option<PyTable>,
) -> PyResult<(PyTable, PyTable)> {
    let batches = rows.into_batches();
    let filled: Vec<&RecordBatch> = batches.iter().filter(|batch| batch.num_rows() > 0).collect();
    let records = records.map(numbers).transpose()?;
    let links = match filled[..] {
        [] => Links::default(),
        [rows] => {
            let rows = Rows {
                keys: column::<UInt64Type>("TALLY", rows, "key")?,
                locks: column::<UInt32Type>("TALLY", rows, "lock")?,
                moves: column::<UInt16Type>("TALLY", rows, "move")?,
            };
            let signals = Signals::default();
            let linked = for_game!(
                game_id(game)?,
                G => py.detach(|| link::<G>(rows, fold, records.as_deref(), &|| signals.ask()))
            );
            linked.map_err(|error| signals.raised().unwrap_or_else(|| error.into()))?
        }
        _ => return Err(schema(format!("the tally comes in {} pieces: combine its chunks", filled.len()))),
    };
    let others = &links.others;
    let others = table([
        ("parent", array::<UInt32Type>(others.iter().map(|other| other.0).collect())),
        ("move", array::<UInt16Type>(others.iter().map(|other| other.1.0).collect())),
        ("child", array::<UInt32Type>(others.iter().map(|other| other.2).collect())),
    ])?;
    Ok((table([("child", array::<UInt32Type>(links.children))])?, others))
}

fn numbers(records: PyTable) -> PyResult<Vec<u32>> {
    let batches = records.into_batches();
    let columns = batches.iter().map(|batch| column::<UInt32Type>("RECORDS", batch, "position"));
    Ok(columns.collect::<PyResult<Vec<_>>>()?.concat())
}

pub(super) fn side_of(name: &str) -> PyResult<Side> {
    match name {
        "first" => Ok(Side::First),
        "second" => Ok(Side::Second),
        other => Err(usage(format!("side \"{other}\": expected first or second"))),
    }
}

/// Follows the games of archives through a book: a table with a row for each game, and the games that were skipped.
#[pyfunction]
#[pyo3(signature = (paths, book, *, max_ply=None, side=None, custom_starts=false, filters=None, progress=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn follow_games<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    book: &Book,
    max_ply: Option<u16>,
    side: Option<&str>,
    custom_starts: bool,
    filters: Option<Filters>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let filter = filters.map_or_else(|| Ok(Default::default()), |filters| filters.parse())?;
    let side = side.map(side_of).transpose()?;
    let archives = Archives { paths, max_inflate: None };
    let options = FollowOptions { filter, max_ply, side, custom_starts };
    let inner = Arc::clone(book.inner());
    py.detach(|| inner.check_whole(&always))?;
    let (found, report) = in_progress(
        py,
        progress,
        move |state| for_game!(inner.game(), G => follow::<G>(&archives, &inner, &options, state)),
    )?;
    let answer = PyDict::new(py);
    answer.set_item("games_read", report.sources.iter().map(|source| source.games_read).sum::<u64>())?;
    answer.set_item("filtered", &found.filtered)?;
    answer.set_item("rejected", found.rejected)?;
    let games = table([
        ("plies", array::<UInt16Type>(found.plies)),
        ("exit_ply", array::<UInt16Type>(found.exit_ply)),
        ("asked", array::<UInt16Type>(found.asked)),
        ("followed", array::<UInt16Type>(found.followed)),
        ("known", array::<UInt16Type>(found.known)),
        ("result", array::<UInt8Type>(found.result)),
    ])?;
    answer.set_item("games", games)?;
    Ok(answer)
}
