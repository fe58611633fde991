//! Collections of games for Python: listed, converted or filtered, one game of an archive, and what comments say that
//! positions are worth.
//!
//! Bytes and tables go to a Python callable in large pieces, never one game at a time.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_array::types::{Int64Type, UInt16Type, UInt32Type, UInt64Type};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::book::MovesOfBook;
use super::columns::{PyTable, array, table, whole_column};
use super::error::usage;
use super::graph::side_of;
use super::options::{Filters, Limits, dict, for_game, game_id, named};
use super::steps::in_progress;
use crate::archive::ArchiveError;
use crate::collection::{
    self, ArchivedGame, Archives, Asked, CollectionError, Course, Form, NamedPositions, Report, Sameness,
    Target, Wanted,
};
use crate::game::{Game, Key, Lock};
use crate::tally::{SourceReport, reject_lines};
use crate::write::{Spelling, WriteOptions, Written};

/// Bytes that are handed to Python at once.
const CHUNK_BYTES: usize = 1 << 20;

/// The result of a run over a collection.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct GamesRun(Report);

#[pymethods]
impl GamesRun {
    fn rejects<'py>(&self, py: Python<'py>) -> [Bound<'py, PyBytes>; 1] {
        let names: Vec<_> = self.0.sources.iter().map(SourceReport::name).collect();
        [PyBytes::new(py, &reject_lines(&self.0.rejects, &names))]
    }

    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let facts = |source: &SourceReport| {
            Ok(dict! { py,
                "path": &source.path,
                "games_read": source.games_read,
                "games_used": source.games_used,
                "filtered": &source.filtered,
                "variations_cut": source.variations.cut,
                "rejects": &source.rejects,
                "skipped": &source.skipped,
            })
        };
        self.0.sources.iter().map(facts).collect()
    }
}

/// Where bytes go: a Python callable that takes them.
struct PyWriter(Py<PyAny>);

impl Write for PyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| self.0.call1(py, (PyBytes::new(py, bytes),)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Output = Target<BufWriter<PyWriter>>;

/// Returns the target that a layout names: a stream, one game, a zip file (`output` takes bytes), or a directory
/// (`output` is its path).
fn target(py: Python<'_>, layout: &str, output: Py<PyAny>) -> PyResult<Output> {
    if layout == "directory" {
        return Ok(Target::Directory(output.extract(py)?));
    }
    let out = BufWriter::with_capacity(CHUNK_BYTES, PyWriter(output));
    match layout {
        "stream" => Ok(Target::Stream(out)),
        "single" => Ok(Target::Single(out)),
        "zip" => Ok(Target::zip(out)),
        _ => Err(usage(format!(
            "unknown layout \"{layout}\": expected \"stream\", \"single\", \"zip\" or \"directory\""
        ))),
    }
}

/// Lists games: hands tables of rows to `hand`.
#[pyfunction]
#[pyo3(signature = (paths, game, hand, *, names=None, limits=None))]
pub fn list_games(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    hand: Py<PyAny>,
    names: Option<PyTable>,
    limits: Option<Limits>,
) -> PyResult<GamesRun> {
    let game = game_id(game)?;
    let names = named_positions(names)?;
    let Limits { max_inflate, progress, .. } = limits.unwrap_or_default();
    let archives = Archives { paths, max_inflate };
    let report = in_progress(py, progress, move |state| {
        let mut hand_over = |rows: RecordBatch| {
            Python::attach(|py| -> PyResult<()> { hand.call1(py, (PyTable::from(rows),)).map(drop) })
                .map_err(|error| CollectionError::Output(error.into()))
        };
        for_game!(game, G => collection::list::<G>(&archives, &names, state, &mut hand_over))
    })?;
    Ok(GamesRun(report))
}

/// Returns the named positions of a table: key, lock, place (the number of the name) and ply.
fn named_positions(table: Option<PyTable>) -> PyResult<NamedPositions> {
    let mut names = NamedPositions::default();
    let Some(table) = table else { return Ok(names) };
    let table = table.into_batches();
    let keys = whole_column::<UInt64Type>("names", &table, "key")?;
    let locks = whole_column::<UInt32Type>("names", &table, "lock")?;
    let places = whole_column::<UInt32Type>("names", &table, "place")?;
    let plies = whole_column::<UInt16Type>("names", &table, "ply")?;
    for row in 0..keys.len() {
        names.insert(Key(keys[row]), Lock(locks[row]), places[row], usize::from(plies[row]));
    }
    Ok(names)
}

/// Converts games to another format.
#[pyfunction]
#[pyo3(signature = (paths, game, output, *, layout, to, notation=None, results=true, variations=true, comments=true,
    strict=false, limits=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn convert_games(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    output: Py<PyAny>,
    layout: &str,
    to: &str,
    notation: Option<&str>,
    results: bool,
    variations: bool,
    comments: bool,
    strict: bool,
    limits: Option<Limits>,
) -> PyResult<GamesRun> {
    let options = WriteOptions { variations, comments, strict };
    let target = target(py, layout, output)?;
    let Limits { max_inflate, progress, threads: jobs, .. } = limits.unwrap_or_default();
    let archives = Archives { paths, max_inflate };
    let report = for_game!(game_id(game)?, G => {
        let form = form::<G>(to, notation, results)?;
        in_progress(py, progress, move |state| collection::convert(&archives, &form, &options, jobs, target, state))?
    });
    Ok(GamesRun(report))
}

fn form<G: Written>(to: &str, notation: Option<&str>, with_result: bool) -> PyResult<Form<G>> {
    let known = || G::SPELLINGS.iter().map(|spelling| spelling.name).collect::<Vec<_>>().join(", ");
    let spelling = |name: Option<&str>| -> PyResult<&'static Spelling<G>> {
        G::spelling(name).ok_or_else(|| {
            let name = name.unwrap_or_default();
            usage(format!("unknown notation \"{name}\" for {}: expected one of {}", G::ID.name(), known()))
        })
    };
    match to {
        "pgn" => Ok(Form::Pgn(spelling(notation)?)),
        "lines" => {
            let notation = match notation {
                None => G::coordinates(),
                // A line may be in any notation, for instance in UCI's of xiangqi, which PGN cannot tell from ICCS.
                Some(name) => match G::notation(name).filter(|_| G::spelling(notation).is_none()) {
                    Some(notation) => notation,
                    None => spelling(notation)?.notation,
                },
            };
            Ok(Form::Lines { notation, with_result })
        }
        "xqf" => match (G::XQF, notation) {
            (None, _) => Err(usage(format!("XQF holds xiangqi, not {}", <G as Game>::ID.name()))),
            (Some(_), Some(_)) => Err(usage("XQF holds squares: it has no notation".to_owned())),
            (Some(writer), None) => Ok(Form::Files(writer)),
        },
        _ => Err(usage(format!("unknown format \"{to}\": expected \"pgn\", \"xqf\" or \"lines\""))),
    }
}

