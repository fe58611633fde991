//! The bundled engine for Python, also as a server of UCI and UCCI on standard input and output.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::book::{Book, MovesOfBook};
use super::error::usage;
use super::options::{Either, game_id, of_game, value_of, with};
use super::position::{repetition_rule, start_or};
use super::steps::{STEP, in_steps};
use crate::book;
use crate::book::always;
use crate::book::record::BookProbe;
use crate::chess::Chess;
use crate::endgame::{Endgames, Tabled};
use crate::evaluate::{Evaluate, Standard};
use crate::game::{GameId, Move, Notated, Searchable};
use crate::history::{Detection, History};
use crate::protocol::{Dialect, OpenBook, Session, Variant};
use crate::search::{
    BookMode, BookPolicy, Learning, Limits, LineSource, RepetitionPolicy, SearchResult, Searcher, book_moves,
    choose, plies_to_mate,
};
use crate::xiangqi::Xiangqi;

/// The bundled search for one game, with its transposition table and, if loaded, a book.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Engine {
    game: GameId,
    state: Arc<Mutex<State>>,
}

struct State {
    searcher: Either<Searcher<Chess>, Searcher<Xiangqi>>,
    book: Option<Arc<book::Book>>,
}

/// The answer of a search: a dict with the fields of `bookbuilder.engine.engine.Result`, which documents them.
#[derive(Default, IntoPyObject)]
struct Answer {
    #[pyo3(item("move"))]
    best: Option<String>,
    source: &'static str,
    score_cp: Option<i32>,
    mate_in: Option<i32>,
    depth: u8,
    nodes: u64,
    seconds: f64,
    nps: u64,
    pv: Vec<String>,
    book_hits: u64,
    endgame_hits: u64,
    table_hits: u64,
    table_probes: u64,
    table_refused: u64,
    lines: Vec<Line>,
    iterations: Vec<Iteration>,
}

#[derive(IntoPyObject)]
struct Line {
    score_cp: Option<i32>,
    mate_in: Option<i32>,
    pv: Vec<String>,
}

