//! A run in bounded memory: when the memory is full, the run combines what it has into a batch, hands it on and starts
//! the next batch.
//!
//! A batch covers consecutive blocks in the order of the archives, so an interrupted run is resumed after the last batch
//! that was kept. The size of a batch depends on the memory. The sum of all batches does not.

use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

use super::cutting::{Job, Place, Step, cut};
use super::duplicates::{Dedupe, Seen};
use super::worker::{BlockDone, SourceReport, Worker};
use crate::archive::{ArchiveError, Archived, BLOCK_BYTES, name_of};
use crate::tally::games::Games;
use crate::tally::observed::Observed;
use crate::tally::reject::Reject;
use crate::tally::rows::combine;
use crate::tally::rows::sorted::SortedRows;
use crate::tally::{Progress, TallyError, TallyOptions};

/// Where a run begins, and how much it may hold.
#[derive(Debug, Default)]
pub struct Bounds {
    /// The place to begin at.
    pub start: Place,
    /// Bytes that observations, games and rejects may take before they are handed on; `None` = any number, as for
    /// [`Dedupe::Prefix`], which must have all games at hand.
    pub memory: Option<u64>,
    /// Games before the run, which its games may be copies of.
    pub seen: Seen,
}

/// What a stretch of blocks came to.
#[derive(Debug, Default)]
pub struct Batch {
    /// The names of the sources of the run.
    pub names: Vec<String>,
    /// The tally.
    pub rows: SortedRows,
    /// Instead of rows, if the options ask for it, the observations one by one.
    pub observed: Observed,
    /// One row per game used, in order.
    pub games: Arc<Games>,
    /// Games, or rests of games, that could not be used.
    pub rejects: Vec<Reject>,
    /// What the batch read of each source that it met.
    pub sources: Vec<(u32, SourceReport)>,
    /// Observations counted.
    pub observations: u64,
    /// Games known before that begin games of this batch.
    pub superseded: u64,
    /// The place behind the batch; that of a source beyond the last if nothing is left.
    pub end: Place,
}

/// Takes a batch, and the threads of the run, if there are several; an error ends the run.
pub type Sink<'a> = dyn FnMut(Batch, Option<&ThreadPool>) -> Result<(), TallyError> + 'a;

/// Tallies archives of one game in batches, at least one, and hands each to `sink`, in order.
///
/// # Errors
/// [`TallyError`]: the first archive that cannot be read, a stop on request, or what `sink` returns.
pub fn run_in_batches<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    bounds: Bounds,
    progress: &Progress,
    sink: &mut Sink<'_>,
) -> Result<(), TallyError> {
    let jobs = if options.limit.is_some() { 1 } else { options.jobs.max(1) };
    // One job is done by the current thread.
    let threads = (jobs > 1).then(|| ThreadPoolBuilder::new().num_threads(jobs).build()).transpose();
    let pool = threads.map_err(|error| TallyError::Threads { jobs, message: error.to_string() })?;
    let is_whole = options.dedupe == Dedupe::Prefix;
    let run = Run {
        paths,
        names: paths.iter().map(|path| name_of(path).to_string_lossy().into_owned()).collect(),
        options,
        progress,
        pool: pool.as_ref(),
        budget: bounds.memory.filter(|_| !is_whole).unwrap_or(u64::MAX),
        place: bounds.start,
        seen: bounds.seen,
        numbered: 0,
        reports: BTreeMap::new(),
        sink,
        failure: None,
    };
    match &pool {
        None => run.alone::<G>(),
        Some(pool) => run.together::<G>(pool),
    }
}

/// A run between two batches.
struct Run<'r, 's> {
    paths: &'r [PathBuf],
    names: Vec<String>,
    options: &'r TallyOptions,
    progress: &'r Progress,
    /// `None` for one job.
    pool: Option<&'r ThreadPool>,
    budget: u64,
    /// Where the batch begins.
    place: Place,
    seen: Seen,
    /// Games of which observations were handed on one by one.
    numbered: u64,
    reports: BTreeMap<u32, SourceReport>,
    sink: &'r mut Sink<'s>,
    failure: Option<TallyError>,
}

