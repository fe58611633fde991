//! What the loop tells a search that is running: that the opponent's clock has stopped, and that it is to answer now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The signals of one search. Clones share them.
#[derive(Clone)]
pub struct Signal {
    /// Raised: answer now.
    pub stop: Arc<AtomicBool>,
    /// Up while the opponent's clock runs.
    pub ponder: Arc<AtomicBool>,
    /// The answer waits for the word to stop.
    is_infinite: bool,
    changed: Arc<(Mutex<()>, Condvar)>,
}

impl Signal {
    /// Returns the signals of a search that begins.
    pub fn new(is_ponder: bool, is_infinite: bool) -> Signal {
        Signal {
            stop: Arc::default(),
            ponder: Arc::new(AtomicBool::new(is_ponder)),
            is_infinite,
            changed: Arc::default(),
        }
    }

    /// Tells the search to answer now.
    pub fn stop(&self) {
        self.change(|| self.stop.store(true, Ordering::Relaxed));
    }

    /// Tells the search that its own clock runs.
    pub fn ponder_hit(&self) {
        self.change(|| self.ponder.store(false, Ordering::Relaxed));
    }

    /// Returns whether the search ends without another word.
    pub fn is_finite(&self) -> bool {
        !self.is_infinite && !self.ponder.load(Ordering::Relaxed)
    }

    /// Waits until an answer may be given: not before the word to stop in analysis, not on the opponent's time.
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
