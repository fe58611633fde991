//! Lazy SMP: more threads search the same root with the same table, at depths that differ by a ply.
//!
//! They share only the table and a stop flag. Their results are discarded; they help the first thread through the
//! table. With one thread a search of fixed nodes repeats exactly; with more it depends on timing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope};

use super::alpha_beta::Worker;
use super::aspiration::aspire;
use super::score::{MAX_PLY, Score};
use crate::evaluate::Evaluate;
use crate::game::Searchable;

/// Stack of a searching thread: a node of the search takes some kilobytes, and there are at most `MAX_PLY` of them
/// with as many of the quiescence on top.
pub const STACK_BYTES: usize = 16 << 20;

/// Sets a flag when dropped, also after a panic, so that no thread stays behind.
pub(super) struct RaisedOnDrop<'a>(pub &'a AtomicBool);

impl Drop for RaisedOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts a thread that deepens until its watch is over. If the system has no thread left, the search goes on without
/// it.
pub(super) fn assist<'scope, 'env, G: Searchable, E: Evaluate<G>>(
    scope: &'scope Scope<'scope, 'env>,
    mut worker: Worker<'scope, G, E>,
    position: &'scope G,
    thread: usize,
) {
    let work = move || {
        let mut score = Score::DRAW;
        // Odd threads are a ply ahead, so that not all do the same at the same time.
        for depth in 1 + (thread % 2) as u8..MAX_PLY as u8 {
            worker.iteration = usize::from(depth);
            score = aspire(&mut worker, position, depth, score);
            if worker.watch.is_over() {
                return;
            }
        }
    };
    let _ = Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
}
