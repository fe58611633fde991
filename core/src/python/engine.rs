//! The bundled engine for Python: a position, limits and a book policy in, a move with its score and line out.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::book::Book;
use super::error::usage;
use super::game::game_id;
use super::judge::repetition_rule;
use super::steps::in_steps;
use crate::book;
use crate::book::record::BookProbe;
use crate::chess::Chess;
use crate::endgame::{ChessSpace, Endgames, XiangqiSpace};
use crate::evaluate::{Evaluate, Standard};
use crate::game::{Game, GameId, Move};
use crate::history::History;
use crate::search::{
    BookMode, BookMove, BookPolicy, Limits, LineSource, RepetitionPolicy, Score, SearchResult, Searcher,
    book_moves, choose, plies_to_mate,
};
use crate::xiangqi::Xiangqi;

/// The bundled search for one game, with its transposition table and, if loaded, a book.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Engine {
    game: GameId,
    hash_bytes: usize,
    state: Arc<Mutex<State>>,
}

struct State {
    searcher: AnySearcher,
    /// The book that is played from.
    book: Option<Arc<book::Book>>,
}

enum AnySearcher {
    Chess(Searcher<Chess>),
    Xiangqi(Searcher<Xiangqi>),
}

/// Runs `$body` on the searcher of whichever game it is.
macro_rules! with_searcher {
    ($state:expr, $searcher:ident => $body:expr) => {
        match &mut $state.searcher {
            AnySearcher::Chess($searcher) => $body,
            AnySearcher::Xiangqi($searcher) => $body,
        }
    };
}

/// What a call asks for, as plain values.
struct Request {
    fen: Option<String>,
    moves: Vec<String>,
    limits: Limits,
    lines: usize,
    source: LineSource,
    policy: BookPolicy,
}

/// What an iteration found, as plain values.
struct Iteration {
    depth: u8,
    best: String,
    score: Score,
    nodes: u64,
    seconds: f64,
}

