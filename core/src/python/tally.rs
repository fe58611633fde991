//! Tallies for Python: archives or tables in, tables of schema TALLY and GAMES out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3_arrow::PyTable;

use super::error::schema;
use super::steps::in_steps;
use super::stream::table;
use super::{for_game, game_id};
use crate::replay::ReplayOptions;
use crate::tally::{
    Games, Progress, Reject, Rows, RowsRef, SourceReport, TallyOptions, TextColumn, merge, run,
};

/// What one run over archives brought.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct TallyRun {
    rows: RecordBatch,
    games: RecordBatch,
    rest: crate::tally::TallyRun,
}

#[pymethods]
impl TallyRun {
    fn rows(&self) -> PyResult<PyTable> {
        table(self.rows.clone())
    }

    fn games(&self) -> PyResult<PyTable> {
        table(self.games.clone())
    }

    fn rejects(&self) -> PyResult<PyTable> {
        table(rejects_batch(&self.rest)?)
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sources = PyList::empty(py);
        for source in &self.rest.sources {
            let entry = PyDict::new(py);
            entry.set_item("path", &source.path)?;
            entry.set_item("games_read", source.games_read)?;
            entry.set_item("games_used", source.games_used)?;
            entry.set_item("filtered", &source.filtered)?;
            entry.set_item("rejects", &source.rejects)?;
            entry.set_item("skipped", &source.skipped)?;
            sources.append(entry)?;
        }
        let report = PyDict::new(py);
        let total = |figure: fn(&SourceReport) -> u64| self.rest.sources.iter().map(figure).sum::<u64>();
        report.set_item("games_read", total(|source| source.games_read))?;
        report.set_item("games_used", total(|source| source.games_used))?;
        report.set_item("filtered", self.sum_by_reason(|source| &source.filtered))?;
        report.set_item("rejects", self.sum_by_reason(|source| &source.rejects))?;
        report.set_item("sources", sources)?;
        report.set_item("observations", self.rest.observations)?;
        report.set_item("rows", self.rows.num_rows())?;
        Ok(report)
    }
}

type ByReason = BTreeMap<&'static str, u64>;

impl TallyRun {
    fn sum_by_reason(&self, figures: fn(&SourceReport) -> &ByReason) -> ByReason {
        let mut sum = ByReason::new();
        for (reason, count) in self.rest.sources.iter().flat_map(figures) {
            *sum.entry(reason).or_default() += count;
        }
        sum
    }
}

/// Replays archives into counts.
#[pyfunction]
#[pyo3(signature = (paths, game, *, max_ply=None, full_check=false, keep_prefix=false, custom_starts=false,
    fold=true, jobs=1, limit=None, progress=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn tally_archives(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    max_ply: Option<u16>,
    full_check: bool,
    keep_prefix: bool,
    custom_starts: bool,
    fold: bool,
    jobs: usize,
    limit: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<TallyRun> {
    let replay = ReplayOptions { max_ply, full_check, keep_prefix, custom_starts, fold };
    let options = TallyOptions { replay, jobs, limit };
    let game = game_id(game)?;
    let state = Arc::new(Progress::default());
    let shared = Arc::clone(&state);
    let mut tick = |py: Python<'_>| progress.as_ref().map_or(Ok(()), |progress| tell(py, progress, &state));
    let work = move || for_game!(game, G => run::<G>(&paths, &options, &shared));
    let mut rest = in_steps(py, &state.stop, &mut tick, work)??;
    let games = std::mem::take(&mut rest.games);
    let rows = rows_batch(std::mem::take(&mut rest.rows))?;
    let games = games_batch(games, &rest)?;
    Ok(TallyRun { rows, games, rest })
}

fn tell(py: Python<'_>, progress: &Py<PyAny>, state: &Progress) -> PyResult<()> {
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    progress.call1(py, (read(&state.bytes), read(&state.games), read(&state.rejects))).map(drop)
}

/// Returns "chess" or "xiangqi", by the content of the first games.
#[pyfunction]
pub fn detect_game(py: Python<'_>, path: PathBuf) -> PyResult<&'static str> {
    Ok(py.detach(|| crate::archive::detect_game(&path))?.name())
}

/// Merges sorted tables of schema TALLY into one.
#[pyfunction]
pub fn merge_tallies(py: Python<'_>, tables: Vec<PyTable>) -> PyResult<PyTable> {
    let batches: Vec<RecordBatch> = tables
        .into_iter()
        .flat_map(|table| table.into_inner().0)
        .filter(|batch| batch.num_rows() > 0)
        .collect();
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

fn column<'a, T: ArrowPrimitiveType>(batch: &'a RecordBatch, name: &str) -> PyResult<&'a [T::Native]> {
    let column = batch
        .column_by_name(name)
        .ok_or_else(|| schema(format!("a TALLY table lacks the column \"{name}\" ({})", T::DATA_TYPE)))?;
    let values = column.as_primitive_opt::<T>().ok_or_else(|| {
        schema(format!(
            "column \"{name}\" of a TALLY table is {}, expected {}",
            column.data_type(),
            T::DATA_TYPE
        ))
    })?;
    if values.nulls().is_some_and(|nulls| nulls.null_count() > 0) {
        return Err(schema(format!("column \"{name}\" of a TALLY table holds nulls")));
    }
    Ok(values.values())
}

fn rows_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
    Ok(RowsRef {
        key: column::<UInt64Type>(batch, "key")?,
        lock: column::<UInt32Type>(batch, "lock")?,
        played: column::<UInt16Type>(batch, "move")?,
        mover: column::<UInt8Type>(batch, "mover")?,
        games: column::<UInt64Type>(batch, "games")?,
        first_wins: column::<UInt64Type>(batch, "first_wins")?,
        draws: column::<UInt64Type>(batch, "draws")?,
        second_wins: column::<UInt64Type>(batch, "second_wins")?,
        ply: column::<UInt16Type>(batch, "ply")?,
        rating_sum: column::<UInt64Type>(batch, "rating_sum")?,
        rated: column::<UInt64Type>(batch, "rated")?,
        year_min: column::<UInt16Type>(batch, "year_min")?,
        year_max: column::<UInt16Type>(batch, "year_max")?,
        marks: column::<Int64Type>(batch, "marks")?,
        sample: column::<UInt64Type>(batch, "sample")?,
        sample_rating: column::<UInt16Type>(batch, "sample_rating")?,
    })
}