impl<'r> Run<'r, '_> {
    /// Cuts and replays block after block on the current thread, so that a block is still in its cache when it is
    /// parsed.
    fn alone<G: Archived>(mut self) -> Result<(), TallyError> {
        let (paths, start, options, progress) = (self.paths, self.place, self.options, self.progress);
        let mut worker = Worker::<G>::new(options, start.games_used);
        let read = cut::<G>(paths, start, options, progress, &mut |step| {
            let Some(job) = self.take_block(step) else { return Continue(()) };
            worker.block(job.source, job.sequence, &job.block, progress);
            if worker.is_done() {
                return Break(());
            }
            if worker.held_bytes() < self.budget {
                return Continue(());
            }
            let full = std::mem::replace(&mut worker, Worker::new(options, 0));
            let step = self.hand_on(vec![full], job.source, job.sequence);
            worker = Worker::new(options, self.place.games_used);
            step
        });
        self.finish(read, vec![worker])
    }

    /// Cuts on the current thread and replays on the threads of the pool. These also combine the observations, so that the
    /// rows reuse the memory.
    fn together<G: Archived>(mut self, pool: &ThreadPool) -> Result<(), TallyError> {
        let (paths, place, options, progress) = (self.paths, self.place, self.options, self.progress);
        pool.in_place_scope(|scope| {
            let held = Arc::new(AtomicU64::new(0));
            let jobs = pool.current_num_threads();
            let start = || Workers::<G>::start(scope, jobs, options, progress, &held);
            let mut workers = start();
            let read = cut::<G>(paths, place, options, progress, &mut |step| {
                let Some(job) = self.take_block(step) else { return Continue(()) };
                let (source, sequence) = (job.source, job.sequence);
                if !workers.hand(job) {
                    return Break(());
                }
                if held.load(Ordering::Relaxed) < self.budget {
                    return Continue(());
                }
                let done = workers.finish();
                held.store(0, Ordering::Relaxed);
                let step = self.hand_on(done, source, sequence);
                if step.is_continue() {
                    workers = start();
                }
                step
            });
            self.finish(read, workers.finish())
        })
    }

    /// Returns a block; adds other steps to the report of their source.
    fn take_block(&mut self, step: Step) -> Option<Job> {
        match step {
            Step::Block(job) => return Some(job),
            Step::Skipped { source, member, code, reason } => {
                self.report(source).skip(member.as_deref(), code, reason);
            }
            Step::Digested { source, digest } => self.report(source).digest = Some(digest),
        }
        None
    }

    fn report(&mut self, source: u32) -> &mut SourceReport {
        self.reports.entry(source).or_insert_with(|| SourceReport::new(&self.paths[source as usize]))
    }

    /// Hands on a batch that ends behind a block.
    fn hand_on<G: Archived>(
        &mut self,
        workers: Vec<Worker<'r, G>>,
        source: u32,
        sequence: u64,
    ) -> ControlFlow<()> {
        // Workers that were stopped have not done all blocks.
        if self.progress.stop.load(Ordering::Relaxed) {
            return Break(());
        }
        match self.flush(workers, source, sequence) {
            Ok(()) => Continue(()),
            Err(error) => {
                self.failure = Some(error);
                Break(())
            }
        }
    }

    /// Ends the run with its last batch.
    fn finish<G: Archived>(
        mut self,
        read: Result<(), ArchiveError>,
        workers: Vec<Worker<'r, G>>,
    ) -> Result<(), TallyError> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        read?;
        if self.progress.stop.load(Ordering::Relaxed) {
            return Err(TallyError::Stopped);
        }
        self.flush(workers, self.paths.len() as u32, 0)
    }

    /// Puts together what the workers brought: blocks in order, copies of games dropped, observations combined.
    fn flush<G: Archived>(
        &mut self,
        mut workers: Vec<Worker<'r, G>>,
        source: u32,
        sequence: u64,
    ) -> Result<(), TallyError> {
        let mut done: Vec<(BlockDone, usize)> = Vec::new();
        for (index, worker) in workers.iter_mut().enumerate() {
            done.extend(std::mem::take(&mut worker.done).into_iter().map(|block| (block, index)));
        }
        done.sort_by_key(|(block, _)| (block.source, block.sequence));
        let mut games = games_in_order(&mut workers, &done);
        let games_used = self.place.games_used + games.len() as u64;
        let rejects = self.add_reports(&mut done);
        let games_read = self.games_read_of(source);
        let found = self.seen.find(&games);
        let superseded = found.superseded;
        let observed = match self.options.observe {
            true => self.observed(&found.is_dropped, &workers, &done),
            false => Observed::default(),
        };
        if self.options.dedupe != Dedupe::Off {
            self.drop_duplicates(&found.is_dropped, &games, &mut workers, &done);
            games = games.without(&found.is_dropped);
        }
        drop(done);
        let games = Arc::new(games.sorted(&self.names));
        let (harvests, counted): (Vec<_>, Vec<u64>) = workers.into_iter().map(Worker::into_harvest).unzip();
        let rows = combine::combine(harvests, self.pool);
        let observations = counted.into_iter().sum::<u64>() + observed.key.len() as u64;
        self.place = Place { source, sequence, games_read, games_used };
        let sources = std::mem::take(&mut self.reports).into_iter().collect();
        let (names, end) = (self.names.clone(), self.place);
        let batch = Batch { names, rows, observed, games, rejects, sources, observations, superseded, end };
        (self.sink)(batch, self.pool)
    }

    /// Returns the games read of a source, earlier batches included.
    fn games_read_of(&self, source: u32) -> u64 {
        let before = if source == self.place.source { self.place.games_read } else { 0 };
        before + self.reports.get(&source).map_or(0, |report| report.games_read)
    }

    /// Adds the blocks' figures to their sources and returns the rejects, numbered through each source.
    fn add_reports(&mut self, done: &mut [(BlockDone, usize)]) -> Vec<Reject> {
        let mut all = Vec::new();
        for (block, _) in done {
            let before = self.games_read_of(block.source);
            self.report(block.source).add(std::mem::take(&mut block.report));
            let rejects = std::mem::take(&mut block.rejects);
            all.extend(rejects.into_iter().map(|reject| Reject { number: reject.number + before, ..reject }));
        }
        all
    }

    /// Returns the observations one by one, block after block, without those of games that are dropped.
    fn observed<G: Archived>(
        &mut self,
        is_dropped: &[bool],
        workers: &[Worker<'_, G>],
        done: &[(BlockDone, usize)],
    ) -> Observed {
        let (mut observed, mut start) = (Observed::default(), 0);
        for (block, index) in done {
            let number = |&is_dropped: &bool| {
                self.numbered += u64::from(!is_dropped);
                (!is_dropped).then_some(self.numbered.wrapping_sub(1))
            };
            let numbers: Vec<_> = is_dropped[start..start + block.games.len()].iter().map(number).collect();
            start += block.games.len();
            observed.add(workers[*index].seen(), block.observations.clone(), &block.games, &numbers);
        }
        observed
    }

    /// Takes the games that are dropped, of all games in order, from the workers' observations and the sources' figures.
    fn drop_duplicates<G: Archived>(
        &mut self,
        is_dropped: &[bool],
        games: &Games,
        workers: &mut [Worker<'_, G>],
        done: &[(BlockDone, usize)],
    ) {
        for (&source, _) in games.source.iter().zip(is_dropped).filter(|(_, dropped)| **dropped) {
            let report = self.report(source);
            report.duplicates += 1;
            report.games_used -= 1;
        }
        // Rows of each worker's GAMES table, from the order of all games.
        let mut by_worker: Vec<Vec<bool>> = vec![Vec::new(); workers.len()];
        let mut start = 0;
        for (block, index) in done {
            let dropped = &is_dropped[start..start + block.games.len()];
            start += block.games.len();
            let rows = &mut by_worker[*index];
            rows.resize(rows.len().max(block.games.end), false);
            rows[block.games.clone()].copy_from_slice(dropped);
        }
        for (worker, is_dropped) in workers.iter_mut().zip(&by_worker) {
            worker.drop_games(is_dropped);
        }
    }
}

fn games_in_order<G: Archived>(workers: &mut [Worker<'_, G>], done: &[(BlockDone, usize)]) -> Games {
    // One worker has met the blocks in order: its games are in order as they are.
    if let [only] = workers {
        return std::mem::take(&mut only.games);
    }
    let mut games = Games::default();
    for (block, index) in done {
        games.extend(&workers[*index].games, block.games.clone());
    }
    games
}

/// Bytes of blocks that go to a worker together. In an archive of many small files each file is a block, and handing over
/// a block costs as much as reading it.
const PARCEL_BYTES: usize = BLOCK_BYTES / 4;

/// The workers on the threads of a pool, and the channels to and from them.
struct Workers<'r, G: Archived> {
    sender: Option<SyncSender<Vec<Job>>>,
    /// Blocks that wait to be handed over.
    parcel: Vec<Job>,
    /// Bytes of those blocks.
    parcel_bytes: usize,
    done: Receiver<thread::Result<Worker<'r, G>>>,
}

impl<'r, G: Archived> Workers<'r, G> {
    /// Starts the workers. `held` counts the bytes that they hold.
    fn start<'s>(
        scope: &Scope<'s>,
        jobs: usize,
        options: &'r TallyOptions,
        progress: &'r Progress,
        held: &Arc<AtomicU64>,
    ) -> Workers<'r, G>
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
        Workers { sender: Some(sender), parcel: Vec::new(), parcel_bytes: 0, done }
    }

    /// Queues a block for the next free worker; returns whether a worker is left.
    fn hand(&mut self, job: Job) -> bool {
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
    fn finish(&mut self) -> Vec<Worker<'r, G>> {
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
