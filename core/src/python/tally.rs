//! Tallies for Python: archives or tables in, tables of schema TALLY and GAMES out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use arrow_array::types::{Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use pyo3_arrow::PyTable;

use super::columns::{array, batch, column, members, sources};
use super::error::{schema, usage};
use super::filter::{Filters, facets_named};
use super::game::{for_game, game_id};
use super::games::{dedupe_named, games_batch, known_games};
use super::steps::in_steps;
use super::stream::table;
use crate::filter::{Facets, GameFilter};
use crate::replay::{OnError, ReplayOptions};
use crate::tally::{Progress, Reject, Rows, RowsRef, SourceReport, TallyOptions, joined_rejects, merge, run};

/// What one run over archives brought.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct TallyRun {
    games: RecordBatch,
    rest: crate::tally::TallyRun,
}

#[pymethods]
impl TallyRun {
    fn rows(&self, py: Python<'_>) -> PyResult<PyTable> {
        table(rows_batch(py.detach(|| self.rest.rows.unpack()))?)
    }

    fn games(&self) -> PyResult<PyTable> {
        table(self.games.clone())
    }

    fn rejects(&self) -> PyResult<PyTable> {
        table(rejects_batch(&self.rest)?)
    }

    fn rejected_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &joined_rejects(&self.rest.rejects))
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sources = PyList::empty(py);
        for source in &self.rest.sources {
            let entry = PyDict::new(py);
            entry.set_item("path", &source.path)?;
            for (name, figure) in FIGURES {
                entry.set_item(name, figure(source))?;
            }
            entry.set_item("filtered", &source.filtered)?;
            entry.set_item("variants", &source.variants)?;
            entry.set_item("rejects", &source.rejects)?;
            entry.set_item("skipped", &source.skipped)?;
            entry.set_item("digest", source.digest.as_ref().map(|digest| (digest.size, &digest.blake3)))?;
            sources.append(entry)?;
        }
        let report = PyDict::new(py);
        for (name, figure) in FIGURES {
            report.set_item(name, self.rest.sources.iter().map(figure).sum::<u64>())?;
        }
        report.set_item("filtered", self.sum_by_name(|source| &source.filtered))?;
        report.set_item("variants", self.sum_by_name(|source| &source.variants))?;
        report.set_item("rejects", self.sum_by_name(|source| &source.rejects))?;
        report.set_item("sources", sources)?;
        report.set_item("observations", self.rest.observations)?;
        report.set_item("superseded", self.rest.superseded)?;
        report.set_item("rows", self.rest.rows.len())?;
        Ok(report)
    }
}

/// One figure of a source.
type Figure = fn(&SourceReport) -> u64;

/// What is counted in each source and in all, by the names that reports have.
const FIGURES: [(&str, Figure); 6] = [
    ("games_read", |source| source.games_read),
    ("games_used", |source| source.games_used),
    ("duplicates", |source| source.duplicates),
    ("other_tags", |source| source.other_tags),
    ("variations", |source| source.variations.lines),
    ("variations_cut", |source| source.variations.cut),
];

impl TallyRun {
    fn sum_by_name<N: Ord>(&self, figures: fn(&SourceReport) -> &BTreeMap<N, u64>) -> BTreeMap<&N, u64> {
        let mut sum = BTreeMap::new();
        for (name, count) in self.rest.sources.iter().flat_map(figures) {
            *sum.entry(name).or_default() += count;
        }
        sum
    }
}

