//! UCI and UCCI on standard input and output, for Python.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use super::book_table::MovesOfBook;
use super::error::usage;
use super::game::game_id;
use crate::game::GameId;
use crate::protocol::{Dialect, OpenBook, Session, Variant};

/// Time between two checks for signals.
const STEP: Duration = Duration::from_millis(50);

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
