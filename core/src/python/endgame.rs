//! Endgame tables for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::usage;
use super::options::{Either, dict, for_game, game_id, value_of};
use super::position::{Position, coordinates};
use super::steps::in_steps;
use crate::endgame::build::{self, BuildOptions, Built};
use crate::endgame::file::Index;
use crate::endgame::stats::{Longest, SideStats, Stats};
use crate::endgame::{self, ChessSpace, Material, Metric, Solver, Space, Tabled, Value, XiangqiSpace};
use crate::game::{Game, GameId, Notated};

/// The value of a position: 1, 0 or −1, and signed plies by each metric with a table.
type Worth = (i8, Option<i32>, Option<i32>, Option<i32>);

/// The tables of a folder, of both games.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Endgames(endgame::Endgames<ChessSpace>, endgame::Endgames<XiangqiSpace>);

/// Runs `$body` on the tables and the position of whichever game it is.
macro_rules! with_tables {
    ($self:expr, $position:expr, ($tables:ident, $here:ident) => $body:expr) => {
        match (&$position.0, $self) {
            (Either::Chess($here), Endgames($tables, _)) => $body,
            (Either::Xiangqi($here), Endgames(_, $tables)) => $body,
        }
    };
}

#[pymethods]
impl Endgames {
    #[new]
    fn new(folder: PathBuf) -> PyResult<Endgames> {
        Ok(Endgames(endgame::Endgames::open(&folder)?, endgame::Endgames::open(&folder)?))
    }

    /// Game, material, metric and bytes of each file.
    fn files(&self) -> Vec<(&'static str, String, &'static str, u64)> {
        let facts = |file: &endgame::TableFile| {
            let header = file.header();
            let game = header.material.game().name();
            (game, header.material.to_string(), header.metric.name(), header.file_bytes)
        };
        self.0.files().map(facts).chain(self.1.files().map(facts)).collect()
    }

    fn probe(&self, position: &Position) -> PyResult<Option<Worth>> {
        with_tables!(self, position, (tables, here) => worth(tables, here))
    }

    fn probe_all(&self, py: Python<'_>, game: &str, fens: Vec<String>) -> PyResult<Vec<Option<Worth>>> {
        let game = game_id(game)?;
        py.detach(|| match game {
            GameId::Chess => worths(&self.0, &fens),
            GameId::Xiangqi => worths(&self.1, &fens),
        })
    }

    fn find(&self, position: &Position) -> PyResult<Worth> {
        with_tables!(self, position, (tables, here) => {
            tables.find_value(here, Metric::Wld)?;
            Ok(worth(tables, here)?.unwrap_or_default())
        })
    }

    fn moves(&self, position: &Position, metric: &str) -> PyResult<Vec<(String, i8, i32)>> {
        with_tables!(self, position, (tables, here) => ranked(tables, here, metric_of(metric)?))
    }

    fn line(&self, position: &Position, metric: &str) -> PyResult<Vec<String>> {
        let metric = metric_of(metric)?;
        Ok(
            with_tables!(self, position, (tables, here) => coordinates(here).spell(here, &tables.line(here, metric)?)),
        )
    }
}

fn worth<S: Space>(tables: &endgame::Endgames<S>, position: &S::Game) -> PyResult<Option<Worth>> {
    Ok(tables.worth(position)?.map(|found| (found.wdl, found.dtm, found.dtc, found.dtz)))
}

fn worths<S: Space>(tables: &endgame::Endgames<S>, fens: &[String]) -> PyResult<Vec<Option<Worth>>> {
    fens.iter().map(|fen| worth(tables, &S::Game::from_fen(fen)?)).collect()
}

fn ranked<S: Space>(
    tables: &endgame::Endgames<S>,
    position: &S::Game,
    metric: Metric,
) -> PyResult<Vec<(String, i8, i32)>> {
    let spell = |m| S::Game::coordinates().format(position, m);
    let moves = tables.moves(position, metric)?.into_iter();
    Ok(moves.map(|each| (spell(each.m), each.value.wdl(), each.value.signed_plies())).collect())
}

fn metric_of(name: &str) -> PyResult<Metric> {
    value_of("metric", name, Metric::named, Metric::NAMES)
}

fn material_of(game: GameId, name: &str) -> PyResult<Material> {
    Ok(Material::parse(game, name)?.canonical().0)
}

/// Collects finished tables for the thread that reports them.
struct Progress {
    stop: Arc<AtomicBool>,
    built: Arc<Mutex<Vec<Built>>>,
}

impl build::Watch for Progress {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    fn finished(&self, built: Built) {
        self.built.lock().unwrap_or_else(PoisonError::into_inner).push(built);
    }
}

