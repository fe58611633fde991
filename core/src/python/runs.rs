//! Runs for Python: archives counted into run files or memory, and what runs say beside their rows and games.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use super::arrow::PyTable;

use super::columns::rows_view;
use super::error::schema;
use super::game::{for_game, game_id};
use super::games::{all_games, seen_games};
use super::options::{Counting, Limits};
use super::steps::{in_progress, in_steps};
use crate::archive::{Frame, Mark, Span};
use crate::store::RowInput;
use crate::tally::{
    Blocks, Bounds, Counted, Entry, HeldRun as Held, KeyRange, Kind, Place, RunFile as Opened, RunWriter,
    count_blocks as count, footer_start, run_to_files,
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
