//! Tally stores for Python: run files, parts and lookups.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use arrow_array::types::UInt16Type;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use pyo3_arrow::PyTable;

use super::columns::{column, row_tuple, rows_batch, rows_view, table};
use super::error::schema;
use super::filter::Question;
use super::game::{for_game, game_id};
use super::games::{all_games, seen_games};
use super::options::{Counting, Limits};
use super::steps::{in_progress, in_steps};
use crate::archive::{Frame, Mark, Span};
use crate::filter::Cells;
use crate::store::{
    PartLookup, PartSummary, Reach, RowInput, check_part as check, count_rows as count_all_rows, holds_row,
    merge_runs as merge, reduce_games as reduce_all_games, reduce_rows as reduce, sum_cells as sum,
};
use crate::tally::{
    Blocks, Bounds, Counted, Entry, HeldRun as Held, KeyRange, Kind, Place, Row, Rows, RowsRef,
    RunFile as Opened, RunWriter, StorageError, count_blocks as count, footer_start, run_to_files,
};

/// Counts archives into run files of a bounded size, behind the runs that are there already; or into a run in memory, if
/// that may be held and all fits.
#[pyfunction]
#[pyo3(signature = (paths, options, limits, *, directory, runs, memory, hold, known=None, names=None, stretch=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn spill_archives(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: Counting,
    limits: Limits,
    directory: PathBuf,
    runs: Vec<PathBuf>,
    memory: u64,
    hold: bool,
    known: Option<PyTable>,
    names: Option<Vec<String>>,
    stretch: Option<Stretch>,
) -> PyResult<(Vec<PathBuf>, Option<HeldRun>)> {
    let (game, options) = options.parse(&limits)?;
    let mut seen = seen_games(options.dedupe, known)?;
    let (mut start, span, end) = stretch.map_or_else(Default::default, Stretch::bounds);
    for run in &runs {
        let run = Opened::open(run)?;
        start = run.end();
        seen.add_all(&mut run.games()?)?;
    }
    if start.source as usize >= paths.len() && !runs.is_empty() {
        return Ok((runs, None));
    }
    let bounds = Bounds { start, span, end, names, memory: Some(memory), seen };
    let spilled = in_progress(
        py,
        limits.progress,
        move |state| for_game!(game, G => run_to_files::<G>(&paths, &options, bounds, &directory, runs, hold, state)),
    )?;
    Ok((spilled.files, spilled.held.map(|run| HeldRun { run: Arc::new(run) })))
}

/// A run in memory: what it says beside its rows and games.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct HeldRun {
    run: Arc<Held>,
}

#[pymethods]
impl HeldRun {
    fn figures<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        [PyBytes::new(py, self.run.figures().as_bytes())]
    }

    fn rejects<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        [PyBytes::new(py, &self.run.rejects())]
    }

    fn rejected_text<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        [PyBytes::new(py, &self.run.rejected_text())]
    }
}

/// The result of a run: on disk or in memory.
#[derive(FromPyObject)]
pub enum Run {
    Held(Py<HeldRun>),
    File(PathBuf),
}

impl From<Run> for RowInput {
    fn from(run: Run) -> RowInput {
        match run {
            Run::Held(held) => RowInput::Held(Arc::clone(&held.get().run)),
            Run::File(path) => RowInput::Run(path),
        }
    }
}

/// Blocks of a plan: source and blocks of it before the first, where that lies in text, source and blocks of it up to
/// the last.
#[derive(FromPyObject)]
pub struct Stretch((u32, u64), Option<SpanOf>, (u32, u64));

/// Offset and line in a text, place and offset of a frame before, and offset of the end.
type SpanOf = (u64, u64, Option<(u64, u64)>, Option<u64>);

impl Stretch {
    fn bounds(self) -> (Place, Option<Span>, Option<(u32, u64)>) {
        let Stretch((source, sequence), span, end) = self;
        let start = Place { source, sequence, ..Place::default() };
        let span = span.map(|(offset, line, frame, until)| {
            let frame = frame.map(|(place, offset)| Frame { place, offset });
            Span { mark: Mark { offset, line }, frame, until }
        });
        (start, span, Some(end))
    }
}

/// Places of an archive: blocks before each, and how to get there: offset and line, place and offset of a frame before,
/// and bytes of the file that hold the text before it.
type Places = Vec<(u64, Option<EntryOf>)>;
type EntryOf = (u64, u64, Option<(u64, u64)>, u64);

/// Counts the blocks of an archive: returns their number, places to part them at, `every` apart, size and digest.
#[pyfunction]
pub fn count_blocks(
    py: Python<'_>,
    path: PathBuf,
    game: &str,
    every: u64,
    max_inflate: Option<u64>,
) -> PyResult<(u64, Places, u64, String)> {
    let game = game_id(game)?;
    let stop = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&stop);
    let work = move || count(&path, game, max_inflate, every.max(1), &shared);
    let Counted { blocks, places, digest } = in_steps(py, &stop, &mut |_| Ok(()), work)??;
    let entry = |Entry { mark, frame, reach }: Entry| {
        (mark.offset, mark.line, frame.map(|frame| (frame.place, frame.offset)), reach)
    };
    let places = places.into_iter().map(|(blocks, place)| (blocks, place.map(entry))).collect();
    Ok((blocks, places, digest.size, digest.blake3))
}