/// Builds tables into a folder and calls `report` with each finished table.
#[pyfunction]
#[pyo3(signature = (game, names, folder, *, metric, memory_mib, verify, jobs, solver, index, report))]
#[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
pub fn build_endgames(
    py: Python<'_>,
    game: &str,
    names: Vec<String>,
    folder: PathBuf,
    metric: &str,
    memory_mib: u64,
    verify: bool,
    jobs: usize,
    solver: &str,
    index: &str,
    report: Py<PyAny>,
) -> PyResult<()> {
    let game = game_id(game)?;
    let wanted = names.iter().map(|name| material_of(game, name)).collect::<PyResult<Vec<_>>>()?;
    let memory_bytes = memory_mib.saturating_mul(1 << 20);
    let solver = value_of("solver", solver, Solver::named, Solver::NAMES)?;
    let index = value_of("index", index, Index::named, Index::NAMES)?;
    let metric = metric_of(metric)?;
    let options = BuildOptions { folder, metric, memory_bytes, verifies: verify, solver, index };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let threads = threads.map_err(|error| usage(format!("{jobs} threads cannot be started: {error}")))?;
    let stop = Arc::new(AtomicBool::new(false));
    let built = Arc::new(Mutex::new(Vec::new()));
    let watch = Progress { stop: Arc::clone(&stop), built: Arc::clone(&built) };
    let mut tick = |py: Python<'_>| -> PyResult<()> {
        let finished = std::mem::take(&mut *built.lock().unwrap_or_else(PoisonError::into_inner));
        for each in finished {
            let (done, total) = each.progress;
            let facts = (each.material.to_string(), each.was_there, each.bytes, each.seconds, done, total);
            report.call1(py, facts)?;
        }
        Ok(())
    };
    let work = move || for_game!(game, G => threads.install(|| build::build::<<G as Tabled>::Space>(&wanted, &options, &watch)));
    Ok(in_steps(py, &stop, &mut tick, work)??)
}

/// Returns the census of a table as a nested dict.
#[pyfunction]
#[pyo3(signature = (folder, game, name, metric))]
pub fn endgame_stats<'py>(
    py: Python<'py>,
    folder: PathBuf,
    game: &str,
    name: &str,
    metric: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let game = game_id(game)?;
    let (material, metric) = (material_of(game, name)?, metric_of(metric)?);
    let name = material.to_string();
    let work = move || for_game!(game, G => build::open::<<G as Tabled>::Space>(&folder, &material, metric).map(|table| table.stats()));
    let stats = in_steps(py, &AtomicBool::new(false), &mut |_| Ok(()), work)??;
    stats_dict(py, &name, metric, &stats)
}

fn stats_dict<'py>(
    py: Python<'py>,
    name: &str,
    metric: Metric,
    stats: &Stats,
) -> PyResult<Bound<'py, PyDict>> {
    let ([first, second], zugzwangs) = (&stats.sides, stats.zugzwangs);
    Ok(dict! { py,
        "material": name,
        "metric": metric.name(),
        "sides": dict! { py, "first": side_dict(py, first)?, "second": side_dict(py, second)? },
        "zugzwangs": dict! { py,
            "first_draws_second_loses": zugzwangs.first_draws_second_loses,
            "first_loses_second_draws": zugzwangs.first_loses_second_draws,
            "both_lose": zugzwangs.both_lose,
        },
    })
}

fn side_dict<'py>(py: Python<'py>, stats: &SideStats) -> PyResult<Bound<'py, PyDict>> {
    let (full, folded) = (&stats.full, &stats.folded);
    let fen = |longest: &Option<Longest>| longest.as_ref().map(|longest| longest.fen.clone());
    Ok(dict! { py,
        "legal": full.legal,
        "win": full.win,
        "draw": full.draw,
        "loss": full.loss,
        "max_win": full.max_win().0,
        "max_win_count": full.max_win().1,
        "max_loss": full.max_loss().0,
        "max_loss_count": full.max_loss().1,
        "mated": stats.mated,
        "stalemated": stats.stalemated,
        "wins": full.wins.iter().collect::<BTreeMap<_, _>>(),
        "losses": full.losses.iter().collect::<BTreeMap<_, _>>(),
        "longest_win": fen(&stats.longest_win),
        "longest_loss": fen(&stats.longest_loss),
        "up_to_symmetry":
            dict! { py, "legal": folded.legal, "win": folded.win, "draw": folded.draw, "loss": folded.loss },
    })
}

/// A wrong entry: FEN, value in the table, value by its moves, in signed plies.
type Wrong = (String, Option<i32>, Option<i32>);

/// Compares every entry of a table with its moves; returns their number and the first that differ.
#[pyfunction]
#[pyo3(signature = (folder, game, name, metric))]
pub fn verify_endgame(
    py: Python<'_>,
    folder: PathBuf,
    game: &str,
    name: &str,
    metric: &str,
) -> PyResult<(u64, Vec<Wrong>)> {
    let game = game_id(game)?;
    let (material, metric) = (material_of(game, name)?, metric_of(metric)?);
    let work = move || {
        for_game!(game, G => build::load::<<G as Tabled>::Space>(&folder, &material, metric)
            .map(|(table, others)| table.verify(&others, MOST_WRONG)))
    };
    let (cells, wrong) = in_steps(py, &AtomicBool::new(false), &mut |_| Ok(()), work)??;
    let plies = |value: Option<Value>| value.map(Value::signed_plies);
    Ok((cells, wrong.into_iter().map(|each| (each.fen, plies(each.found), plies(each.expected))).collect()))
}

/// Maximum of wrong entries that are returned.
const MOST_WRONG: usize = 10;
