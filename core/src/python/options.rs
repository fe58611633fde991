//! What is counted, and how: values of Python, parsed here and nowhere else.

use pyo3::prelude::*;

use super::filter::{Filters, facets_named, named};
use super::game::game_id;
use crate::game::GameId;
use crate::replay::{OnError, ReplayOptions};
use crate::tally::{Dedupe, TallyOptions};

/// The attributes of `bookbuilder.tally.options.TallyOptions`.
#[derive(FromPyObject)]
pub struct Counting {
    game: String,
    max_ply: Option<u16>,
    check: String,
    on_error: String,
    custom_starts: bool,
    variations: bool,
    fold: bool,
    filters: Filters,
    facets: Vec<String>,
    dedupe: String,
    limit: Option<u64>,
}

/// The attributes of `bookbuilder.tally.options.RunLimits` that the core needs.
#[derive(Default, FromPyObject)]
pub struct Limits {
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
    /// Bytes that a file's compressed data may become.
    pub max_inflate: Option<u64>,
    keep_rejected: bool,
    /// Called some times a second with bytes read, games and rejects.
    pub progress: Option<Py<PyAny>>,
}

impl Counting {
    /// Returns the game and the options of a run.
    pub fn parse(&self, limits: &Limits) -> PyResult<(GameId, TallyOptions)> {
        let &Counting { max_ply, variations, custom_starts, fold, limit, .. } = self;
        let full_check = named("--check", &self.check, [("prefix", false), ("full", true)])?;
        let on_error =
            named("--on-error", &self.on_error, [("drop", OnError::Drop), ("prefix", OnError::Prefix)])?;
        let options = TallyOptions {
            filter: self.filters.parse()?,
            replay: ReplayOptions { max_ply, full_check, on_error, variations, custom_starts, fold },
            facets: facets_named(&self.facets)?,
            dedupe: dedupe_named(&self.dedupe)?,
            keep_rejected: limits.keep_rejected,
            digests: false,
            observe: false,
            jobs: limits.threads,
            limit,
            max_inflate: limits.max_inflate,
        };
        Ok((game_id(&self.game)?, options))
    }
}

/// Returns the policy of that name.
pub fn dedupe_named(name: &str) -> PyResult<Dedupe> {
    let policies = [
        ("off", Dedupe::Off),
        ("exact", Dedupe::Exact),
        ("players", Dedupe::Players),
        ("prefix", Dedupe::Prefix),
    ];
    named("--dedupe", name, policies)
}
