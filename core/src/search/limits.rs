//! When a search ends: limits come in, a count of nodes and the word to stop go out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::score::MAX_PLY;

/// Nodes between two looks at the clock and the stop flag; chosen, about a millisecond apart.
const NODES_PER_LOOK: u64 = 1024;

/// What ends a search, whichever comes first. None set: it runs to the deepest iteration.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Last iteration.
    pub depth: Option<u8>,
    /// Nodes, interior and quiescence, after which the search ends.
    pub nodes: Option<u64>,
    /// Wall-clock time.
    pub movetime: Option<Duration>,
    /// Raised by another thread to end the search.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Returns limits that end a search after iteration `depth`.
    pub fn depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Returns limits that end a search after so many nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Returns limits that end a search after so much time.
    pub fn movetime(movetime: Duration) -> Limits {
        Limits { movetime: Some(movetime), ..Limits::default() }
    }

    pub(super) fn last_iteration(&self) -> u8 {
        self.depth.unwrap_or(u8::MAX).min(MAX_PLY as u8 - 1)
    }
}

/// Counts nodes and says when the limits are reached.
pub(super) struct Watch {
    started: Instant,
    limits: Limits,
    nodes: u64,
    is_over: bool,
}

impl Watch {
    pub(super) fn start(limits: &Limits) -> Watch {
        let mut watch = Watch { started: Instant::now(), limits: limits.clone(), nodes: 0, is_over: false };
        watch.look();
        watch
    }

    /// Counts a node; returns whether the search may go on.
    pub(super) fn enter(&mut self) -> bool {
        if self.limits.nodes.is_some_and(|nodes| self.nodes >= nodes) {
            self.is_over = true;
        } else if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            self.look();
        }
        self.nodes += u64::from(!self.is_over);
        !self.is_over
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn look(&mut self) {
        let is_late = self.limits.movetime.is_some_and(|movetime| self.elapsed() >= movetime);
        let is_told = self.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        self.is_over |= is_late || is_told;
    }
}
