//! Long native calls: the work runs on its own thread without the GIL, while the caller's thread checks for signals and
//! reports progress some times a second.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::search::STACK_BYTES;
use crate::tally::Progress;

/// Time between two looks at the signals.
pub const STEP: Duration = Duration::from_millis(50);

/// Runs `work` and returns what it returns. `tick` is called about five times a second with the GIL held. If a signal
/// handler or `tick` raises, `stop` is set, the work is awaited, and the exception is returned.
pub fn in_steps<T: Send + 'static>(
    py: Python<'_>,
    stop: &AtomicBool,
    tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, is_done) = channel::<()>();
    let is_done = Mutex::new(is_done);
    let wait = || is_done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(STEP);
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        // Dropped when the work is done, however it ends: the caller wakes at once.
        let _done = done;
        work()
    });
    let remedy = "raise the limit of memory or of threads";
    let worker =
        worker.map_err(|error| PyOSError::new_err(format!("a thread cannot start: {error}; {remedy}")))?;
    let mut raised = None;
    let mut step = 0u32;
    while py.detach(wait) == Err(RecvTimeoutError::Timeout) {
        step += 1;
        let mut asked = py.check_signals();
        if asked.is_ok() && step.is_multiple_of(4) {
            asked = tick(py);
        }
        if let Err(error) = asked {
            stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
    let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    match raised {
        Some(error) => Err(error),
        None => tick(py).map(|()| result),
    }
}

/// Calls `progress`, if there is one, with bytes, games and rejects.
pub fn report(py: Python<'_>, progress: Option<&Py<PyAny>>, state: &Progress) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let figures = [&state.bytes, &state.games, &state.rejects].map(|figure| figure.load(Ordering::Relaxed));
    progress.call1(py, (figures[0], figures[1], figures[2])).map(drop)
}

/// Runs work that counts what it reads, and calls `progress`, if there is one, with bytes, games and rejects.
pub fn in_progress<T: Send + 'static, E: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Progress) -> Result<T, E> + Send + 'static,
) -> PyResult<T>
where
    PyErr: From<E>,
{
    let state = Arc::new(Progress::default());
    let shared = Arc::clone(&state);
    let mut tick = |py: Python<'_>| report(py, progress.as_ref(), &state);
    Ok(in_steps(py, &state.stop, &mut tick, move || work(&shared))??)
}

/// Asks Python for signals while a long call runs without the GIL, and keeps the exception that one raised.
#[derive(Default)]
pub struct Signals(Mutex<Option<PyErr>>);

impl Signals {
    /// Returns `Break` once a signal handler has raised.
    pub fn ask(&self) -> ControlFlow<()> {
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the exception of the handler, if one raised, else that of `error`.
    pub fn or(self, error: impl Into<PyErr>) -> PyErr {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|| error.into())
    }
}
