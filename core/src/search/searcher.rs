//! The state that is kept between searches.

use std::sync::Arc;

use super::book::Hints;
use super::order::Order;
use super::path::RepetitionPolicy;
use super::prune::Selectivity;
use super::pv::LineSource;
use super::table::Table;
use super::tablebase::Tablebase;
use crate::evaluate::Standard;

/// A searcher. Its table and move order are kept between searches, so later searches profit from earlier ones.
pub struct Searcher<G, E = Standard> {
    pub(super) table: Table,
    pub(super) evaluation: E,
    pub(super) hints: Hints,
    pub(super) selectivity: Selectivity,
    pub(super) repetition: RepetitionPolicy,
    pub(super) threads: usize,
    pub(super) lines: usize,
    pub(super) line_source: LineSource,
    pub(super) tablebase: Option<Arc<dyn Tablebase<G>>>,
    /// The move order of each thread.
    pub(super) orders: Vec<Order>,
    pub(super) game: std::marker::PhantomData<G>,
}