/// Runs a task that looks at a stop flag, so that Ctrl-C ends it.
fn task<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, StorageError> + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&stop);
    Ok(in_steps(py, &stop, &mut |_| Ok(()), move || work(&shared))??)
}

fn inputs(runs: Vec<Run>, parts: Vec<PathBuf>) -> Vec<RowInput> {
    runs.into_iter().map(RowInput::from).chain(parts.into_iter().map(RowInput::Part)).collect()
}

/// Returns how many rows runs and parts come to within a range of keys.
#[pyfunction]
pub fn count_rows(
    py: Python<'_>,
    runs: Vec<Run>,
    parts: Vec<PathBuf>,
    first: u64,
    last: u64,
) -> PyResult<u64> {
    task(py, move |stop| count_all_rows(&inputs(runs, parts), KeyRange { first, last }, stop))
}

/// Returns whether runs hold a row within a range of keys.
#[pyfunction]
pub fn runs_hold(py: Python<'_>, runs: Vec<Run>, first: u64, last: u64) -> PyResult<bool> {
    task(py, move |_| holds_row(&inputs(runs, Vec::new()), KeyRange { first, last }))
}

/// Merges a range of keys of runs and parts into one part.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Of one Python call.
pub fn reduce_rows<'py>(
    py: Python<'py>,
    runs: Vec<Run>,
    parts: Vec<PathBuf>,
    first: u64,
    last: u64,
    target: PathBuf,
    with_cells: bool,
    metadata: Vec<(String, String)>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let range = KeyRange { first, last };
    let summary =
        task(py, move |stop| reduce(&inputs(runs, parts), range, &target, with_cells, &metadata, stop))?;
    summary.map(|summary| told(py, &summary)).transpose()
}

/// Merges the games of runs and parts into parts `<target>-000.parquet` ….
#[pyfunction]
pub fn reduce_games(
    py: Python<'_>,
    runs: Vec<Run>,
    parts: Vec<PathBuf>,
    names: Vec<String>,
    target: PathBuf,
    metadata: Vec<(String, String)>,
) -> PyResult<Vec<(PathBuf, u64)>> {
    task(py, move |stop| {
        let name = |number: usize| {
            let mut name = target.clone().into_os_string();
            name.push(format!("-{number:03}.parquet"));
            PathBuf::from(name)
        };
        let counts = reduce_all_games(&inputs(runs, parts), &names, &name, &metadata, stop)?;
        Ok(counts.into_iter().enumerate().map(|(number, count)| (name(number), count)).collect())
    })
}

/// Merges neighbouring runs, in order, into one.
#[pyfunction]
pub fn merge_runs(py: Python<'_>, runs: Vec<PathBuf>, names: Vec<String>, target: PathBuf) -> PyResult<()> {
    task(py, move |stop| merge(&runs, &names, &target, stop))
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
    let batches = rows.into_inner().0;
    let views = batches.iter().map(rows_view).collect::<PyResult<Vec<_>>>()?;
    py.detach(|| {
        let mut writer = RunWriter::create(&path)?;
        for view in views {
            if let Some(row) = view.disorder() {
                return Err(schema(format!("a TALLY table is not sorted: row {row} is out of order")));
            }
            writer.table(view, &Default::default())?;
        }
        writer.table(Default::default(), &games)?;
        Ok(writer.finish(Default::default(), 0)?)
    })
}

/// Adds up the rows of a part with cells, as far as they answer a question, to a table of schema TALLY.
#[pyfunction]
pub fn sum_cells(py: Python<'_>, rows: PyTable, question: Question) -> PyResult<PyTable> {
    let cells = question.cells()?;
    let batches = rows.into_inner().0;
    let views = batches
        .iter()
        .map(|batch| Ok(RowsRef { cell: column::<UInt16Type>("TALLY", batch, "cell")?, ..rows_view(batch)? }))
        .collect::<PyResult<Vec<_>>>()?;
    let sums = py.detach(|| {
        let rows = views.iter().flat_map(|view| (0..view.len()).map(|index| view.row(index)));
        let (mut sums, mut made) = (Vec::new(), Rows::default());
        sum(rows, &cells, &mut sums);
        made.extend(&sums);
        made
    });
    table(rows_batch(sums)?)
}

/// Reads a part whole and returns what it holds.
#[pyfunction]
pub fn check_part(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let summary = task(py, move |stop| check(&path, stop))?;
    told(py, &summary)
}

