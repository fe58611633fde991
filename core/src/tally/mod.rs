//! The tally: archives in, counts per (position, move) out, with one row per game used and one line per reject.
//!
//! One thread cuts archives into blocks; workers (or, alone, the same thread) parse and replay blocks and part the
//! observations; at the end all parts are sorted and combined. Counts add up, so neither the order of blocks nor the number of workers shows in
//! the result, byte for byte.

mod combine;
mod games;
mod rows;
mod work;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use thiserror::Error;

use crate::archive::{ArchiveError, Archived, Block, Found, read_blocks};
use crate::replay::ReplayOptions;

pub use games::{Games, TextColumn};
pub use rows::{Identity, Row, Rows, RowsRef, merge};
pub use work::{Reject, SourceReport};

use work::{BlockDone, Worker};

/// What a run is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct TallyOptions {
    /// How games are replayed.
    pub replay: ReplayOptions,
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Stop once this many games are used, in the order of the archives; asks for one worker.
    pub limit: Option<u64>,
    /// Bytes that a source's compressed data may become, as [`read_blocks`] takes it.
    pub max_inflate: Option<u64>,
}

/// How far a run is; written by the run, read by whoever shows it. Setting `stop` ends the run early.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes read from disk, before decompression.
    pub bytes: AtomicU64,
    /// Games read.
    pub games: AtomicU64,
    /// Games rejected.
    pub rejects: AtomicU64,
    /// Ask the run to end; it then returns [`TallyError::Stopped`].
    pub stop: AtomicBool,
}

/// Why a run ended without a result.
#[derive(Debug, Error)]
pub enum TallyError {
    /// An archive could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// [`Progress::stop`] was set.
    #[error("stopped on request")]
    Stopped,
    /// The worker threads could not be started.
    #[error("cannot start {jobs} worker threads: {message}; ask for fewer with --jobs")]
    Threads {
        /// Threads asked for.
        jobs: usize,
        /// What the system said.
        message: String,
    },
}

/// What a run brings.
#[derive(Debug, Default)]
pub struct TallyRun {
    /// The tally.
    pub rows: Rows,
    /// One row per game used.
    pub games: Games,
    /// Games, or rests of games, that could not be used.
    pub rejects: Vec<Reject>,
    /// What each source held, in the order of the paths.
    pub sources: Vec<SourceReport>,
    /// Observations counted.
    pub observations: u64,
}

/// A block on its way to a worker.
struct Job {
    source: u32,
    sequence: u64,
    block: Block,
}