#[derive(IntoPyObject)]
struct Iteration {
    depth: u8,
    #[pyo3(item("move"))]
    best: String,
    score_cp: Option<i32>,
    mate_in: Option<i32>,
    nodes: u64,
    seconds: f64,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game, hash_mib=16, threads=1))]
    fn new(game: &str, hash_mib: usize, threads: usize) -> PyResult<Engine> {
        let hash_bytes = hash_mib
            .checked_mul(1 << 20)
            .filter(|&bytes| bytes > 0)
            .ok_or_else(|| usage(format!("a table of {hash_mib} MiB is invalid: expected at least 1")))?;
        let game = game_id(game)?;
        let searcher = of_game!(game, Searcher::new(hash_bytes));
        if threads == 0 {
            return Err(usage("0 threads is invalid: expected at least 1".to_owned()));
        }
        let mut state = State { searcher, book: None };
        with!(&mut state.searcher, searcher => searcher.threads = threads);
        let state = Arc::new(Mutex::new(state));
        Ok(Engine { game, state })
    }

    #[pyo3(signature = (book, mode=None))]
    fn load_book(&self, py: Python<'_>, book: Option<&Book>, mode: Option<&str>) -> PyResult<usize> {
        let mode =
            mode.map(|name| value_of("book mode", name, BookMode::named, BookMode::NAMES)).transpose()?;
        let mode = mode.unwrap_or_default();
        let book = book.map(|book| Arc::clone(book.inner()));
        if let Some(other) = book.as_ref().map(|book| book.game()).filter(|&game| game != self.game) {
            let (found, expected) = (other.name(), self.game.name());
            return Err(usage(format!("the book is of {found}: expected one of {expected}")));
        }
        if let Some(book) = &book {
            // A search asks for any record at any time, and cannot refuse.
            py.detach(|| book.check_whole(&always))?;
        }
        let state = Arc::clone(&self.state);
        Ok(py.detach(move || {
            let mut state = lock(&state);
            state.book = book.clone().filter(|_| mode != BookMode::Off);
            let shared = book.map(|book| book as Arc<dyn BookProbe>);
            with!(&mut state.searcher, searcher => searcher.set_book(shared, mode))
        }))
    }

    fn load_endgames(&self, folder: PathBuf) -> PyResult<usize> {
        let mut state = lock(&self.state);
        with!(&mut state.searcher, searcher => open_endgames(searcher, &folder))
    }

    #[pyo3(signature = (*, rule="axf", contempt=0, in_tree=2, in_game=3, detector="small-table"))]
    fn set_repetition(
        &self,
        rule: &str,
        contempt: i32,
        in_tree: usize,
        in_game: usize,
        detector: &str,
    ) -> PyResult<()> {
        for occurrence in [in_tree, in_game] {
            if !(2..=3).contains(&occurrence) {
                return Err(usage(format!("occurrence {occurrence} of a repetition: expected 2 or 3")));
            }
        }
        let policy = RepetitionPolicy { rule: repetition_rule(rule)?, in_tree, in_game, contempt };
        let detection = value_of("repetition detector", detector, Detection::named, &Detection::NAMES)?;
        let mut state = lock(&self.state);
        with!(&mut state.searcher, searcher => {
            searcher.repetition = policy;
            searcher.detection = detection;
        });
        Ok(())
    }

    #[pyo3(signature = (*, history=true, killers=true))]
    fn set_learning(&self, history: bool, killers: bool) {
        let mut state = lock(&self.state);
        with!(&mut state.searcher, searcher => searcher.set_learning(Learning { history, killers }));
    }

    fn clear(&self) {
        let mut state = lock(&self.state);
        with!(&mut state.searcher, searcher => searcher.clear());
    }

    #[pyo3(signature = (fen=None, moves=Vec::new(), *, depth=None, nodes=None, movetime_ms=None,
        mate=None, lines=1, book_policy="best", seed=0, pv="array"))]
    #[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
    fn search(
        &self,
        py: Python<'_>,
        fen: Option<String>,
        moves: Vec<String>,
        depth: Option<u8>,
        nodes: Option<u64>,
        movetime_ms: Option<u64>,
        mate: Option<u32>,
        lines: usize,
        book_policy: &str,
        seed: u64,
        pv: &str,
    ) -> PyResult<Answer> {
        if depth.or(nodes.map(|_| 0)).or(movetime_ms.map(|_| 0)).is_none() {
            return Err(usage("a search needs a limit: depth, nodes or movetime_ms".to_owned()));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let movetime = movetime_ms.map(Duration::from_millis);
        let mate_plies = mate.map(plies_to_mate);
        let stop_too = Some(Arc::clone(&stop));
        let limits = Limits { depth, nodes, movetime, mate_plies, stop: stop_too, ..Limits::default() };
        let source = value_of("source of lines", pv, LineSource::named, LineSource::NAMES)?;
        let policy = value_of("book policy", book_policy, BookPolicy::named, BookPolicy::NAMES)?;
        let state = Arc::clone(&self.state);
        let work = move || {
            let mut state = lock(&state);
            let book = state.book.clone();
            with!(&mut state.searcher, searcher => {
                searcher.lines = lines;
                searcher.line_source = source;
                answer(searcher, book.as_deref(), (fen.as_deref(), &moves), &limits, (policy, seed))
            })
        };
        in_steps(py, &stop, &mut |_| Ok(()), work)?
    }
}

/// Opens the tables of a folder for a searcher; returns their number.
fn open_endgames<G: Tabled + Searchable>(searcher: &mut Searcher<G>, folder: &Path) -> PyResult<usize>
where
    Standard: Evaluate<G>,
{
    let tables = Endgames::<G::Space>::open(folder)?;
    let files = tables.files().count();
    searcher.set_tablebase(Some(Arc::new(tables)));
    Ok(files)
}

