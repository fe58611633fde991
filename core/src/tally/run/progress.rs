//! How far a run is.

use std::sync::atomic::{AtomicBool, AtomicU64};

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
