//! The options of a run.

use super::duplicates::Dedupe;
use crate::filter::{Facets, GameFilter};
use crate::replay::ReplayOptions;

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
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Maximum number of games used, duplicates included, in the order of the archives; implies one worker.
    pub limit: Option<u64>,
    /// Bytes that a source's compressed data may become, as [`read_blocks`] takes it.
    pub max_inflate: Option<u64>,
}
