//! The graph of a tally, and games that follow a book, for Python.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::book::Book;
use super::columns::{PyTable, array, column, table, whole_column};
use super::error::schema;
use super::options::{Filters, dict, for_game, game_id, named};
use super::steps::{Signals, in_progress};
use crate::book::always;
use crate::collection::{Archives, FollowOptions, follow};
use crate::game::Side;
use crate::graph::{Links, Placed, Rows, link, unplayed};
use crate::walks;

/// Threads of the process for walks through graphs; 0 = one for each processor.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Sets how many threads walk through a graph; at first one for each processor does.
#[pyfunction]
pub fn use_threads(count: NonZero<usize>) {
    THREADS.store(count.get(), Ordering::Relaxed);
}

fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, NonZero::get),
        count => count,
    }
}

/// Returns where the rows of a tally lead, see [`link`]: the column `child`, `u32::MAX` = nowhere, and the columns
/// `placement` and `squares` of each position.
#[pyfunction]
#[pyo3(signature = (rows, game, *, fold))]
pub fn link_moves(py: Python<'_>, rows: PyTable, game: &str, fold: bool) -> PyResult<(PyTable, PyTable)> {
    let links = match one_chunk(&rows.into_batches())? {
        None => Links::default(),
        Some(batch) => {
            let (rows, signals) = (tally_rows(batch)?, Signals::default());
            let linked = for_game!(game_id(game)?, G => py.detach(|| link::<G>(rows, fold, threads(), &|| signals.ask())));
            linked.map_err(|error| signals.or(error))?
        }
    };
    let placed = [
        ("placement", array::<UInt32Type>(links.placements)),
        ("squares", array::<UInt64Type>(links.squares)),
    ];
    Ok((table([("child", array::<UInt32Type>(links.children))])?, table(placed)?))
}

/// Returns the moves to records that no row has, see [`unplayed`]. `rows` has the column `child` too, and `records` the
/// column `position`.
#[pyfunction]
#[pyo3(signature = (rows, placed, records, game, *, fold))]
pub fn unplayed_moves(
    py: Python<'_>,
    rows: PyTable,
    placed: PyTable,
    records: PyTable,
    game: &str,
    fold: bool,
) -> PyResult<PyTable> {
    let records = whole_column::<UInt32Type>("POSITIONS", &records.into_batches(), "position")?;
    let (rows, placed) = (rows.into_batches(), placed.into_batches());
    let found = match (one_chunk(&rows)?, one_chunk(&placed)?) {
        (Some(batch), Some(placed)) => {
            let (rows, signals) = (tally_rows(batch)?, Signals::default());
            let placed = Placed {
                placements: column::<UInt32Type>("POSITIONS", placed, "placement")?,
                squares: column::<UInt64Type>("POSITIONS", placed, "squares")?,
            };
            let children = column::<UInt32Type>("TALLY", batch, "child")?;
            let found = for_game!(
                game_id(game)?,
                G => py.detach(|| unplayed::<G>(rows, fold, children, placed, &records, threads(), &|| signals.ask()))
            );
            found.map_err(|error| signals.or(error))?
        }
        _ => Vec::new(),
    };
    table([
        ("parent", array::<UInt32Type>(found.iter().map(|each| each.0).collect())),
        ("move", array::<UInt16Type>(found.iter().map(|each| each.1.0).collect())),
        ("child", array::<UInt32Type>(found.iter().map(|each| each.2).collect())),
    ])
}

/// Returns the shortest lines to all positions, see [`walks::shortest_lines`]: the columns `into` and `ply`. `positions`
/// has the column `end`, `moves` the columns `child`, `usable` and `weight`.
#[pyfunction]
#[pyo3(signature = (positions, moves, root, plies=None))]
pub fn shortest_lines(
    py: Python<'_>,
    positions: PyTable,
    moves: PyTable,
    root: u32,
    plies: Option<u32>,
) -> PyResult<PyTable> {
    let (positions, moves) = (positions.into_batches(), moves.into_batches());
    let (graph, _, moves) = whole(&positions, &moves, root)?;
    let usable = of_moves::<UInt8Type>(moves, "usable")?;
    let weights = of_moves::<Float64Type>(moves, "weight")?;
    let plies = plies.map_or(i32::MAX, |plies| plies.min(i32::MAX as u32) as i32);
    let (into, depths) = py.detach(|| walks::shortest_lines(graph, usable, weights, root, plies));
    table([("into", array::<Int64Type>(into)), ("ply", array::<Int32Type>(depths))])
}

