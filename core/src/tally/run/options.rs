//! The options of a run, its progress, and its errors.

use std::sync::atomic::{AtomicBool, AtomicU64};

use thiserror::Error;

use super::duplicates::Dedupe;
use crate::archive::ArchiveError;
use crate::filter::{Facets, GameFilter};
use crate::replay::ReplayOptions;
use crate::tally::storage::StorageError;

/// The options of a run.
#[derive(Debug, Clone, Default)]
pub struct TallyOptions {
    /// Which games are counted.
    pub filter: GameFilter,
    /// How games are replayed; to find duplicates it must resolve them to their end.
    pub replay: ReplayOptions,
    /// What rows are kept apart by.
    pub facets: Facets,
    /// Which games are skipped as copies of others.
    pub dedupe: Dedupe,
    /// Keep the bytes of rejected games.
    pub keep_rejected: bool,
    /// Make the digests of the sources while they are read.
    pub digests: bool,
    /// Keep the observations one by one, in order, instead of rows. Without variations and facets.
    pub observe: bool,
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Maximum number of games used, duplicates included, in the order of the archives; implies one worker.
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
    /// Nothing could be read of any archive; why not of the first.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// [`Progress::stop`] was set.
    #[error("stopped on request")]
    Stopped,
    /// What the run has could not be written to disk.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The worker threads could not be started.
    #[error("cannot start {jobs} worker threads: {message}; ask for fewer with --jobs")]
    Threads {
        /// Threads asked for.
        jobs: usize,
        /// What the system said.
        message: String,
    },
}
