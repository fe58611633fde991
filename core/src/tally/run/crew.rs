//! The workers of a run with several threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::Scope;

use super::cutting::Job;
use super::worker::Worker;
use crate::archive::{Archived, BLOCK_BYTES};
use crate::tally::{Progress, TallyOptions};

/// Bytes of blocks that go to a worker together. In an archive of many small files each file is a block, and handing over
/// a block costs as much as reading it.
const PARCEL_BYTES: usize = BLOCK_BYTES / 4;

/// The workers on the threads of a pool, and the channels to and from them.
pub(super) struct Crew<'r, G: Archived> {
    sender: Option<SyncSender<Vec<Job>>>,
    /// Blocks that wait to be handed over.
    parcel: Vec<Job>,
    /// Bytes of those blocks.
    parcel_bytes: usize,
    done: Receiver<thread::Result<Worker<'r, G>>>,
}

impl<'r, G: Archived> Crew<'r, G> {
    /// Starts the workers. `held` counts the bytes that they hold.
    pub fn start<'s>(
        scope: &Scope<'s>,
        jobs: usize,
        options: &'r TallyOptions,
        progress: &'r Progress,
        held: &Arc<AtomicU64>,
    ) -> Crew<'r, G>
    where
        'r: 's,
    {
        let (sender, receiver) = sync_channel::<Vec<Job>>(2 * jobs);
        // Only workers hold the receiver: when all have ended, sending fails and the cutting ends.
        let receiver = Arc::new(Mutex::new(receiver));
        let (back, done) = channel();
        for _ in 0..jobs {
            let (receiver, held, back) = (Arc::clone(&receiver), Arc::clone(held), back.clone());
            scope.spawn(move |_| {
                let work = || work_off::<G>(&receiver, options, progress, &held);
                // If the run itself has panicked, nobody receives this.
                let _ = back.send(catch_unwind(AssertUnwindSafe(work)));
            });
        }
        Crew { sender: Some(sender), parcel: Vec::new(), parcel_bytes: 0, done }
    }

    /// Queues a block for the next free worker; returns whether a worker is left.
    pub fn hand(&mut self, job: Job) -> bool {
        self.parcel_bytes += job.block.size();
        self.parcel.push(job);
        self.parcel_bytes < PARCEL_BYTES || self.send()
    }

    fn send(&mut self) -> bool {
        self.parcel_bytes = 0;
        let parcel = std::mem::take(&mut self.parcel);
        self.sender.as_ref().is_some_and(|sender| sender.send(parcel).is_ok())
    }

    /// Waits until all queued blocks are done, and returns the workers.
    pub fn finish(&mut self) -> Vec<Worker<'r, G>> {
        self.send();
        self.sender = None;
        self.done.iter().map(|worker| worker.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    }
}

fn work_off<'a, G: Archived>(
    receiver: &Mutex<Receiver<Vec<Job>>>,
    options: &'a TallyOptions,
    progress: &Progress,
    held: &AtomicU64,
) -> Worker<'a, G> {
    let mut worker = Worker::new(options, 0);
    let mut counted = 0;
    let next = || receiver.lock().ok()?.recv().ok();
    while let Some(parcel) = next() {
        for job in parcel {
            if progress.stop.load(Ordering::Relaxed) {
                return worker;
            }
            worker.block(job.source, job.sequence, &job.block, progress);
            let holds = worker.held_bytes();
            held.fetch_add(holds - counted, Ordering::Relaxed);
            counted = holds;
        }
    }
    worker
}