fn told<'py>(py: Python<'py>, summary: &PartSummary) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("rows", summary.rows)?;
    told.set_item("first_key", summary.first_key)?;
    told.set_item("last_key", summary.last_key)?;
    for (name, sum) in ["games", "first_wins", "draws", "second_wins"].into_iter().zip(summary.sums) {
        told.set_item(name, sum)?;
    }
    told.set_item("newest_year", summary.newest_year)?;
    told.set_item("newest", summary.newest)?;
    Ok(told)
}

/// A run file: what it says beside its rows and games.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct RunFile {
    run: Opened,
}

#[pymethods]
impl RunFile {
    #[new]
    fn new(path: PathBuf) -> PyResult<RunFile> {
        Ok(RunFile { run: Opened::open(&path)? })
    }

    /// Index of the source that the run ends in; the number of sources if it is the last.
    #[getter]
    fn end_source(&self) -> u32 {
        self.run.end().source
    }

    /// Offset and length of the blocks with rows of a range of keys.
    fn row_extents(&self, first: u64, last: u64) -> Vec<(u64, u64)> {
        self.run.extents(&[Kind::Rows], KeyRange { first, last })
    }

    /// Offset and length of the blocks with games.
    fn game_extents(&self) -> Vec<(u64, u64)> {
        self.run.extents(&[Kind::Games], KeyRange::ALL)
    }

    /// Offset and length of the blocks with rejects and figures.
    fn text_extents(&self) -> Vec<(u64, u64)> {
        self.run.extents(&[Kind::Rejects, Kind::Rejected, Kind::Figures], KeyRange::ALL)
    }

    fn figures(&self) -> PyResult<RunTexts> {
        self.texts(Kind::Figures)
    }

    fn rejects(&self) -> PyResult<RunTexts> {
        self.texts(Kind::Rejects)
    }

    fn rejected_text(&self) -> PyResult<RunTexts> {
        self.texts(Kind::Rejected)
    }
}

impl RunFile {
    fn texts(&self, kind: Kind) -> PyResult<RunTexts> {
        Ok(RunTexts { blocks: self.run.blocks(kind)? })
    }
}

/// Where the footer of a run file begins, as the last bytes of the file say.
#[pyfunction]
pub fn run_footer(last: &[u8]) -> Option<u64> {
    footer_start(last)
}

/// Texts of a run file, one after the other.
#[pyclass(module = "bookbuilder._core")]
pub struct RunTexts {
    blocks: Blocks,
}

#[pymethods]
impl RunTexts {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(self.blocks.next_block()?.map(|(_, bytes)| PyBytes::new(py, &bytes)))
    }
}

/// Parts that are asked for positions; each is opened when it is first needed.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct StoreLookup {
    parts: Vec<Part>,
    /// What is asked for where the parts have cells.
    cells: Option<Cells>,
}

struct Part {
    path: PathBuf,
    range: KeyRange,
    opened: OnceLock<PartLookup>,
}

#[pymethods]
impl StoreLookup {
    #[new]
    #[pyo3(signature = (parts, question=None))]
    fn new(parts: Vec<(PathBuf, u64, u64)>, question: Option<Question>) -> PyResult<StoreLookup> {
        let part =
            |(path, first, last)| Part { path, range: KeyRange { first, last }, opened: OnceLock::new() };
        let cells = question.map(|question| question.cells()).transpose()?;
        Ok(StoreLookup { parts: parts.into_iter().map(part).collect(), cells })
    }

    fn counts(&self, py: Python<'_>, positions: Vec<(u64, u32)>) -> PyResult<Vec<[u64; 4]>> {
        let sum = |&(key, lock): &(u64, u32)| {
            let mut sums = [0; 4];
            for row in self.find(key, lock, Reach::Counts)? {
                let counts = [row.games, row.first_wins, row.draws, row.second_wins];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            Ok(sums)
        };
        Ok(py.detach(|| positions.iter().map(sum).collect::<Result<_, StorageError>>())?)
    }

    fn rows<'py>(&self, py: Python<'py>, key: u64, lock: u32) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let rows = py.detach(|| self.find(key, lock, Reach::Whole))?;
        rows.iter().map(|row| row_tuple(py, row)).collect()
    }
}

impl StoreLookup {
    fn find(&self, key: u64, lock: u32, reach: Reach) -> Result<Vec<Row>, StorageError> {
        let mut rows = Vec::new();
        for part in self.parts.iter().filter(|part| part.range.holds(key)) {
            let opened = match part.opened.get() {
                Some(opened) => opened,
                None => {
                    let opened = PartLookup::open(&part.path)?;
                    part.opened.get_or_init(|| opened)
                }
            };
            opened.rows((key, lock), reach, &mut rows)?;
        }
        let Some(cells) = &self.cells else { return Ok(rows) };
        let mut sums = Vec::new();
        sum(rows, cells, &mut sums);
        Ok(sums)
    }
}
