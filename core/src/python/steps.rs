//! Long native calls, cut for Python into steps: the work runs on a thread of its own without the GIL, while the
//! caller's thread asks for signals and reports progress some times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

/// Runs `work` and returns what it returns. `tick` is called about five times a second with the GIL held. If a signal
/// handler or `tick` raises, `stop` is set, the work is awaited, and the exception is returned.
pub fn in_steps<T: Send + 'static>(
    py: Python<'_>,
    stop: &AtomicBool,
    tick: &mut dyn FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let worker = std::thread::spawn(work);
    let mut raised = None;
    let mut step = 0u32;
    while !worker.is_finished() {
        // Short calls are not kept waiting: a search of a few hundred nodes lasts less than a millisecond.
        let pause = match step {
            0..20 => Duration::from_micros(50),
            20..40 => Duration::from_millis(1),
            _ => Duration::from_millis(50),
        };
        py.detach(|| std::thread::sleep(pause));
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