/// What a call answers, as plain values.
struct Answer {
    best: String,
    pv: Vec<String>,
    book: Vec<(String, BookMove)>,
    is_from_book: bool,
    lines: Vec<(Score, Vec<String>)>,
    iterations: Vec<Iteration>,
    result: Option<SearchResult>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game, hash_mib=16, threads=1))]
    fn new(game: &str, hash_mib: usize, threads: usize) -> PyResult<Engine> {
        let hash_bytes = hash_mib
            .checked_mul(1 << 20)
            .filter(|&bytes| bytes > 0)
            .ok_or_else(|| usage(format!("a table of {hash_mib} MiB cannot be made: expected at least 1")))?;
        let game = game_id(game)?;
        let searcher = match game {
            GameId::Chess => AnySearcher::Chess(Searcher::new(hash_bytes)),
            GameId::Xiangqi => AnySearcher::Xiangqi(Searcher::new(hash_bytes)),
        };
        if threads == 0 {
            return Err(usage("0 threads cannot search: expected at least 1".to_owned()));
        }
        let mut state = State { searcher, book: None };
        with_searcher!(state, searcher => searcher.set_threads(threads));
        let state = Arc::new(Mutex::new(state));
        Ok(Engine { game, hash_bytes, state })
    }

    #[getter]
    fn game(&self) -> &'static str {
        self.game.name()
    }

    #[getter]
    fn hash_mib(&self) -> usize {
        self.hash_bytes >> 20
    }

    #[pyo3(signature = (book, mode=None))]
    fn load_book(&self, py: Python<'_>, book: Option<&Book>, mode: Option<&str>) -> PyResult<usize> {
        let mode = mode.map_or(Ok(BookMode::DEFAULT), book_mode)?;
        let book = book.map(|book| Arc::clone(book.inner()));
        if let Some(other) = book.as_ref().map(|book| book.game()).filter(|&game| game != self.game) {
            let (found, expected) = (other.name(), self.game.name());
            return Err(usage(format!("the book is of {found}: expected one of {expected}")));
        }
        let state = Arc::clone(&self.state);
        Ok(py.detach(move || {
            let mut state = lock(&state);
            state.book = book.clone().filter(|_| mode != BookMode::Off);
            let shared = book.map(|book| book as Arc<dyn BookProbe>);
            with_searcher!(state, searcher => searcher.set_book(shared, mode))
        }))
    }

    fn load_endgames(&self, folder: PathBuf) -> PyResult<usize> {
        let mut state = lock(&self.state);
        Ok(match &mut state.searcher {
            AnySearcher::Chess(searcher) => {
                let tables = Endgames::<ChessSpace>::open(&folder)?;
                let files = tables.files().count();
                searcher.set_tablebase(Some(Arc::new(tables)));
                files
            }
            AnySearcher::Xiangqi(searcher) => {
                let tables = Endgames::<XiangqiSpace>::open(&folder)?;
                let files = tables.files().count();
                searcher.set_tablebase(Some(Arc::new(tables)));
                files
            }
        })
    }

    #[pyo3(signature = (*, rule="axf", contempt=0, in_tree=2, on_board=3))]
    fn set_repetition(&self, rule: &str, contempt: i32, in_tree: usize, on_board: usize) -> PyResult<()> {
        let policy = RepetitionPolicy { rule: repetition_rule(rule)?, in_tree, on_board, contempt };
        let mut state = lock(&self.state);
        with_searcher!(state, searcher => searcher.set_repetition(policy));
        Ok(())
    }

    fn clear(&self) {
        let mut state = lock(&self.state);
        with_searcher!(state, searcher => searcher.clear());
    }

    #[pyo3(signature = (fen=None, moves=Vec::new(), *, depth=None, nodes=None, movetime_ms=None,
        mate=None, lines=1, book_policy="best", seed=0, pv="array"))]
    #[allow(clippy::too_many_arguments)] // Keyword-only options of one Python call.
    fn search<'py>(
        &self,
        py: Python<'py>,
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
    ) -> PyResult<Bound<'py, PyDict>> {
        if depth.or(nodes.map(|_| 0)).or(movetime_ms.map(|_| 0)).is_none() {
            return Err(usage("a search needs a limit: depth, nodes or movetime_ms".to_owned()));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let movetime = movetime_ms.map(Duration::from_millis);
        let mate_plies = mate.map(plies_to_mate);
        let stop_too = Some(Arc::clone(&stop));
        let limits = Limits { depth, nodes, movetime, mate_plies, stop: stop_too, ..Limits::default() };
        let source = LineSource::named(pv)
            .ok_or_else(|| usage(format!("unknown source of lines \"{pv}\": expected array or table")))?;
        let request = Request { fen, moves, limits, lines, source, policy: policy(book_policy, seed)? };
        let state = Arc::clone(&self.state);
        let work = move || {
            let mut state = lock(&state);
            let book = state.book.clone();
            with_searcher!(state, searcher => answer(searcher, book.as_deref(), &request))
        };
        let answer = in_steps(py, &stop, &mut |_| Ok(()), work)??;
        to_dict(py, &answer)
    }
}

/// A search that panicked leaves a table whose entries are checked on use, so its lock is still good.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn book_mode(name: &str) -> PyResult<BookMode> {
    BookMode::named(name).ok_or_else(|| {
        let known = BookMode::ALL.map(BookMode::name).join(", ");
        usage(format!("unknown book mode \"{name}\": expected one of {known}"))
    })
}

fn policy(name: &str, seed: u64) -> PyResult<BookPolicy> {
    match name {
        "best" => Ok(BookPolicy::Best),
        "weighted" => Ok(BookPolicy::Weighted { seed }),
        "off" => Ok(BookPolicy::Off),
        _ => Err(usage(format!("unknown book policy \"{name}\": expected best, weighted or off"))),
    }
}

fn answer<G: Game>(
    searcher: &mut Searcher<G>,
    book: Option<&book::Book>,
    request: &Request,
) -> PyResult<Answer>
where
    Standard: Evaluate<G>,
{
    let mut position = request.fen.as_deref().map_or_else(|| Ok(G::start()), G::from_fen)?;
    let mut history = History::at(&position);
    for text in &request.moves {
        let m = G::coordinates().parse(&position, text)?;
        history.play_on(&mut position, m);
    }
    let format = |position: &G, m: Move| G::coordinates().format(position, m);
    let known = book.map_or_else(Vec::new, |book| book_moves(&position, book));
    let chosen = book.and_then(|book| choose(&position, &history, book, request.policy));
    let book = known.into_iter().map(|each| (format(&position, each.m), each)).collect();
    if let Some(chosen) = chosen {
        let best = format(&position, chosen.m);
        let pv = vec![best.clone()];
        return Ok(Answer {
            best,
            pv,
            book,
            is_from_book: true,
            lines: Vec::new(),
            iterations: Vec::new(),
            result: None,
        });
    }
    let mut iterations = Vec::new();
    searcher.set_lines(request.lines);
    searcher.set_line_source(request.source);
    let result = searcher.search(&position, &history, &request.limits, &mut |info| {
        if let (1, Some(&m)) = (info.line, info.pv.first()) {
            let (depth, score, nodes) = (info.depth, info.score, info.nodes);
            let seconds = info.elapsed.as_secs_f64();
            iterations.push(Iteration { depth, best: format(&position, m), score, nodes, seconds });
        }
    });
    let best = if result.best == Move::NONE { String::new() } else { format(&position, result.best) };
    let lines = result.lines.iter().map(|line| (line.score, spelled(&position, &line.pv))).collect();
    let pv = spelled(&position, &result.pv);
    Ok(Answer { best, pv, book, is_from_book: false, lines, iterations, result: Some(result) })
}