/// Returns the expected plies of a walk, and the column `visits`, see [`walks::expected_visits`]. `positions` has the
/// columns `end` and `goes_on`, `moves` the columns `child` and `chance`.
#[pyfunction]
#[pyo3(signature = (positions, moves, root, *, plies, negligible))]
pub fn expected_visits(
    py: Python<'_>,
    positions: PyTable,
    moves: PyTable,
    root: u32,
    plies: u32,
    negligible: f64,
) -> PyResult<(f64, PyTable)> {
    let (positions, moves) = (positions.into_batches(), moves.into_batches());
    let (graph, positions, moves) = whole(&positions, &moves, root)?;
    let goes_on = column::<UInt8Type>("POSITIONS", positions, "goes_on")?;
    let chances = of_moves::<Float64Type>(moves, "chance")?;
    let walk = || walks::expected_visits(graph, chances, goes_on, root, plies, negligible);
    let (expected, visits) = py.detach(walk);
    Ok((expected, table([("visits", array::<Float64Type>(visits))])?))
}

/// Returns the graph of positions and moves, and their tables; without moves there is no table of them.
fn whole<'a>(
    positions: &'a [RecordBatch],
    moves: &'a [RecordBatch],
    root: u32,
) -> PyResult<(walks::Moves<'a>, &'a RecordBatch, Option<&'a RecordBatch>)> {
    let (Some(positions), moves) = (one_chunk(positions)?, one_chunk(moves)?) else {
        return Err(schema("a graph without positions".to_owned()));
    };
    let children = of_moves::<UInt32Type>(moves, "child")?;
    let graph = walks::Moves { ends: column::<UInt32Type>("POSITIONS", positions, "end")?, children };
    if !graph.are_whole() || root as usize >= graph.ends.len() {
        return Err(schema("a graph has moves, or a root, outside its positions".to_owned()));
    }
    Ok((graph, positions, moves))
}

fn of_moves<'a, T: ArrowPrimitiveType>(
    moves: Option<&'a RecordBatch>,
    name: &str,
) -> PyResult<&'a [T::Native]> {
    moves.map_or(Ok(&[]), |moves| column::<T>("MOVES", moves, name))
}

fn one_chunk(batches: &[RecordBatch]) -> PyResult<Option<&RecordBatch>> {
    let filled: Vec<&RecordBatch> = batches.iter().filter(|batch| batch.num_rows() > 0).collect();
    match filled[..] {
        [] => Ok(None),
        [rows] => Ok(Some(rows)),
        _ => Err(schema(format!("the tally comes in {} pieces: combine its chunks", filled.len()))),
    }
}

fn tally_rows(batch: &RecordBatch) -> PyResult<Rows<'_>> {
    Ok(Rows {
        keys: column::<UInt64Type>("TALLY", batch, "key")?,
        locks: column::<UInt32Type>("TALLY", batch, "lock")?,
        moves: column::<UInt16Type>("TALLY", batch, "move")?,
    })
}

pub(super) fn side_of(name: &str) -> PyResult<Side> {
    named("side", name, [("first", Side::First), ("second", Side::Second)])
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
    let games = table([
        ("plies", array::<UInt16Type>(found.plies)),
        ("exit_ply", array::<UInt16Type>(found.exit_ply)),
        ("asked", array::<UInt16Type>(found.asked)),
        ("followed", array::<UInt16Type>(found.followed)),
        ("known", array::<UInt16Type>(found.known)),
        ("result", array::<UInt8Type>(found.result)),
    ])?;
    Ok(dict! { py,
        "games_read": report.sources.iter().map(|source| source.games_read).sum::<u64>(),
        "filtered": &found.filtered,
        "rejected": found.rejected,
        "games": games,
    })
}