/// Replays archives into counts.
#[pyfunction]
#[pyo3(signature = (paths, game, *, max_ply=None, full_check=false, on_error="drop", variations=false,
    custom_starts=false, fold=true, filters=None, dedupe="off", known=None, keep_rejected=false, jobs=1, limit=None,
    max_inflate=None, progress=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn tally_archives(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    max_ply: Option<u16>,
    full_check: bool,
    on_error: &str,
    variations: bool,
    custom_starts: bool,
    fold: bool,
    filters: Option<Filters>,
    dedupe: &str,
    known: Option<PyTable>,
    keep_rejected: bool,
    jobs: usize,
    limit: Option<u64>,
    max_inflate: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<TallyRun> {
    let filters = filters.map_or_else(|| Ok(GameFilter::default()), |filters| filters.parse())?;
    let on_error = on_error_named(on_error)?;
    let replay = ReplayOptions { max_ply, full_check, on_error, variations, custom_starts, fold };
    let options = TallyOptions {
        filter: filters,
        replay,
        facets: Facets::default(),
        dedupe: dedupe_named(dedupe)?,
        known: known.map(known_games).transpose()?.unwrap_or_default(),
        keep_rejected,
        digests: true,
        jobs,
        limit,
        max_inflate,
    };
    let game = game_id(game)?;
    let state = Arc::new(Progress::default());
    let shared = Arc::clone(&state);
    let mut tick = |py: Python<'_>| progress.as_ref().map_or(Ok(()), |progress| tell(py, progress, &state));
    let work = move || for_game!(game, G => run::<G>(&paths, &options, &shared));
    let mut rest = in_steps(py, &state.stop, &mut tick, work)??;
    let games = std::mem::take(&mut rest.games);
    let games = games_batch(games, &rest)?;
    Ok(TallyRun { games, rest })
}

/// What is counted, as `spill_archives` takes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Counting {
    max_ply: Option<u16>,
    full_check: bool,
    on_error: String,
    variations: bool,
    custom_starts: bool,
    fold: bool,
    filters: Filters,
    facets: Vec<String>,
    dedupe: String,
    limit: Option<u64>,
}

impl Counting {
    /// Returns the options that the values describe.
    pub fn parse(
        &self,
        keep_rejected: bool,
        jobs: usize,
        max_inflate: Option<u64>,
    ) -> PyResult<TallyOptions> {
        let &Counting { max_ply, full_check, variations, custom_starts, fold, limit, .. } = self;
        let on_error = on_error_named(&self.on_error)?;
        Ok(TallyOptions {
            filter: self.filters.parse()?,
            replay: ReplayOptions { max_ply, full_check, on_error, variations, custom_starts, fold },
            facets: facets_named(&self.facets)?,
            dedupe: dedupe_named(&self.dedupe)?,
            keep_rejected,
            jobs,
            limit,
            max_inflate,
            ..TallyOptions::default()
        })
    }
}

fn on_error_named(name: &str) -> PyResult<OnError> {
    match name {
        "drop" => Ok(OnError::Drop),
        "prefix" => Ok(OnError::Prefix),
        _ => Err(usage(format!("on_error \"{name}\": expected drop or prefix"))),
    }
}

/// Tells Python how far a run is.
pub fn tell(py: Python<'_>, progress: &Py<PyAny>, state: &Progress) -> PyResult<()> {
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

/// Returns the columns of a table of schema TALLY, without copying them.
pub fn rows_view(batch: &RecordBatch) -> PyResult<RowsRef<'_>> {
    Ok(RowsRef {
        key: column::<UInt64Type>("TALLY", batch, "key")?,
        lock: column::<UInt32Type>("TALLY", batch, "lock")?,
        played: column::<UInt16Type>("TALLY", batch, "move")?,
        mover: column::<UInt8Type>("TALLY", batch, "mover")?,
        games: column::<UInt64Type>("TALLY", batch, "games")?,
        first_wins: column::<UInt64Type>("TALLY", batch, "first_wins")?,
        draws: column::<UInt64Type>("TALLY", batch, "draws")?,
        second_wins: column::<UInt64Type>("TALLY", batch, "second_wins")?,
        ply: column::<UInt16Type>("TALLY", batch, "ply")?,
        rating_sum: column::<UInt64Type>("TALLY", batch, "rating_sum")?,
        rated: column::<UInt64Type>("TALLY", batch, "rated")?,
        year_min: column::<UInt16Type>("TALLY", batch, "year_min")?,
        year_max: column::<UInt16Type>("TALLY", batch, "year_max")?,
        marks: column::<Int64Type>("TALLY", batch, "marks")?,
        sample: column::<UInt64Type>("TALLY", batch, "sample")?,
        sample_rating: column::<UInt16Type>("TALLY", batch, "sample_rating")?,
        cell: &[],
    })
}

/// Returns rows of one cell as a table of schema TALLY.
pub(super) fn rows_batch(rows: Rows) -> PyResult<RecordBatch> {
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