/// A search that panicked leaves a table whose entries are checked on use, so its lock is still good.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer<G: Searchable + Notated>(
    searcher: &mut Searcher<G>,
    book: Option<&book::Book>,
    (fen, moves): (Option<&str>, &[String]),
    limits: &Limits,
    policy: (BookPolicy, u64),
) -> PyResult<Answer>
where
    Standard: Evaluate<G>,
{
    let mut position: G = start_or(fen)?;
    let mut history = History::at(&position);
    for text in moves {
        let m = G::coordinates().parse(&position, text)?;
        history.play_on(&mut position, m);
    }
    let format = |m: Move| G::coordinates().format(&position, m);
    if let Some(book) = book
        && let Some(chosen) = choose(&position, &history, book_moves(&position, book), policy)
    {
        let best = format(chosen.m);
        // The hits are the moves that lead to positions of the book.
        let book_hits = book_moves(&position, book).len() as u64;
        let pv = vec![best.clone()];
        return Ok(Answer { best: Some(best), source: "book", pv, book_hits, ..Answer::default() });
    }
    let mut iterations = Vec::new();
    let found = searcher.search(&position, &history, limits, &mut |info| {
        if let (1, Some(&m)) = (info.line, info.pv.first()) {
            iterations.push(Iteration {
                depth: info.depth,
                best: format(m),
                score_cp: info.score.centipawns(),
                mate_in: info.score.mate_plies(),
                nodes: info.nodes,
                seconds: info.elapsed.as_secs_f64(),
            });
        }
    });
    Ok(Answer { iterations, ..Answer::of(&position, &found) })
}

impl Answer {
    fn of<G: Notated>(position: &G, found: &SearchResult) -> Answer {
        let line_of = |line: &crate::search::Line| Line {
            score_cp: line.score.centipawns(),
            mate_in: line.score.mate_plies(),
            pv: G::coordinates().spell(position, &line.pv),
        };
        let (counts, seconds) = (found.counts, found.elapsed.as_secs_f64());
        Answer {
            best: (found.best != Move::NONE).then(|| G::coordinates().format(position, found.best)),
            source: "search",
            score_cp: found.score.centipawns(),
            mate_in: found.score.mate_plies(),
            depth: found.depth,
            nodes: found.nodes,
            seconds,
            nps: if seconds > 0.0 { (found.nodes as f64 / seconds) as u64 } else { 0 },
            pv: G::coordinates().spell(position, &found.pv),
            book_hits: counts.book_hits,
            endgame_hits: counts.endgame_hits,
            table_hits: counts.table_hits,
            table_probes: counts.table_probes,
            table_refused: counts.refused,
            lines: found.lines.iter().map(line_of).collect(),
            iterations: Vec::new(),
        }
    }
}

/// Serves UCI or UCCI on standard input and output until `quit` or the end of input. `open_book` takes a path and a game, and
/// returns the moves of a book that is not clustered.
#[pyfunction]
#[pyo3(signature = (protocol, game, open_book, options=Vec::new()))]
pub fn serve_protocol(
    py: Python<'_>,
    protocol: &str,
    game: &str,
    open_book: Py<PyAny>,
    options: Vec<(String, String)>,
) -> PyResult<()> {
    let (dialect, variant) = match (protocol, game_id(game)?) {
        ("uci", GameId::Chess) => (Dialect::Uci, Variant::Chess),
        ("uci", GameId::Xiangqi) => (Dialect::Uci, Variant::Pikafish),
        ("ucci", GameId::Xiangqi) => (Dialect::Ucci, Variant::Pikafish),
        ("ucci", GameId::Chess) => {
            return Err(usage("ucci does not support chess: expected xiangqi".to_owned()));
        }
        _ => return Err(usage(format!("unknown protocol \"{protocol}\": expected uci or ucci"))),
    };
    let open: OpenBook = Arc::new(move |path, game| {
        let opened = |py: Python<'_>| {
            let book = open_book.bind(py).call1((path, game.name()))?;
            book.extract::<MovesOfBook>()?.lines()
        };
        Python::attach(|py| opened(py).map_err(|error| error.value(py).to_string()))
    });
    let output = Box::new(io::stdout());
    let session = py
        .detach(|| Session::new(dialect, variant, &options, output, open))
        .map_err(|why| usage(why.to_string()))?;
    // A read cannot be interrupted: if a signal ends the call, the thread stays until the process ends.
    let (done, is_done) = channel();
    let is_done = Mutex::new(is_done);
    std::thread::Builder::new().spawn(move || done.send(session.run(io::stdin().lock())))?;
    loop {
        let answer = py.detach(|| is_done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(STEP));
        match answer {
            Ok(served) => return served.map_err(PyErr::from),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(usage("the engine crashed; please report it".to_owned()));
            }
        }
    }
}
