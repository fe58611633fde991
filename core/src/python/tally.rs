//! Tallies for Python: runs over archives in memory, and tables that are merged.

use std::borrow::Cow;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use super::arrow::{PyBatches, PyTable};

use super::columns::{rows_batch, rows_view, table};
use super::error::schema;
use super::game::for_game;
use super::games::{games_batch, seen_games};
use super::options::{Counting, Limits};
use super::steps::in_progress;
use crate::filter::Facets;
use crate::tally::{
    Frequent, RareKind, SourceReport, TallyOptions, figures, joined_rejects, merge, reject_lines, run,
};

/// Rows of frequent positions, and the numbers of rare rows and of rare positions by kind.
pub(super) type FrequentRows = (PyTable, Vec<(RareKind, u64)>, Vec<(RareKind, u64)>);

/// The result of a run over archives in memory.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct TallyRun {
    games: RecordBatch,
    rest: crate::tally::TallyRun,
}

#[pymethods]
impl TallyRun {
    fn __len__(&self) -> usize {
        self.rest.rows.len()
    }

    fn rows(&self, py: Python<'_>) -> PyResult<PyTable> {
        table(rows_batch(py.detach(|| self.rest.rows.unpack()))?)
    }

    /// Returns the rows of positions that at least `least` games reached, and the numbers of the others.
    fn frequent(&self, py: Python<'_>, least: u64) -> PyResult<FrequentRows> {
        frequent_answer(py.detach(|| self.rest.rows.frequent(least)))
    }

    fn games(&self) -> PyResult<PyTable> {
        table(self.games.clone())
    }

    fn figures<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        let sources = self.rest.sources.iter().enumerate().map(|(index, source)| (index as u32, source));
        let figures = figures(sources, self.rest.observations, self.rest.superseded);
        [PyBytes::new(py, figures.as_bytes())]
    }

    fn rejects<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        [PyBytes::new(py, &reject_lines(&self.rest.rejects, &names_of(&self.rest.sources)))]
    }

    fn rejected_text<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        [PyBytes::new(py, &joined_rejects(&self.rest.rejects))]
    }
}

/// Returns what sources are called.
pub fn names_of(sources: &[SourceReport]) -> Vec<Cow<'_, str>> {
    sources.iter().map(SourceReport::name).collect()
}

/// Counts archives in memory.
#[pyfunction]
#[pyo3(signature = (paths, options, limits, *, known=None))]
pub fn tally_archives(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: Counting,
    limits: Limits,
    known: Option<PyTable>,
) -> PyResult<TallyRun> {
    let (game, counted) = options.parse(&limits)?;
    let counted = TallyOptions { facets: Facets::default(), digests: true, ..counted };
    let seen = seen_games(counted.dedupe, known)?;
    let mut rest = in_progress(
        py,
        limits.progress,
        move |state| for_game!(game, G => run::<G>(&paths, &counted, seen, state)),
    )?;
    let games = games_batch(std::mem::take(&mut rest.games), &names_of(&rest.sources))?;
    Ok(TallyRun { games, rest })
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
    let batches: Vec<RecordBatch> = tables
        .into_iter()
        .flat_map(PyTable::into_batches)
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
