//! Signals of the loop to a running search: stop, and ponderhit.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The signals of one search. Clones share them.
#[derive(Clone)]
pub struct Signal {
    /// Set: answer now.
    pub stop: Arc<AtomicBool>,
    /// Set while the opponent's clock runs.
    pub ponder: Arc<AtomicBool>,
    /// The answer waits for `stop`.
    is_infinite: bool,
    changed: Arc<(Mutex<()>, Condvar)>,
}

impl Signal {
    /// Returns the signals of a new search.
    pub fn new(is_ponder: bool, is_infinite: bool) -> Signal {
        Signal {
            stop: Arc::default(),
            ponder: Arc::new(AtomicBool::new(is_ponder)),
            is_infinite,
            changed: Arc::default(),
        }
    }

    /// Stops the search.
    pub fn stop(&self) {
        self.change(|| self.stop.store(true, Ordering::Relaxed));
    }

    /// Starts the search's own clock.
    pub fn ponder_hit(&self) {
        self.change(|| self.ponder.store(false, Ordering::Relaxed));
    }

    /// Returns whether the search ends by itself.
    pub fn is_finite(&self) -> bool {
        !self.is_infinite && !self.ponder.load(Ordering::Relaxed)
    }

    /// Waits until the answer is allowed: in analysis after `stop`, never on the opponent's time.
    pub fn await_answer_time(&self) {
        let (mutex, condition) = &*self.changed;
        let mut guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_finite() && !self.stop.load(Ordering::Relaxed) {
            guard = condition.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, set: impl FnOnce()) {
        let (mutex, condition) = &*self.changed;
        let guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
        set();
        drop(guard);
        condition.notify_all();
    }
}
