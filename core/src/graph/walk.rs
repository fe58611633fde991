//! A walk from the start position through the positions of a tally, each entered once, by several threads.
//!
//! Each thread has a stack of positions that wait. A thread without any takes half of those of another one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{GraphError, Positions, stored};
use crate::game::Foldable;

/// Positions of a block. Not tuned; with blocks, links of three million positions take 0.4 of the time.
const BLOCK: usize = 64;

/// Blocks between two calls of `go_on`: some milliseconds of work. Not tuned.
const BLOCKS: usize = 256;

/// Positions for each thread, at least: a millisecond of work. Not tuned.
const SHARE: usize = if cfg!(test) { 1 } else { 1 << 13 };

/// How long a thread without work waits before it calls `go_on`.
const PAUSE: Duration = Duration::from_millis(50);

/// Tells whether to go on; any thread may ask.
pub type GoOn<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// Walks from the start position on and enters each position once. Each thread does its part; returns what the parts
/// return.
pub(super) fn walk<G: Foldable, T: Send>(
    positions: &Positions,
    is_folded: bool,
    threads: usize,
    go_on: GoOn<'_>,
    part: impl Fn(&mut Walker<'_, G>) -> Result<T, GraphError> + Sync,
) -> Result<Vec<T>, GraphError> {
    let start = G::start();
    let begun = positions.find(stored(&start, is_folded)).map(|number| (start, number));
    let entered = |number| AtomicBool::new(begun.as_ref().is_some_and(|&(_, start)| start == number));
    let walk = Walk {
        entered: (0..positions.count() as u32).map(entered).collect(),
        threads: threads.min(positions.count() / SHARE).max(1),
        idle: AtomicUsize::new(0),
        handed: Mutex::new(vec![begun.into_iter().collect()]),
        changed: Condvar::new(),
        is_over: AtomicBool::new(false),
        go_on,
    };
    let one = || part(&mut Walker { walk: &walk, waiting: Vec::new(), blocks: 0 });
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..walk.threads).map(|_| scope.spawn(one)).collect();
        let own = one();
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
        others.chain([own]).collect()
    })
}

/// What the threads of a walk share.
pub(super) struct Walk<'a, G> {
    /// Of each position, whether a thread has it or had it.
    entered: Vec<AtomicBool>,
    threads: usize,
    /// Threads that wait for positions. It changes while `handed` is locked, as `is_over` does.
    idle: AtomicUsize,
    /// Stacks of positions, with their numbers, for threads that have none.
    handed: Mutex<Vec<Vec<(G, u32)>>>,
    /// Told of each stack, and of the end.
    changed: Condvar,
    is_over: AtomicBool,
    go_on: GoOn<'a>,
}

impl<G> Walk<'_, G> {
    fn handed(&self) -> MutexGuard<'_, Vec<Vec<(G, u32)>>> {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a stack that another thread hands over; an empty one means that the walk is over.
    fn next(&self) -> Result<Vec<(G, u32)>, GraphError> {
        let mut handed = self.handed();
        let idle = self.idle.fetch_add(1, Relaxed) + 1;
        loop {
            if let Some(stack) = handed.pop() {
                self.idle.fetch_sub(1, Relaxed);
                return Ok(stack);
            }
            if idle == self.threads || self.is_over.load(Relaxed) {
                return Ok(Vec::new());
            }
            let waited = self.changed.wait_timeout(handed, PAUSE).unwrap_or_else(PoisonError::into_inner);
            drop(waited);
            self.ask()?;
            handed = self.handed();
        }
    }

    fn ask(&self) -> Result<(), GraphError> {
        match (self.go_on)() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(GraphError::Interrupted),
        }
    }
}

/// The part of one thread in a walk.
pub(super) struct Walker<'a, G> {
    walk: &'a Walk<'a, G>,
    waiting: Vec<(G, u32)>,
    blocks: usize,
}

impl<G> Drop for Walker<'_, G> {
    /// Ends the walk: a thread's part ends when no thread has positions left, or by an error, for which others do not wait.
    fn drop(&mut self) {
        let _locked = self.walk.handed();
        self.walk.is_over.store(true, Relaxed);
        self.walk.changed.notify_all();
    }
}

impl<G> Walker<'_, G> {
    pub(super) fn has_entered(&self, number: u32) -> bool {
        self.walk.entered.get(number as usize).is_some_and(|entered| entered.load(Relaxed))
    }

    pub(super) fn enter(&mut self, number: u32, position: impl FnOnce() -> G) {
        if !self.has_entered(number) && !self.walk.entered[number as usize].swap(true, Relaxed) {
            self.waiting.push((position(), number));
        }
    }

    /// Fills `block` with the next positions and their numbers; returns whether there were any.
    pub(super) fn take(&mut self, block: &mut Vec<(G, u32)>) -> Result<bool, GraphError> {
        if self.blocks.is_multiple_of(BLOCKS) {
            self.walk.ask()?;
        }
        self.blocks += 1;
        if self.waiting.is_empty() {
            self.waiting = self.walk.next()?;
        } else if self.waiting.len() > 2 * BLOCK && self.walk.idle.load(Relaxed) > 0 {
            let half = self.waiting.split_off(self.waiting.len() / 2);
            self.walk.handed().push(half);
            self.walk.changed.notify_one();
        }
        if self.walk.is_over.load(Relaxed) {
            return Ok(false);
        }
        block.extend(self.waiting.drain(self.waiting.len().saturating_sub(BLOCK)..));
        Ok(!block.is_empty())
    }
}