fn array<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}

fn rows_batch(rows: Rows) -> PyResult<RecordBatch> {
    batch([
        ("key", array::<UInt64Type>(rows.key)),
        ("lock", array::<UInt32Type>(rows.lock)),
        ("move", array::<UInt16Type>(rows.played)),
        ("mover", array::<UInt8Type>(rows.mover)),
        ("games", array::<UInt64Type>(rows.games)),
        ("first_wins", array::<UInt64Type>(rows.first_wins)),
        ("draws", array::<UInt64Type>(rows.draws)),
        ("second_wins", array::<UInt64Type>(rows.second_wins)),
        ("ply", array::<UInt16Type>(rows.ply)),
        ("rating_sum", array::<UInt64Type>(rows.rating_sum)),
        ("rated", array::<UInt64Type>(rows.rated)),
        ("year_min", array::<UInt16Type>(rows.year_min)),
        ("year_max", array::<UInt16Type>(rows.year_max)),
        ("marks", array::<Int64Type>(rows.marks)),
        ("sample", array::<UInt64Type>(rows.sample)),
        ("sample_rating", array::<UInt16Type>(rows.sample_rating)),
    ])
}

fn games_batch(games: Games, rest: &crate::tally::TallyRun) -> PyResult<RecordBatch> {
    let texts = |column: &TextColumn| -> ArrayRef { Arc::new(StringArray::from_iter_values(column.iter())) };
    batch([
        ("fingerprint", array::<UInt64Type>(games.fingerprint)),
        ("source", sources(rest, games.source.iter().copied())),
        ("member", members(games.member.iter())),
        ("offset", array::<UInt64Type>(games.offset)),
        ("line", array::<UInt64Type>(games.line)),
        ("first_player", texts(&games.first_player)),
        ("second_player", texts(&games.second_player)),
        ("first_rating", array::<UInt16Type>(games.first_rating)),
        ("second_rating", array::<UInt16Type>(games.second_rating)),
        ("date", texts(&games.date)),
        ("year", array::<UInt16Type>(games.year)),
        ("event", texts(&games.event)),
        ("result", array::<UInt8Type>(games.result)),
        ("plies", array::<UInt16Type>(games.plies)),
    ])
}

/// Returns the rejects of a run as a table of schema REJECTS.
pub(super) fn rejects_batch(run: &crate::tally::TallyRun) -> PyResult<RecordBatch> {
    let rejects = &run.rejects;
    let numbers = |value: fn(&Reject) -> u64| array::<UInt64Type>(rejects.iter().map(value).collect());
    let texts = |value: fn(&Reject) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rejects.iter().map(value)))
    };
    let plies = rejects.iter().map(|reject| u16::try_from(reject.fault.ply).unwrap_or(u16::MAX));
    batch([
        ("source", sources(run, rejects.iter().map(|reject| reject.source))),
        ("member", members(rejects.iter().map(|reject| reject.member.as_str()))),
        ("offset", numbers(|reject| reject.offset)),
        ("line", numbers(|reject| reject.line)),
        ("game", numbers(|reject| reject.number)),
        ("ply", array::<UInt16Type>(plies.collect())),
        ("token", texts(|reject| &reject.fault.token)),
        ("reason", texts(|reject| reject.fault.reason)),
        ("message", texts(|reject| &reject.fault.message)),
    ])
}

/// Returns the paths of sources given by index.
fn sources(run: &crate::tally::TallyRun, indices: impl Iterator<Item = u32>) -> ArrayRef {
    let names: Vec<_> = run.sources.iter().map(|source| source.path.to_string_lossy()).collect();
    Arc::new(StringArray::from_iter_values(indices.map(|index| &names[index as usize])))
}

/// Returns the names of members; null for a bare file.
fn members<'a>(names: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(names.map(|name| (!name.is_empty()).then_some(name)).collect::<StringArray>())
}

/// Returns columns as one record batch; only a game's member may be null.
fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, name == "member")))
        .map_err(|error| schema(error.to_string()))
}