/// Writes the games that pass filters, without duplicates if `dedupe` says which.
#[pyfunction]
#[pyo3(signature = (paths, game, output, *, layout, filters, reaches=Vec::new(), follows=None, dedupe=None, limits=None))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn filter_games(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    output: Py<PyAny>,
    layout: &str,
    filters: Filters,
    reaches: Vec<(u64, u32)>,
    follows: Option<(MovesOfBook, Option<String>)>,
    dedupe: Option<&str>,
    limits: Option<Limits>,
) -> PyResult<GamesRun> {
    let policies = [("exact", Sameness::Exact), ("players", Sameness::Players), ("prefix", Sameness::Prefix)];
    let sameness = dedupe.map(|name| named("--dedupe", name, policies)).transpose()?;
    let reaches = reaches.into_iter().map(|(key, lock)| (Key(key), Lock(lock))).collect();
    let side = follows.as_ref().and_then(|(_, side)| side.as_deref()).map(side_of).transpose()?;
    let follows = follows.map(|(book, _)| book.lines()).transpose()?;
    let wanted = Wanted { filter: filters.parse()?, course: Course { reaches, follows, side } };
    let target = target(py, layout, output)?;
    let Limits { max_inflate, progress, .. } = limits.unwrap_or_default();
    let archives = Archives { paths, max_inflate };
    let game = game_id(game)?;
    let report = in_progress(
        py,
        progress,
        move |state| for_game!(game, G => collection::filter::<G, _>(&archives, &wanted, sameness, target, state)),
    )?;
    Ok(GamesRun(report))
}

/// Returns the game that begins at an offset of a member of an archive, `None` if there is none.
#[pyfunction]
#[pyo3(signature = (source, member, offset, game, *, max_inflate=None))]
pub fn read_game(
    py: Python<'_>,
    source: PathBuf,
    member: Option<&str>,
    offset: u64,
    game: &str,
    max_inflate: Option<u64>,
) -> PyResult<Option<ArchivedGame>> {
    let game = game_id(game)?;
    let found =
        py.detach(|| for_game!(game, G => collection::read_game::<G>(&source, member, offset, max_inflate)));
    found.map_err(|error| match error {
        ArchiveError::MaxInflate(..) => usage(error.to_string()),
        error => error.into(),
    })
}

/// Adds up the comments on positions: a row for each, with the sum of the values and their number, and what was read.
#[pyfunction]
#[pyo3(signature = (paths, game, positions, *, fold=false))]
pub fn sum_comments(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    game: &str,
    positions: PyTable,
    fold: bool,
) -> PyResult<(PyTable, GamesRun)> {
    let game = game_id(game)?;
    let mut asked = Asked::new(fold);
    let positions = positions.into_batches();
    let keys = whole_column::<UInt64Type>("positions", &positions, "key")?.into_iter();
    let locks = whole_column::<UInt32Type>("positions", &positions, "lock")?;
    keys.zip(locks).for_each(|(key, lock)| asked.push(Key(key), Lock(lock)));
    let archives = Archives { paths, max_inflate: None };
    let (sums, report) = in_progress(
        py,
        None,
        move |state| for_game!(game, G => collection::valued::<G>(&archives, &asked, state)),
    )?;
    let rows =
        table([("total", array::<Int64Type>(sums.total)), ("count", array::<UInt64Type>(sums.count))])?;
    Ok((rows, GamesRun(report)))
}
