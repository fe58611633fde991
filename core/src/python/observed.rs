//! Observations for Python: a thread reads archives while Python works on what was read before.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pyo3::prelude::*;

use super::options::{Counting, Limits, for_game};
use super::runs::Run;
use super::steps::{in_steps, report};
use super::tally::seen_games;
use crate::search::STACK_BYTES;
use crate::tally::{Batch, Bounds, Progress, TallyError, run_in_batches};

/// Iterates over runs in memory that have observations one by one instead of rows.
#[pyclass(frozen, module = "bookbuilder._core")]
pub struct Observer {
    runs: Arc<Mutex<Receiver<Result<Batch, TallyError>>>>,
    state: Arc<Progress>,
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Observer {
    /// Begins to read archives; a run takes about `memory` bytes.
    #[new]
    fn new(paths: Vec<PathBuf>, options: Counting, mut limits: Limits, memory: u64) -> PyResult<Observer> {
        let progress = limits.progress.take();
        let (game, mut options) = options.parse(&limits)?;
        options.observe = true;
        let seen = seen_games(options.dedupe, None)?;
        let bounds = Bounds { memory: Some(memory), seen, ..Bounds::default() };
        let state = Arc::new(Progress::default());
        let shared = Arc::clone(&state);
        // A run waits here until it is asked for.
        let (sender, runs) = sync_channel(0);
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            let mut hand = |batch, _: Option<&_>| sender.send(Ok(batch)).map_err(|_| TallyError::Stopped);
            let read =
                for_game!(game, G => run_in_batches::<G>(&paths, &options, bounds, &shared, &mut hand));
            if let Err(error) = read {
                // Nobody receives this if the iterator is gone.
                let _ = sender.send(Err(error));
            }
        })?;
        Ok(Observer { runs: Arc::new(Mutex::new(runs)), state, progress })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Run>> {
        let runs = Arc::clone(&self.runs);
        let next = move || runs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let mut tick = |py: Python<'_>| report(py, self.progress.as_ref(), &self.state);
        let run = in_steps(py, &self.state.stop, &mut tick, next)?.transpose()?;
        Ok(run.map(Run::in_memory))
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
    }
}