/// Spells out a line of legal moves.
fn spelled<G: Game>(position: &G, line: &[Move]) -> Vec<String> {
    let mut next = position.clone();
    let spell = |&m: &Move| {
        let text = G::coordinates().format(&next, m);
        next.play_unchecked(m);
        text
    };
    line.iter().map(spell).collect()
}

fn to_dict<'py>(py: Python<'py>, answer: &Answer) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("move", (!answer.best.is_empty()).then_some(&answer.best))?;
    dict.set_item("source", if answer.is_from_book { "book" } else { "search" })?;
    let result = answer.result.as_ref();
    dict.set_item("score_cp", result.and_then(|result| result.score.centipawns()))?;
    dict.set_item("mate_in", result.and_then(|result| result.score.mate_plies()))?;
    dict.set_item("depth", result.map_or(0, |result| result.depth))?;
    dict.set_item("seldepth", result.map_or(0, |result| result.counts.seldepth))?;
    let nodes = result.map_or(0, |result| result.nodes);
    let seconds = result.map_or(0.0, |result| result.elapsed.as_secs_f64());
    dict.set_item("nodes", nodes)?;
    dict.set_item("seconds", seconds)?;
    dict.set_item("nps", if seconds > 0.0 { (nodes as f64 / seconds) as u64 } else { 0 })?;
    dict.set_item("pv", &answer.pv)?;
    // Answering from the book, the hits are the successors that it knows.
    let book_hits = result.map_or(answer.book.len() as u64, |result| result.counts.book_hits);
    dict.set_item("book_hits", book_hits)?;
    dict.set_item("endgame_hits", result.map_or(0, |result| result.counts.endgame_hits))?;
    dict.set_item("table_hits", result.map_or(0, |result| result.counts.table_hits))?;
    dict.set_item("table_probes", result.map_or(0, |result| result.counts.table_probes))?;
    let counts = result.map_or_else(Default::default, |result| result.counts);
    dict.set_item("table_refused", counts.refused)?;
    dict.set_item("pawn_probes", counts.evaluation.pawns.probes)?;
    dict.set_item("pawn_hits", counts.evaluation.pawns.hits)?;
    dict.set_item("material_probes", counts.evaluation.materials.probes)?;
    dict.set_item("material_hits", counts.evaluation.materials.hits)?;
    dict.set_item("table_permille", result.map_or(0, |result| result.full_permille))?;
    let known = answer.book.iter().map(|(text, each)| {
        let entry = PyDict::new(py);
        entry.set_item("move", text)?;
        entry.set_item("usage", each.record.word.usage())?;
        entry.set_item("quality", each.record.word.quality())?;
        Ok(entry)
    });
    let lines = answer.lines.iter().map(|(score, pv)| {
        let line = scored(py, *score)?;
        line.set_item("pv", pv)?;
        Ok(line)
    });
    dict.set_item("lines", lines.collect::<PyResult<Vec<_>>>()?)?;
    let iterations = answer.iterations.iter().map(|iteration| {
        let entry = scored(py, iteration.score)?;
        entry.set_item("depth", iteration.depth)?;
        entry.set_item("move", &iteration.best)?;
        entry.set_item("nodes", iteration.nodes)?;
        entry.set_item("seconds", iteration.seconds)?;
        Ok(entry)
    });
    dict.set_item("iterations", iterations.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("book_moves", known.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// Returns a dictionary with a score in its two forms, one of them None.
fn scored(py: Python<'_>, score: Score) -> PyResult<Bound<'_, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("score_cp", score.centipawns())?;
    entry.set_item("mate_in", score.mate_plies())?;
    Ok(entry)
}
