//! Runs for Python: archives counted in memory or into run files.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::columns::{PyTable, rows_table, sorted_view};
use super::error::schema;
use super::options::{Counting, Limits, for_game};
use super::steps::in_progress;
use super::tally::{FrequentRows, all_games, frequent_answer, seen_games};
use crate::tally::{Batch, Bounds, Games, Kind, Place, Run as AnyRun, RunFile, RunWriter, Spill, count};

/// Counts archives and returns the runs, in order. Without a folder there is one run, in memory; else runs of a bounded
/// size are files behind the runs that are there already, but for a run in memory, if all fits.
#[pyfunction]
#[pyo3(signature = (paths, options, limits, *, directory=None, runs=Vec::new(), memory=None, known=None, digests=false))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn count_archives(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: Counting,
    limits: Limits,
    directory: Option<PathBuf>,
    runs: Vec<PathBuf>,
    memory: Option<u64>,
    known: Option<PyTable>,
    digests: bool,
) -> PyResult<Vec<Run>> {
    let (game, mut options) = options.parse(&limits)?;
    options.digests = digests;
    let mut seen = seen_games(options.dedupe, known)?;
    let mut start = Place::default();
    let mut all = Vec::new();
    for path in &runs {
        let run = RunFile::open(path)?;
        start = run.end()?;
        seen.add_all(&mut run.games()?)?;
        all.push(Run(AnyRun::File(Arc::new(run))));
    }
    if start.source as usize >= paths.len() && !all.is_empty() {
        return Ok(all);
    }
    let (bounds, first) = (Bounds { start, memory, seen }, all.len());
    let counted = in_progress(py, limits.progress, move |state| {
        let spill = directory.as_deref().map(|folder| Spill { folder, first });
        for_game!(game, G => count::<G>(&paths, &options, bounds, spill, state))
    })?;
    all.extend(counted.into_iter().map(Run));
    Ok(all)
}

/// A run, in memory or in a file.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Run(AnyRun);

impl Run {
    /// Returns a run that was just made.
    pub(super) fn in_memory(run: Batch) -> Run {
        Run(AnyRun::Memory(Arc::new(run)))
    }

    /// Returns the run for the core.
    pub fn inner(&self) -> AnyRun {
        self.0.clone()
    }

    fn memory(&self) -> PyResult<&Batch> {
        match &self.0 {
            AnyRun::Memory(run) => Ok(run),
            AnyRun::File(_) => Err(schema("a run file has no tables; merge it".to_owned())),
        }
    }

    fn texts<'py>(&self, py: Python<'py>, kind: Kind) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let texts = py.detach(|| self.0.texts(kind))?;
        Ok(texts.iter().map(|text| PyBytes::new(py, text)).collect())
    }
}

#[pymethods]
impl Run {
    /// Opens a run file.
    #[new]
    fn new(path: PathBuf) -> PyResult<Run> {
        Ok(Run(AnyRun::open(&path)?))
    }

    /// Number of rows of a run in memory.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.memory()?.rows.len())
    }

    /// The rows of a run in memory.
    fn rows(&self, py: Python<'_>) -> PyResult<PyTable> {
        let run = self.memory()?;
        rows_table(py.detach(|| run.rows.unpack()))
    }

    /// The observations of a run in memory that keeps them one by one.
    fn observations(&self, py: Python<'_>) -> PyResult<PyTable> {
        let run = self.memory()?;
        let batch = py.detach(|| run.observed.clone().into_batch());
        batch.map(PyTable::from).map_err(|error| schema(error.to_string()))
    }

    /// The rows of positions of a run in memory that at least `least` games reached, and the numbers of the others.
    fn frequent(&self, py: Python<'_>, least: u64) -> PyResult<FrequentRows> {
        let run = self.memory()?;
        frequent_answer(py.detach(|| run.rows.frequent(least)))
    }

    /// The games of a run in memory, without its rows.
    #[getter]
    fn games(&self) -> PyResult<RunGames> {
        let run = self.memory()?;
        Ok(RunGames { games: Arc::clone(&run.games), names: run.names.clone() })
    }

    /// Figures of the run as JSON, in pieces.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.texts(py, Kind::Figures)
    }

    /// Rejects as lines of JSON, in pieces.
    fn rejects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.texts(py, Kind::Rejects)
    }

    /// Text of rejected games, in pieces.
    fn rejected_text<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.texts(py, Kind::Rejected)
    }

    /// Index of the source that a run file ends in; the number of sources if it is the last.
    #[getter]
    fn end_source(&self) -> PyResult<u32> {
        match &self.0 {
            AnyRun::File(run) => Ok(run.end()?.source),
            AnyRun::Memory(_) => Err(schema("a run in memory has no blocks".to_owned())),
        }
    }
}

/// The games of a run in memory.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct RunGames {
    games: Arc<Games>,
    names: Vec<String>,
}

#[pymethods]
impl RunGames {
    /// Number of games.
    fn __len__(&self) -> usize {
        self.games.len()
    }

    /// Games that have the fingerprint of another one before them.
    fn repeats(&self) -> usize {
        self.games.repeats()
    }

    /// The games as a table.
    fn table(&self, py: Python<'_>) -> PyResult<PyTable> {
        let games = py.detach(|| self.games.to_named_batch(&self.names));
        games.map(PyTable::from).map_err(|error| schema(error.to_string()))
    }
}

/// Writes tables of schema TALLY and GAMES as a run file.
#[pyfunction]
pub fn write_run(
    py: Python<'_>,
    path: PathBuf,
    rows: PyTable,
    games: PyTable,
    names: Vec<String>,
) -> PyResult<()> {
    let games = all_games(games, &names)?;
    let batches = rows.into_batches();
    let views = batches.iter().map(sorted_view).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| {
        let mut writer = RunWriter::create(&path)?;
        for view in views {
            for start in (0..view.len()).step_by(4096) {
                let rows: Vec<_> = (start..view.len().min(start + 4096)).map(|row| view.row(row)).collect();
                writer.rows(&rows)?;
            }
        }
        writer.games(&games)?;
        Ok(writer.finish()?)
    })
}
