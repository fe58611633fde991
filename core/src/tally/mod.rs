//! The tally: archives in, counts per (position, move) out, with one row per game used and one line per reject.
//!
//! One thread cuts archives into blocks; workers (or, alone, the same thread) parse and replay blocks and part the
//! observations; at the end duplicates are dropped, and all parts are sorted and combined. Counts add up, so neither
//! the order of blocks nor the number of workers shows in the result, byte for byte.

mod combine;
mod duplicates;
mod games;
mod reject;
mod rows;
mod work;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use thiserror::Error;

use crate::archive::{ArchiveError, Archived, Block, Found, read_blocks};
use crate::filter::GameFilter;
use crate::replay::ReplayOptions;

pub use duplicates::{Dedupe, Duplicates, find as find_duplicates};
pub use games::{BytesColumn, Games, TextColumn};
pub use reject::{Reject, joined as joined_rejects};
pub use rows::{Identity, Row, Rows, RowsRef, merge};
pub use work::SourceReport;

use work::{BlockDone, Worker};

/// What a run is asked for.
#[derive(Debug, Clone, Default)]
pub struct TallyOptions {
    /// Which games are counted.
    pub filter: GameFilter,
    /// How games are replayed; to find duplicates it must resolve them to their end.
    pub replay: ReplayOptions,
    /// Which games are left out as copies of others.
    pub dedupe: Dedupe,
    /// Games of earlier runs, which the run's games may be copies of.
    pub known: Games,
    /// Keep the bytes of rejected games.
    pub keep_rejected: bool,
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Stop once this many games are used, duplicates included, in the order of the archives; asks for one worker.
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
    /// Known games that begin games of this run: had they come together, they would have been left out.
    pub superseded: u64,
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
    Ok(pool.install(|| finish(workers, sources, options)))
}

type Worked<'a> = (Result<(), ArchiveError>, Vec<Worker<'a>>);

/// Cuts and replays block after block on the current thread, so that a block is still in its cache when it is parsed.
fn work_alone<'a, G: Archived>(
    paths: &[PathBuf],
    sources: &mut [SourceReport],
    options: &'a TallyOptions,
    progress: &Progress,
) -> Worked<'a> {
    let mut worker = Worker::new(options);
    let read = cut::<G>(paths, sources, options, progress, &mut |job| {
        worker.block::<G>(job.source, job.sequence, &job.block, progress);
        if worker.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (read, vec![worker])
}

/// Cuts on the current thread and replays on others.
fn work_together<'a, G: Archived>(
    paths: &[PathBuf],
    sources: &mut [SourceReport],
    options: &'a TallyOptions,
    progress: &Progress,
) -> Worked<'a> {
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
        let join = |handle: std::thread::ScopedJoinHandle<'_, Worker<'a>>| {
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

fn work_off<'a, G: Archived>(
    receiver: &Mutex<Receiver<Job>>,
    options: &'a TallyOptions,
    progress: &Progress,
) -> Worker<'a> {
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

/// Puts together what the workers brought: blocks in order, copies of games dropped, observations combined.
fn finish(mut workers: Vec<Worker<'_>>, mut sources: Vec<SourceReport>, options: &TallyOptions) -> TallyRun {
    let mut done: Vec<(BlockDone, usize)> = Vec::new();
    for (index, worker) in workers.iter_mut().enumerate() {
        done.extend(worker.take_done().into_iter().map(|block| (block, index)));
    }
    done.sort_by_key(|(block, _)| (block.source, block.sequence));
    let mut games = games_in_order(&mut workers, &done);
    let rejects = add_reports(&mut done, &mut sources);
    let mut superseded = 0;
    if options.dedupe != Dedupe::Off {
        let found = find_duplicates(options.dedupe, &options.known, &games);
        superseded = found.superseded;
        drop_duplicates(&found.is_dropped, &games, &mut workers, &done, &mut sources);
        games = games.without(&found.is_dropped);
    }
    let names: Vec<_> = sources.iter().map(|source| source.path.to_string_lossy()).collect();
    let games = games.sorted(&names);
    let harvests: Vec<_> = workers.into_iter().map(Worker::into_harvest).collect();
    let observations = harvests.iter().map(|harvest| harvest.parts.len()).sum();
    TallyRun { rows: combine::combine(harvests), games, rejects, sources, observations, superseded }
}

fn games_in_order(workers: &mut [Worker<'_>], done: &[(BlockDone, usize)]) -> Games {
    // One worker has met the blocks in order: its games are in order as they are.
    if let [only] = workers {
        return only.take_games();
    }
    let mut games = Games::default();
    for (block, index) in done {
        games.extend(workers[*index].games(), block.games.clone());
    }
    games
}

/// Adds the blocks' figures to their sources and returns the rejects, numbered through each source.
fn add_reports(done: &mut [(BlockDone, usize)], sources: &mut [SourceReport]) -> Vec<Reject> {
    let mut all = Vec::new();
    for (block, _) in done {
        let report = &mut sources[block.source as usize];
        let before = report.games_read;
        report.add(block);
        let rejects = std::mem::take(&mut block.rejects);
        all.extend(rejects.into_iter().map(|reject| Reject { number: reject.number + before, ..reject }));
    }
    all
}

/// Takes the games that are dropped, of all games in order, from the workers' observations and the sources' figures.
fn drop_duplicates(
    is_dropped: &[bool],
    games: &Games,
    workers: &mut [Worker<'_>],
    done: &[(BlockDone, usize)],
    sources: &mut [SourceReport],
) {
    for (&source, _) in games.source.iter().zip(is_dropped).filter(|(_, dropped)| **dropped) {
        let report = &mut sources[source as usize];
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
