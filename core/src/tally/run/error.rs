//! Why a run ended without a result.

use crate::archive::ArchiveError;
use crate::tally::run_file::storage::StorageError;
use thiserror::Error;

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