/// Tallies archives of one game.
///
/// # Errors
/// [`TallyError`]: the first archive that cannot be read, or a stop on request.
pub fn run<G: Archived>(
    paths: &[PathBuf],
    options: &TallyOptions,
    progress: &Progress,
) -> Result<TallyRun, TallyError> {
    let jobs = if options.limit.is_some() { 1 } else { options.jobs.max(1) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(|error| TallyError::Threads { jobs, message: error.to_string() })?;
    let mut sources: Vec<SourceReport> = paths.iter().map(|path| SourceReport::new(path)).collect();
    let (read, workers) = if jobs == 1 {
        work_alone::<G>(paths, &mut sources, options, progress)
    } else {
        work_together::<G>(paths, &mut sources, options, progress)
    };
    read?;
    if progress.stop.load(Ordering::Relaxed) {
        return Err(TallyError::Stopped);
    }
    Ok(pool.install(|| finish(workers, sources)))
}

type Worked = (Result<(), ArchiveError>, Vec<Worker>);

/// Cuts and replays block after block on the current thread, so that a block is still in its cache when it is parsed.
fn work_alone<G: Archived>(
    paths: &[PathBuf],
    sources: &mut [SourceReport],
    options: &TallyOptions,
    progress: &Progress,
) -> Worked {
    let mut worker = Worker::new(options);
    let read = cut::<G>(paths, sources, options, progress, &mut |job| {
        worker.block::<G>(job.source, job.sequence, &job.block, progress);
        if worker.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (read, vec![worker])
}

/// Cuts on the current thread and replays on others.
fn work_together<G: Archived>(
    paths: &[PathBuf],
    sources: &mut [SourceReport],
    options: &TallyOptions,
    progress: &Progress,
) -> Worked {
    let (sender, receiver) = sync_channel::<Job>(2 * options.jobs);
    let receiver = Arc::new(Mutex::new(receiver));
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..options.jobs)
            .map(|_| {
                let receiver = Arc::clone(&receiver);
                scope.spawn(move || work_off::<G>(&receiver, options, progress))
            })
            .collect();
        // Only workers hold it now: when all are gone, sending fails and the cutting ends.
        drop(receiver);
        let read = cut::<G>(paths, sources, options, progress, &mut |job| {
            if sender.send(job).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(sender);
        let join = |handle: std::thread::ScopedJoinHandle<'_, Worker>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        (read, handles.into_iter().map(join).collect())
    })
}

/// Cuts all archives into blocks and hands them on, in order, until `hand` breaks.
fn cut<G: Archived>(
    paths: &[PathBuf],
    sources: &mut [SourceReport],
    options: &TallyOptions,
    progress: &Progress,
    hand: &mut dyn FnMut(Job) -> ControlFlow<()>,
) -> Result<(), ArchiveError> {
    use ControlFlow::{Break, Continue};
    let mut is_over = false;
    for (index, (path, report)) in paths.iter().zip(sources).enumerate() {
        let mut sequence = 0;
        read_blocks(path, options.max_inflate, &progress.bytes, &mut |found| {
            if progress.stop.load(Ordering::Relaxed) {
                return Break(());
            }
            match found {
                Found::Skipped { member, reason } => {
                    report.skip(member.as_deref(), reason.code(), reason.to_string());
                }
                Found::Block(block) if block.format.game() != G::ID => {
                    let game = block.format.game().name();
                    let reason = format!("a {game} archive in a {} run", G::ID.name());
                    report.skip(block.member.as_deref(), "other-game", reason);
                }
                Found::Block(block) => {
                    sequence += 1;
                    let job = Job { source: index as u32, sequence, block };
                    is_over = hand(job).is_break();
                }
            }
            if is_over { Break(()) } else { Continue(()) }
        })?;
        if is_over {
            break;
        }
    }
    Ok(())
}

fn work_off<G: Archived>(
    receiver: &Mutex<Receiver<Job>>,
    options: &TallyOptions,
    progress: &Progress,
) -> Worker {
    let mut worker = Worker::new(options);
    loop {
        let next = match receiver.lock() {
            Ok(receiver) => receiver.recv(),
            Err(_) => break,
        };
        match next {
            Ok(job) if !progress.stop.load(Ordering::Relaxed) => {
                worker.block::<G>(job.source, job.sequence, &job.block, progress);
            }
            _ => break,
        }
    }
    worker
}

/// Puts together what the workers brought: blocks in order, observations combined.
fn finish(mut workers: Vec<Worker>, mut sources: Vec<SourceReport>) -> TallyRun {
    let mut done: Vec<(BlockDone, usize)> = Vec::new();
    for (index, worker) in workers.iter_mut().enumerate() {
        done.extend(worker.take_done().into_iter().map(|block| (block, index)));
    }
    done.sort_by_key(|(block, _)| (block.source, block.sequence));
    // One worker has met the blocks in order: its games are in order as they are.
    let mut games = match workers.as_mut_slice() {
        [only] => only.take_games(),
        _ => Games::default(),
    };
    let is_in_order = workers.len() == 1;
    let mut rejects = Vec::new();
    for (block, index) in done {
        let report = &mut sources[block.source as usize];
        let before = report.games_read;
        report.add(&block);
        if !is_in_order {
            games.extend(workers[index].games(), block.games.clone());
        }
        rejects.extend(
            block.rejects.into_iter().map(|reject| Reject { number: reject.number + before, ..reject }),
        );
    }
    let harvests: Vec<_> = workers.into_iter().map(Worker::into_harvest).collect();
    let observations = harvests.iter().map(|harvest| harvest.parts.len()).sum();
    TallyRun { rows: combine::combine(harvests), games, rejects, sources, observations }
}
