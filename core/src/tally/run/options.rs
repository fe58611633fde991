//! What a run is asked for.

use super::duplicates::Dedupe;
use crate::filter::{Facets, GameFilter};
use crate::replay::ReplayOptions;

/// What a run is asked for.
#[derive(Debug, Clone, Default)]
pub struct TallyOptions {
    /// Which games are counted.
    pub filter: GameFilter,
    /// How games are replayed; to find duplicates it must resolve them to their end.
    pub replay: ReplayOptions,
    /// What rows are kept apart by.
    pub facets: Facets,
    /// Which games are left out as copies of others.
    pub dedupe: Dedupe,
    /// Keep the bytes of rejected games.
    pub keep_rejected: bool,
    /// Make the digests of the sources while they are read.
    pub digests: bool,
    /// Worker threads; 0 counts as 1.
    pub jobs: usize,
    /// Stop once this many games are used, duplicates included, in the order of the archives; asks for one worker.
    pub limit: Option<u64>,
    /// Bytes that a source's compressed data may become, as [`read_blocks`] takes it.
    pub max_inflate: Option<u64>,
}
